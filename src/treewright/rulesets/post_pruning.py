"""From the paths of a tree to a short list of rules.

Quinlan's C4.5rules: every path to a leaf is a rule; parts that do not help are dropped; for each
class, the subset of rules that describes it best is kept; the classes are put in order, and the
rows that no rule covers give the default; rules without which the list makes fewer errors are
dropped. A simpler form drops parts while accuracy rises, and sorts the rules by accuracy.
"""

from dataclasses import dataclass
from functools import partial
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.intervals import pessimistic_rate
from treewright.rulesets.condition import Condition, Question
from treewright.rulesets.counts import RuleCounts
from treewright.rulesets.omit_rules import (
    ROUNDING,
    ErrorMeasure,
    LabeledRows,
    generalized,
    helpful_rules,
)
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.paths import Paths
from treewright.rulesets.row_masks import Part, RowMasks, Words, parts_of
from treewright.rulesets.select_by_mdl import selected_rules
from treewright.rulesets.tree_rules import left_to_right
from treewright.tree.tree import Tree

MAX_PAIRS = 2**31  # of a path and a row, one bit each


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A rule that may enter the list: its parts, its class, the rows it covers."""

    parts: tuple[Part, ...]
    prediction: int
    covers: Words
    weight: float
    error: float


@dataclass(frozen=True, slots=True)
class ClassRows:
    """Training rows with the class of each."""

    table: Table
    codes: NDArray[np.integer]
    weights: Floats | None


def rules_by_mdl(tree: Tree, training: ClassRows, confidence: float) -> OrderedRules:
    """C4.5's rules: those of each class in order, without those that do harm."""
    rows = masks_of(tree, training)
    listed = class_by_class(tree, training, rows, confidence)
    return listed_rules(tree, without_harm(listed, rows, training), rows)


def class_by_class(
    tree: Tree, training: ClassRows, rows: RowMasks, confidence: float
) -> list[Candidate]:
    """Rules shortened by pessimistic error, subsets by MDL, the classes in order."""
    error_of = partial(pessimistic_rate, confidence=confidence)
    shortened = candidates_of(tree, rows, error_of, until_worse=True)
    candidates = [rule for rule in shortened if leads_its_rows(rule, rows)]
    bits = PartBits(tree, training.table)
    by_class = [
        sorted(chosen_of_class(prediction, candidates, rows, bits), key=best_first)
        for prediction in range(len(tree.classes or ()))
    ]
    return [rule for rules in by_false_positives(by_class, rows) for rule in rules]


def rules_by_accuracy(tree: Tree, training: ClassRows) -> OrderedRules:
    """The simpler form: parts dropped while accuracy rises, rules sorted by accuracy."""
    rows = masks_of(tree, training)
    candidates = candidates_of(tree, rows, error_rate, until_worse=False)
    return listed_rules(tree, sorted(candidates, key=best_first), rows)


def best_first(rule: Candidate) -> tuple[float, float]:
    return rule.error, -rule.weight


def error_rate(weight: float, errors: float) -> float:
    """The share of errors; 1 without weight."""
    return errors / weight if weight > 0 else 1.0


def masks_of(tree: Tree, training: ClassRows) -> RowMasks:
    n_classes = len(tree.classes or ())
    return RowMasks(training.table, tree.schema, training.codes, n_classes, training.weights)


def candidates_of(
    tree: Tree, rows: RowMasks, error_of: ErrorMeasure, *, until_worse: bool
) -> list[Candidate]:
    """One shortened rule for each leaf with rows, from left to right; each rule once."""
    has_rows = tree.is_leaf & (tree.weight > 0)
    nodes = [node for node in left_to_right(tree).tolist() if has_rows[node]]
    refuse_too_many(tree, len(nodes), rows.n_rows)
    found: dict[tuple[int, frozenset[Part]], Candidate] = {}
    for node, conditions in zip(nodes, Paths(tree).all_conditions(nodes), strict=True):
        prediction = int(tree.node_class[node])
        parts = parts_of(conditions)
        parts = generalized(parts, prediction, rows, error_of, until_worse=until_worse)
        key = (prediction, frozenset(parts))
        if parts and key not in found:  # the default covers rules without conditions
            covers = rows.of_parts(parts)
            measured = np.stack([covers, covers & ~rows.of_class[prediction]])
            weight, errors = rows.weight(measured).tolist()
            error = error_of(weight, errors)
            found[key] = Candidate(tuple(parts), prediction, covers, weight, error)
    return list(found.values())


def refuse_too_many(tree: Tree, n_paths: int, n_rows: int) -> None:
    """Raise if there are too many pairs of path and row for time and memory."""
    if n_paths * n_rows <= MAX_PAIRS:
        return
    asked = [tree.schema.columns[feature] for feature in distinct(tree.feature[~tree.is_leaf])]
    column = max(asked, key=lambda column: len(column.levels))
    levels = f"; column `{column.name}` has {len(column.levels):,} levels" if column.levels else ""
    raise DataError(
        f"the tree has {n_paths:,} paths and the table {n_rows:,} rows, which is more than "
        f"{MAX_PAIRS:,} pairs of path and row{levels}",
        hint="limit the tree by max_leaf_nodes or min_samples_leaf, or leave such a column out",
    )


def leads_its_rows(rule: Candidate, rows: RowMasks) -> bool:
    """Whether the rule's class is the most frequent one among the rows that it covers.

    It may not be: the rule of a leaf with few rows can lose nearly all its parts.
    """
    in_class = rows.weight(rule.covers & rows.of_class)
    return bool(in_class[rule.prediction] >= in_class.max() * (1 - ROUNDING))


