"""Whether an evaluation that is passed on to a report is one of its model and rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError
from treewright.evaluation.evaluation import Evaluation
from treewright.reports.facts import Model, Rows


def check_evaluation(evaluation: Any, model: Model, rows: Rows) -> None:
    """Raise unless it is an evaluation of a model of this class on these rows."""
    if evaluation is None:
        return
    if not isinstance(evaluation, Evaluation):
        raise ParameterError(
            f"evaluation is a {type(evaluation).__name__}",
            hint="give what treewright.evaluate(model, X, y) returns",
        )
    if difference := what_differs(evaluation, model, rows):
        raise DataError(
            f"evaluation is of {difference}", hint="evaluate the model on the rows of the report"
        )


def what_differs(found: Evaluation, model: Model, rows: Rows) -> str:
    """What was judged, and what should have been; "" if there is no difference."""
    n_rows, kind = rows.table.n_rows, type(model).__name__
    if found.rows.n_rows != n_rows:
        return f"{found.rows.n_rows} rows, the table has {n_rows}"
    if found.kind not in ("", kind):
        return f"a {found.kind}, the model is a {kind}"
    wanted = answers(model, rows)
    if wrong := int((found.rows.y != wanted).sum()):
        return f"another target, which differs in {wrong} of {n_rows} rows"
    weights = check_weights(rows.weights, n_rows)
    if not np.array_equal(
        found.rows.weight_of_rows, np.ones(n_rows) if weights is None else weights
    ):
        return "rows of other weights"
    return ""


def answers(model: Model, rows: Rows) -> NDArray[Any]:
    """The target as an evaluation holds it."""
    if not hasattr(model, "classes_"):
        return encode_numbers(rows.y, n_rows=rows.table.n_rows).values
    target = encode_classes(rows.y, n_rows=rows.table.n_rows)
    return np.asarray(target.classes)[target.codes]
