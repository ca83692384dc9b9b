"""A tree whose branches moved up: nodes ask what nodes below them asked, of more rows."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.tree.layout import STOP_REASONS, ranges, side_arrays_of
from treewright.tree.predictions import class_shares
from treewright.tree.rebuild import AT_A_LEAF
from treewright.tree.tree import Tree

Measure = Callable[[Floats], Floats]

GIVEN = ("first_child", "n_children", "missing_child", "value", "weight", "n_rows")
ASKED = ("kind", "feature", "threshold", "gain", "score", "split_order")  # of the question
RELATIVE = 1e-9  # sums of the same weights in another order


def regraft(tree: Tree, shape: Mapping[str, NDArray[Any]]) -> Tree:
    """The tree of this shape, which refers to the nodes of `tree`.

    `origin` is the node that stood at a place (-1: none did), `question` the node that asked what
    is asked there (-1: a leaf). The score of a question stays the one it was chosen by; values,
    weights, impurity and gain are those of the rows that reach it now (impurity and gain only if
    they are entropies, Gini indices or cost-weighted ones).
    """
    question, origin = shape["question"], shape["origin"]
    is_leaf = question < 0
    arrays: dict[str, NDArray[Any]] = {name: shape[name].copy() for name in GIVEN}
    for name in ASKED:
        arrays[name] = getattr(tree, name)[question]
        arrays[name][is_leaf] = AT_A_LEAF[name]
    unchanged = same_rows(tree, shape)
    for name in ("value", "weight"):  # the same to the last digit
        arrays[name][unchanged] = getattr(tree, name)[origin[unchanged]]
    arrays["impurity"] = tree.impurity[origin]
    if (found := measure_of(tree)) is not None:
        measure, factor = found
        arrays["impurity"][~unchanged] = measure(class_shares(arrays["value"][~unchanged], factor))
        moved = ~is_leaf & ((question != origin) | ~unchanged)
        arrays["gain"][moved] = impurity_taken_away(arrays, factor)[moved]
    arrays["impurity"][arrays["weight"] == 0] = 0.0
    as_grown = is_leaf & unchanged & tree.is_leaf[origin]
    pruned = np.uint8(STOP_REASONS.index("pruned"))
    arrays["stop_reason"] = np.where(as_grown, tree.stop_reason[origin], pruned)
    arrays["stop_reason"][~is_leaf] = 0
    return tree.with_arrays(
        arrays | side_arrays_of(tree, question.astype(np.int64), "level") | levels_of(shape)
    )


def same_rows(tree: Tree, shape: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Which places hold what the tree had counted there."""
    origin = shape["origin"]
    off = np.abs(tree.value[origin] - shape["value"]).max(axis=1)
    same: NDArray[np.bool_] = (origin >= 0) & (shape["n_rows"] == tree.n_rows[origin])
    same &= off <= RELATIVE * tree.weight[origin]
    return same


def measure_of(tree: Tree) -> tuple[Measure, Floats] | None:
    """From class shares to the impurity of the tree's nodes, and the class factors of growth.

    The measure is the one that gives the impurities which the tree has, if it is known. Costs are
    in the factors as altered priors, or in the formula.
    """
    ways: list[tuple[Measure, Floats]] = [
        (entropy_of, tree.class_factor),
        (gini_of, tree.class_factor),
    ]
    if tree.costs is not None:
        altered = tree.class_factor * tree.costs.sum(axis=1)
        ways += [(entropy_of, altered), (gini_of, altered)]
        ways.append((partial(cost_gini_of, costs=tree.costs), tree.class_factor))
    filled = tree.weight > 0
    for measure, factor in ways:
        impurity = measure(class_shares(tree.value[filled], factor))
        if np.allclose(impurity, tree.impurity[filled], rtol=RELATIVE, atol=RELATIVE):
            return measure, factor
    return None


def impurity_taken_away(arrays: Mapping[str, NDArray[Any]], class_factor: Floats) -> Floats:
    """By the split of each node, per unit of the weight that reaches its children."""
    n_nodes = len(arrays["weight"])
    inner = np.flatnonzero(arrays["n_children"] > 0)
    children = ranges(arrays["first_child"][inner], arrays["n_children"][inner])
    parent = np.repeat(inner, arrays["n_children"][inner])
    weight = np.where(arrays["weight"] > 0, (arrays["value"] * class_factor).sum(axis=1), 0.0)
    passed_on = np.bincount(parent, weight[children], minlength=n_nodes)
    weighted = weight[children] * arrays["impurity"][children]
    left_over = np.bincount(parent, weighted, minlength=n_nodes)
    remaining = left_over / np.where(passed_on > 0, passed_on, 1.0)
    return np.maximum(arrays["impurity"] - remaining, 0.0)


def entropy_of(shares: Floats) -> Floats:
    bits: Floats = -(shares * portable.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    return np.abs(bits)  # not -0.0


def gini_of(shares: Floats) -> Floats:
    index: Floats = 1.0 - np.square(shares).sum(axis=1)
    return index


def cost_gini_of(shares: Floats, costs: Floats) -> Floats:
    expected: Floats = (portable.product(shares, costs) * shares).sum(axis=1)
    return expected


def levels_of(shape: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The level lists, which may have grown: rows came with levels not met before."""
    if len(shape["level_code"]) == 0:
        return {}
    return {name: shape[name] for name in ("level_start", "level_code", "level_child")}
