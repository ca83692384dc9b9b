"""The training rows at each node, with the weights they had there during growth."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.tree.layout import BRANCHES, INTERVALS, OBLIQUE, SPREAD, STOP, SUBSET, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.training import CodedColumn, Positions, Share, Training

ROUNDING = 1e-9  # of a weight
NOWHERE = -1  # the value is missing, or a category that the node does not list


class NodeRows:
    """The rows of each node; only requested nodes and their ancestors are computed."""

    def __init__(self, tree: Tree, training: Training) -> None:
        self.tree = tree
        self.training = training
        self._known: dict[int, Share] = {0: training.all_rows}

    def of(self, node: int) -> Share:
        """The rows that reach a node."""
        for parent, child in pairwise(self.tree.path_to(node)):
            if child not in self._known:
                first = int(self.tree.first_child[parent])
                parts = divided(self.tree, self.training, parent, self._known[parent])
                self._known |= {first + number: part for number, part in enumerate(parts)}
        return self._known[node]


def divided(tree: Tree, training: Training, node: int, share: Share) -> list[Share]:
    """The rows of each child: those with a known value, then those with a missing one."""
    child = child_of_rows(tree, training, node, share.rows)
    parts = rows_by_part(share, child, int(tree.n_children[node]))
    absent = share.where(child == NOWHERE)
    if absent.n_rows == 0:
        return parts
    missing_child = int(tree.missing_child[node])
    if missing_child == SPREAD:
        total = sum(part.weight for part in parts)
        factors = [part.weight / total for part in parts]
        return [
            part.joined_with(absent.times(factor)) if factor > 0 else part
            for part, factor in zip(parts, factors, strict=True)
        ]
    sent = surrogate_children(tree, training, node, absent.rows)
    otherwise = missing_child
    if training.settings.missing == "surrogate":
        otherwise = _side_of_unknown(tree, node, parts, sent)
    sent[sent == NOWHERE] = otherwise
    return [
        part.joined_with(absent.where(sent == number)) if (sent == number).any() else part
        for number, part in enumerate(parts)
    ]


def _side_of_unknown(tree: Tree, node: int, parts: list[Share], sent: NDArray[np.intp]) -> int:
    """Where growth sent rows for which no surrogate is known: to the heavier side.

    Between sides of equal weight they stop. The number of rows that the tree counted there shows
    whether rounding made one side heavier.
    """
    weights = np.array([part.weight for part in parts])
    heaviest = np.flatnonzero(weights >= weights.max() * (1 - ROUNDING))
    if len(heaviest) == 1:
        return int(heaviest[0])
    n_unknown = np.count_nonzero(sent == NOWHERE)
    for side in heaviest.tolist():
        n_rows = parts[side].n_rows + np.count_nonzero(sent == side)
        if tree.n_rows[int(tree.first_child[node]) + side] == n_rows + n_unknown > n_rows:
            return int(side)
    return STOP


def rows_by_part(share: Share, part_of_row: NDArray[np.intp], n_parts: int) -> list[Share]:
    """The rows of each part, in their order; rows with a negative part are left out."""
    if n_parts <= 2:
        return [share.where(part_of_row == part) for part in range(n_parts)]
    order = np.argsort(part_of_row, kind="stable")
    ends = np.searchsorted(part_of_row[order], np.arange(n_parts + 1))
    return [
        Share(share.rows[rows], share.weights[rows])
        for rows in (order[start:end] for start, end in pairwise(ends))
    ]


def child_of_rows(tree: Tree, training: Training, node: int, rows: Positions) -> NDArray[np.intp]:
    """The child of each row by its value."""
    if tree.kind[node] == OBLIQUE:
        return _sides(_sums(tree, training, node, rows), float(tree.threshold[node]))
    column = training.coded(int(tree.feature[node]))
    return _by_row(child_of_values(tree, node, column.values), column, rows)


def child_of_values(tree: Tree, node: int, values: Floats) -> NDArray[np.intp]:
    """The child of each value of a column."""
    kind = tree.kind[node]
    if kind == THRESHOLD:
        return _sides(values, float(tree.threshold[node]))
    if kind == INTERVALS:
        cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]]
        return np.searchsorted(cuts, values, side="left")
    assert kind in (BRANCHES, SUBSET)
    listed = slice(tree.level_start[node], tree.level_start[node + 1])
    other = int(tree.other_child[node])
    otherwise = NOWHERE if other < 0 else other - int(tree.first_child[node])
    return _by_level(values, tree.level_code[listed], tree.level_child[listed], otherwise)


def surrogate_children(
    tree: Tree, training: Training, node: int, rows: Positions
) -> NDArray[np.intp]:
    """The child of each row by the first surrogate whose value is known."""
    sent = np.full(len(rows), NOWHERE)
    for entry in range(*tree.surrogate_start[node : node + 2]):
        column = training.coded(int(tree.surrogate_feature[entry]))
        if tree.surrogate_kind[entry] == THRESHOLD:
            side = _sides(column.values, float(tree.surrogate_threshold[entry]))
            if tree.surrogate_flip[entry]:
                side = 1 - side
        else:
            listed = slice(*tree.surrogate_level_start[entry : entry + 2])
            codes = tree.surrogate_level_code[listed]
            children = tree.surrogate_level_child[listed]
            side = _by_level(column.values, codes, children, NOWHERE)
        sent = np.where(sent == NOWHERE, _by_row(side, column, rows), sent)
    return sent


def _sides(numbers: Floats, threshold: float) -> NDArray[np.intp]:
    return np.where(np.isnan(numbers), NOWHERE, (numbers > threshold).astype(np.intp))


def _by_level(
    levels: Floats, codes: NDArray[np.int32], children: NDArray[np.int32], otherwise: int
) -> NDArray[np.intp]:
    child_of = np.full(int(max(codes.max(initial=0), levels.max(initial=0))) + 1, otherwise)
    child_of[codes] = children
    return np.asarray(child_of[levels.astype(np.intp)])


def _by_row(
    child_of_value: NDArray[np.intp], column: CodedColumn, rows: Positions
) -> NDArray[np.intp]:
    return np.asarray(np.append(child_of_value, NOWHERE)[column.codes[rows]])


def _sums(tree: Tree, training: Training, node: int, rows: Positions) -> Floats:
    total = np.zeros(len(rows))
    for term in range(*tree.term_start[node : node + 2]):
        column = training.coded(int(tree.term_feature[term]))
        total += tree.term_weight[term] * np.append(column.values, np.nan)[column.codes[rows]]
    return total
