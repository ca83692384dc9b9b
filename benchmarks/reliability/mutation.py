"""Would the tests notice? `python -m benchmarks.reliability.mutation --sample 60`.

Small changes are made, one at a time, to the parts that `mutated_parts` lists: the measures, the
checks of model files, the search for splits (C++) and others, in a copy of the repository; the
tests that stand for them should fail. A change that does not compile is drawn again, and so is one
that `same_anyway` lists, since it changes nothing. Writes `results/reliability/mutation.md`, with
every change that no test noticed.
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
from functools import partial
from pathlib import Path

from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.mutated_parts import PARTS, Part
from benchmarks.reliability.same_anyway import is_same_anyway
from benchmarks.reliability.small_changes import Change, changes_of, lines_of

REPOSITORY = Path(__file__).parents[2]
RESULT = REPOSITORY / "benchmarks/results/reliability/mutation.md"
WANTED = 0.85

# An editable install would be imported before what PYTHONPATH names: the tests of a changed copy
# would test the unchanged program.
COPY_ALONE = """import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in type(one).__module__]
"""


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
        (self.root / "src/sitecustomize.py").write_text(COPY_ALONE)
        if part.is_native:
            self.configure()
            assert self.built(), "the unchanged program does not build"
        else:
            shutil.copy(compiled_module(), self.root / "src/treewright/_kernels")
        where = run([sys.executable, "-c", "import treewright as t; print(t.__file__)"], self.root)
        assert str(self.root).encode() in where.stdout, "the tests would import another copy"

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
    return [change for pattern in part.files for change in changes_within(pattern)]


def changes_within(pattern: str) -> list[Change]:
    """The changes of the files of a pattern, or of the functions that it names in them."""
    pattern, _, function = pattern.partition("::")
    found = []
    for path in sorted(REPOSITORY.glob(pattern)):
        text = path.read_text()
        changes = changes_of(path.relative_to(REPOSITORY), text)
        lines = lines_of(function, text) if function else range(1, text.count("\n") + 2)
        found += [change for change in changes if change.line in lines]
    assert found, f"there is nothing to change in {pattern} {function}"
    return found


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


def sampled(part: Part, size: int, seed: int, processes: int) -> dict[Change, bool]:
    changes = every_change(part)
    random.Random(seed).shuffle(changes)
    texts = {path: (REPOSITORY / path).read_text() for path in {change.path for change in changes}}
    changes = [change for change in changes if not is_same_anyway(change, texts[change.path])]
    size = min(size, len(changes))
    print(f"== {part.name}: {size} of {len(changes)} changes", flush=True)
    shares = [changes[start::processes] for start in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        tasks = partial(noticed_in, part, wanted=-(-size // processes))
        found = pool.map(tasks, shares)
    return {change: fate for fates in found for change, fate in fates.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [part.name for part in PARTS]
    parser.add_argument("--sample", type=at_least_one, default=60, help="changes of each part")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--parts", nargs="+", default=names, choices=names, metavar="PART")
    parser.add_argument("--processes", type=at_least_one, default=2)
    arguments = parser.parse_args()
    lines = [f"Drawn by seed {arguments.seed}.", ""]
    lines += ["| part | small changes tried | noticed | share |", "|---|---|---|---|"]
    survivors: list[Change] = []
    shares = []
    for part in PARTS:
        if part.name in arguments.parts:
            fates = sampled(part, arguments.sample, arguments.seed, arguments.processes)
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
