"""Boosted models that label the rows for distilled trees, never a row that they have learned.

A row is labeled by a model without its fold; for a tree that is judged by another fold, by a model
without both. The model without two folds serves both ways round, so F folds need F (F + 1) / 2.
"""

import warnings
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.boosted_trees import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
)
from treewright.estimators.training import TrainingRows
from treewright.readable_trees.sketches import Rows

# Rows x classes x rounds of a boosted model. Above it, a model gets fewer rounds.
MOST_WORK = 5_000_000
FEWEST_ROUNDS, ROUNDS = 50, 500
ROUNDS_OF_PAIRS = 150  # of the many models that only label rows


class Teacher:
    """A boosted model of some rows; the only value of the target if all rows have the same."""

    def __init__(self, rows: TrainingRows, most_rounds: int, n_jobs: int | None) -> None:
        target = rows.target
        values: Any
        if isinstance(target, ClassTarget):
            kind, values, self.n_classes = BoostedTreesClassifier, target.codes, target.n_classes
        else:
            kind, values, self.n_classes = BoostedTreesRegressor, target.values, 0
        self.only = values[0] if (values == values[0]).all() else None
        n_scores = self.n_classes if self.n_classes > 2 else 1
        rounds = int(np.clip(MOST_WORK / (rows.n_rows * n_scores), FEWEST_ROUNDS, most_rounds))
        self.model: Any = kind(n_estimators=rounds, n_jobs=n_jobs)
        if self.only is None:
            with warnings.catch_warnings():  # the fit of the tree has warned
                warnings.simplefilter("ignore")
                self.model.fit(rows.table, values, rows.weights)

    def predict(self, table: Table) -> Floats:
        """(n_rows, n_classes) shares of classes, or (n_rows, 1) numbers."""
        predicted = np.zeros((table.n_rows, max(self.n_classes, 1)))
        if self.n_classes:
            if self.only is not None:
                predicted[:, self.only] = 1.0
            else:
                predicted[:, self.model.classes_] = self.model.predict_proba(table)
        else:
            predicted[:, 0] = self.model.predict(table) if self.only is None else self.only
        return predicted


class Teachers:
    """The models without one fold or two, each fitted when it is asked for."""

    def __init__(self, rows: TrainingRows, fold_of_row: Rows, n_jobs: int | None) -> None:
        self.rows = rows
        self.fold_of_row = fold_of_row
        self.n_jobs = n_jobs
        self.n_folds = int(fold_of_row.max()) + 1
        self.fitted: dict[tuple[int, ...], Teacher] = {}

    def without(self, *folds: int) -> Teacher:
        """The model that has not learned from these folds."""
        key = tuple(sorted(set(folds)))
        if key not in self.fitted:
            taken = np.flatnonzero(~np.isin(self.fold_of_row, key))
            most_rounds = ROUNDS if len(key) == 1 else ROUNDS_OF_PAIRS
            self.fitted[key] = Teacher(self.rows.take(taken), most_rounds, self.n_jobs)
        return self.fitted[key]

    def labels(self, *judged_by: int) -> Floats:
        """Predictions for all rows by models that know neither their fold nor these."""
        found = []
        for fold in range(self.n_folds):
            rows = np.flatnonzero(self.fold_of_row == fold)
            found.append((rows, self.without(fold, *judged_by).predict(self.rows.table[rows])))
        labels = np.zeros((self.rows.n_rows, found[0][1].shape[1]))
        for rows, predicted in found:
            labels[rows] = predicted
        return labels

    def mean_prediction(self, table: Table) -> Floats:
        """The mean of what the models without one fold predict, for rows that nobody knows."""
        shares = [self.without(fold).predict(table) for fold in range(self.n_folds)]
        mean: Floats = sum(shares) / len(shares)  # type: ignore[assignment]
        return mean
