"""The tables that are timed: two made from a seed, the others real."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
DATA_FOLDER = "TREEWRIGHT_BENCH_DATA"  # where the real tables are; ../shared/data unless set

ADULT_NUMBERS = {
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
}

Arrays = tuple[NDArray[np.generic], NDArray[np.generic]]


class MissingTableError(Exception):
    """A real table is not on this machine."""


def higgs_like(n_rows: int, seed: int = 0, n_columns: int = 28) -> Arrays:
    """Two classes, weakly separable, continuous columns: the shape of the HIGGS table."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    x[:, 7:14] = np.exp(0.5 * x[:, 7:14])
    x[:, 14:18] = np.round(np.abs(x[:, 14:18]) * 2)
    signal = (
        np.sin(2 * x[:, 0])
        + 0.7 * x[:, 1] * x[:, 2]
        + 0.6 * (x[:, 7] > 1.2) * x[:, 8]
        - 0.5 * np.abs(x[:, 3])
        + 0.3 * x[:, 14] * (x[:, 4] > 0)
        + 0.25 * x[:, 20]
    )
    noise = rng.standard_normal(n_rows, dtype=np.float32) * 1.0
    return x, (signal + noise > np.median(signal)).astype(np.int32)


def friedman_like(n_rows: int, seed: int = 0, n_columns: int = 20) -> Arrays:
    """Friedman's regression problem: five columns matter, the others are noise."""
    rng = np.random.default_rng(seed)
    x = rng.random((n_rows, n_columns), dtype=np.float32)
    y = (
        10 * np.sin(np.pi * x[:, 0] * x[:, 1])
        + 20 * (x[:, 2] - 0.5) ** 2
        + 10 * x[:, 3]
        + 5 * x[:, 4]
    )
    return x, (y + rng.standard_normal(n_rows)).astype(np.float64)


def covertype(n_rows: int, seed: int = 0) -> Arrays:
    """The Covertype table, shuffled: 581,012 rows, 54 columns, seven classes."""
    with gzip.open(real_table("covertype.csv.gz"), "rt", encoding="utf-8") as file:
        next(file)
        values = np.loadtxt(file, delimiter=",", dtype=np.float32)
    order = np.random.default_rng(seed).permutation(len(values))[:n_rows]
    values = values[order]
    classes = np.unique(values[:, -1], return_inverse=True)[1].astype(np.int32)
    return np.ascontiguousarray(values[:, :-1]), classes


def iris() -> Arrays:
    """The 150 flowers of scikit-learn."""
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def many_levels(n_rows: int = 200_000, n_levels: int = 100_000) -> Arrays:
    """One nominal column with very many levels, and a class that depends on some of them."""
    rng = np.random.default_rng(0)
    level = rng.permutation(np.arange(n_rows) % n_levels)
    y = ((level % 7 < 3) ^ (rng.random(n_rows) < 0.1)).astype(np.int32)
    return np.array([f"level {code}" for code in range(n_levels)])[level], y


def real_table(name: str) -> Path:
    """The path of a real table, or an error that says where it was looked for."""
    folder = Path(os.environ.get(DATA_FOLDER) or ROOT.parent / "shared" / "data")
    if not (folder / name).exists():
        raise MissingTableError(f"{name} is not there; {DATA_FOLDER} names the folder to look in")
    return folder / name


def adult_arff(target: Path) -> Path:
    """The Adult table as an ARFF file, with the kinds its documentation gives the columns."""
    with gzip.open(real_table("adult.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    lines = ["@relation adult"]
    for index, name in enumerate(names):
        levels = sorted({row[index] for row in rows if row[index]})
        kind = (
            "numeric"
            if name in ADULT_NUMBERS
            else "{" + ",".join(f"'{level}'" for level in levels) + "}"
        )
        lines.append(f"@attribute '{name}' {kind}")
    lines.append("@data")
    lines += [",".join(quoted(cell) for cell in row) for row in rows]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def quoted(cell: str) -> str:
    """A cell as ARFF wants it: `?` where missing, quotes around words."""
    if not cell:
        return "?"
    return cell if cell.replace(".", "", 1).lstrip("-").isdigit() else f"'{cell}'"
