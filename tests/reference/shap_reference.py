"""Shapley values by their definition: every subset of the columns, one row at a time."""

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np

from reference.predict_reference import child_of, predicting_nodes
from treewright.tree.layout import LEAF, SPREAD, STOP
from treewright.tree.tree import Tree

Record = tuple[float, ...]
Game = Callable[[frozenset[int]], np.ndarray]


class Watched:
    """A row that remembers which of its columns were looked at."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.columns: set[int] = set()

    def __getitem__(self, column: int) -> float:
        self.columns.add(int(column))
        return self.record[column]


def game_by_weight(tree: Tree, predictions: np.ndarray, record: Record) -> Game:
    """The prediction when some columns are known; children share by weight where a node is not."""

    def value(node: int, known: frozenset[int]) -> np.ndarray:
        if tree.kind[node] == LEAF:
            return predictions[node]
        row = Watched(record)
        child = child_of(tree, node, row)
        first, end = tree.first_child[node], tree.first_child[node] + tree.n_children[node]
        if child == SPREAD or not row.columns <= known:
            weights = tree.weight[first:end]
            if weights.sum() <= 0:
                return predictions[node]
            heirs = [first + i for i in np.flatnonzero(weights)]
            return sum(tree.weight[heir] / weights.sum() * value(heir, known) for heir in heirs)
        return predictions[node] if child == STOP else value(first + child, known)

    return lambda known: value(0, known)


def game_against(tree: Tree, predictions: np.ndarray, record: Record, others: list[Record]) -> Game:
    """The mean prediction for the other rows, with the known columns of `record` put into them."""

    def value(known: frozenset[int]) -> np.ndarray:
        mixed = [
            tuple(record[i] if i in known else other[i] for i in range(len(record)))
            for other in others
        ]
        parts = [part for row in mixed for part in predicting_nodes(tree, row)]
        return sum(share * predictions[node] for node, share in parts) / len(others)

    return value


def shapley_values(game: Game, n_columns: int) -> np.ndarray:
    """(n_columns, n_values): the mean of what a column adds, over all orders of the columns."""
    worth = all_worths(game, n_columns)
    shares = np.zeros((n_columns, len(worth[frozenset()])))
    for known, value in worth.items():
        for column in set(range(n_columns)) - known:
            n = len(known)
            orders = factorial(n) * factorial(n_columns - n - 1) / factorial(n_columns)
            shares[column] += orders * (worth[known | {column}] - value)
    return shares


def shapley_pairs(game: Game, n_columns: int) -> np.ndarray:
    """(n_columns, n_columns, n_values): half the Shapley interaction index of every pair."""
    worth = all_worths(game, n_columns)
    pairs = np.zeros((n_columns, n_columns, len(worth[frozenset()])))
    for left, right in combinations(range(n_columns), 2):
        for known, value in worth.items():
            if left in known or right in known:
                continue
            n = len(known)
            orders = factorial(n) * factorial(n_columns - n - 2) / factorial(n_columns - 1)
            both, one, other = known | {left, right}, known | {left}, known | {right}
            effect = 0.5 * orders * (worth[both] - worth[one] - worth[other] + value)
            pairs[left, right] += effect
            pairs[right, left] += effect
    return pairs


def all_worths(game: Game, n_columns: int) -> dict[frozenset[int], np.ndarray]:
    columns = range(n_columns)
    subsets = (frozenset(s) for n in range(n_columns + 1) for s in combinations(columns, n))
    return {subset: game(subset) for subset in subsets}
