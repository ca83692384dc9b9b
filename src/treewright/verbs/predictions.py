"""Predictions of any fitted model: of treewright, or any object with `predict`.

A model of another package gets rows in a form that it knows: arrays and pandas frames as they are,
other tables as a frame, or as an array of numbers if it is not known to take names.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_clusterer, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, TreewrightError, kind_of
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
    if isinstance(X, np.ndarray) or hasattr(X, "iloc") or issparse(X):
        return X
    table = table_from(X)
    is_numeric = all(isinstance(column, NumericColumn) for column in table.columns)
    if hasattr(model, "__sklearn_tags__"):
        by_name = hasattr(model, "feature_names_in_")
    else:
        by_name = table.has_names and find_spec("pandas") is not None
    return table.to_pandas() if by_name or not is_numeric else np.asarray(table, dtype=np.float64)


def n_rows_of(X: Any) -> int:
    """Rows of a table of any kind; sparse ones have no length."""
    return X.n_rows if isinstance(X, Table) else X.shape[0] if hasattr(X, "shape") else len(X)


def predictions_of(model: Predictor | ProbabilityPredictor, rows: Any) -> NDArray[Any]:
    """(n_rows,): the class or number that the model predicts for each row."""
    if hasattr(model, "predict"):
        found = np.asarray(called(model, "predict", rows))
    else:
        shares = probabilities_of(model, rows)
        found = np.asarray(classes_of(model, shares.shape[1]))[shares.argmax(axis=1)]
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (n_rows_of(rows),):
        raise DataError(
            f"{type(model).__name__} predicts an array of shape {found.shape} for "
            f"{n_rows_of(rows)} rows",
            hint=instead_of(model)
            or "its predictions must be one class or one number for each row",
        )
    return found


def probabilities_of(model: ProbabilityPredictor, rows: Any) -> Floats:
    """(n_rows, n_classes): the probability of each class."""
    shares = np.asarray(called(model, "predict_proba", rows), dtype=np.float64)
    if shares.ndim != 2 or len(shares) != n_rows_of(rows):
        raise DataError(
            f"predict_proba of {type(model).__name__} returns shape {shares.shape} for "
            f"{n_rows_of(rows)} rows",
            hint="it must return one row of class probabilities for each row",
        )
    return shares


def called(model: Any, method: str, rows: Any) -> Any:
    """What a method returns for rows; an error of another package says which object failed."""
    if is_own(model):
        return getattr(model, method)(rows)
    try:
        return getattr(model, method)(rows)
    except (TreewrightError, NotFittedError):
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
        raise DataError(
            f"{method} of {kind_of(model)} does not take these rows: {problem}",
            hint=instead_of(model) or f"give rows in the form that its `{method}` takes",
        ) from error


def instead_of(model: object) -> str:
    """What to give in place of a booster, which has neither classes nor rows of its own; or ""."""
    package, name = type(model).__module__.partition(".")[0], type(model).__name__
    if package not in ("lightgbm", "xgboost") or name != "Booster":
        return ""
    return "give tw.import_model(booster), or the library's classifier or regressor"


def classes_of(model: object, n_classes: int) -> list[Any]:
    """The classes in the order of the probabilities; 0, 1, ... if the model names none."""
    known = getattr(model, "classes_", None)
    if known is None:
        return list(range(n_classes))
    classes: list[Any] = np.asarray(known).tolist()
    if len(classes) != n_classes:
        raise DataError(
            f"{kind_of(model)} has probabilities of {n_classes} classes and {len(classes)} in "
            "`classes_`"
        )
    return classes


def predicts_classes(model: object, predictions: NDArray[Any]) -> bool:
    """Whether the predictions are classes, by the model's attributes or by their type."""
    if isinstance(model, RuleSet):
        return model.classes_ is not None
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
