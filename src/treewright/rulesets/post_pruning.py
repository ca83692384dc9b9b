"""From the paths of a tree to a short list of rules.

Quinlan's C4.5rules: every path to a leaf is a rule; parts that do not help are dropped; for each
class, the subset of rules that describes it best is kept; the classes are put in order, and the
rows that no rule covers give the default; rules without which the list makes fewer errors are
dropped. A simpler form drops parts while accuracy rises, and sorts the rules by accuracy.
"""

from dataclasses import dataclass, replace
from functools import partial
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.row_sets import Words
from treewright.arrays import Floats, distinct
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.intervals import pessimistic_rate
from treewright.rulesets.condition import Condition, Question
from treewright.rulesets.counts import RuleCounts
from treewright.rulesets.learning import (
    DUPLICATE,
    NO_CONDITION,
    OUTNUMBERED,
    Candidate,
    PathRule,
    Removal,
    RuleLearning,
    Selection,
    Turn,
)
from treewright.rulesets.omit_rules import (
    ROUNDING,
    ErrorMeasure,
    LabeledRows,
    Shortener,
    harmful_rules,
)
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.paths import Paths
from treewright.rulesets.row_masks import Part, RowMasks, parts_of
from treewright.rulesets.select_by_mdl import Theory, improve
from treewright.rulesets.tree_rules import left_to_right
from treewright.tree.tree import Tree

MAX_PAIRS = 2**31  # of a path and a row, one bit each


@dataclass(frozen=True, slots=True)
class ClassRows:
    """Training rows with the class of each."""

    table: Table
    codes: NDArray[np.integer]
    weights: Floats | None


def rules_by_mdl(tree: Tree, training: ClassRows, confidence: float) -> OrderedRules:
    """C4.5's rules: those of each class in order, without those that do harm."""
    return finished(learning_by_mdl(tree, training, confidence))


def finished(learning: RuleLearning) -> OrderedRules:
    """The list that learning ends with."""
    assert learning.rules is not None
    return learning.rules


def learning_by_mdl(tree: Tree, training: ClassRows, confidence: float) -> RuleLearning:
    """C4.5's rules, and how they were found."""
    rows = masks_of(tree, training)
    found = ordered_classes(tree, training, rows, confidence)
    removals = harmful(list(found.listed), rows, training)
    removed = {id(one.rule) for one in removals}
    kept = [rule for rule in found.listed if id(rule) not in removed]
    return replace(
        found,
        removals=tuple(removals),
        listed=tuple(kept),
        rules=listed_rules(tree, kept, rows),
    )


def class_by_class(
    tree: Tree, training: ClassRows, rows: RowMasks, confidence: float
) -> list[Candidate]:
    """Rules shortened by pessimistic error, subsets by MDL, the classes in order."""
    return list(ordered_classes(tree, training, rows, confidence).listed)


def ordered_classes(
    tree: Tree, training: ClassRows, rows: RowMasks, confidence: float
) -> RuleLearning:
    """The steps up to the order of the classes."""
    error_of = partial(pessimistic_rate, confidence=confidence)
    paths = shortened_paths(tree, rows, error_of, until_worse=True)
    paths = [without_outnumbered(path, rows) for path in paths]
    selections = selections_of(tree, training, rows, paths)
    by_class, turns = by_false_positives([chosen_rules(one) for one in selections], rows)
    listed = [rule for rules in by_class for rule in rules]
    return RuleLearning(
        rows, tuple(paths), tuple(selections), tuple(turns), (), tuple(listed), None
    )


def rules_by_accuracy(tree: Tree, training: ClassRows) -> OrderedRules:
    """The simpler form: parts dropped while accuracy rises, rules sorted by accuracy."""
    return finished(learning_by_accuracy(tree, training))


def learning_by_accuracy(tree: Tree, training: ClassRows) -> RuleLearning:
    """The rules of the simpler form, and how they were found."""
    rows = masks_of(tree, training)
    paths = shortened_paths(tree, rows, error_rate, until_worse=False)
    listed = sorted((path.rule for path in paths if path.rule is not None), key=best_first)
    rules = listed_rules(tree, listed, rows)
    return RuleLearning(rows, tuple(paths), (), (), (), tuple(listed), rules)


def best_first(rule: Candidate) -> tuple[float, float]:
    return rule.error, -rule.weight


def error_rate(weight: float, errors: float) -> float:
    """The share of errors; 1 without weight."""
    return errors / weight if weight > 0 else 1.0


def masks_of(tree: Tree, training: ClassRows) -> RowMasks:
    n_classes = len(tree.classes or ())
    return RowMasks(training.table, tree.schema, training.codes, n_classes, training.weights)


