"""What a model loses when the values of a column are shuffled among the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.ensembles.base import EnsembleEstimator
from treewright.errors import DataError, ParameterError, nearest
from treewright.models.base import TreeEstimator
from treewright.models.early_stop import generator_from
from treewright.models.learned_estimator import LearnedPredictor
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]
Model = TreeEstimator | EnsembleEstimator | LearnedPredictor
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

    unit: str  # what the losses are, in words
    means: Float64Array
    errors: Float64Array


def shuffled_losses(model: Model, X: Any, y: Any, shuffling: Shuffling) -> ShuffledLosses:
    """The losses of all columns; 0 for those that no tree asks for."""
    n_repeats = shuffling.n_repeats
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, int) or n_repeats < 1:
        raise ParameterError(f"n_repeats is {n_repeats!r}", hint="use a whole number from 1 on")
    table, target = table_from(X), np.asarray(y)
    if len(table) != len(target):
        raise DataError(f"X has {len(table)} rows and y has {len(target)}")
    if len(table) < 2:
        raise DataError("shuffling needs at least two rows")
    check_labels(model, target)
    unit, costs_of = row_costs(model, shuffling.measure)
    before = costs_of(model, table, target)
    rng = generator_from(shuffling.random_state)
    means, errors = np.zeros(table.n_columns), np.zeros(table.n_columns)
    for feature in asked_columns(model):
        lost = np.stack(
            [
                costs_of(model, shuffled(table, feature, rng), target) - before
                for _ in range(n_repeats)
            ]
        )
        means[feature], errors[feature] = mean_and_error(lost)
    return ShuffledLosses(unit, means, errors)


def check_labels(model: Model, target: NDArray[Any]) -> None:
    """Labels of another type than the model's are never answered: nothing could be lost."""
    classes = getattr(model, "classes_", None)
    if classes is not None and not np.isin(target, classes).any():
        raise DataError(
            f"y holds no class of the model: {target[0]!r} is none of {classes[:5].tolist()!r}",
            hint="give the labels in the type that the model was fitted to",
        )


def mean_and_error(lost: Float64Array) -> tuple[float, float]:
    """Of (n_repeats, n_rows): rows and shuffles are both drawn, so both variances count."""
    of_rows = lost.mean(axis=0).var(ddof=1) / lost.shape[1]
    of_shuffles = lost.mean(axis=1).var(ddof=1) / len(lost) if len(lost) > 1 else 0.0
    return float(lost.mean()), float(np.sqrt(of_rows + of_shuffles))


def shuffled(table: Table, feature: int, rng: np.random.Generator) -> Table:
    """The table with one column in another order."""
    columns = list(table.columns)
    columns[feature] = columns[feature].take(rng.permutation(table.n_rows))
    return Table(columns, table.n_rows, has_names=table.has_names)


def asked_columns(model: Model) -> list[int]:
    """Columns that a node, weighted sum or surrogate of a tree asks for, or all of them."""
    if isinstance(model, LearnedPredictor):
        return list(range(model.n_features_in_))
    trees: Sequence[Tree] = model.trees_ if isinstance(model, EnsembleEstimator) else (model.tree_,)
    asked = {-1}
    for tree in trees:
        for columns in (tree.feature, tree.surrogate_feature, tree.term_feature):
            asked |= set(np.unique(columns).tolist())
    return sorted(asked - {-1})


# ---------------------------------------------------------------------------- costs of rows

RowCosts = Callable[[Any, Table, NDArray[Any]], Float64Array]


def wrong_classes(model: Any, table: Table, y: NDArray[Any]) -> Float64Array:
    wrong: Float64Array = (model.predict(table) != y).astype(np.float64)
    return wrong


def surprises(model: Any, table: Table, y: NDArray[Any]) -> Float64Array:
    """Minus the logarithm of the probability of the true class."""
    shares = model.predict_proba(table)
    code_of = {label: code for code, label in enumerate(model.classes_.tolist())}
    codes = np.array([code_of.get(label, -1) for label in y.tolist()])
    given = np.where(codes >= 0, shares[np.arange(len(y)), codes], 0.0)
    costs: Float64Array = -np.log(np.maximum(given, LEAST_PROBABILITY))
    return costs


def squared_errors(model: Any, table: Table, y: NDArray[Any]) -> Float64Array:
    """As shares of the mean squared distance of y from its mean."""
    spread = float(np.var(y))
    errors: Float64Array = (model.predict(table) - y) ** 2 / (spread if spread > 0 else 1.0)
    return errors


def absolute_errors(model: Any, table: Table, y: NDArray[Any]) -> Float64Array:
    errors: Float64Array = np.abs(model.predict(table) - y)
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


def row_costs(model: Model, measure: str | None) -> tuple[str, RowCosts]:
    """The measure by its name; None takes the first that fits the model."""
    known = OF_CLASSES if hasattr(model, "classes_") else OF_NUMBERS
    if measure is None:
        measure = next(iter(known))
    if measure not in known:
        raise ParameterError(
            f"measure is {measure!r}", hint=nearest(str(measure), known, "measures")
        )
    return known[measure]
