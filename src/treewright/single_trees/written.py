"""Trees that a person writes down become models like any other."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.data.target import encode_classes
from treewright.errors import ParameterError, kind_of
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.general import TreeClassifier, TreeRegressor
from treewright.tree.written import Written, written_tree
from treewright.tree.written_forms import from_nested, from_rules, from_text, read_rule


def tree_from(
    tree: Any,
    *,
    columns: Sequence[str] | None = None,
    numbers: bool = False,
    missing: str = "stop",
    handle_unknown: str = "missing",
) -> TreeClassifier | TreeRegressor:
    """Make a fitted model from a tree written by hand.

    Parameters
    ----------
    tree
        A nested dict, of conditions (`{"x <= 5": ..., "x > 5": ...}`) or of columns and their
        values (`{"color": {"red": ..., "blue": ...}}`); the text that a tree is printed as; or a
        list of rules, of which the first that matches a row predicts it. A branch `other` takes
        every category that no branch beside it names. Predictions of type float make a regression
        tree.
    numbers
        Treat predictions as numbers regardless of their type, such as those in a text.
    columns
        The order of the columns, for rows without column names. None uses the columns of the tree
        in the order of their first use. Tables with column names may have more columns, in any
        order.
    missing
        How to handle missing values that have no branch: "stop" predicts from the node (the class
        of most leaves below it), "fractional" sends a fraction of the row down every branch,
        "majority" takes the branch with the most leaves.
    handle_unknown
        How to handle a category that the tree does not name: treat it as "missing", send it to
        the "majority" branch, or raise an "error".

    Examples
    --------
    >>> evening = tree_from({
    ...     "party": {
    ...         "yes": "go to the party",
    ...         "no": {
    ...             "deadline": {
    ...                 "urgent": "study",
    ...                 "near": {"lazy": {"yes": "watch TV", "no": "study"}},
    ...                 "none": "go to the pub",
    ...             }
    ...         },
    ...     }
    ... })
    >>> evening.predict({"party": ["no"], "deadline": ["near"], "lazy": ["yes"]})
    array(['watch TV'], dtype='<U15')
    """
    check_choice("missing", missing, ("stop", "fractional", "majority"))
    check_choice("handle_unknown", handle_unknown, ("missing", "majority", "error"))
    made, classes = written_tree(
        read_tree(tree), columns=columns, numbers=numbers, missing=missing, unseen=handle_unknown
    )
    if classes is None:
        regressor = TreeRegressor(missing=missing, handle_unknown=handle_unknown)
        return regressor.with_state(FittedTree(tree=made, schema=made.schema))
    classifier = TreeClassifier(missing=missing, handle_unknown=handle_unknown)
    labels = encode_classes(np.array(classes), n_rows=len(classes)).classes
    return classifier.with_state(FittedTree(tree=made, schema=made.schema, classes=labels))


def read_tree(tree: Any) -> Written:
    """The written tree, whatever form it has."""
    if isinstance(tree, str):
        return from_text(tree)
    if isinstance(tree, Mapping):
        return from_nested(tree)
    if isinstance(tree, Sequence):
        if not tree:
            raise ParameterError("an empty list holds no rule")
        return from_rules([read_rule(rule) for rule in tree])
    raise ParameterError(
        f"{kind_of(tree)} is not a tree",
        hint="write a nested dict, the text of a tree, or a list of rules",
    )


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        allowed = ", ".join(f'"{choice}"' for choice in choices)
        raise ParameterError(f"{name}={value!r} is not allowed", hint=f"use {allowed}")
