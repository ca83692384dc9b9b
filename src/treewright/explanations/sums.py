"""One row in a tree that sums up columns: its way, the sums on it, and the smallest change.

The sufficient reason consists of the conditions on the row's own path; smaller ones are not tried.
The smallest change is searched among changes of one column, which come first by definition.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import isfinite, isnan, ulp
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.printed_thresholds import exact_text, text_among
from treewright.data.table import Table
from treewright.explanations.boxes import Row
from treewright.explanations.change import Change, Limits, smallest_change
from treewright.explanations.conditions import ColumnCondition, given_text, way_text
from treewright.explanations.gaps import Gap
from treewright.explanations.neighbors import spreads_of_rows
from treewright.explanations.path import Place, Request, goal_of_change
from treewright.explanations.reason import Reason
from treewright.explanations.search import Finder, SearchEnded
from treewright.exports.program import Program
from treewright.plain_text import plain
from treewright.tree.conditions import column_thresholds, sum_text
from treewright.tree.drafting import Draft, assemble, become, drafts_of
from treewright.tree.layout import OBLIQUE, STOP, THRESHOLD
from treewright.tree.predict import predict_parts
from treewright.tree.tree import Tree

LARGEST = float_info.max


def with_one_column(tree: Tree, row: Row, column: int) -> Tree:
    """The tree whose sums ask for `column` alone, all other columns being as in the row.

    A sum without the column, or with another value missing, is decided already: what is below
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


class SumWay:
    """The way of one row through a tree with sums."""

    def __init__(self, tree: Tree, table: Table, row: Row, given: Mapping[str, Any]) -> None:
        self.tree, self.row, self.given = tree, row, given
        parts = predict_parts(tree, table)
        self.ends = tuple(map(Place, parts.node.tolist(), parts.share.tolist()))
        share: dict[int, float] = {}
        for end in self.ends:
            for node in tree.path_to(end.node):
                share[node] = share.get(node, 0.0) + end.share
        self.nodes = tuple(Place(node, share[node]) for node in sorted(share))

    @property
    def inner(self) -> list[int]:
        """The nodes on the way that ask."""
        return [place.node for place in self.nodes if not self.tree.is_leaf[place.node]]

    def value_at(self, node: int) -> str:
        """What the row holds where the node above asks: a value, or a sum worked out."""
        parent = int(self.tree.parent[node])
        if parent < 0:
            return ""
        if self.tree.kind[parent] != OBLIQUE:
            column = int(self.tree.feature[parent])
            spec = replace(self.tree.schema.columns[column], yes_no=False)  # the number itself
            asked = column_thresholds(self.tree, column)
            return given_text(spec, self.row[column], self.given, asked)
        columns, weights = sums_of(self.tree, parent)
        if any(isnan(self.row[at]) for at in columns):
            return "missing"
        terms = [(weight, self.row[at]) for at, weight in zip(columns, weights, strict=True)]
        # In as many digits as show the side of the threshold that the sum is on.
        above = np.nextafter(self.tree.threshold[parent], np.inf)
        total = text_among(sum_of(columns, weights, self.row), np.array([above]))
        return f"{_sum_text(terms)} = {total}"

    def unknown_at(self, node: int) -> list[int]:
        """The columns that a node asks for and the row does not know."""
        asked = columns_asked(self.tree, np.array([node]))
        return [
            at
            for at in asked
            if isnan(self.row[at])
            or (self.row[at] < 0 and not self.tree.schema.columns[at].is_numeric)
        ]

    def gaps(self) -> Iterator[Gap]:
        """What was not known on the way, and where the row went."""
        on_way = {place.node for place in self.nodes}
        for node in self.inner:
            first, count = int(self.tree.first_child[node]), int(self.tree.n_children[node])
            heirs = [
                way_text(self.tree, child)
                for child in range(first, first + count)
                if child in on_way
            ]
            effect = f"the row went to {' and '.join(heirs)}, where missing values go"
            if not heirs:
                effect = "the row stopped there, and the node itself predicted"
            for at in self.unknown_at(node):
                name = self.tree.schema.columns[at].name
                why = "missing" if self.given[name] is None else "unseen"
                yield Gap(node, name, why, effect, ())

    def reason(self) -> Reason:
        """The conditions that led the row on its way."""
        conditions = []
        for place in self.nodes[1:]:
            parent = int(self.tree.parent[place.node])
            text = way_text(self.tree, place.node)
            unknown = self.unknown_at(parent)
            asked = columns_asked(self.tree, np.array([parent]))
            names = ", ".join(self.tree.schema.columns[at].name for at in asked)
            if unknown:
                about = (
                    sum_text(self.tree, parent)
                    if self.tree.kind[parent] == OBLIQUE
                    else plain(names)
                )
                text = f"{about} missing"
            conditions.append(
                ColumnCondition(names, text, None, None, None, is_unknown=bool(unknown))
            )
        asked = columns_asked(self.tree, np.array(self.inner, dtype=np.intp))
        columns = tuple(self.tree.schema.columns[at].name for at in asked)
        unique = tuple({condition.text: condition for condition in conditions}.values())
        predictions = self.tree.node_class[self.tree.is_leaf] if self.tree.classes else np.zeros(2)
        is_minimal = len(unique) == 1 and len(np.unique(predictions)) > 1
        return Reason(columns, unique, is_minimal, is_smallest=False, is_widest=False)


def _sum_text(terms: list[tuple[float, float]]) -> str:
    """Weights times values, written out: "6.3 - 30 × 3.3"."""
    text = ""
    for weight, value in terms:
        sign = (" - " if text else "-") if weight < 0 else (" + " if text else "")
        shown = exact_text(value)
        if value < 0 and (text or weight != 1):
            shown = f"({shown})"
        text += sign + (shown if abs(weight) == 1 else f"{exact_text(abs(weight))} × {shown}")
    return text


def own_values(program: Program, row: Row) -> dict[int, float]:
    """How large the values of the row are: what changes are measured by where no rows are given."""
    sizes = {at: abs(row[at]) if isfinite(row[at]) else 0.0 for at in program.used_columns}
    return {at: size or 1.0 for at, size in sizes.items()}


def smallest_of_one_column(
    way: SumWay, request: Request, values: Floats, rows: Table | None
) -> Change | None:
    """The smallest change of one column that changes the prediction; None if there is none."""
    tree, row = way.tree, way.row
    every = range(tree.schema.n_columns)
    asked = Limits.of(Program(tree), request.immutable, request.directions)
    found: list[Change] = []
    for column in sorted(columns_asked(tree, np.flatnonzero(~tree.is_leaf))):
        program = Program(with_one_column(tree, row, column))
        has_sums = bool((program.tree.kind == OBLIQUE).any())  # that divide rows
        if has_sums or column in asked.immutable or column not in program.used_columns:
            continue
        finder = Finder(program, row, goal_of_change(program.tree, values, request))
        limits = replace(asked, immutable=frozenset(every) - {column})
        spreads = own_values(program, row) if rows is None else spreads_of_rows(program, rows)
        try:
            change = smallest_change(finder, limits, spreads, way.given)
        except SearchEnded:
            continue
        if change is not None:
            found.append(change)
    return min(found, key=lambda change: change.size, default=None)
