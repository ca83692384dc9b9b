"""`model.explain(row)`: one row, by the tree that answers it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.explanations.explain import NO_REQUEST, Background, explain_row
from treewright.explanations.explanation import Explanation
from treewright.explanations.path import Request
from treewright.models.answering import answering_tree
from treewright.models.base import TreeEstimator
from treewright.models.rows import row_table
from treewright.tree.tree import Tree

VARIANCE = ("squared_error",)


def explain(
    model: TreeEstimator | Tree,
    row: Any,
    request: Request = NO_REQUEST,
    *,
    X: Any = None,
    y: Any = None,
) -> Explanation:
    """Why `row` gets its answer; with X and y also the training rows nearest to it."""
    tree = answering_tree(model)
    asked = row_table(row, tree.schema)
    table = encoded(model, tree, asked)
    counts, has_variance = None, False
    if isinstance(model, TreeEstimator):
        counts = None if model.cuts_columns else model.tree_.value
        has_variance = getattr(model, "criterion", None) in VARIANCE
    rows, target = training_rows(model, tree, X, y)
    given = {
        name: column.value(0) for name, column in zip(tree.schema.names, asked.columns, strict=True)
    }
    known = Background(counts, has_variance, given, rows, target)
    return explain_row(tree, table, request, known)


def training_rows(
    model: TreeEstimator | Tree, tree: Tree, X: Any, y: Any
) -> tuple[Table, NDArray[Any]] | tuple[None, None]:
    """The rows among which the nearest are sought, and their target; None if none were given."""
    if X is None and y is None:
        return None, None
    if X is None or y is None:
        here, absent = ("X", "y") if y is None else ("y", "X")
        raise DataError(
            f"{here} was given without {absent}", hint="give both, the rows and their target"
        )
    rows, target = encoded(model, tree, X), np.asarray(y)
    if len(rows) != len(target):
        raise DataError(f"X has {len(rows)} rows and y has {len(target)}")
    return rows, target


def encoded(model: TreeEstimator | Tree, tree: Tree, X: Any) -> Table:
    """Rows as the answering tree knows its columns."""
    nominal = getattr(model, "categorical_features", None)
    table = table_from(X)
    if not isinstance(nominal, str | None):
        tree.schema.check_columns(table)
        table = table_from(table, categorical_features=nominal)
    return tree.schema.encode(table, tree.unseen)  # type: ignore[arg-type]
