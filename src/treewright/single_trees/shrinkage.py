"""How strong the shrinkage of a single tree is: as given, or by out-of-fold predictions."""

from dataclasses import replace
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.target import ClassTarget
from treewright.estimators.training import Target, TrainingRows
from treewright.pruning.cross_validation import folds_for
from treewright.single_trees.growing import (
    as_pruning_rows,
    grown_and_pruned,
    without_unseen_categories,
)
from treewright.tree.predict import predict_values
from treewright.tree.shrinkage import shrunk
from treewright.tree.tree import Tree

# In rows. Trees of 26 tables were best at 0 to 100, with little difference between neighbors.
STRENGTHS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 25.0, 50.0, 100.0, 300.0)
N_FOLDS = 5
LEAST_SHARE = 1e-15  # of a class, in the logarithm


def strengths_for(target: Target) -> Floats:
    """The strengths to choose from: 0 only for numbers, since it lets probabilities be 0."""
    smallest = () if isinstance(target, ClassTarget) else (0.0,)
    return np.array((*smallest, *STRENGTHS))


def best_strength(predictions: Floats, target: Target, weights: Floats | None) -> float:
    """The strength with the lowest loss, the first on ties.

    `predictions` (n_rows, n_strengths) are shares of each row's own class, and the loss is the log
    loss; or numbers, and it is the squared error.
    """
    if isinstance(target, ClassTarget):
        losses = -portable.log(np.maximum(predictions, LEAST_SHARE))
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # targets near the largest number
            losses = np.square(predictions - target.values[:, np.newaxis])
    if weights is not None:
        losses *= weights[:, np.newaxis]
    return float(strengths_for(target)[np.argmin(losses.sum(axis=0))])


def own_predictions(tree: Tree, rows: TrainingRows, prior: float = 0.0) -> Floats:
    """(n_rows, n_strengths): the share of each row's own class, or the number, by each strength."""
    table = tree.schema.encode(rows.table, "missing")
    found = np.empty((rows.n_rows, len(strengths_for(rows.target))))
    own = rows.target.codes if isinstance(rows.target, ClassTarget) else 0
    for at, strength in enumerate(strengths_for(rows.target).tolist()):
        values = predict_values(shrunk(tree, strength, prior), table)
        found[:, at] = values[np.arange(rows.n_rows), own]
    return found


def shrinkage_of(model: Any, rows: TrainingRows) -> float:
    """The strength that the parameter `shrinkage` of the model asks for."""
    asked = getattr(model, "shrinkage", 0.0)
    if asked != "auto":
        return float(asked)
    fold_of_row = folds_for(as_pruning_rows(rows), N_FOLDS, np.random.default_rng(0))
    predictions = np.zeros((rows.n_rows, len(strengths_for(rows.target))))
    n_folds = int(fold_of_row.max()) + 1
    if n_folds == 1:  # all rows are equal, and so are all nodes
        return 0.0
    for fold in range(n_folds):
        in_fold = fold_of_row == fold
        some = rows.take(np.flatnonzero(~in_fold))
        table = without_unseen_categories(some.table)
        some = replace(some, table=table, class_totals=rows.class_totals)
        tree, _ = grown_and_pruned(model, some)
        predictions[in_fold] = own_predictions(tree, rows.take(np.flatnonzero(in_fold)))
    return best_strength(predictions, rows.target, rows.weights)


def notes_on_shrinkage(strength: float) -> tuple[str, ...]:
    """A sentence for people, where there is something to say."""
    if strength == 0:
        return ()
    return (f"predictions are shrunk toward those of the nodes above: strength {strength:g}",)