def shortened_paths(
    tree: Tree, rows: RowMasks, error_of: ErrorMeasure, *, until_worse: bool
) -> list[PathRule]:
    """One shortened rule for each leaf with rows, from left to right; each rule once."""
    has_rows = tree.is_leaf & (tree.weight > 0)
    nodes = [node for node in left_to_right(tree).tolist() if has_rows[node]]
    refuse_too_many(tree, len(nodes), rows.n_rows)
    found: list[PathRule] = []
    first_with: dict[tuple[int, frozenset[Part]], int] = {}
    shortener = Shortener(rows, error_of, until_worse=until_worse)
    for node, conditions in zip(nodes, Paths(tree).all_conditions(nodes), strict=True):
        prediction = int(tree.node_class[node])
        path = tuple(parts_of(conditions))
        parts = shortener.shorten(path, prediction)
        first = first_with.setdefault((prediction, frozenset(parts)), node)
        if not parts:  # the default covers rules without conditions
            found.append(PathRule(node, prediction, path, None, NO_CONDITION))
        elif first != node:
            found.append(PathRule(node, prediction, path, None, DUPLICATE.format(first)))
        else:
            covers = rows.of_parts(parts)
            measured = np.stack([covers, covers & ~rows.of_class[prediction]])
            weight, errors = rows.weight(measured).tolist()
            rule = Candidate(parts, prediction, covers, weight, error_of(weight, errors))
            found.append(PathRule(node, prediction, path, rule))
    return found


def without_outnumbered(path: PathRule, rows: RowMasks) -> PathRule:
    """The path, without its rule if another class is more frequent among the rows it covers."""
    if path.rule is None or leads_its_rows(path.rule, rows):
        return path
    return replace(path, rule=None, left_out=OUTNUMBERED)


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


def selections_of(
    tree: Tree, training: ClassRows, rows: RowMasks, paths: list[PathRule]
) -> list[Selection]:
    """For each class with rules, the subset that describes it in the fewest bits."""
    bits = PartBits(tree, training.table)
    found = []
    for prediction in range(len(tree.classes or ())):
        rules = [one.rule for one in paths if one.rule is not None and one.prediction == prediction]
        if not rules:
            continue
        covers = np.stack([rule.covers for rule in rules])
        rule_bits = np.array([bits.of_rule(rule.parts) for rule in rules])
        theory = Theory(covers, rows.of_class[prediction], rows, rule_bits)
        start, changes = theory.bits(), tuple(improve(theory))
        kept = tuple(np.flatnonzero(theory.chosen).tolist())
        found.append(Selection(prediction, tuple(rules), rule_bits, start, changes, kept))
    return found


def chosen_rules(selection: Selection) -> list[Candidate]:
    """The chosen rules of a class, the best first."""
    return sorted((selection.rules[at] for at in selection.kept), key=best_first)


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


def by_false_positives(
    by_class: list[list[Candidate]], rows: RowMasks
) -> tuple[list[list[Candidate]], list[Turn]]:
    """The rules of each class, beginning with the class with the least false positives.

    Rows that a class covers do not count for the classes after it.
    """
    left = rows.everything.copy()
    waiting = [rules for rules in by_class if rules]
    ordered: list[list[Candidate]] = []
    turns: list[Turn] = []
    while waiting:
        unions = np.stack([covered_by(rules) & left for rules in waiting])
        wrong = np.stack([~rows.of_class[rules[0].prediction] for rules in waiting])
        covered, false = rows.weight(unions), rows.weight(unions & wrong)
        best = int(false.argmin())
        predictions = tuple(rules[0].prediction for rules in waiting)
        turns.append(
            Turn(predictions, tuple(covered.tolist()), tuple(false.tolist()), predictions[best])
        )
        left &= ~unions[best]
        ordered.append(waiting.pop(best))
    return ordered, turns


def covered_by(rules: list[Candidate]) -> Words:
    """The rows that at least one rule covers."""
    covered: Words = np.bitwise_or.reduce([rule.covers for rule in rules])
    return covered


def harmful(listed: list[Candidate], rows: RowMasks, training: ClassRows) -> list[Removal]:
    """The rules that increase the training error, in the order in which they are removed."""
    weights = np.ones(rows.n_rows) if training.weights is None else training.weights
    covers = [np.flatnonzero(rows.mask(rule.covers)) for rule in listed]
    predictions = np.array([rule.prediction for rule in listed], dtype=np.intp)
    labeled = LabeledRows(training.codes, weights, len(rows.of_class))
    return [Removal(listed[at], saved) for at, saved in harmful_rules(covers, predictions, labeled)]


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
