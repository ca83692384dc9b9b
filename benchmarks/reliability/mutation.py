"""Would the tests notice? `python -m benchmarks.reliability.mutation --sample 60`.

Small changes are made, one at a time, to the measures, the search for splits (C++) and the checks
of model files, in a copy of the repository; the tests that stand for them should fail. A change
that does not compile is drawn again. Writes `results/reliability/mutation.md`, with every change
that no test noticed.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.reliability.small_changes import Change, changes_of

REPOSITORY = Path(__file__).parents[2]
RESULT = REPOSITORY / "benchmarks/results/reliability/mutation.md"
WANTED = 0.85


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the program, and the tests that stand for it."""

    name: str
    files: tuple[str, ...]  # patterns
    tests: tuple[str, ...]
    is_native: bool = False


PARTS = (
    Part(
        "measures",
        ("src/treewright/measures/*.py",),
        ("tests/measures", "src/treewright/measures"),
    ),
    Part(
        "checks of model files",
        (
            "src/treewright/tree/check.py",
            "src/treewright/tree/as_json.py",
            "src/treewright/data/schema_json.py",
            "src/treewright/models/file_text.py",
            "src/treewright/models/container.py",
            "src/treewright/models/model_file.py",
            "src/treewright/models/state_json.py",
            "src/treewright/models/learned_file.py",
            "src/treewright/models/learned_kinds.py",
            "src/treewright/ensembles/files/*.py",
        ),
        (
            "tests/tree/test_check.py",
            "tests/tree/test_as_json.py",
            "tests/models/test_container.py",
            "tests/models/test_file_text.py",
            "tests/models/test_model_file.py",
            "tests/ensembles/test_ensemble_file.py",
            "tests/ensembles/test_forest_files.py",
            "tests/torture/test_golden_files.py",
            "tests/torture/test_model_files.py",
            "tests/torture/test_strict_files.py",
            "tests/torture/test_foreign_files.py",
        ),
    ),
    Part(
        "search for splits",
        (
            "native/core/scan.hpp",
            "native/core/criterion.hpp",
            "native/core/candidate.hpp",
            "native/core/split_choice.hpp",
            "native/core/group_contest.hpp",
            "native/core/two_class_subset.hpp",
            "native/core/column_search.hpp",
            "native/core/group_search.cpp",
            "native/core/subset_search.cpp",
            "native/core/interval_search.cpp",
        ),
        (
            "tests/induction/test_worked_examples.py",
            "tests/induction/test_criteria_and_intervals.py",
            "tests/induction/test_stop_rules.py",
            "tests/contracts/test_core_matches_reference.py",
            "tests/contracts/test_cart_matches_sklearn.py",
            "tests/contracts/test_growth_properties.py",
        ),
        is_native=True,
    ),
)


class Copy:
    """A copy of the repository to be spoilt, with a build of its own where C++ changes."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.root = Path(tempfile.mkdtemp(prefix="treewright_mutation_"))
        kept = subprocess.run(
            ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
        for name in kept.stdout.splitlines():
            if name.startswith(("src", "tests", "native", "cmake", "CMake", "pyproject")):
                target = self.root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(REPOSITORY / name, target)
        if part.is_native:
            self.configure()
            assert self.built(), "the unchanged program does not build"
        else:
            shutil.copy(compiled_module(), self.root / "src/treewright/_kernels")

    def configure(self) -> None:
        flags = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-O1 -g0"]  # compiling is most of it
        python = f"-DPython_EXECUTABLE={sys.executable}"
        command = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", python, *flags]
        run(command, self.root).check_returncode()

    def built(self) -> bool:
        if run(["ninja", "-C", "build", "_native"], self.root).returncode:
            return False
        for module in (self.root / "build").glob("_native*.so"):
            shutil.copy(module, self.root / "src/treewright/_kernels")
        return True

    def passes(self, timeout: float) -> bool:
        """Whether the tests pass; an endless loop is noticed too."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--no-header"]
        try:
            return run([*command, *self.part.tests], self.root, timeout).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def notices(self, change: Change, timeout: float) -> bool | None:
        """Whether the tests fail after a change; None if it does not compile."""
        path = self.root / change.path
        text = path.read_text()
        path.write_text(change.applied(text))
        try:
            if self.part.is_native and not self.built():
                return None
            return not self.passes(timeout)
        finally:
            path.write_text(text)


def run(
    command: list[str], folder: Path, timeout: float | None = None
) -> "subprocess.CompletedProcess[bytes]":
    # Python's own files of bytecode may be of the second in which the text was changed back.
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=timeout, check=False
    )


def compiled_module() -> Path:
    from treewright._kernels import _native

    return Path(_native.__file__)


def every_change(part: Part) -> list[Change]:
    files = sorted(path for pattern in part.files for path in REPOSITORY.glob(pattern))
    return [
        change
        for path in files
        for change in changes_of(path.relative_to(REPOSITORY), path.read_text())
    ]


def noticed_in(part: Part, changes: Sequence[Change], wanted: int) -> dict[Change, bool]:
    """The fate of the first changes that compile, one after the other in one copy."""
    copy = Copy(part)
    try:
        start = time.perf_counter()
        assert copy.passes(1800), f"the tests of the {part.name} fail without a change"
        timeout = 60 + 3 * (time.perf_counter() - start)
        fates: dict[Change, bool] = {}
        for change in changes:
            fate = copy.notices(change, timeout)
            if fate is not None:
                fates[change] = fate
                print(("noticed  " if fate else "SURVIVED ") + str(change), flush=True)
            if len(fates) == wanted:
                break
        return fates
    finally:
        shutil.rmtree(copy.root)


def sampled(part: Part, size: int, processes: int) -> dict[Change, bool]:
    changes = every_change(part)
    random.Random(0).shuffle(changes)
    size = min(size, len(changes))
    print(f"== {part.name}: {size} of {len(changes)} changes", flush=True)
    shares = [changes[start::processes] for start in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        tasks = partial(noticed_in, part, wanted=-(-size // processes))
        found = pool.map(tasks, shares)
    return {change: fate for fates in found for change, fate in fates.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=60, help="changes of each part")
    parser.add_argument("--parts", nargs="*", default=[part.name for part in PARTS])
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    lines = ["| part | small changes tried | noticed | share |", "|---|---|---|---|"]
    survivors: list[Change] = []
    shares = []
    for part in PARTS:
        if part.name in arguments.parts:
            fates = sampled(part, arguments.sample, arguments.processes)
            noticed = sum(fates.values())
            shares.append(noticed / len(fates))
            lines.append(f"| {part.name} | {len(fates)} | {noticed} | {shares[-1]:.0%} |")
            survivors += [change for change, fate in fates.items() if not fate]
    lines += ["", "Not noticed:", "", *(f"- {change}" for change in survivors)]
    print("\n".join(lines))
    if len(shares) == len(PARTS):
        RESULT.write_text("\n".join(lines) + "\n")
    return int(min(shares) < WANTED)


if __name__ == "__main__":
    sys.exit(main())
