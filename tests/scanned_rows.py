"""Rows of every kind, and blocks of them, for scans."""

import numpy as np

import treewright as tw


def made_rows(seed, n_rows, n_categories=3):
    """Columns of every kind, classes, numbers, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, 3.5]
    many = rng.normal(size=n_rows)
    many[rng.random(n_rows) < 0.1] = np.nan
    words = np.array(["b", "a", "c", None], dtype=object)
    X = tw.table_from(
        {
            "many": many,
            "few": rng.integers(0, 5, n_rows).astype(float),
            "single": rng.lognormal(sigma=5, size=n_rows).astype(np.float32),
            "special": rng.choice(special, n_rows),
            "word": words[rng.integers(0, 4, n_rows)],
            "id": [f"k{one}" for one in rng.integers(0, n_categories, n_rows)],
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    signal = np.nan_to_num(many) + X["few"].values
    classes = np.where(signal > 3, "yes", np.where(rng.random(n_rows) < 0.2, "no", "may"))
    weights = rng.choice([0.0, 0.5, 1.0, 2.25], n_rows)
    weights[:3] = 1.0
    return X, classes, signal + rng.normal(size=n_rows), weights


def blocks_of(rows, size):
    """Tuples of `size` rows."""
    n_rows = len(rows[0])
    return [
        tuple(None if one is None else one[at : at + size] for one in rows)
        for at in range(0, n_rows, size)
    ]
