"""The rules that most rows meet, as a table."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from treewright.data.formats import Format
from treewright.documents.page import Block, Note, Paragraph, SheetTable
from treewright.plain_text import named_class, shortened, weight_text
from treewright.reports.facts import ReportFacts, short_name
from treewright.rulesets.as_document import MISSING_FAILS
from treewright.rulesets.rule import Rule, prediction_text
from treewright.rulesets.sheet import RuleSheet
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.counts import has_weights
from treewright.verbs.rules import rules

MOST_RULES, FEWEST_RULES = 20, 3
MOST_LETTERS = 2500  # characters of all rules together
LITTLE = 0.02  # of the rows: a note says if the heaviest rule covers less
LONGEST_CONDITION = 90  # characters
LONGEST_NOTE, MOST_NOTES = 160, 8  # on missing values, below the table


def rule_section(facts: ReportFacts) -> Iterator[Block]:
    """The first rules of a list, or the heaviest of a tree."""
    found = rules(facts.tree_model)
    sheet = sheet_of(found)
    n_shown = len(sheet.rules)
    if found.is_ordered:
        yield Paragraph.of("The first rule that holds makes the prediction.")
    else:
        yield Paragraph.of("Each leaf is a rule; for every row one of them holds.")
    which = "first" if found.is_ordered else "heaviest"
    caption = "" if n_shown == len(found) else f"The {which} {n_shown} of {len(found):,} rules"
    yield rule_table(sheet, caption, RuleWords.of(facts, found))
    if has_parts(facts):
        yield Note("Rows with missing values count fractionally; the counts are rounded.")
    total = float(facts.tree_model.tree_.weight[0])
    covered = sheet.rules[0].weight / total if total > 0 else 1.0  # an import may have no counts
    if not found.is_ordered and covered < LITTLE:
        yield Note(
            f"Even the heaviest rule covers only {100 * covered:.1f} % of the rows: a pruned or "
            "smaller tree has more readable rules."
        )
    if sheet.otherwise is not None:
        otherwise = RuleWords.of(facts, found).prediction(sheet.otherwise)
        yield Paragraph.of(f"If no rule holds, the prediction is {otherwise}.")
    yield from notes_on_missing(sheet)


def sheet_of(found: RuleSet) -> RuleSheet:
    ordered = found if found.is_ordered else found.sort("weight")
    default = prediction_text(found.default, form=found.schema.target_format)
    otherwise = None if found.is_complete else default
    return RuleSheet(
        rules=readable(ordered),
        fallbacks=[],
        otherwise=otherwise,
        is_ordered=found.is_ordered,
        is_classifier=found.classes_ is not None,
    )


def readable(ordered: RuleSet) -> list[Rule]:
    """The first rules, about a page of them."""
    shown: list[Rule] = []
    n_letters = 0
    for rule in ordered[:MOST_RULES]:
        n_letters += len(rule.text())
        if n_letters > MOST_LETTERS and len(shown) >= FEWEST_RULES:
            break
        shown.append(rule)
    return shown


@dataclass(frozen=True, slots=True)
class RuleWords:
    """How predictions and training rows are written."""

    target: str  # "" if it has no name
    classes: tuple[object, ...]
    has_weights: bool  # rows have weights, other than parts of a row with missing values
    target_format: Format

    @classmethod
    def of(cls, facts: ReportFacts, found: RuleSet) -> "RuleWords":
        classes = () if found.classes_ is None else tuple(found.classes_)
        is_weighted = has_weights(facts.tree_model.tree_)
        return cls(facts.target_if_named, classes, is_weighted, found.schema.target_format)

    def prediction(self, prediction: object) -> str:
        """`survived = 1`, `setosa`, `3.5` or `$121,608`."""
        text = short_name(prediction_text(prediction, form=self.target_format))
        return named_class(text, self.classes, self.target) if self.classes else text

    def rows(self, weight: float) -> str:
        """The training rows that a rule covers."""
        if self.has_weights:
            return weight_text(weight)
        return "under 1" if 0 < weight < 0.5 else f"{round(weight):,}"


def has_parts(facts: ReportFacts) -> bool:
    """Whether leaves hold parts of rows, because values are missing."""
    tree = facts.tree_model.tree_
    weights = tree.weight[tree.is_leaf]
    is_part = abs(weights - weights.round()) > 0.005
    return not has_weights(tree) and bool(is_part.any())


def rule_table(sheet: RuleSheet, caption: str, words: RuleWords) -> SheetTable:
    """Conditions, predictions, and how often these were right in training."""
    titles: tuple[str, ...] = ("rule", "if", "then", "weight" if words.has_weights else "rows")
    if sheet.is_classifier:
        titles += ("right in training", "95 % interval")
    marks = shown_marks(sheet)
    rows = tuple(rule_cells(rule, sheet, marks, words) for rule in sheet.rules)
    return SheetTable(titles, rows, "lll" + "r" * (len(titles) - 3), caption)


def rule_cells(
    rule: Rule, sheet: RuleSheet, marks: dict[str, str], words: RuleWords
) -> tuple[str, ...]:
    parts = []
    for condition in rule.conditions:
        text, mark = sheet.marked(condition, marks)
        parts.append(shortened(text, LONGEST_CONDITION) + (f" [{mark}]" if mark else ""))
    body = " and ".join(parts) or "always"
    cells = (rule.name, body, words.prediction(rule.prediction), words.rows(rule.weight))
    if not sheet.is_classifier:
        return cells
    if math.isnan(rule.confidence):
        return (*cells, "", "")
    low, high = rule.interval
    return (*cells, f"{100 * rule.confidence:.0f} %", f"{100 * low:.0f} to {100 * high:.0f} %")


def shown_marks(sheet: RuleSheet) -> dict[str, str]:
    """Footnotes on missing values, if they are few and short; often there is one per condition."""
    marks = sheet.footnotes()
    is_short = all(len(text) <= LONGEST_NOTE for text in marks)
    return marks if is_short and len(marks) <= MOST_NOTES else {}


def notes_on_missing(sheet: RuleSheet) -> Iterator[Block]:
    if not any(rule.conditions for rule in sheet.rules):
        return
    marks = shown_marks(sheet)
    if not marks and sheet.footnotes():
        yield Note(
            "What a missing value does at each condition is left out here; "
            "`treewright rules MODEL --missing` and `treewright.rules(model)` show it."
        )
        return
    yield Note(MISSING_FAILS.format(unless=" unless marked" if marks else ""))
    for text, mark in marks.items():
        yield Note(f"[{mark}] {text}")
