"""A fitted model on rows that are new to it."""

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from treewright.data.target import check_weights, encode_classes, encode_numbers
from treewright.errors import DataError
from treewright.evaluation.evaluate import checked_costs
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import judge_fitted
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.splits import Plan, Split


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
    n_rows = len(X)
    weights = check_weights(sample_weight, n_rows)
    if is_regressor(model) or not hasattr(model, "predict_proba"):
        numbers = encode_numbers(y, n_rows=n_rows).values
        rows = EvaluationRows(X, numbers, weights, None, None)
    else:
        target = encode_classes(y, n_rows=n_rows)
        known = np.asarray(model.classes_ if hasattr(model, "classes_") else model.classes)
        seen = np.asarray(target.classes)
        if known.dtype.kind != seen.dtype.kind:
            raise DataError(
                f"the model's classes are {known.dtype.name}, those of y {seen.dtype.name}",
                hint="give the labels as they were in training",
            )
        labels = np.union1d(known, seen)
        codes = np.searchsorted(labels, seen[target.codes])
        rows = EvaluationRows(X, labels[codes], weights, labels, codes)
    everything = np.arange(n_rows)
    split = Split(0, 0, everything[:0], everything)
    judged = judge_fitted(model, rows, split, costs=checked_costs(costs, rows))
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    name = type(model).__name__
    plan = Plan(np.zeros(n_rows, dtype=np.int32))
    return Evaluation(name, "the model as it is", classes, (judged,), plan, rows)
