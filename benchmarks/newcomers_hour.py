"""A newcomer's hour: real tables from CSV to a report, by commands without any setting.

    python -m benchmarks.newcomers_hour                    # all six tables
    python -m benchmarks.newcomers_hour titanic vote       # some of them

Each command line, with what it printed and drew, is left in `out/newcomers_hour/TABLE` to be read;
here only its exit code, its seconds and the length of what it said are shown. Real tables are
looked for as in the other benchmarks, and left out where they are not there.
"""

import gzip
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tables import ROOT, MissingTableError, real_table

# The table and the column that people want to know about.
TARGETS = {
    "titanic": "Survived",
    "adult": "income",
    "mushroom": "class",
    "ames_housing": "price",
    "vote": "Class",
    "soybean": "class",
}
STEPS = (
    "columns {table}.csv",
    "columns {table}.csv --target {target}",
    "train {table}.csv --target {target} --out {table}.json --report {table}.html",
    "show {table}.json",
    "show {table}.json --out {table}.svg",
    "evaluate {table}.csv --target {target}",
    "evaluate {table}.json {table}.csv",
    "compare {table}.csv --target {target}",
    "tune {table}.csv --target {target} --out tuned.json",
    "prune {table}.json {table}.csv",
    "rules tuned.json",
    "explain tuned.json {table}.csv",
    "worksheet tuned.json {table}.csv",
    "report tuned.json {table}.csv --out tuned.html",
    "predict tuned.json {table}.csv --out answers.csv",
    "export tuned.json --to python --verify --out answer.py",
)


@dataclass(frozen=True, slots=True)
class Done:
    """One command line: how it ended, how long it took, how much it said."""

    line: str
    code: int
    seconds: float
    n_lines: int
    n_notes: int


def main() -> int:
    """Go through the hour with the tables that are named, or with all."""
    ended_well = True
    for table in sys.argv[1:] or TARGETS:
        try:
            file = real_table(f"{table}.csv.gz")
        except MissingTableError as absent:
            print(f"{table}: left out, {absent}")
            continue
        folder = ROOT / "out" / "newcomers_hour" / table
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(file) as packed:
            (folder / f"{table}.csv").write_bytes(packed.read())
        ended_well &= hour_with(table, folder)
    return 0 if ended_well else 1


def hour_with(table: str, folder: Path) -> bool:
    """Every step with one table; whether all of them ended well."""
    print(f"{table}\n{'code':>5}{'seconds':>9}{'lines':>8}{'notes':>7}")
    steps = [step.format(table=table, target=TARGETS[table]) for step in STEPS]
    done = []
    for number, step in enumerate(steps, start=1):
        one = run(step, folder, folder / f"{number:02}_{step.split()[0]}.txt")
        print(
            f"{one.code:>5}{one.seconds:>9.1f}{one.n_lines:>8}{one.n_notes:>7}  {one.line}",
            flush=True,
        )
        done.append(one)
    print(f"{'':>5}{sum(one.seconds for one in done):>9.1f}  in all; see {folder}\n")
    return all(one.code == 0 for one in done)


def run(step: str, folder: Path, record: Path) -> Done:
    """Run one command line in the folder, and keep what it printed."""
    words = [sys.executable, "-m", "treewright.cli.main", *shlex.split(step)]
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    started = time.perf_counter()
    ended = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - started
    record.write_text(f"$ treewright {step}\n{ended.stderr}{ended.stdout}", encoding="utf-8")
    n_lines, n_notes = len(ended.stdout.splitlines()), len(ended.stderr.splitlines())
    return Done(f"treewright {step}", ended.returncode, seconds, n_lines, n_notes)


if __name__ == "__main__":
    sys.exit(main())
