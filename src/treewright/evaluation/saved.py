"""A fitted model on rows that are new to it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from treewright.data.sources import table_from
from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.errors import DataError
from treewright.estimators.base import Model
from treewright.evaluation.evaluate import checked_costs
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import judge_fitted
from treewright.evaluation.rows import EvaluationRows, check_has_target, n_rows_of
from treewright.evaluation.splits import Plan, Split
from treewright.models.rule_set import RuleSet


def evaluate_fitted(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None
) -> Evaluation:
    """Judge a fitted model on rows that it did not learn from; nothing is fitted.

    Classes that the model does not know are counted as rows that it gets wrong.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(max_depth=2).fit(X[:100:2], y[:100:2])
    >>> tw.evaluate_fitted(model, X[1:100:2], y[1:100:2]).mean("accuracy")
    1.0
    """
    check_has_target(model)
    if hasattr(model, "fit"):
        check_is_fitted(model)
    if isinstance(model, Model | RuleSet) or isinstance(X, Mapping):
        X = table_from(X)
    n_rows = n_rows_of(X)
    weights = check_weights(sample_weight, n_rows)
    if predicts_numbers(model):
        numbers = encode_numbers(y, n_rows=n_rows).values
        rows = EvaluationRows(X, numbers, weights, None, None)
    else:
        target = encode_classes(y, n_rows=n_rows)
        known = np.asarray(model.classes_)
        seen = np.asarray(target.classes)
        if kind_of_labels(known) != kind_of_labels(seen):
            raise DataError(
                f"the model's classes are {known.dtype.name}, those of y {seen.dtype.name}",
                hint="give the labels as they were in training",
            )
        labels = labels_of_both(known, seen)
        codes = np.searchsorted(labels, seen[target.codes])
        rows = EvaluationRows(X, labels[codes], weights, labels, codes)
    everything = np.arange(n_rows)
    split = Split(0, 0, everything[:0], everything)
    prices = checked_costs(own_costs(model, rows) if costs is None else costs, rows)
    judged = judge_fitted(model, rows, split, costs=prices)
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    name = type(model).__name__
    plan = Plan(np.zeros(n_rows, dtype=np.int32))
    return Evaluation(name, "the model as it is", classes, (judged,), plan, rows, prices, name)


def predicts_numbers(model: Any) -> bool:
    """Whether a fitted model answers with numbers."""
    if isinstance(model, RuleSet):
        return model.classes_ is None
    return not (is_classifier(model) or hasattr(model, "predict_proba"))


def kind_of_labels(labels: NDArray[Any]) -> str:
    """Text is text, and a number a number, in whichever array it stands."""
    if labels.dtype.kind == "O":
        return "text" if any(isinstance(label, str) for label in labels) else "number"
    return "text" if labels.dtype.kind in "UT" else "number"


def labels_of_both(known: NDArray[Any], seen: NDArray[Any]) -> NDArray[Any]:
    """The classes of a model and of rows, sorted; as the model has them, where that is possible."""
    labels = np.union1d(known, seen)
    if known.dtype.kind in "iu" and labels.dtype.kind == "f":
        as_known = labels.astype(known.dtype)
        return as_known if np.array_equal(as_known, labels) else labels
    return labels


def own_costs(model: Any, rows: EvaluationRows) -> Any:
    """The model's own prices, unless there are rows of classes that it does not know."""
    costs = getattr(model, "costs", None)
    is_known = rows.classes is not None and len(rows.classes) == len(model.classes_)
    return costs if is_known else None
