"""Permutation importance: the loss when the values of a column are shuffled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.sources import table_from
from treewright.data.target import encode_numbers
from treewright.ensembles.base import Ensemble
from treewright.errors import DataError, ParameterError, kind_of, nearest
from treewright.estimators.threads import generator_from
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.single_trees.base import TreeEstimator
from treewright.tree.tree import Tree
from treewright.verbs.predictions import (
    classes_of,
    predictions_of,
    predicts_classes,
    probabilities_of,
    rows_for,
    with_shuffled_column,
)

LEAST_PROBABILITY = 1e-15  # so that a certain error costs a finite log loss


@dataclass(frozen=True, slots=True)
class Shuffling:
    """What is measured, how often each column is shuffled, and from which seed."""

    measure: str | None
    n_repeats: int
    random_state: Any


@dataclass(frozen=True, slots=True)
class ShuffledLosses:
    """The mean loss of each column, and its standard error."""

    names: Sequence[Any]  # of the columns
    unit: str  # what the losses are, in words
    means: Floats
    errors: Floats


def shuffled_losses(
    model: Predictor | ProbabilityPredictor, X: Any, y: Any, shuffling: Shuffling
) -> ShuffledLosses:
    """The losses of all columns; 0 for those that no tree uses."""
    n_repeats = shuffling.n_repeats
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, int) or n_repeats < 1:
        raise ParameterError(f"n_repeats is {n_repeats!r}", hint="use a whole number from 1 on")
    table, target = table_from(X), np.asarray(y)
    if len(table) != len(target):
        raise DataError(f"X has {len(table)} rows and y has {len(target)}")
    if len(table) < 2:
        raise DataError("shuffling needs at least two rows")
    rows = rows_for(model, X)
    predictions = predictions_of(model, rows)
    of_classes = predicts_classes(model, predictions)
    if of_classes:
        check_labels(model, predictions, target)
    elif target.dtype.kind not in "biuf":
        target = encode_numbers(y, n_rows=len(table)).values  # or an error that says what y holds
    unit, costs_of = row_costs(model, shuffling.measure, of_classes=of_classes)
    before = costs_of(model, rows, target)
    rng = generator_from(shuffling.random_state)
    means, errors = np.zeros(table.n_columns), np.zeros(table.n_columns)
    for feature in asked_columns(model, table.n_columns):
        lost = np.stack(
            [
                costs_of(
                    model, with_shuffled_column(rows, feature, rng.permutation(len(table))), target
                )
                - before
                for _ in range(n_repeats)
            ]
        )
        means[feature], errors[feature] = mean_and_error(lost)
    return ShuffledLosses(table.names, unit, means, errors)


def check_labels(model: object, predictions: NDArray[Any], target: NDArray[Any]) -> None:
    """Raise if no label of y is a class of the model: then nothing could be lost."""
    own = getattr(model, "classes_", None)
    classes = np.unique(predictions) if own is None else np.asarray(own)
    if not np.isin(target, classes).any():
        raise DataError(
            f"y holds no class of the model: {target[0]!r} is none of {classes[:5].tolist()!r}",
            hint="give the labels in the type that the model was fitted to",
        )


def mean_and_error(lost: Floats) -> tuple[float, float]:
    """Of (n_repeats, n_rows): rows and shuffles are both drawn, so both variances count."""
    of_rows = lost.mean(axis=0).var(ddof=1) / lost.shape[1]
    of_shuffles = lost.mean(axis=1).var(ddof=1) / len(lost) if len(lost) > 1 else 0.0
    return float(lost.mean()), float(np.sqrt(of_rows + of_shuffles))


def asked_columns(model: object, n_columns: int) -> list[int]:
    """Columns that a node, weighted sum or surrogate of a tree uses, or all of them."""
    if not isinstance(model, TreeEstimator | Ensemble):
        return list(range(n_columns))
    trees: Sequence[Tree] = model.trees_ if isinstance(model, Ensemble) else (model.tree_,)
    asked = {-1}
    for tree in trees:
        for columns in (tree.feature, tree.surrogate_feature, tree.term_feature):
            asked |= set(np.unique(columns).tolist())
    return sorted(asked - {-1})


# ---------------------------------------------------------------------------- costs of rows

RowCosts = Callable[[Any, Any, NDArray[Any]], Floats]


def wrong_classes(model: Predictor | ProbabilityPredictor, rows: Any, y: NDArray[Any]) -> Floats:
    wrong: Floats = (predictions_of(model, rows) != y).astype(np.float64)
    return wrong


def surprises(model: ProbabilityPredictor, rows: Any, y: NDArray[Any]) -> Floats:
    """Minus the logarithm of the probability of the true class."""
    shares = probabilities_of(model, rows)
    code_of = {label: code for code, label in enumerate(classes_of(model, shares.shape[1]))}
    codes = np.array([code_of.get(label, -1) for label in y.tolist()])
    given = np.where(codes >= 0, shares[np.arange(len(y)), codes], 0.0)
    costs: Floats = -np.log(np.maximum(given, LEAST_PROBABILITY))
    return costs


def squared_errors(model: Predictor | ProbabilityPredictor, rows: Any, y: NDArray[Any]) -> Floats:
    """As shares of the mean squared distance of y from its mean."""
    spread = float(np.var(y))
    errors: Floats = (predictions_of(model, rows) - y) ** 2 / (spread if spread > 0 else 1.0)
    return errors


def absolute_errors(model: Predictor | ProbabilityPredictor, rows: Any, y: NDArray[Any]) -> Floats:
    errors: Floats = np.abs(predictions_of(model, rows) - y)
    return errors


# Measure: what is said of the losses, and how they are found.
OF_CLASSES: dict[str, tuple[str, RowCosts]] = {
    "accuracy": ("accuracy lost", wrong_classes),
    "log_loss": ("log loss added", surprises),
}
OF_NUMBERS: dict[str, tuple[str, RowCosts]] = {
    "r2": ("R squared lost", squared_errors),
    "absolute_error": ("absolute error added", absolute_errors),
}


def row_costs(model: object, measure: str | None, *, of_classes: bool) -> tuple[str, RowCosts]:
    """The measure by its name; None takes the first that fits the model."""
    known = OF_CLASSES if of_classes else OF_NUMBERS
    if measure is None:
        measure = next(iter(known))
    if measure not in known:
        raise ParameterError(
            f"measure is {measure!r}", hint=nearest(str(measure), known, "measures")
        )
    if measure == "log_loss" and not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"log_loss needs probabilities, and {kind_of(model)} has no `predict_proba`",
            hint='use measure="accuracy"',
        )
    return known[measure]
