"""How long the questions of a growth session take, on 100,000 rows and 50 columns.

    python -m benchmarks.interactive            # a table of numbers, classes and regression
    python -m benchmarks.interactive --rows 20000

For each kind of tree: the root and the nodes of the first levels are asked for all candidates, each
once (the answers are cached), and for what one split gives. Printed are the median and the 95th
percentile in milliseconds, wall time and processor time of all threads.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import treewright as tw

LEVELS = 4


def tables(n_rows: int, n_columns: int) -> dict[str, tuple[Any, Any, Any]]:
    """Numbers with many values; half of them with few; classes, gain ratio, and a number."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    few = np.where(np.arange(n_columns) % 2, X.round(1), X)
    with_missing = np.where(rng.random(X.shape) < 0.05, np.nan, X)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    y = (signal + rng.normal(size=n_rows) > 0).astype(int)
    three = np.digitize(signal, [-1.0, 1.0])
    number = signal + rng.normal(size=n_rows)
    return {
        "CART, two classes": (X, y, tw.CARTClassifier()),
        "CART, two classes, few values": (few, y, tw.CARTClassifier()),
        "CART, three classes, missing values": (with_missing, three, tw.CARTClassifier()),
        "C4.5, two classes": (X, y, tw.C45Classifier()),
        "CART, regression": (X, number, tw.CARTRegressor()),
    }


def measured(ask: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    ask()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor)


def summary(times: list[tuple[float, float]]) -> str:
    wall, processor = np.array(times).T
    p50, p95 = np.percentile(wall, [50, 95])
    c50, c95 = np.percentile(processor, [50, 95])
    return f"p50 {p50:6.1f}  p95 {p95:6.1f} ms   (processor {c50:6.1f}, {c95:6.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, (X, y, model) in tables(given.rows, given.columns).items():
        model.set_params(n_jobs=2)
        candidates, tries, splits = [], [], []
        start = 0.0
        for _ in range(given.repeat):
            begun = time.perf_counter()
            session = tw.GrowthSession(X, y, model)
            start = time.perf_counter() - begun
            open_nodes = [0]
            for _ in range(LEVELS):
                below = []
                for node in open_nodes:
                    candidates.append(measured(partial(session.candidates, node)))
                    best = session.candidates(node)[0]
                    tries.append(measured(partial(session.try_split, node, best)))
                    splits.append(measured(partial(session.split, node, best)))
                    below += [one for one in session.leaves if one > max(open_nodes + below)]
                open_nodes = below
        print(f"{name}: the session starts in {start:.2f} s")
        print(f"  candidates  {summary(candidates)}")
        print(f"  try_split   {summary(tries)}")
        print(f"  split       {summary(splits)}", flush=True)


if __name__ == "__main__":
    main()
