"""Processor time of cutting tables into bins, and how far the cuts of a sample are off.

    python -m benchmarks.binning                # a million rows of 28 columns
    python -m benchmarks.binning 200000         # fewer rows

Cut points come from all rows. In version 0.1.0 they came from 100,000 rows in even steps; the table
says what that takes (cuts of the sample, then the bins of all rows by them), and the share of rows
in the fullest bin of the first column, where 1/255 or 0.39 % is wanted.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright._kernels.learners import BinnedTable, PackedTrees

SAMPLE = 100_000
N_BINS = 255
REPEATS = 5


def main(arguments: list[str]) -> None:
    n_rows = int(arguments[0]) if arguments else 1_000_000
    print("| table | s, all rows | s, sample for the cuts | largest bin | of the sample |")
    print("|---|---:|---:|---:|---:|")
    for name, matrix in tables(n_rows).items():
        print(line_of(name, matrix), flush=True)


def tables(n_rows: int) -> dict[str, NDArray[Any]]:
    """Matrices that ask for different ways of finding cut points."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal((n_rows, 28), dtype=np.float32)
    return {
        "normal, float32": normal,
        "normal, float32, by columns": np.asfortranarray(normal),
        "normal, float64": normal.astype(np.float64),
        "long tails, float32": np.exp(3 * normal),
        "5,000 integers": np.floor(normal * 600),
        "100 integers": np.floor(normal * 12),
    }


def line_of(name: str, matrix: NDArray[Any]) -> str:
    some = matrix[:: max(1, len(matrix) // SAMPLE)]
    forest = tw.RandomForestRegressor(n_estimators=1, max_depth=1).fit(some, some[:, 0])
    like = forest.trees_.packed  # has the cuts of the sample
    every, sample = [], []
    for _ in range(REPEATS):  # by turns: other work on the machine slows both
        every.append(seconds(lambda: binned(matrix)))
        sample.append(seconds(lambda: (binned(some), binned(matrix, like))))
    shares = largest_bin(matrix, binned(matrix)), largest_bin(matrix, binned(some))
    texts = (f"{min(every):.2f}", f"{min(sample):.2f}", f"{shares[0]:.2%}", f"{shares[1]:.2%}")
    return f"| {name} | {' | '.join(texts)} |"


def binned(matrix: NDArray[Any], like: PackedTrees | None = None) -> BinnedTable:
    columns = [(0, matrix[:, at], 0) for at in range(matrix.shape[1])]
    return BinnedTable(columns, len(matrix), None, N_BINS, 1, like)


def largest_bin(matrix: NDArray[Any], table: BinnedTable) -> float:
    """The share of rows in the fullest bin of the first column."""
    bins = np.searchsorted(np.array(table.cuts(0)), matrix[:, 0].astype(np.float64))
    return float(np.bincount(bins).max() / len(matrix))


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main(sys.argv[1:])
