"""The models other than trees and ensembles, quick to fit, for the tests that hold for all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_clusterer

import treewright as tw
from treewright import registry
from treewright.estimators.base import OtherModel

# Name: settings that make it quick, or let it take columns of numbers.
SETTINGS: dict[str, dict[str, object]] = {
    "KMeans": {"n_clusters": 3, "n_init": 2},
    "KPrototypes": {"n_clusters": 3, "n_init": 2},
    "CandidateElimination": {"discretize": "equal_width"},
    "FindS": {"discretize": "equal_width"},
}
CLUSTERINGS = ("KMeans", "KPrototypes")
NUMBERS_ONLY = ("KMeans",)  # words have no mean
TWO_CLASSES = ("CandidateElimination", "FindS")
EVERY = [
    name for name in registry.ESTIMATORS if issubclass(registry.estimator_type(name), OtherModel)
]
PREDICTORS = [name for name in EVERY if name not in CLUSTERINGS]
MIXED = [name for name in EVERY if name not in NUMBERS_ONLY]

for_every_model = pytest.mark.parametrize("name", EVERY)
for_every_predictor = pytest.mark.parametrize("name", PREDICTORS)
for_every_mixed_model = pytest.mark.parametrize("name", MIXED)


def made(name: str, **params: object):
    """An estimator, not fitted."""
    return getattr(tw, name)(**{**SETTINGS.get(name, {}), **params})


def mixed_table(n_rows: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Words, numbers, a boolean and holes; a score that depends on some of them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "color": rng.choice(["red", "green", "blue"], n_rows),
            "size": np.round(rng.normal(size=n_rows), 2),
            "count": rng.integers(0, 9, n_rows),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    score = (frame["color"] == "red") * 2.0 + frame["size"] + 0.3 * frame["count"]
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "color"] = None
    return frame, score.to_numpy()


def plain_table(n_rows: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers without holes, and a score that depends on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)).round(2), columns=["a", "b", "c"])
    return frame, (frame["a"] - 0.5 * frame["b"]).to_numpy()


def table_for(name: str, n_rows: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows that a model takes, and what it predicts of them."""
    frame, score = mixed_table(n_rows, seed)
    columns = ["size", "count"] if name in NUMBERS_ONLY else list(frame)
    return frame[columns], target_for(name, score)


def target_for(name: str, score: np.ndarray) -> np.ndarray:
    """Classes or numbers, as a model predicts them; clusterings look at neither."""
    if not is_classifier(made(name)):
        return score
    cuts = [np.median(score)] if name in TWO_CLASSES else np.quantile(score, [0.4, 0.7])
    return np.array(["low", "mid", "high"])[np.digitize(score, cuts)]


def fitted(name: str, **params: object):
    """A fitted model, and its table."""
    frame, y = table_for(name)
    return made(name, **params).fit(frame, y), frame


def predictions(model, X) -> np.ndarray:
    """What tells most: probabilities, distances or numbers."""
    if is_clusterer(model):
        return model.transform(X)
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)
