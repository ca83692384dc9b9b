"""Boosted trees on a local Dask cluster: seconds and bytes for each round.

`python -m benchmarks.distributed` compares 1, 2 and 4 workers of one thread with `fit` in one
process, and with the Dask trainers of XGBoost and LightGBM where they are installed: the same rows,
rounds and leaves. All of it is done on the machine at hand, so workers beyond its cores bring
nothing.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.distributed.boosting import Partitioning, fit_boosted_trees
from treewright.distributed.cluster import on_cluster

N_COLUMNS = 28
N_LEAVES = 31
ROWS_OF_FILE = 250_000
HEAD = f"{'':<22}{'total':>9}{'setup':>10}{'per round':>10}{'trips':>8}{'MB':>8}  per round"


def block_of(number: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Some rows and their classes."""
    rng = np.random.default_rng(number)
    x = rng.normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    score = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3] ** 2 + rng.normal(size=n_rows)
    return x, (score > 1).astype(np.int64)


def write_rows(folder: Path, n_rows: int, rows_of_file: int = ROWS_OF_FILE) -> None:
    """Parquet files of all rows."""
    import pandas

    for number, first in enumerate(range(0, n_rows, rows_of_file)):
        x, y = block_of(number, min(rows_of_file, n_rows - first))
        frame = pandas.DataFrame(x, columns=[f"x{at}" for at in range(N_COLUMNS)])
        frame.assign(y=y).to_parquet(folder / f"{number:05}.parquet")


@contextmanager
def local_client(n_workers: int) -> Iterator[Any]:
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


class Clock:
    """When rounds ended."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()
        self.ends: list[float] = []

    def __call__(self, *_: Any) -> None:
        self.ends.append(time.perf_counter() - self.begin)

    def line(self, name: str, moved: str = "") -> str:
        n_rounds = max(1, len(self.ends) - 1)
        a_round = (self.ends[-1] - self.ends[0]) / n_rounds
        begin = self.ends[0] - a_round
        return f"{name:<22}{self.ends[-1]:>8.1f}s{begin:>9.1f}s{a_round:>9.2f}s{moved}"


def with_fit(folder: Path, n_rounds: int, n_jobs: int) -> str:
    clock = Clock()
    model = tw.BoostedTreesClassifier(n_estimators=n_rounds, n_jobs=n_jobs, callbacks=[clock])
    model.fit(tw.scan(folder / "*.parquet", target="y"))
    return clock.line(f"fit, n_jobs={n_jobs}")


def with_workers(folder: Path, n_rounds: int, n_workers: int) -> str:
    moved = []

    def note(done: Any) -> None:
        clock()
        moved.append((cluster.moved.n_trips, cluster.moved.n_bytes))

    model = tw.BoostedTreesClassifier(n_estimators=n_rounds, callbacks=[note])
    scan = tw.scan(folder / "*.parquet", target="y")
    with local_client(n_workers) as client, on_cluster(client, 600.0) as cluster:
        clock = Clock()
        fit_boosted_trees(model, (scan, None, None), None, cluster, Partitioning(None, None, 1))
    first, last = np.array(moved[0]), np.array(moved[-1])
    n_trips, n_bytes = (last - first) / max(1, n_rounds - 1)
    return clock.line(f"{n_workers} workers", f"{n_trips:>8.1f}{n_bytes / 1e6:>8.2f}")


def with_xgboost(folder: Path, n_rounds: int, n_workers: int) -> str:
    import dask.dataframe
    import xgboost.dask

    with local_client(n_workers) as client:
        clock = Clock()
        frame = dask.dataframe.read_parquet(folder).persist()  # equal partitions of X and y
        rows = xgboost.dask.DaskDMatrix(client, frame.drop(columns="y"), frame["y"])
        settings = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": N_LEAVES,
            "max_depth": 0,
        }
        xgboost.dask.train(client, settings, rows, num_boost_round=n_rounds)
        clock()
    return f"{f'XGBoost, {n_workers} workers':<22}{clock.ends[-1]:>8.1f}s"


def with_lightgbm(folder: Path, n_rounds: int, n_workers: int) -> str:
    import dask.dataframe
    import lightgbm

    with local_client(n_workers) as client:
        clock = Clock()
        frame = dask.dataframe.read_parquet(folder).persist()  # equal partitions of X and y
        model = lightgbm.DaskLGBMClassifier(
            n_estimators=n_rounds, num_leaves=N_LEAVES, client=client, n_jobs=1, verbose=-1
        )
        model.fit(frame.drop(columns="y"), frame["y"])
        clock()
    return f"{f'LightGBM, {n_workers} workers':<22}{clock.ends[-1]:>8.1f}s"


PEERS: dict[str, Callable[[Path, int, int], str]] = {
    "xgboost": with_xgboost,
    "lightgbm": with_lightgbm,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--without-peers", action="store_true")
    asked = parser.parse_args()
    for n_rows in asked.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_rows(folder, n_rows)
            print(f"\n{n_rows:,} rows of {N_COLUMNS} columns, {asked.rounds} rounds\n{HEAD}")
            print(with_fit(folder, asked.rounds, n_jobs=2), flush=True)
            for n_workers in asked.workers:
                print(with_workers(folder, asked.rounds, n_workers), flush=True)
            for package, trained in PEERS.items():
                for n_workers in [] if asked.without_peers or not find_spec(package) else [2]:
                    print(trained(folder, asked.rounds, n_workers), flush=True)


if __name__ == "__main__":
    main()
