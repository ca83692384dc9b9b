"""`model.explain(row)`: one row, by the tree that predicts it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.estimators.rows import changed_row, row_table, row_values, rows_for_tree
from treewright.explanations.explain import NO_REQUEST, Background, explain_row
from treewright.explanations.explanation import Explanation, WhatIf
from treewright.explanations.path import Request
from treewright.tree.tree import Tree

NO_CHANGES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class TreeFacts:
    """What a model knows that its tree does not."""

    counts: Floats | None = None  # training weights of the nodes, where the tree has others
    has_variance: bool = False  # whether the impurity of a node is a variance
    categorical_features: Any = None


def explain(
    tree: Tree,
    row: Any,
    request: Request = NO_REQUEST,
    facts: TreeFacts = TreeFacts(),
    *,
    X: Any = None,
    y: Any = None,
    changes: Mapping[str, Any] = NO_CHANGES,
) -> Explanation:
    """Why `row` gets its prediction; with X and y also the training rows nearest to it.

    With `changes` the row has other values in some columns; `what_if` has the original prediction.
    """
    changed = changed_row(row, tree.schema, changes)
    table, known = row_and_background(tree, changed, facts, X, y)
    found = explain_row(tree, table, request, known)
    if not changes:
        return found
    before = row_table(row, tree.schema)
    values = row_values(before, tree.schema)
    prediction = explain_row(
        tree, rows_for_tree(tree, before, facts.categorical_features)
    ).prediction
    others = {name: (values[name], found.row[name]) for name in changes}
    return replace(found, what_if=WhatIf(others, prediction, tree.schema))


def row_and_background(
    tree: Tree, row: Any, facts: TreeFacts, X: Any, y: Any
) -> tuple[Table, Background]:
    """The row as the tree knows its columns, and what else is known of it."""
    asked = row_table(row, tree.schema)
    table = rows_for_tree(tree, asked, facts.categorical_features)
    rows, target = training_rows(tree, X, y, facts.categorical_features)
    given = row_values(asked, tree.schema)
    return table, Background(facts.counts, facts.has_variance, given, rows, target)


def training_rows(
    tree: Tree, X: Any, y: Any, categorical_features: Any
) -> tuple[Table, NDArray[Any]] | tuple[None, None]:
    """The rows among which the nearest are sought, and their target; None if none were given."""
    if X is None and y is None:
        return None, None
    if X is None or y is None:
        here, absent = ("X", "y") if y is None else ("y", "X")
        raise DataError(
            f"{here} was given without {absent}", hint="give both, the rows and their target"
        )
    rows, target = rows_for_tree(tree, X, categorical_features), np.asarray(y)
    if len(rows) != len(target):
        raise DataError(f"X has {len(rows)} rows and y has {len(target)}")
    return rows, target
