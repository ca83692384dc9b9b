"""The pruning methods by name, with their options.

Method `name` is the function `name` in the module `treewright.pruning.name`:
`function(tree, rows, **options)` returns the pruned tree and its report. It is loaded when it is
first used, so that a command line can list the methods without loading any.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from treewright.errors import ParameterError, nearest
from treewright.param import Param
from treewright.pruning.method import Method, Options

if TYPE_CHECKING:
    from treewright.pruning.report import Pruned
    from treewright.pruning.row_loss import PruningRows
    from treewright.tree.tree import Tree


def _is_sequence(value: object) -> bool:
    return isinstance(value, np.ndarray | Sequence) and not isinstance(value, str | bytes)


def _idle_beside_price(options: Options) -> Mapping[str, str]:
    """Nothing is cross-validated at a given price; rpart's cp is about errors."""
    is_priced = options["alpha"] is not None
    idle: dict[str, str] = {}
    if is_priced:
        of_folds = ("folds", "standard_errors", "random_state")
        idle = dict.fromkeys(of_folds, "where `alpha` is given: nothing is cross-validated")
    if (options["risk"] or ("impurity" if is_priced else "error")) == "impurity":
        idle["min_cp"] = 'with risk="impurity"'
    return idle


_LISTED = (
    Method(
        "reduced_error",
        "errors among rows that growth has not seen",
        needs=lambda _: "validation rows",
        prunes_numbers=True,
    ),
    Method(
        "error_based",
        "C4.5: the upper limit of the errors that the training errors make likely",
        (
            Param(
                "confidence",
                float,
                0.25,
                "probability that the errors exceed the limit",
                above=0,
                high=0.5,
            ),
            Param(
                "subtree_raising",
                bool,
                help="whether the largest branch may take the place of a subtree",
                default=True,
            ),
        ),
        needs=lambda options: "training rows" if options["subtree_raising"] else "nothing",
        without_rows="subtree_raising=False",
    ),
    Method(
        "pessimistic",
        "training errors, half an error more for each leaf, and a standard error",
        (
            Param("standard_errors", float, 1.0, "how many standard errors to allow", low=0),
            Param(
                "order",
                str,
                "top_down",
                "whether a subtree is judged as grown or as pruned below",
                choices=("top_down", "bottom_up"),
            ),
        ),
    ),
    Method(
        "minimum_error",
        "errors to expect, as if further rows had come",
        (
            Param(
                "m",
                float,
                None,
                "how many rows, of the classes of the training table; None: one of each class",
                low=0,
                optional=True,
            ),
        ),
    ),
    Method(
        "mdl",
        "the bits that describe the tree and its exceptions",
        (Param("structure", float, 1.0, "factor on the bits that describe the tree", low=0),),
    ),
    Method(
        "cost_complexity",
        "the risk of the leaves and a price for each, given or found by cross-validation",
        (
            Param(
                "alpha",
                float,
                None,
                "price of a leaf; None: found by cross-validation",
                low=0,
                optional=True,
            ),
            Param(
                "risk",
                str,
                None,
                "what a leaf costs beside its price; None: impurity, with cross-validation error",
                choices=("impurity", "error"),
                optional=True,
            ),
            Param(
                "folds",
                int,
                10,
                "folds of cross-validation",
                low=2,
                accepts=_is_sequence,
                accepts_text="the number of the fold of each row",
            ),
            Param(
                "standard_errors",
                float,
                1.0,
                "how much worse than the best a smaller tree may be",
                low=0,
            ),
            Param(
                "min_cp",
                float,
                None,
                "by all rules of rpart, from this cp on; None: from 0 on",
                low=0,
                optional=True,
            ),
            Param(
                "random_state", int, 0, "seed of the folds", low=0, high=2**32 - 1, optional=True
            ),
        ),
        needs=lambda options: "training rows" if options["alpha"] is None else "nothing",
        idle=_idle_beside_price,
        without_rows="alpha=...",
        prunes_numbers=True,
    ),
    Method(
        "critical_value",
        "a split, or one below it, must reach a value",
        (
            Param("value", float, 0.0, "what a split must reach; 0 cuts nothing that gains"),
            Param(
                "by",
                str,
                "score",
                "what is held against it: what the split was chosen by, or its gain",
                choices=("score", "gain"),
            ),
        ),
        prunes_numbers=True,
    ),
)
PruningName = Literal[
    "reduced_error",
    "error_based",
    "pessimistic",
    "minimum_error",
    "mdl",
    "cost_complexity",
    "critical_value",
]
METHODS = {method.name: method for method in _LISTED}
CLASS_METHODS = tuple(METHODS)
NUMBER_METHODS = tuple(method.name for method in _LISTED if method.prunes_numbers)
ROWS_MEANT = {
    "training rows": "the rows that the tree was grown on",
    "validation rows": "rows that the tree was not grown on",
}


def method_named(name: object) -> Method:
    """The method of this name, or an error that offers the nearest."""
    found = METHODS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ParameterError(
            f"there is no pruning method {name!r}",
            hint=nearest(str(name).lower(), CLASS_METHODS, "methods"),
        )
    return found


def prune_tree(
    tree: "Tree", method: Method, rows: "PruningRows | None", options: Options
) -> "Pruned":
    """The tree pruned by a method; its options are checked, and whether it has what it needs.

    Rows that a method does not need are ignored.
    """
    if tree.classes is None and not method.prunes_numbers:
        raise ParameterError(
            f"pruning method `{method.name}` is for classes, this tree predicts numbers",
            hint=f"methods for numbers are: {', '.join(NUMBER_METHODS)}",
        )
    values = method.checked(options)
    needs = method.needs(values)
    if needs != "nothing" and rows is None:
        raise ParameterError(
            f"pruning method `{method.name}` needs rows: give X and y",
            hint=f"these are to be {ROWS_MEANT[needs]}"
            + (f"; {method.without_rows} needs none" if method.without_rows else ""),
        )
    return method.function(tree, None if needs == "nothing" else rows, **values)
