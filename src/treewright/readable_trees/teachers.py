"""Boosted models that label the rows for distilled trees, never a row that they have learned.

A row is labeled by a model without its fold; for a tree that is judged by another fold, by a model
without both. The model without two folds serves both ways round, so F folds need F (F + 1) / 2.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.row_hash import row_hashes
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.boosted_trees import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
)
from treewright.ensembles.boosting.fitting import boosted
from treewright.estimators.training import TrainingRows
from treewright.readable_trees.sketches import Rows

# Rows x classes x rounds of a boosted model. Above it, a model gets fewer rounds.
MOST_WORK = 5_000_000
FEWEST_ROUNDS, ROUNDS = 50, 500
ROUNDS_OF_PAIRS = 150  # of the many models that only label rows


class Teacher:
    """A boosted model of some rows."""

    def __init__(self, rows: TrainingRows, most_rounds: int, n_jobs: int | None) -> None:
        target = rows.target
        self.n_values = target.n_classes if isinstance(target, ClassTarget) else 1
        if isinstance(target, ClassTarget):  # codes as labels, so that predictions find their place
            labels = replace(target, classes=np.arange(target.n_classes))
            rows = replace(rows, target=labels.without_empty_classes())
        n_scores = self.n_values if self.n_values > 2 else 1
        rounds = int(np.clip(MOST_WORK / (rows.n_counted * n_scores), FEWEST_ROUNDS, most_rounds))
        kind = BoostedTreesClassifier if isinstance(target, ClassTarget) else BoostedTreesRegressor
        # With all rounds, it is the model that `ensemble_score_` stands for: the default.
        self.model: Any = kind(n_estimators="auto" if rounds == ROUNDS else rounds, n_jobs=n_jobs)
        self.state = boosted(self.model, rows, rows, None)  # `fit` would warn once more

    def predict(self, table: Table) -> Floats:
        """(n_rows, n_classes) shares of classes, or (n_rows, 1) numbers."""
        if self.state.classes is None:
            return self.state.predict(table, self.model)[:, np.newaxis]
        predicted = np.zeros((table.n_rows, self.n_values))
        predicted[:, self.state.classes] = self.state.predict_proba(table, self.model)
        return predicted


class Teachers:
    """The models without one fold or two, each fitted when it is asked for."""

    def __init__(self, rows: TrainingRows, fold_of_row: Rows, n_jobs: int | None) -> None:
        self.rows = rows
        self.fold_of_row = fold_of_row
        self.n_jobs = n_jobs
        self.n_folds = int(fold_of_row.max()) + 1
        self.fitted: dict[tuple[int, ...], Teacher] = {}
        # Boosting draws rows by their numbers, so the rows get numbers that follow their values.
        hashes = row_hashes(rows.table, rows.target_values, seed=0)
        self.order = np.lexsort(
            (np.zeros(rows.n_rows) if rows.weights is None else rows.weights, hashes)
        )

    def without(self, *folds: int) -> Teacher:
        """The model that has not learned from these folds."""
        key = tuple(sorted(set(folds)))
        if key not in self.fitted:
            taken = self.order[~np.isin(self.fold_of_row[self.order], key)]
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
        """The mean of what the models without one fold predict, for rows that are new to all."""
        shares = [self.without(fold).predict(table) for fold in range(self.n_folds)]
        mean: Floats = np.mean(shares, axis=0)
        return mean
