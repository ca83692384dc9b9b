"""How long commands that only read a model take to start: a table for benchmarks/results.

    python -m benchmarks.start_times                      # one model of every kind
    python -m benchmarks.start_times KMeans C45Rules      # some of them
    python -m benchmarks.start_times --repeat 9

Seconds of processor time of a process that runs one command on a small model: nearly all of it is
the start of Python and the import of modules. Each figure is the best of five runs. In parentheses:
the command refuses the model, and prints an error instead. The last column names the large packages
that one of these commands imports.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import treewright as tw
from treewright.data.table import Table
from treewright.registry import IN_FILES, REGRESSION, estimator_type

SAMPLE = "two_moons"
SETTINGS: dict[str, dict[str, Any]] = {  # of models that need some for a table of numbers
    "CandidateElimination": {"discretize": "equal_width", "when_empty": "warn"},
    "FindS": {"discretize": "equal_width"},
}
COMMANDS = {
    "show": (),
    "rules": (),
    "export": ("--to", "python"),
    "explain": (SAMPLE, "--row", "3"),
    "predict": (SAMPLE,),
}
LARGE = ("sklearn", "scipy", "pandas", "polars", "pyarrow", "pydantic")
NAMES_OF_LARGE = f"""
import sys
from treewright.cli.main import main
code = main(sys.argv[1:])
names = [name for name in {LARGE} if name in sys.modules]
print("imported:", *names, file=sys.stderr)
sys.exit(code)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of estimators")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each command")
    options = parser.parse_args()
    print_line(["model", *COMMANDS, "imports"])
    print_line(["---"] * (len(COMMANDS) + 2))
    help_seconds = seconds_of(["--help"], options.repeat)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models or IN_FILES:
            path = save_model(name, Path(folder))
            print_line([name, *times_of(path, options.repeat)])
    print(f"\n`treewright --help`: {help_seconds:.2f} s")


def save_model(name: str, folder: Path) -> str:
    """The file of a model that was fitted to a sample."""
    model: Any = estimator_type(name)(**SETTINGS.get(name, {}))
    X, y = tw.load_sample(SAMPLE)
    if IN_FILES[name].task == REGRESSION:
        X, y = numeric_target(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y)
    path = folder / name
    model.save(path)
    return str(path)


def numeric_target(X: Table) -> tuple[Table, Any]:
    """The table without its last column, and that column."""
    return X.split_target(X.names[-1])


def times_of(path: str, repeat: int) -> Iterator[str]:
    """The seconds of each command, then the large packages that they imported."""
    imported: set[str] = set()
    for command, arguments in COMMANDS.items():
        words = [command, path, *arguments]
        done = subprocess.run(
            [sys.executable, "-c", NAMES_OF_LARGE, *words], capture_output=True, text=True
        )
        imported |= {*done.stderr.splitlines()[-1].split()[1:]}
        found = f"{seconds_of(words, repeat):.2f}"
        yield f"({found})" if done.returncode else found
    yield ", ".join(name for name in LARGE if name in imported)


def seconds_of(words: Sequence[str], repeat: int) -> float:
    """The fewest seconds of processor time of `treewright` with these arguments."""
    return min(seconds_once(words) for _ in range(repeat))


def seconds_once(words: Sequence[str]) -> float:
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0  # the process is gone: nothing to wait for
    return used.ru_utime + used.ru_stime


def print_line(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
