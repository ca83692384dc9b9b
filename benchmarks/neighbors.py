"""Time of nearest neighbors beside scikit-learn: 50,000 rows of 20 columns, wall-clock seconds.

python -m benchmarks.neighbors [--rows 50000] [--queries 5000] [--threads 2] [--repeat 3]
python -m benchmarks.neighbors --few-columns [--threads 2]   # a million rows of 3, 100,000 queries

Numbers go to scikit-learn as they are, levels one-hot with cells of 0 and the root of 1/2, so that
two levels differ by 1 as they do here: both libraries look for the same neighbors, and the
distances that they find are compared before the times are told.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import treewright as tw
from treewright.arrays import Floats

N_COLUMNS, N_NEIGHBORS = 20, 5
LEVELS_OF_COLUMN = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)


@dataclass(frozen=True)
class Task:
    """Rows to learn from and rows to predict, for each of the libraries."""

    name: str
    ours: tuple[tw.Table, tw.Table]
    theirs: tuple[Floats, Floats]
    y: NDArray[np.int64]
    algorithm: str  # of scikit-learn


def tasks(n_rows: int, n_queries: int) -> list[Task]:
    """Numbers alone; in groups, so that most rows are far; with outliers; numbers and levels."""
    rng = np.random.default_rng(0)
    n = n_rows + n_queries
    numbers = rng.random((n, N_COLUMNS))
    centers = rng.random((50, N_COLUMNS))
    grouped = centers[rng.integers(0, 50, n)] + 0.05 * rng.normal(size=(n, N_COLUMNS))
    skewed = rng.lognormal(sigma=3, size=(n, N_COLUMNS))
    outlying = numbers.copy()
    outlying[rng.random(outlying.shape) < 0.001] *= 1e4
    y = rng.integers(0, 3, n_rows)
    codes = [rng.integers(0, n_levels, n) for n_levels in LEVELS_OF_COLUMN]
    mixed = tw.table_from(
        {f"number {at}": numbers[:, at] for at in range(10)}
        | {f"level {at}": np.array([f"level {c}" for c in of]) for at, of in enumerate(codes)}
    )
    one_hot = [numbers[:, :10]]
    one_hot += [(of[:, np.newaxis] == np.unique(of)) * np.sqrt(0.5) for of in codes]
    wide = np.hstack(one_hot)
    found = []
    for name, ours, theirs, algorithm in (
        ("numbers", tw.table_from(numbers), numbers, "brute"),
        ("numbers", tw.table_from(numbers), numbers, "auto"),
        ("numbers in 50 groups", tw.table_from(grouped), grouped, "brute"),
        ("numbers in 50 groups", tw.table_from(grouped), grouped, "kd_tree"),
        ("numbers, 1 in 1,000 huge", tw.table_from(outlying), outlying, "brute"),
        ("skewed numbers", tw.table_from(skewed), skewed, "brute"),
        ("half levels", mixed, wide, "brute"),
    ):
        parts = (ours[:n_rows], ours[n_rows:]), (theirs[:n_rows], theirs[n_rows:])
        found.append(Task(name, *parts, y, algorithm))
    return found


def seconds(call: Callable[[], object], repeat: int, clock: Callable[[], float]) -> float:
    times = []
    for _ in range(repeat):
        begin = clock()
        call()
        times.append(clock() - begin)
    return min(times)


def measure(task: Task, threads: int, repeat: int, clock: Callable[[], float]) -> tuple[float, ...]:
    """Seconds of both libraries to predict all rows, once the neighbors are the same."""
    from sklearn.neighbors import KNeighborsClassifier

    theirs = KNeighborsClassifier(N_NEIGHBORS, algorithm=task.algorithm, n_jobs=threads)
    theirs.fit(task.theirs[0], task.y)
    ours = tw.KNeighborsClassifier(N_NEIGHBORS, scale=None, n_jobs=threads)
    ours.fit(task.ours[0], task.y)
    some = slice(0, 200)
    distances = ours.kneighbors(task.ours[1][some])[0]
    np.testing.assert_allclose(distances, theirs.kneighbors(task.theirs[1][some])[0], atol=1e-6)
    return (
        seconds(lambda: ours.predict(task.ours[1]), repeat, clock),
        seconds(lambda: theirs.predict(task.theirs[1]), repeat, clock),
    )


def few_columns(n_rows: int, n_queries: int) -> Iterator[Task]:
    """Three columns, where scikit-learn's k-d tree is at its best."""
    rng = np.random.default_rng(0)
    shape = (n_rows + n_queries, 3)
    y = rng.integers(0, 3, n_rows)
    groups = rng.random((20, 3))[rng.integers(0, 20, shape[0])]
    for name, rows in (
        ("even", rng.random(shape)),
        ("normal, correlated", rng.normal(size=shape) @ rng.normal(size=(3, 3))),
        ("20 groups", groups + 0.02 * rng.normal(size=shape)),
    ):
        ours = tw.table_from(rows)
        parts = (ours[:n_rows], ours[n_rows:]), (rows[:n_rows], rows[n_rows:])
        yield Task(name, *parts, y, "kd_tree")


def measure_few(task: Task, threads: int, clock: Callable[[], float]) -> tuple[float, ...]:
    """Seconds of both libraries to fit and to predict, once the predictions are the same."""
    from sklearn.neighbors import KNeighborsClassifier

    found, times = [], []
    for model, (rows, queries) in (
        (tw.KNeighborsClassifier(N_NEIGHBORS, scale=None, n_jobs=threads), task.ours),
        (KNeighborsClassifier(N_NEIGHBORS, algorithm="kd_tree", n_jobs=threads), task.theirs),
    ):
        model.fit(rows[:1000], task.y[:1000]).predict(queries[:10])
        times.append(seconds(partial(model.fit, rows, task.y), 1, clock))
        begin = clock()
        found.append(model.predict(queries))
        times.append(clock() - begin)
    np.testing.assert_array_equal(*found)
    return tuple(times)


def print_few_columns(threads: int, clock: Callable[[], float]) -> None:
    print(f"{'a million rows of 3':<22}{'fit':>8}{'predict':>9}{'k-d tree: fit':>15}{'predict':>9}")
    for task in few_columns(1_000_000, 100_000):
        fit, predict, their_fit, their_predict = measure_few(task, threads, clock)
        print(f"{task.name:<22}{fit:>8.2f}{predict:>9.2f}{their_fit:>15.2f}{their_predict:>9.2f}")


def main() -> None:
    """Print one line for each task."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=5_000)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, on a machine that is busy")
    parser.add_argument("--few-columns", action="store_true", help="a million rows of 3 columns")
    asked = parser.parse_args()
    clock = time.process_time if asked.cpu else time.perf_counter
    if asked.few_columns:
        print_few_columns(asked.threads, clock)
        return
    print(
        f"{asked.rows:,} rows, {asked.queries:,} to predict, {asked.threads} threads, best of "
        f"{asked.repeat}, {'CPU' if asked.cpu else 'wall-clock'} seconds"
    )
    print(f"{'columns':<26}{'treewright':>12}{'scikit-learn':>14}{'times':>8}  algorithm of its")
    with threadpool_limits(asked.threads):
        for task in tasks(asked.rows, asked.queries):
            ours, theirs = measure(task, asked.threads, asked.repeat, clock)
            times = f"{ours:>12.3f}{theirs:>14.3f}{theirs / ours:>8.1f}"
            print(f"{task.name:<26}{times}  {task.algorithm}")


if __name__ == "__main__":
    main()
