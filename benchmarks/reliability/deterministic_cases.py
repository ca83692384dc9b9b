"""Tables and models whose files must come out the same, whatever runs beside them."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_clusterer

import treewright as tw

N_CLUSTERS = 3


@dataclass(frozen=True)
class Rows:
    """A table with a target of classes, one of numbers, and perhaps weights."""

    X: Any
    classes: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray | None = None


# ------------------------------------------------------------------ tables


def bundled(name: str) -> Rows:
    X, y = tw.load_sample(name)
    codes = np.unique(y, return_inverse=True)[1]
    return Rows(X, np.asarray(y), codes * 1.5)


def made(
    n_rows: int,
    n_numbers: int,
    *,
    holes: float = 0.0,
    levels: tuple[int, ...] = (),
    flags: int = 0,
    weights: str = "",
    rounded: int | None = None,
    n_classes: int = 3,
    seed: int = 0,
) -> Rows:
    """Numbers, then columns with so many levels, then flags; targets that depend on all kinds."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, n_numbers))
    frame = pd.DataFrame(
        numbers if rounded is None else numbers.round(rounded),
        columns=[f"x{i}" for i in range(n_numbers)],
    )
    score = numbers[:, 0] + numbers[:, -1] * numbers[:, n_numbers // 2]
    for i, n_levels in enumerate(levels):
        codes = rng.integers(0, n_levels, n_rows)
        frame[f"level{i}"] = np.array([f"level {code}" for code in range(n_levels)])[codes]
        score = score + codes % 5 / 3
    for i in range(flags):
        flag = rng.random(n_rows) < 0.3
        frame[f"flag{i}"] = flag
        score = score + flag * (0.5 if i % 3 == 0 else 0.0)
    for name in frame.columns if holes else ():
        frame[name] = frame[name].astype(object).where(rng.random(n_rows) >= holes, None)
        frame[name] = frame[name].infer_objects()
    score = score + rng.normal(scale=0.3, size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    names = np.array([f"class {c}" for c in range(n_classes)])
    return Rows(frame, names[np.digitize(score, cuts)], score, _weights(rng, n_rows, weights))


def _weights(rng: np.random.Generator, n_rows: int, kind: str) -> np.ndarray | None:
    if kind == "thirds":
        return rng.integers(1, 9, n_rows) / 3
    if kind == "some zero":
        return rng.random(n_rows) * (rng.random(n_rows) < 0.8)
    return None


def extremes() -> Rows:
    """Numbers at the ends of what a double holds, tiny ones, neighbors, infinities' own ranks."""
    rng = np.random.default_rng(9)
    ends = np.array([-1.7e308, -1e-310, 0.0, 5e-324, 1.0, 1.0000000000000002, 3e7, 1.7e308])
    X = ends[rng.integers(0, len(ends), (400, 4))]
    return Rows(X, np.where(X[:, 0] > X[:, 1], "up", "down"), rng.integers(0, 9, 400) / 4)


def single_precision() -> Rows:
    rows = made(800, 5, rounded=3, seed=5)
    return Rows(rows.X.to_numpy().astype(np.float32), rows.classes, rows.numbers)


TABLES: dict[str, Callable[[], Rows]] = {
    **{
        name: lambda name=name: bundled(name)
        for name in ("tennis", "golf", "buys_computer", "weekend", "loans", "iris", "two_moons")
    },
    "numbers": lambda: made(500, 4),
    "numbers that tie": lambda: made(700, 4, rounded=0, seed=1),
    "numbers with holes": lambda: made(600, 5, holes=0.2, seed=2),
    "single precision": single_precision,
    "ends of the scale": extremes,
    "few levels": lambda: made(500, 1, levels=(2, 4, 7), seed=3),
    "many levels": lambda: made(900, 2, levels=(300, 40), seed=4),
    "flags": lambda: made(800, 2, flags=12, n_classes=2, seed=6),
    "weights": lambda: made(600, 4, levels=(5,), weights="thirds", seed=7),
    "weights, some 0": lambda: made(600, 3, levels=(3,), weights="some zero", seed=8),
    "nine classes": lambda: made(900, 6, n_classes=9, seed=10),
    "more columns than rows": lambda: made(90, 120, seed=11),
    "long": lambda: made(9000, 9, rounded=2, seed=12),
    "long, mixed": lambda: made(
        8000, 6, holes=0.05, levels=(6, 60), flags=4, weights="thirds", seed=13
    ),
}

# ------------------------------------------------------------------ models


def few(kind: type, **params: Any) -> Callable[[], Any]:
    """An ensemble of few trees."""
    return lambda: kind(n_estimators=12, **params)


MODELS: dict[str, Callable[[], Any]] = {
    "ID3": lambda: tw.ID3Classifier(discretize="mdl"),
    "C4.5": tw.C45Classifier,
    "C4.5, subsets": lambda: tw.C45Classifier(nominal="subset", laplace=True),
    "C4.5 rules": lambda: tw.C45Rules(max_depth=4),
    "CART": tw.CARTClassifier,
    "CART, cut": lambda: tw.CARTClassifier(criterion="entropy", cp=0.01),
    "CART of numbers": tw.CARTRegressor,
    "CART, best first": lambda: tw.CARTRegressor(max_leaf_nodes=12),
    "CART, absolute error": lambda: tw.CARTRegressor(criterion="absolute_error", max_depth=4),
    "tree, gain ratio": lambda: tw.TreeClassifier(criterion="gain_ratio", missing="fractional"),
    "tree, intervals": lambda: tw.TreeClassifier(numeric="intervals", nominal="branches"),
    "tree, missing branch": lambda: tw.TreeRegressor(missing="branch", nominal="one_vs_rest"),
    "tree, learned": lambda: tw.TreeRegressor(missing="learned", min_samples_leaf=5),
    "tree, pruned": lambda: tw.TreeClassifier(prune="error_based"),
    "oblique": lambda: tw.ObliqueTreeClassifier(max_depth=3, random_state=1),
    "optimal": lambda: tw.OptimalTreeClassifier(max_depth=2, max_cuts=12),
    "M5": tw.M5Regressor,
    "forest": few(tw.RandomForestClassifier, oob_score=True, random_state=1),
    "forest, entropy": few(tw.RandomForestClassifier, criterion="entropy", max_depth=6),
    "forest of numbers": few(tw.RandomForestRegressor, random_state=2),
    "extra trees": few(tw.ExtraTreesClassifier, random_state=3),
    "extra trees of numbers": few(tw.ExtraTreesRegressor, bootstrap=True),
    "boosted": few(tw.BoostedTreesClassifier),
    "boosted, drawn": few(tw.BoostedTreesClassifier, subsample=0.7, max_features=0.6),
    "boosted, even": few(tw.BoostedTreesRegressor, growth="symmetric", max_depth=4),
    "boosted numbers": few(tw.BoostedTreesRegressor, l1=0.1),
    "boosted, absolute": few(tw.BoostedTreesRegressor, loss="absolute_error"),
    "isolation": few(tw.IsolationForest, random_state=4),
    "k-means": lambda: tw.KMeans(n_clusters=N_CLUSTERS, n_init=2),
    "k-prototypes": lambda: tw.KPrototypes(n_clusters=N_CLUSTERS, n_init=2),
    "neighbors": tw.KNeighborsClassifier,
    "neighbors of numbers": lambda: tw.KNeighborsRegressor(weights="distance"),
    "linear": tw.GradientDescentRegressor,
    "logistic": tw.GradientDescentClassifier,
    "find-S": lambda: tw.FindS(discretize="equal_width"),
}


def predictions(model: Any, X: Any) -> np.ndarray:
    """What tells most: probabilities, distances, scores or numbers."""
    if isinstance(model, tw.IsolationForest):
        return model.score_samples(X)
    if is_clusterer(model):
        return model.transform(X)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    found = model.predict(X)
    return np.unique(found, return_inverse=True)[1] if is_classifier(model) else found


def fitted(model_name: str, rows: Rows, n_jobs: int | None) -> Any | None:
    """The model, or None if it says that this table is not for it."""
    model = MODELS[model_name]()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    y = rows.classes if is_classifier(model) else rows.numbers
    takes_weights = "sample_weight" in inspect.signature(model.fit).parameters
    weights = {"sample_weight": rows.weights} if takes_weights and rows.weights is not None else {}
    try:
        return model.fit(rows.X, y, **weights)
    except (tw.DataError, tw.ParameterError):
        return None


def every_case() -> Iterator[tuple[str, str]]:
    """All pairs of a table and a model, by name."""
    return ((table, model) for table in TABLES for model in MODELS)
