"""Small made tables with a target of zeros and ones, for tests that try every model."""

import numpy as np


def numbers(n_rows: int = 60, n_columns: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of numbers and a target of zeros and ones that depends on two of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(3)
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)).astype(int)


def words(n_rows: int = 60, seed: int = 0) -> tuple[dict[str, list], np.ndarray]:
    """A column of words, one of numbers, and a target that depends on both."""
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "green", "blue"], n_rows)
    size = rng.normal(size=n_rows).round(2)
    target = ((color == "red") | (size > 0.3)).astype(int)
    return {"color": color.tolist(), "size": size.tolist()}, target