def chosen_of_class(
    prediction: int, candidates: list[Candidate], rows: RowMasks, bits: "PartBits"
) -> list[Candidate]:
    """The subset of one class's rules that describes the class in the fewest bits."""
    rules = [rule for rule in candidates if rule.prediction == prediction]
    if not rules:
        return []
    covers = np.stack([rule.covers for rule in rules])
    rule_bits = np.array([bits.of_rule(rule.parts) for rule in rules])
    kept = selected_rules(covers, rows.of_class[prediction], rows, rule_bits)
    return [rules[at] for at in kept]


class PartBits:
    """The length of rules in bits, for a receiver who knows the columns."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self._columns = tree.schema.columns
        self._table = table
        self._value_bits: dict[int, float] = {}

    def of_rule(self, parts: tuple[Part, ...]) -> float:
        """The bits of all parts, less the bits of their order."""
        order = lgamma(len(parts) + 1) / log(2.0)
        return max(sum(map(self.of_part, parts)) - order, 0.0)

    def of_part(self, part: Part) -> float:
        """The column; then the threshold and its side, one level, or a set of levels."""
        which_column = log2(len(self._columns))
        if part.levels is None:
            return which_column + 1.0 + self._bits_of_values(part.feature)
        n_levels = len(self._columns[part.feature].levels)
        is_one_level = len(part.levels.codes) == 1 and not part.levels.excluded
        return which_column + (log2(n_levels) if is_one_level else float(n_levels))

    def _bits_of_values(self, feature: int) -> float:
        if feature not in self._value_bits:
            column = self._table.columns[feature]
            values = column.to_numpy()[~column.is_missing]
            self._value_bits[feature] = log2(max(len(np.unique(values)) - 1, 1))
        return self._value_bits[feature]


def by_false_positives(by_class: list[list[Candidate]], rows: RowMasks) -> list[list[Candidate]]:
    """The rules of each class, beginning with the class with the least false positives.

    Rows that a class covers do not count for the classes after it.
    """
    left = rows.everything.copy()
    waiting = [rules for rules in by_class if rules]
    ordered: list[list[Candidate]] = []
    while waiting:
        unions = np.stack([covered_by(rules) & left for rules in waiting])
        wrong = np.stack([~rows.of_class[rules[0].prediction] for rules in waiting])
        best = int(rows.weight(unions & wrong).argmin())
        left &= ~unions[best]
        ordered.append(waiting.pop(best))
    return ordered


def covered_by(rules: list[Candidate]) -> Words:
    """The rows that at least one rule covers."""
    covered: Words = np.bitwise_or.reduce([rule.covers for rule in rules])
    return covered


def without_harm(listed: list[Candidate], rows: RowMasks, training: ClassRows) -> list[Candidate]:
    """The list without rules that increase the training error."""
    weights = np.ones(rows.n_rows) if training.weights is None else training.weights
    covers = [np.flatnonzero(rows.mask(rule.covers)) for rule in listed]
    predictions = np.array([rule.prediction for rule in listed], dtype=np.intp)
    labeled = LabeledRows(training.codes, weights, len(rows.of_class))
    return [listed[at] for at in helpful_rules(covers, predictions, labeled)]


def listed_rules(tree: Tree, listed: list[Candidate], rows: RowMasks) -> OrderedRules:
    """The rules in this order, with the default of the rows that none covers."""
    assert tree.classes is not None
    covers = np.stack([*(rule.covers for rule in listed), rows.everything])
    predictions = np.array([rule.prediction for rule in listed], dtype=np.intp)
    in_class = np.stack([rows.weight(covers & mask) for mask in rows.of_class], axis=1)
    totals = in_class[-1].copy()
    left = rows.everything & ~covered_by(listed) if listed else rows.everything
    left_over = rows.weight(left & rows.of_class)
    in_class[-1] = left_over if left_over.any() else totals
    default = most_of(in_class[-1], totals)
    weight = rows.weight(covers[:-1]) if listed else np.zeros(0)
    n_rows = np.bitwise_count(covers[:-1]).sum(axis=1, dtype=np.int64)
    right = in_class[np.arange(len(listed)), predictions]
    return OrderedRules(
        schema=tree.schema,
        classes=tree.classes,
        conditions=tuple(conditions_of(rule.parts, tree) for rule in listed),
        predictions=predictions,
        shares=shares_for(in_class, np.append(predictions, default)),
        numbers=np.arange(len(listed)),
        counts=RuleCounts(weight, n_rows, right, (totals / totals.sum())[predictions]),
        default_class=default,
        unseen=tree.unseen,
    )


def most_of(weights: Floats, totals: Floats) -> int:
    """The heaviest class; of equals, the one with the largest total, then the first."""
    return max(range(len(weights)), key=lambda c: (float(weights[c]), float(totals[c]), -c))


def shares_for(in_class: Floats, predictions: NDArray[np.intp]) -> Floats:
    """Class weights as probabilities in which the predicted class is the largest.

    It nearly always is; if not, its weight is raised slightly above the largest.
    """
    weights = in_class.copy()
    lines = np.arange(len(weights))
    others = weights.copy()
    others[lines, predictions] = 0.0
    least = others.max(axis=1) * (1 + 1e-6)
    weights[lines, predictions] = np.maximum(weights[lines, predictions], least)
    empty = weights.sum(axis=1) <= 0
    weights[lines[empty], predictions[empty]] = 1.0
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def conditions_of(parts: tuple[Part, ...], tree: Tree) -> tuple[Condition, ...]:
    """The parts as conditions, one for each column."""
    questions: dict[int, Question] = {}
    for part in parts:
        known = questions.get(part.feature)
        question = part.question
        questions[part.feature] = question if known is None else known.merged(question)
    columns = tree.schema.columns
    return tuple(
        Condition((feature,), (columns[feature],), (), (question,))
        for feature, question in questions.items()
    )
