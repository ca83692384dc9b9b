"""Cross-validation beside scikit-learn's: `tw.evaluate` and `cross_validate` on the Adult table.

    python -m benchmarks.evaluation                           # 10 x 10 folds, two jobs each
    python -m benchmarks.evaluation --repeats 2 --rounds 3    # 2 x 10 folds, the best of three

Both sides grow a tree with nothing set, on 48,842 rows. Treewright reads the table as it is: words,
holes, surrogate splits, and all measures of `evaluate`. Scikit-learn's tree needs numbers, and is
timed on two forms made in advance: one-hot (a level is a column, so that a split may ask for a
level, as words want it) and ordinal (levels numbered, so that a split asks for the levels up to
one: cheaper, and no nominal split). It scores accuracy alone.

The sides take turns in one process, so that a busy machine is as busy for all. `CPU` counts the
worker processes too, and is the steadier figure where others use the machine. The table
is looked for as in the other benchmarks.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from benchmarks.tables import MissingTableError, real_table

OURS = "treewright"


@dataclass(slots=True)
class Side:
    """One way to cross-validate, and how long it took each time."""

    name: str
    run: Callable[[int], float]  # repeats of ten folds -> mean accuracy
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    accuracy: float = np.nan

    def take_a_turn(self, repeats: int) -> None:
        wall, cpu = time.perf_counter(), cpu_seconds()
        self.accuracy = self.run(repeats)
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(cpu_seconds() - cpu)


def sides(jobs: int) -> list[Side]:
    file = real_table("adult.csv.gz")
    table = tw.read_table(file)
    X, y = table.split_target(table.names[-1])

    def ours(repeats: int) -> float:
        found = tw.evaluate(
            tw.CARTClassifier(prune=None), X, y, folds=10, repeats=repeats, n_jobs=jobs
        )
        return found.mean("accuracy")

    def theirs(numbers: Any) -> Callable[[int], float]:
        def run(repeats: int) -> float:
            folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
            tree = DecisionTreeClassifier(random_state=0)
            found = cross_validate(tree, numbers, classes, cv=folds, n_jobs=jobs)
            return float(found["test_score"].mean())

        return run

    frame = pd.read_csv(file)
    classes = frame.pop(frame.columns[-1]).to_numpy()
    return [
        Side(OURS, ours),
        Side("scikit-learn, one-hot", theirs(one_hot(frame))),
        Side("scikit-learn, ordinal", theirs(ordinal(frame))),
    ]


def one_hot(frame: pd.DataFrame) -> Any:
    return pd.get_dummies(frame).to_numpy(dtype=np.float32)


def ordinal(frame: pd.DataFrame) -> Any:
    words = frame.select_dtypes(exclude="number")
    numbered = {name: column.astype("category").cat.codes for name, column in words.items()}
    return frame.assign(**numbered).to_numpy(dtype=np.float32)


def cpu_seconds() -> float:
    """Of this process and of all below it that live (Linux)."""
    ticks = sum(ticks_of(process) for process in processes_below(os.getpid()))
    return ticks / os.sysconf("SC_CLK_TCK")


def processes_below(process: int) -> Iterator[int]:
    yield process
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from processes_below(int(child))


def ticks_of(process: int) -> int:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])  # in user mode and in the kernel


def main() -> None:
    parser = argparse.ArgumentParser(description="Cross-validation beside scikit-learn's.")
    parser.add_argument("--repeats", type=int, default=10, help="how often ten folds are dealt")
    parser.add_argument("--rounds", type=int, default=1, help="turns of each side; the best counts")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        all_sides = sides(asked.jobs)
    except MissingTableError as absent:
        print(f"left out, {absent}")
        return
    for side in all_sides:
        side.run(1)  # starts workers and loads what loads on first use
    for _ in range(asked.rounds):
        for side in all_sides:
            side.take_a_turn(asked.repeats)
    show(all_sides, asked.repeats, asked.jobs)


def show(all_sides: list[Side], repeats: int, jobs: int) -> None:
    print(f"{repeats} x 10 folds of adult, {jobs} jobs")
    print(f"{'':<24}{'seconds':>9}{'times ours':>12}{'CPU':>9}{'times ours':>12}{'accuracy':>11}")
    ours = all_sides[0]
    for side in all_sides:
        wall, cpu = min(side.wall), min(side.cpu)
        print(
            f"{side.name:<24}{wall:>9.2f}{wall / min(ours.wall):>12.1f}"
            f"{cpu:>9.2f}{cpu / min(ours.cpu):>12.1f}{side.accuracy:>11.4f}"
        )


if __name__ == "__main__":
    main()
