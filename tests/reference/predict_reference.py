"""Prediction in plain Python, one row at a time: what the compiled predictor must equal."""

import math
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from treewright.data.table import Table
from treewright.tree.layout import BRANCHES, INTERVALS, LEAF, OBLIQUE, SPREAD, STOP, THRESHOLD
from treewright.tree.tree import Tree

MISSING = "missing"
UNSEEN = "unseen"


def reference_values(tree: Tree, table: Table) -> np.ndarray:
    predictions = node_predictions(tree)
    values = np.zeros((len(table), tree.n_values))
    for row, record in enumerate(records(table)):
        for node, share in predicting_nodes(tree, record):
            values[row] += share * predictions[node]
    return values


def reference_leaves(tree: Tree, table: Table) -> list[int]:
    leaves = []
    for record in records(table):
        node, _ = max(predicting_nodes(tree, record), key=lambda part: part[1])  # the first if tied
        leaves.append(node)
    return leaves


def node_predictions(tree: Tree) -> np.ndarray:
    """Class shares, or means."""
    if tree.classes is None:
        return tree.value
    predictions = np.full(
        tree.value.shape, 1 / tree.n_values
    )  # of a node that has no weight at all
    for node, value in enumerate(tree.value):
        weights = (value * tree.class_factor).tolist()
        total = reduce(add, weights)  # not sum(): from Python 3.12 on, it corrects rounding
        if total > 0:
            predictions[node] = [weight / total for weight in weights]
    return predictions


def records(table: Table) -> list[tuple[float, ...]]:
    """Rows as tuples of numbers and codes."""
    columns = [
        getattr(column, "values", getattr(column, "codes", None)) for column in table.columns
    ]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def predicting_nodes(tree: Tree, record: tuple[float, ...]) -> list[tuple[int, float]]:
    """The nodes that predict a row with their shares, from left to right."""
    parts = [(0, 1.0)]
    predicting = []
    while parts:
        node, share = parts.pop(0)
        child = child_of(tree, node, record)
        first, end = tree.first_child[node], tree.first_child[node] + tree.n_children[node]
        heirs = [heir for heir in range(first, end) if tree.weight[heir] > 0]
        if child == STOP or (child == SPREAD and not heirs):
            predicting.append((node, share))
        elif child == SPREAD:
            total = reduce(add, [tree.weight[heir] for heir in heirs])
            parts = [(heir, share * (tree.weight[heir] / total)) for heir in heirs] + parts
        else:
            parts.insert(0, (int(first + child), share))
    return predicting


def child_of(tree: Tree, node: int, record: tuple[float, ...]) -> int:
    """The number of the child a row goes to, or STOP or SPREAD."""
    if tree.kind[node] == LEAF:
        return STOP
    child = child_by_value(tree, node, record)
    if child == UNSEEN and tree.unseen == "majority":
        first, end = tree.first_child[node], tree.first_child[node] + tree.n_children[node]
        return int(np.argmax(tree.weight[first:end]))
    if child not in (MISSING, UNSEEN):
        return child
    for surrogate in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
        child = child_by_surrogate(tree, surrogate, record)
        if child != MISSING:
            return child
    return int(tree.missing_child[node])


def child_by_value(tree: Tree, node: int, record: tuple[float, ...]) -> Any:
    if tree.kind[node] == OBLIQUE:
        return child_by_sum(tree, node, record)
    value = known_value(tree, tree.feature[node], record)
    if value in (MISSING, UNSEEN):
        return value
    if tree.kind[node] == THRESHOLD:
        return 0 if value <= tree.threshold[node] else 1
    if tree.kind[node] == INTERVALS:
        cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]]
        return sum(bool(value > cut) for cut in cuts)
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    child_of_level = dict(zip(tree.level_code[entries], tree.level_child[entries], strict=True))
    if value in child_of_level:
        return int(child_of_level[value])
    n_own = max(child_of_level.values()) + 1
    n_further = tree.n_children[node] - n_own - (1 if tree.missing_child[node] >= n_own else 0)
    return n_own if tree.kind[node] == BRANCHES and n_further else MISSING


def child_by_sum(tree: Tree, node: int, record: tuple[float, ...]) -> Any:
    total = 0.0
    for term in range(tree.term_start[node], tree.term_start[node + 1]):
        value = record[tree.term_feature[term]]
        if math.isnan(value):
            return MISSING
        total += float(tree.term_weight[term]) * value
    return 0 if total <= tree.threshold[node] else 1


def child_by_surrogate(tree: Tree, surrogate: int, record: tuple[float, ...]) -> Any:
    value = known_value(tree, tree.surrogate_feature[surrogate], record)
    if value in (MISSING, UNSEEN):
        return MISSING
    if tree.surrogate_kind[surrogate] == THRESHOLD:
        goes_left = value <= tree.surrogate_threshold[surrogate]
        return int(goes_left == bool(tree.surrogate_flip[surrogate]))
    entries = slice(*tree.surrogate_level_start[surrogate : surrogate + 2])
    codes, children = tree.surrogate_level_code[entries], tree.surrogate_level_child[entries]
    return dict(zip(codes.tolist(), children.tolist(), strict=True)).get(value, MISSING)


def known_value(tree: Tree, feature: int, record: tuple[float, ...]) -> Any:
    """The number or the code, or MISSING or UNSEEN."""
    spec, value = tree.schema.columns[feature], record[feature]
    if spec.kind == "numeric":
        return MISSING if math.isnan(value) else value
    if value == -1:
        return MISSING
    return value if 0 <= value < len(spec.levels) else UNSEEN
