"""A table that fits into memory: `fit` from a scan beside `fit` from an array.

    python -m benchmarks.scans --rows 2000000

The rows are in a Parquet file of float32; for the array, reading the file is not counted. Both
models must have the same bytes. Seconds are the best of several fits in turn.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas

import treewright as tw
from benchmarks.distributed import write_rows
from treewright.persistence.model_file import model_bytes

MODELS: dict[str, Callable[[], Any]] = {
    "boosted, 100 rounds": lambda: tw.BoostedTreesClassifier(n_estimators=100, random_state=0),
    "forest, 20 trees": lambda: tw.RandomForestClassifier(n_estimators=20, random_state=0),
    "C4.5, depth 12": lambda: tw.C45Classifier(max_depth=12),
    "CART, depth 12": lambda: tw.CARTClassifier(max_depth=12, prune=None),
}


def seconds_of(fit: Callable[[], Any]) -> tuple[float, bytes]:
    began = time.perf_counter()
    model = fit()
    return time.perf_counter() - began, model_bytes(model.name_target("y"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder, given.rows, given.rows)
        frame = pandas.read_parquet(folder / "00000.parquet")
        X, y = frame.drop(columns="y"), frame["y"]
        print(f"{given.rows:,} rows of {X.shape[1]} columns\n{'':<22}{'array':>9}{'scan':>9}")
        for name in given.models:
            best = [float("inf")] * 2
            for _ in range(given.times):
                fits = [
                    lambda name=name: MODELS[name]().fit(X, y),
                    lambda name=name: MODELS[name]().fit(
                        tw.scan(folder / "00000.parquet", target="y")
                    ),
                ]
                found = [seconds_of(fit) for fit in fits]
                assert found[0][1] == found[1][1], "other bytes"
                best = [min(old, new) for old, (new, _) in zip(best, found, strict=True)]
            ratio = best[1] / best[0]
            print(f"{name:<22}{best[0]:>8.2f}s{best[1]:>8.2f}s  {ratio:.2f} x", flush=True)


if __name__ == "__main__":
    main()
