"""Tables that long calls work on: numbers, words, holes, and a target that depends on them."""

import numpy as np
import pandas as pd


def numbers(n_rows: int, n_columns: int = 10, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of numbers, and a noisy score."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    return X, X[:, 0] * X[:, 1] + X[:, -1] + rng.normal(scale=0.5, size=n_rows)


def classes(score: np.ndarray, n_classes: int = 3) -> np.ndarray:
    """The score in parts of equal size."""
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.digitize(score, cuts)


def mixed(n_rows: int, n_words: int = 5, n_levels: int = 4, holes: float = 0.05):
    """Half words, half numbers, some of both missing; a noisy score."""
    rng = np.random.default_rng(1)
    X, score = numbers(n_rows, n_words)
    words = np.array([f"level {i}" for i in range(n_levels)], dtype=object)
    frame = {}
    for i in range(n_words):
        codes = rng.integers(0, n_levels, n_rows)
        score = score + (codes == i % n_levels)
        column = words[codes]
        column[rng.random(n_rows) < holes] = None
        frame[f"word {i}"] = pd.Categorical(column, categories=words)
        numeric = X[:, i].copy()
        numeric[rng.random(n_rows) < holes] = np.nan
        frame[f"number {i}"] = numeric
    return pd.DataFrame(frame), score
