"""The training rows at each node, with the weights they had there while the tree grew."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn
from treewright.tree.kinds import BRANCHES, INTERVALS, OBLIQUE, SPREAD, STOP, SUBSET, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.training import Floats, Positions, Share, Training

NOWHERE = -1  # the value is missing, or a level that the node does not list


class NodeRows:
    """Rows by node; only the nodes on the way to those asked for are worked out."""

    def __init__(self, tree: Tree, training: Training) -> None:
        self.tree = tree
        self.training = training
        self._known: dict[int, Share] = {0: training.everything}

    def of(self, node: int) -> Share:
        """The rows that reach a node."""
        for parent, child in pairwise(self.tree.path_to(node)):
            if child not in self._known:
                first = int(self.tree.first_child[parent])
                parts = divided(self.tree, self.training, parent, self._known[parent])
                self._known |= {first + number: part for number, part in enumerate(parts)}
        return self._known[node]


def divided(tree: Tree, training: Training, node: int, share: Share) -> list[Share]:
    """The rows of each child: those that know where to go, then those that are sent."""
    child = child_of_rows(tree, training, node, share.rows)
    n_children = int(tree.n_children[node])
    parts = [share.where(child == number) for number in range(n_children)]
    absent = share.where(child == NOWHERE)
    if absent.n_rows == 0:
        return parts
    missing_child = int(tree.missing_child[node])
    if missing_child == SPREAD:
        total = sum(part.weight for part in parts)
        factors = [part.weight / total for part in parts]
        return [
            part.and_also(absent.times(factor)) if factor > 0 else part
            for part, factor in zip(parts, factors, strict=True)
        ]
    sent = stand_in_children(tree, training, node, absent.rows)
    otherwise = missing_child
    if training.settings.missing == "surrogate":
        # While the tree grew, a row without stand-in followed the rows that know the value.
        weights = [part.weight for part in parts]
        heaviest = max(weights)
        otherwise = STOP if weights.count(heaviest) > 1 else weights.index(heaviest)
    sent[sent == NOWHERE] = otherwise
    return [
        part.and_also(absent.where(sent == number)) if (sent == number).any() else part
        for number, part in enumerate(parts)
    ]


def child_of_rows(tree: Tree, training: Training, node: int, rows: Positions) -> NDArray[np.intp]:
    """Which child takes each row by its own value."""
    kind = tree.kind[node]
    if kind == OBLIQUE:
        return _sides(_sums(tree, training, node, rows), float(tree.threshold[node]))
    feature = int(tree.feature[node])
    numbers = training.numbers(feature)[rows]
    if kind == THRESHOLD:
        return _sides(numbers, float(tree.threshold[node]))
    if kind == INTERVALS:
        cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]]
        return np.where(np.isnan(numbers), NOWHERE, np.searchsorted(cuts, numbers, side="left"))
    assert kind in (BRANCHES, SUBSET)
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    other = (
        int(tree.other_child[node] - tree.first_child[node]) if tree.other_child[node] >= 0 else -1
    )
    codes, children = tree.level_code[entries], tree.level_child[entries]
    return _by_level(training, feature, rows, codes, children, max(other, NOWHERE))


def stand_in_children(
    tree: Tree, training: Training, node: int, rows: Positions
) -> NDArray[np.intp]:
    """Where the surrogates of a node send rows, the first that knows each row deciding."""
    sent = np.full(len(rows), NOWHERE)
    for entry in range(*tree.surrogate_start[node : node + 2]):
        feature = int(tree.surrogate_feature[entry])
        if tree.surrogate_kind[entry] == THRESHOLD:
            side = _sides(training.numbers(feature)[rows], float(tree.surrogate_threshold[entry]))
            if tree.surrogate_flip[entry]:
                side = np.where(side == NOWHERE, NOWHERE, 1 - side)
        else:
            levels = slice(*tree.surrogate_level_start[entry : entry + 2])
            codes = tree.surrogate_level_code[levels]
            children = tree.surrogate_level_child[levels]
            side = _by_level(training, feature, rows, codes, children, NOWHERE)
        sent = np.where(sent == NOWHERE, side, sent)
    return sent


def _sides(numbers: Floats, threshold: float) -> NDArray[np.intp]:
    return np.where(np.isnan(numbers), NOWHERE, (numbers > threshold).astype(np.intp))


def _by_level(  # noqa: PLR0913 -- a small map with its fallback
    training: Training,
    feature: int,
    rows: Positions,
    codes: NDArray[np.int32],
    children: NDArray[np.int32],
    otherwise: int,
) -> NDArray[np.intp]:
    column = training.table.columns[feature]
    assert isinstance(column, NominalColumn)
    child_of = np.full(len(column.levels) + 1, otherwise, dtype=np.intp)
    child_of[codes] = children
    child_of[-1] = NOWHERE  # a missing value has a negative code
    return child_of[np.maximum(column.codes[rows], -1)]


def _sums(tree: Tree, training: Training, node: int, rows: Positions) -> Floats:
    total = np.zeros(len(rows))
    for term in range(*tree.term_start[node : node + 2]):
        total += tree.term_weight[term] * training.numbers(int(tree.term_feature[term]))[rows]
    return total
