"""How much of the code the tests run: branches of the C++ core and of the Python package.

    python -m benchmarks.reliability.coverage                    the whole suite
    python -m benchmarks.reliability.coverage tests/kernels      some of it
    python -m benchmarks.reliability.coverage --missing          the core's branches not taken, too

The core is built with clang's source-based coverage into `build/coverage`; then the core's own
tests run, and the Python tests with that module, counted by coverage.py. Processes that tests start
count as well. Properties are tried on few examples, and tests that measure time or memory know by
TREEWRIGHT_WATCHED that they are counted.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.reliability.core_branches import by_file, exported, missing_lines, ways_taken
from benchmarks.reliability.figures import write_figures

ROOT = Path(__file__).parents[2]
CORE_ASKED, PYTHON_ASKED = 0.95, 0.93
VERSIONS = ("", "-20", "-19", "-18", "-17", "-16", "-15", "-14")
SETTINGS = """[run]
branch = true
source_pkgs = treewright
parallel = true
patch = subprocess
data_file = {folder}/python_counts/data
"""


def tools() -> tuple[str, str, str]:
    """The compiler, llvm-profdata and llvm-cov, all of one version."""
    for version in VERSIONS:
        found = [shutil.which(name + version) for name in ("clang++", "llvm-profdata", "llvm-cov")]
        if all(found):
            return str(found[0]), str(found[1]), str(found[2])
    sys.exit("coverage needs clang++, llvm-profdata and llvm-cov of one version")


def build(folder: Path, compiler: str) -> None:
    """Compile the core, its tests and the module with counters."""
    configure = [
        *("cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"),
        *("-DTREEWRIGHT_COVERAGE=ON", "-DTREEWRIGHT_CORE_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug"),
        *(f"-DCMAKE_CXX_COMPILER={compiler}", f"-DPython_EXECUTABLE={sys.executable}"),
    ]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder)], check=True, stdout=subprocess.DEVNULL)


def run_tests(folder: Path, tests: list[str], workers: int) -> int:
    """Run both kinds of tests; 0 if all passed. Processes add what they counted to a few files."""
    for old in ("counts", "python_counts"):
        shutil.rmtree(folder / old, ignore_errors=True)
    (folder / "python_counts").mkdir()
    settings = folder / "coveragerc"
    settings.write_text(SETTINGS.format(folder=folder))
    environment = dict(os.environ)
    environment["LLVM_PROFILE_FILE"] = str(folder / "counts" / "%4m.profraw")
    core = subprocess.run([folder / "treewright_core_tests"], check=False, env=environment)
    environment["TREEWRIGHT_WATCHED"] = "coverage"
    environment.setdefault("TREEWRIGHT_EXAMPLES", "10")
    paths = [folder / "python", ROOT / "src", *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths if str(path))
    environment["COVERAGE_PROCESS_START"] = str(settings)
    command = [sys.executable, "-m", "coverage", "run", "--rcfile", str(settings), "-m", "pytest"]
    command += ["-n", str(workers), "-p", "benchmarks.reliability.one_core_each"]
    command += ["-q", "--timeout", "1800", "-p", "no:cacheprovider", *tests]
    python = subprocess.run(command, check=False, cwd=ROOT, env=environment)
    return core.returncode or python.returncode


def python_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Of each Python file: branches taken, and branches there are."""
    settings, written = folder / "coveragerc", folder / "python.json"
    for step in (["combine", "-q", "--keep"], ["json", "-q", "-o", str(written)]):
        command = [sys.executable, "-m", "coverage", *step, "--rcfile", str(settings)]
        subprocess.run(command, check=True, cwd=ROOT)
    files = json.loads(written.read_text())["files"]
    return {
        name.partition("treewright/")[2]: (
            entry["summary"]["covered_branches"],
            entry["summary"]["num_branches"],
        )
        for name, entry in files.items()
    }


def table(what: str, files: Mapping[str, tuple[int, int]]) -> tuple[float, list[str]]:
    """The share of branches taken, and Markdown with the ten files that miss most."""
    taken, there = (sum(counts[i] for counts in files.values()) for i in (0, 1))
    worst = sorted(files, key=lambda name: files[name][0] - files[name][1])[:10]
    rows = [
        f"| {name} | {files[name][0]} of {files[name][1]} | {files[name][0] / files[name][1]:.1%} |"
        for name in worst
        if files[name][0] < files[name][1]
    ]
    share = taken / there
    lines = [f"{what}: **{share:.2%}** of branches taken ({taken:,} of {there:,}).", ""]
    return share, [*lines, "| file | taken | share |", "|---|---:|---:|", *rows, ""]


def main() -> int:
    """Measure, print, write the result; not 0 if a test fails or less was taken than asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tests", nargs="*", help="as for pytest; all if none is given")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "coverage")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--missing", action="store_true", help="list the core's ways not taken")
    parser.add_argument("--counted", action="store_true", help="the tests have run: only report")
    asked = parser.parse_args()
    compiler, profdata, cov = tools()
    failed = 0
    if not asked.counted:
        build(asked.build, compiler)
        failed = run_tests(asked.build, asked.tests, asked.workers)
    taken = ways_taken(exported(asked.build, profdata, cov))
    if asked.missing:
        print(*missing_lines(taken), sep="\n")
    core_share, core_lines = table("The C++ core", by_file(taken))
    python_share, python_lines = table("The Python package", python_files(asked.build))
    text = "\n".join([*core_lines, *python_lines])
    print(text)
    if not (failed or asked.tests or asked.counted):  # else it is not what the whole suite takes
        write_figures("coverage", "", text.splitlines())
    return failed or int(core_share < CORE_ASKED or python_share < PYTHON_ASKED)


if __name__ == "__main__":
    sys.exit(main())
