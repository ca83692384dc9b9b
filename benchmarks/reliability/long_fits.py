"""Every kind of fit, on rows that make it take about half a second by itself.

`scale` multiplies the rows or the rounds; what a model is fitted on before, or after, is small.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.reliability.made_rows import classes, mixed, numbers

Rows = tuple[Any, Any]
SMALL = 60  # rows of a fit that takes no time


@dataclass(frozen=True)
class LongFit:
    """An estimator and rows that keep it busy."""

    kind: type
    rows: Callable[[int], Rows]
    n_rows: int
    settings: dict[str, Any]
    small: dict[str, Any]  # settings that a fit to few rows needs to take no time

    def made(self, n_jobs: int | None = None, *, small: bool = False) -> Any:
        """The estimator, not fitted."""
        settings = {**self.settings, **(self.small if small else {})}
        if n_jobs is not None and "n_jobs" in self.kind._get_param_names():
            settings["n_jobs"] = n_jobs
        return self.kind(**settings)

    def many(self, scale: float = 1.0) -> Rows:
        """The rows that take long."""
        return self.rows(max(SMALL, int(self.n_rows * scale)))

    def few(self) -> Rows:
        """The rows that do not."""
        return self.rows(SMALL)


def numbers_and_classes(n_rows: int, n_columns: int = 10, n_classes: int = 3) -> Rows:
    X, score = numbers(n_rows, n_columns)
    return X, classes(score, n_classes)


def mixed_classes(n_rows: int, n_classes: int = 3, **settings: Any) -> Rows:
    X, score = mixed(n_rows, **settings)
    return X, classes(score, n_classes)


def words_of_two_classes(n_rows: int, n_words: int = 6) -> Rows:
    """Rows that one hypothesis tells apart, so that candidate elimination goes on to the last."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, size=(n_rows, n_words))
    is_positive = (codes[:, 0] < 2) & (codes[:, 1] == 0)
    codes[is_positive, 0] = 0
    return {f"w{i}": [f"v{c}" for c in codes[:, i]] for i in range(n_words)}, is_positive


def numbers_alone(n_rows: int, n_columns: int = 10) -> Rows:
    return numbers(n_rows, n_columns)[0], None


def mixed_alone(n_rows: int) -> Rows:
    return mixed(n_rows)[0], None


def fit(kind: type, rows: Callable[[int], Rows], n_rows: int, **settings: Any) -> LongFit:
    small = settings.pop("small", {})
    return LongFit(kind, rows, n_rows, settings, small)


few_trees = {"n_estimators": 3}

LONG_FITS: dict[str, LongFit] = {
    "ID3Classifier": fit(tw.ID3Classifier, mixed_classes, 60_000),
    "C45Classifier": fit(tw.C45Classifier, mixed_classes, 15_000),
    "C45Rules": fit(tw.C45Rules, mixed_classes, 900),
    "CARTClassifier": fit(tw.CARTClassifier, mixed_classes, 20_000),
    "CARTRegressor": fit(tw.CARTRegressor, numbers, 80_000),
    "CARTRegressor, absolute error": fit(
        tw.CARTRegressor, numbers, 30_000, criterion="absolute_error"
    ),
    "CARTClassifier, many levels": fit(
        tw.CARTClassifier, partial(mixed_classes, n_levels=400), 20_000
    ),
    "CARTClassifier, pruned by folds": fit(
        tw.CARTClassifier, numbers_and_classes, 5_000, prune="cost_complexity"
    ),
    "TreeClassifier": fit(tw.TreeClassifier, mixed_classes, 40_000),
    "TreeClassifier, intervals": fit(
        tw.TreeClassifier, numbers_and_classes, 6_000, numeric="intervals"
    ),
    "TreeRegressor": fit(tw.TreeRegressor, mixed, 60_000),
    "M5Regressor": fit(tw.M5Regressor, numbers, 25_000),
    "ObliqueTreeClassifier": fit(tw.ObliqueTreeClassifier, numbers_and_classes, 1_200),
    "OptimalTreeClassifier": fit(tw.OptimalTreeClassifier, numbers_and_classes, 250),
    "RandomForestClassifier": fit(
        tw.RandomForestClassifier, mixed_classes, 20_000, n_estimators=30, small=few_trees
    ),
    "RandomForestClassifier, exact": fit(
        tw.RandomForestClassifier,
        mixed_classes,
        4_000,
        n_estimators=20,
        splits="exact",
        small=few_trees,
    ),
    "RandomForestRegressor": fit(
        tw.RandomForestRegressor,
        numbers,
        12_000,
        n_estimators=30,
        oob_score=True,
        small={"n_estimators": 3, "oob_score": False},
    ),
    "ExtraTreesClassifier": fit(
        tw.ExtraTreesClassifier, mixed_classes, 25_000, n_estimators=30, small=few_trees
    ),
    "ExtraTreesRegressor": fit(
        tw.ExtraTreesRegressor, numbers, 20_000, n_estimators=30, small=few_trees
    ),
    "IsolationForest": fit(
        tw.IsolationForest,
        numbers_alone,
        60_000,
        n_estimators=60,
        contamination=0.1,
        small=few_trees,
    ),
    "BoostedTreesClassifier": fit(
        tw.BoostedTreesClassifier, mixed_classes, 20_000, n_estimators=40, small=few_trees
    ),
    "BoostedTreesRegressor": fit(
        tw.BoostedTreesRegressor,
        numbers,
        40_000,
        n_estimators=80,
        validation_fraction=0.2,
        n_iter_no_change=100,
        small=few_trees,
    ),
    "KNeighborsClassifier": fit(tw.KNeighborsClassifier, mixed_classes, 400_000),
    "KNeighborsRegressor": fit(tw.KNeighborsRegressor, numbers, 600_000),
    "KMeans": fit(tw.KMeans, numbers_alone, 6_000, n_clusters=20),
    "KPrototypes": fit(tw.KPrototypes, mixed_alone, 1_500, n_clusters=12),
    "CandidateElimination": fit(tw.CandidateElimination, words_of_two_classes, 100_000),
    "FindS": fit(tw.FindS, words_of_two_classes, 300_000),
    "GradientDescentRegressor": fit(
        tw.GradientDescentRegressor, mixed, 60_000, learning_rate=1e-4, max_iter=1_000
    ),
    "GradientDescentRegressor, solved": fit(
        tw.GradientDescentRegressor,
        partial(numbers, n_columns=300),
        10_000,
        solver="normal_equations",
    ),
    "GradientDescentClassifier": fit(
        tw.GradientDescentClassifier, numbers_and_classes, 40_000, learning_rate=1e-4, max_iter=100
    ),
    "GradientDescentClassifier, stochastic": fit(
        tw.GradientDescentClassifier,
        numbers_and_classes,
        30_000,
        method="stochastic",
        max_iter=10,
        tol=0.0,
    ),
    "Discretizer": fit(tw.Discretizer, numbers_and_classes, 60_000),
    "Imputer": fit(tw.Imputer, mixed_classes, 400_000, by_class=True),
}
