"""Predictions of any fitted model: of treewright, or any object with `predict`.

A model of another package gets rows in a form that it knows: arrays and pandas frames as they are,
other tables as a frame, or as an array where all columns are numbers without names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_clusterer, is_outlier_detector, is_regressor

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, kind_of
from treewright.estimators.base import Model
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.single_trees.rule_set import RuleSet


def check_predicts(model: object, refusal: str) -> None:
    """Raise unless a model has `predict` or `predict_proba`; `refusal` says what it cannot do."""
    if isinstance(model, type):
        raise ParameterError(
            f"{model.__name__} is a class, not a fitted model",
            hint=f"give a fitted model: {model.__name__}().fit(X, y)",
        )
    if not (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        raise ParameterError(
            f"{kind_of(model)} {refusal}: it has neither `predict` nor `predict_proba`",
            hint="give a fitted model of treewright, or any object with one of these methods",
        )


def is_own(model: object) -> bool:
    """Whether a model is one of treewright, which reads tables as they are."""
    return isinstance(model, Model | RuleSet)


def has_no_target(model: object) -> bool:
    """Whether a model is unsupervised, so that no prediction is right or wrong."""
    is_estimator = hasattr(model, "__sklearn_tags__")
    return is_estimator and (is_clusterer(model) or is_outlier_detector(model))


def rows_for(model: object, X: Any) -> Any:
    """Rows in a form that the model takes."""
    if is_own(model):
        return table_from(X)
    if isinstance(X, np.ndarray) or hasattr(X, "iloc"):
        return X
    table = table_from(X)
    is_numeric = all(isinstance(column, NumericColumn) for column in table.columns)
    if is_numeric and not hasattr(model, "feature_names_in_"):
        return np.asarray(table, dtype=np.float64)
    return table.to_pandas()


def predictions_of(model: Predictor | ProbabilityPredictor, rows: Any) -> NDArray[Any]:
    """(n_rows,): the class or number that the model predicts for each row."""
    if hasattr(model, "predict"):
        found = np.asarray(model.predict(rows))
    else:
        shares = probabilities_of(model, rows)
        found = np.asarray(classes_of(model, shares.shape[1]))[shares.argmax(axis=1)]
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (len(rows),):
        raise DataError(
            f"{type(model).__name__} predicts an array of shape {found.shape} for {len(rows)} rows",
            hint="its predictions must be one class or one number for each row",
        )
    return found


def probabilities_of(model: ProbabilityPredictor, rows: Any) -> Floats:
    """(n_rows, n_classes): the probability of each class."""
    shares = np.asarray(model.predict_proba(rows), dtype=np.float64)
    if shares.ndim != 2 or len(shares) != len(rows):
        raise DataError(
            f"predict_proba of {type(model).__name__} returns shape {shares.shape} for "
            f"{len(rows)} rows",
            hint="it must return one row of class probabilities for each row",
        )
    return shares


def classes_of(model: object, n_classes: int) -> list[Any]:
    """The classes in the order of the probabilities; 0, 1, ... if the model names none."""
    known = getattr(model, "classes_", None)
    return list(range(n_classes)) if known is None else np.asarray(known).tolist()


def predicts_classes(model: object, predictions: NDArray[Any]) -> bool:
    """Whether the predictions are classes, by the model's attributes or by their type."""
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        return False
    has_classes = getattr(model, "classes_", None) is not None or hasattr(model, "predict_proba")
    return has_classes or predictions.dtype.kind != "f"  # 1 and -1 of outliers are classes


def with_shuffled_column(rows: Any, feature: int, order: NDArray[np.intp]) -> Any:
    """The rows of `rows_for` with one column in another order."""
    if isinstance(rows, Table):
        columns = list(rows.columns)
        columns[feature] = columns[feature].take(order)
        return Table(columns, rows.n_rows, has_names=rows.has_names)
    shuffled = rows.copy()
    if isinstance(rows, np.ndarray):
        shuffled[:, feature] = rows[order, feature]
    else:
        shuffled.isetitem(feature, rows.iloc[order, feature].array)
    return shuffled
