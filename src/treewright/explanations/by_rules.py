"""Explains one row by the ordered rules that predict it.

The reason and the smallest change are searched for in the tree that predicts as the rules do. If
that tree would be too large, the reason consists of the conditions of the row's own rule, and one
failed condition of each rule before it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf, isnan, nextafter
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import UNSEEN
from treewright.data.table import Table
from treewright.documents.page import Block, Heading, Note, Paragraph, Run, SheetTable
from treewright.errors import ExportError
from treewright.explanations.boxes import Row, between, exactly
from treewright.explanations.change import Change, Limits
from treewright.explanations.conditions import condition_on, counted, given_text, label
from treewright.explanations.explain import Background, change_for, neighbors_of, runner_up
from treewright.explanations.explanation import Explanation, counts_text, measured_text
from treewright.explanations.gaps import Gap, predictions_if_known
from treewright.explanations.goals import other_prediction
from treewright.explanations.path import Evidence, Place, Request, goal_of_change, tolerance_for
from treewright.explanations.reason import Reason, sufficient_reason
from treewright.explanations.search import Finder, row_of
from treewright.exports.program import Program
from treewright.intervals import share_interval
from treewright.plain_text import shortened
from treewright.rulesets.as_tree import tree_of_rules
from treewright.rulesets.condition import Condition, condition_text
from treewright.rulesets.evaluate import fulfilling
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.rule import Rule
from treewright.tree.tree import Tree

MOST_FAILED = 30  # rules before the one that predicts
NO_RULE = "no rule matches, so the default class is predicted"
FAILS = "a missing value fulfills no condition"


@dataclass(frozen=True, slots=True)
class FailedRule:
    """A rule before the one that predicts, and the first condition that the row fails."""

    name: str
    text: str
    condition: str
    value: str  # of the row


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class RuleExplanation(Explanation):
    """The rule that predicts one row, and why no rule before it does; `print` shows it as text.

    `path` has all training rows and those of the rule.
    """

    rule: Rule | None  # None: the default class
    failed: tuple[FailedRule, ...]  # the rules before it

    def path_lines(self) -> Iterator[str]:
        """The rule with its training rows, then the rules before it."""
        yield f"rule: {self._rule_text()}"
        if self.rule is not None:
            yield f"  {_evidence_text(self)}"
        shown, rest = self._failed_shown()
        if shown:
            yield f"rules {'before it ' if self.rule else ''}that do not match:"
        yield from (f"  {one.name}: {one.condition} (here {one.value})" for one in shown)
        if rest:
            yield f"  {rest}"

    def path_blocks(self) -> Iterator[Block]:
        """The same as a part of the page."""
        yield Heading(2, "Rule")
        yield Paragraph.of(Run(self._rule_text(), "strong"))
        if self.rule is not None:
            yield Paragraph.of(f"{_evidence_text(self)}.")
        shown, rest = self._failed_shown()
        if shown:
            yield SheetTable(
                ("rule", "condition that fails", "the row has"),
                tuple((f"{one.name}: {one.text}", one.condition, one.value) for one in shown),
                "lll",
                "Rules before it that do not match" if self.rule else "No rule matches",
            )
        if rest:
            yield Note(rest)

    def _rule_text(self) -> str:
        return NO_RULE if self.rule is None else f"{self.rule.name}, {self.rule.text()}"

    def _failed_shown(self) -> tuple[tuple[FailedRule, ...], str]:
        more = len(self.failed) - MOST_FAILED
        rest = f"... {counted(more, 'more rule')}" if more > 0 else ""
        return self.failed[:MOST_FAILED], rest


def _evidence_text(explanation: RuleExplanation) -> str:
    evidence = explanation.path[-1]
    counts = counts_text(explanation, evidence)
    rows = f"it covers {counted(evidence.n_rows, 'training row')} ({counts})"
    share = f"share of {label(explanation.prediction)} (95 % interval)"
    return f"{rows}, {share}: {measured_text(explanation, evidence)}"


@dataclass(frozen=True, slots=True)
class _Searched:
    """What the search in the tree of the rules has found."""

    reason: Reason
    change: Change | None = None
    change_is_known: bool = False
    # column -> classes that known values would lead to
    if_known: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)


def explain_by_rules(
    rules: OrderedRules,
    trained: Tree,
    table: Table,
    request: Request,
    known: Background,
) -> RuleExplanation:
    """Why the first row of an encoded table gets its prediction; `trained` counts all rows."""
    program, row, given = Program(trained), row_of(table), known.given or {}
    tolerance_for(trained, request)  # raises if one was given
    limits = Limits.of(program, request.immutable, request.directions)
    fired = int(rules.fired(table)[0])
    rule = None if fired < 0 else rules.rule(fired)
    tried = range(len(rules) if fired < 0 else fired)
    failing = [_first_failing(rules.conditions[at], table) for at in tried]
    values, code = rules.shares[fired], int(rules.predictions_to(table)[0])
    unknown = _unknown_columns(rules, fired, row)
    try:
        found = _search(rules, row, table, request, known, limits, unknown, failing, fired)
    except ExportError:  # the tree would be too large
        goal_of_change(trained, values, request)  # raises if the wanted class is not known
        found = _Searched(_plain_reason(rules, fired, failing, row))
    paths = [_evidence(trained, 0, "", trained.value[0], int(trained.n_rows[0]), code)]
    if rule is not None:
        covered = rules.shares[fired] * rule.weight
        paths.append(_evidence(trained, 1, rule.text(), covered, rule.n_rows, code))
    return RuleExplanation(
        tree=trained,
        row=dict(given),
        prediction=rules.classes[code],
        probabilities=dict(zip(rules.classes, values.tolist(), strict=True)),
        runner_up=runner_up(trained, values.copy()),
        path=tuple(paths),
        ends=(Place(len(paths) - 1, 1.0),),
        gaps=tuple(_gaps(rules, row, given, unknown, found.if_known)),
        reason=found.reason,
        change=found.change,
        change_is_known=found.change_is_known,
        immutable=limits.kept(program),
        directions=dict(request.directions),
        wanted=request.wanted,
        tolerance=None,
        neighbors=neighbors_of(program, row, request, known),
        rule=rule,
        failed=tuple(
            FailedRule(
                f"R{rules.numbers[at] + 1}",
                shortened(rules.rule(at).text(), 200),
                condition_text(condition),
                _value_text(rules, condition, row, given),
            )
            for at, condition in zip(tried, failing, strict=True)
        ),
    )


def _search(
    rules: OrderedRules,
    row: Row,
    table: Table,
    request: Request,
    known: Background,
    limits: Limits,
    unknown: list[int],
    failing: list[Condition],
    fired: int,
) -> _Searched:
    tree = tree_of_rules(rules)
    program = Program(tree)
    values = rules.shares[fired]
    goal = goal_of_change(tree, values, request)
    finder = Finder(program, row, other_prediction(tree, values))
    own = () if fired < 0 else rules.conditions[fired]
    asked = dict.fromkeys(one.features[0] for one in (*own, *failing))
    reason = sufficient_reason(finder, tuple(asked), known.given or {})
    change, is_known = change_for(Finder(program, row, goal), limits, known)
    if_known = {column: predictions_if_known(program, row, column) for column in unknown}
    return _Searched(reason, change, is_known, if_known)


def _first_failing(conditions: tuple[Condition, ...], table: Table) -> Condition:
    """The first condition that a row does not fulfill."""
    return next(one for one in conditions if not fulfilling((one,), table)[0])


def _evidence(
    tree: Tree, depth: int, text: str, counts: Floats, n_rows: int, code: int
) -> Evidence:
    assert tree.classes is not None
    total = float(counts.sum())
    support = float(counts[code]) / total if total > 0 else 0.0
    low, high = share_interval(support, total)
    return Evidence(
        node=depth,
        depth=depth,
        condition=text,
        value="",
        share=1.0,
        n_rows=n_rows,
        weight=total,
        counts=dict(zip(tree.classes, counts.tolist(), strict=True)),
        prediction=tree.classes[int(np.argmax(counts))],
        support=support,
        interval=(float(low), float(high)),
    )


def _is_unknown(rules: OrderedRules, column: int, row: Row) -> bool:
    is_number = rules.schema.columns[column].is_numeric
    return isnan(row[column]) or (row[column] == UNSEEN and not is_number)


def _unknown_columns(rules: OrderedRules, fired: int, row: Row) -> list[int]:
    """Columns without a known value in which rules up to the one that predicts have a condition."""
    looked_at = rules.conditions if fired < 0 else rules.conditions[: fired + 1]
    columns = {condition.features[0] for own in looked_at for condition in own}
    return [column for column in sorted(columns) if _is_unknown(rules, column, row)]


def _gaps(
    rules: OrderedRules,
    row: Row,
    given: Mapping[str, Any],
    unknown: list[int],
    if_known: Mapping[int, tuple[Any, ...]],
) -> Iterator[Gap]:
    for column in unknown:
        name = rules.schema.columns[column].name
        is_missing = given.get(name) is None
        effect = FAILS if is_missing else "no condition holds for it"
        why = "missing" if is_missing else "unseen"
        yield Gap(0, name, why, effect, if_known.get(column, ()))


def _cuts(rules: OrderedRules, column: int) -> list[float]:
    """All numbers that the rules compare a column with, ascending."""
    found = {
        bound
        for own in rules.conditions
        for condition in own
        if condition.features[0] == column
        for bound in (condition.low, condition.high)
        if bound is not None
    }
    return sorted(found)


def _value_text(
    rules: OrderedRules, condition: Condition, row: Row, given: Mapping[str, Any]
) -> str:
    (column,) = condition.features
    return given_text(condition.column, row[column], given, _cuts(rules, column))


def _plain_reason(rules: OrderedRules, fired: int, failing: list[Condition], row: Row) -> Reason:
    """What the row holds where its own rule asks, and where the rules before it fail."""
    own = () if fired < 0 else rules.conditions[fired]
    columns = dict.fromkeys(one.features[0] for one in (*own, *failing))
    conditions = []
    for column in columns:
        spec, value = rules.schema.columns[column], row[column]
        reach = exactly(spec, value)
        if spec.is_numeric and not isnan(value):
            cuts = _cuts(rules, column)
            at = bisect_left(cuts, value)
            low = nextafter(cuts[at - 1], inf) if at > 0 else -inf
            reach = between(spec, low, cuts[at] if at < len(cuts) else inf)
        conditions.append(condition_on(spec, reach))
    names = tuple(rules.schema.columns[column].name for column in columns)
    return Reason(names, tuple(conditions), is_minimal=False, is_smallest=False, is_widest=False)
