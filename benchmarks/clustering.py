"""K-Means beside scikit-learn's: `python -m benchmarks.clustering`.

A million rows of 20 columns, ten clusters, the same start points and tolerance 0 for both, so both
make the same rounds. Each library runs in a process of its own with two threads; the time is the
best of some fits, the memory the peak above the table itself. `--tables` instead compares labels
on the real tables named in the README, from the same start, and skips without them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import PeakMemory, seconds
from benchmarks.tables import DATA_FOLDER, ROOT

N_COLUMNS, N_CLUSTERS, MOST_ROUNDS = 20, 10, 100
LIBRARIES = ("treewright", "scikit-learn")


def groups(n_rows: int) -> np.ndarray:
    """Ten groups that overlap."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0.0, 1.5, (N_CLUSTERS, N_COLUMNS))
    return centers[rng.integers(N_CLUSTERS, size=n_rows)] + rng.normal(size=(n_rows, N_COLUMNS))


def noise(n_rows: int) -> np.ndarray:
    """No groups at all: rows keep moving, and bounds help least."""
    return np.random.default_rng(1).normal(size=(n_rows, N_COLUMNS))


WORKLOADS = {"groups": groups, "noise": noise}


def model_of(library: str, start: np.ndarray, n_threads: int) -> Any:
    """A model with the given start points, and nothing to stop it but rows that stay."""
    if library == "treewright":
        import treewright

        return treewright.KMeans(len(start), init=start, max_iter=MOST_ROUNDS, n_jobs=n_threads)
    from sklearn.cluster import KMeans

    return KMeans(len(start), init=start, n_init=1, tol=0, max_iter=MOST_ROUNDS, algorithm="lloyd")


def measured(library: str, path: str, repeat: int, n_threads: int) -> dict[str, Any]:
    """Fits of one library, in this process."""
    x = np.load(path)
    start = x[:N_CLUSTERS].copy()
    model_of(library, start, n_threads).fit(x[:2000])  # whatever loads on first use
    model = model_of(library, start, n_threads)
    with PeakMemory() as memory:
        times = [seconds(lambda: model.fit(x)) for _ in range(repeat)]
    return {
        "seconds": min(times),
        "peak_mb": memory.above_start / 2**20,
        "rounds": int(model.n_iter_),
        "inertia": float(model.inertia_),
    }


def in_own_process(library: str, path: Path, repeat: int, n_threads: int) -> dict[str, Any]:
    request = json.dumps([library, str(path), repeat, n_threads])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.clustering", "--measure", request],
        env={**os.environ, "OMP_NUM_THREADS": str(n_threads)},
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def race(n_rows: int, repeat: int, n_threads: int) -> None:
    """Times, memory and results side by side."""
    print(f"{n_rows:,} rows, {N_COLUMNS} columns, {N_CLUSTERS} clusters, {n_threads} threads")
    print(f"{'table':8} {'library':14} {'seconds':>8} {'peak MB':>8} {'rounds':>7} {'inertia':>18}")
    for name, made in WORKLOADS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.npy"
            np.save(path, made(n_rows))
            found = {
                library: in_own_process(library, path, repeat, n_threads) for library in LIBRARIES
            }
        for library, result in found.items():
            print(
                f"{name:8} {library:14} {result['seconds']:8.2f} {result['peak_mb']:8.0f} "
                f"{result['rounds']:7} {result['inertia']:18.4f}"
            )
        own, theirs = found["treewright"], found["scikit-learn"]
        print(f"{name:8} {theirs['seconds'] / own['seconds']:.2f} times as fast\n")


def real_tables() -> Iterator[tuple[str, np.ndarray]]:
    """The numeric columns of real tables, rows with holes left out."""
    import treewright

    folder = Path(os.environ.get(DATA_FOLDER) or ROOT.parent / "shared" / "data")
    for path in sorted(folder.glob("*.csv*")):
        table = treewright.read_table(path)
        numeric = [column.values for column in table.columns if column.kind == "numeric"]
        if len(numeric) < 2:
            continue
        x = np.column_stack(numeric).astype(np.float64)
        x = x[np.isfinite(x).all(axis=1)][:100_000]
        if not len(x):
            continue
        spread = x.std(axis=0)
        x = (x - x.mean(axis=0))[:, spread > 0] / spread[spread > 0]
        if len(np.unique(x[:20_000], axis=0)) > 10 * N_CLUSTERS:
            yield path.name.partition(".")[0], np.ascontiguousarray(x)


def agreement() -> None:
    """On every real table: rounds of both, and the share of rows in the same cluster."""
    print(f"{'table':24} {'rows':>8} {'columns':>8} {'rounds':>7} {'theirs':>7} {'same':>8}")
    for name, x in real_tables():
        drawn = np.random.default_rng(0).permutation(len(x))
        start = np.unique(x[drawn[:1000]], axis=0)[:: max(1, len(x[drawn[:1000]]) // N_CLUSTERS)]
        start = np.ascontiguousarray(start[:N_CLUSTERS])
        own = model_of("treewright", start, 2).set_params(max_iter=1000).fit(x)
        theirs = model_of("scikit-learn", start, 2).set_params(max_iter=1000).fit(x)
        same = float(np.mean(own.labels_ == theirs.labels_))
        print(f"{name:24} {len(x):8} {x.shape[1]:8} {own.n_iter_:7} {theirs.n_iter_:7} {same:8.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tables", action="store_true", help="compare labels on real tables")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    wish = parser.parse_args()
    if wish.measure:
        print(json.dumps(measured(*json.loads(wish.measure))))
    elif wish.tables:
        agreement()
    else:
        race(wish.rows, wish.repeat, wish.threads)


if __name__ == "__main__":
    main()
