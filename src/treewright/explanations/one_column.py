"""A tree with sums of columns, as a row sees it while one of its columns moves."""

from collections.abc import Callable
from math import isnan, ulp
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from treewright.explanations.boxes import Row
from treewright.tree.drafting import Draft, assemble, become, drafts_of
from treewright.tree.kinds import OBLIQUE, STOP, THRESHOLD
from treewright.tree.tree import Tree

LARGEST = float_info.max


def with_one_column(tree: Tree, row: Row, column: int) -> Tree:
    """The tree whose sums ask for `column` alone, all other columns being as in the row.

    A sum without the column, or with another value missing, is answered already: what is below
    its other branch is left out.
    """
    drafts = drafts_of(tree)
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node] == OBLIQUE:
            _ask_one(tree, drafts[node], row, column)
    return assemble(drafts[0], tree)


def _ask_one(tree: Tree, draft: Draft, row: Row, column: int) -> None:
    others = [row[at] for at in draft.term_feature if at != column]
    if column in draft.term_feature and not any(map(isnan, others)):
        _ask_for_bound(draft, row, column)
        return
    child = draft.missing_child
    if not any(map(isnan, others)):
        total = sum_of(draft.term_feature, draft.term_weight, row)
        child = int(not total <= draft.threshold)
    if child >= 0:
        become(draft, draft.children[child])
    elif child == STOP:
        draft.children, draft.kind = [], 0
        draft.term_feature, draft.term_weight, draft.threshold = [], [], 0.0


def _ask_for_bound(draft: Draft, row: Row, column: int) -> None:
    """The sum as a bound on one of its columns."""
    falls = draft.term_weight[draft.term_feature.index(column)] < 0
    draft.threshold = bound_on(draft, row, column, falls=falls)
    draft.kind, draft.feature = THRESHOLD, column
    draft.term_feature, draft.term_weight = [], []
    if falls:  # then large values are on the first side
        draft.children = [*draft.children[1::-1], *draft.children[2:]]
        if draft.missing_child in (0, 1):
            draft.missing_child = 1 - draft.missing_child


def bound_on(draft: Draft, row: Row, column: int, *, falls: bool) -> float:
    """The largest value that is on the side of the small ones, as sums are added up."""

    def is_first_side(value: float) -> bool:
        changed = [*row[:column], value, *row[column + 1 :]]
        return sum_of(draft.term_feature, draft.term_weight, changed) <= draft.threshold

    def is_low(value: float) -> bool:
        return is_first_side(value) != falls

    rest = sum_of(draft.term_feature, draft.term_weight, [*row[:column], 0.0, *row[column + 1 :]])
    weight = draft.term_weight[draft.term_feature.index(column)]
    if weight == 0:  # no fit gives such a term, but a file may hold one
        return LARGEST if is_low(0.0) else -LARGEST
    guess = min(max((draft.threshold - rest) / weight, -LARGEST), LARGEST)
    rounding = max(ulp(guess), ulp(rest) / abs(weight), ulp(draft.threshold) / abs(weight))
    return last_low(is_low, guess, rounding)


def last_low(is_low: Callable[[float], bool], guess: float, step: float) -> float:
    """The largest low number; it is sought around the guess, in steps that double."""
    low = high = guess
    while not is_low(low) and low > -LARGEST:
        low, high, step = max(low - step, -LARGEST), low, 2 * step
    while is_low(high) and high < LARGEST:
        low, high, step = high, min(high + step, LARGEST), 2 * step
    while low < (middle := low / 2 + high / 2) < high:
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low


def sum_of(columns: list[int], weights: list[float], row: Row | list[float]) -> float:
    """A weighted sum, added up as in prediction."""
    total = 0.0
    for at, weight in zip(columns, weights, strict=True):
        total += weight * row[at]
    return total


def sums_of(tree: Tree, node: int) -> tuple[list[int], list[float]]:
    """The columns and the weights of an oblique node."""
    terms = slice(tree.term_start[node], tree.term_start[node + 1])
    return tree.term_feature[terms].tolist(), tree.term_weight[terms].tolist()


def columns_asked(tree: Tree, nodes: NDArray[np.intp]) -> list[int]:
    """The columns that these nodes ask for, each once, in the order that they are asked."""
    asked: dict[int, None] = {}
    for node in nodes.tolist():
        if tree.kind[node] == OBLIQUE:
            asked |= dict.fromkeys(sums_of(tree, node)[0])
        elif tree.feature[node] >= 0:
            asked[int(tree.feature[node])] = None
    return [*asked]
