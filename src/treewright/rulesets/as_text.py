"""Rules as lines of text, with what they do about missing values as footnotes."""

import math

from treewright.rulesets.rule import Rule, answer_text
from treewright.rulesets.sheet import RuleSheet
from treewright.tree.conditions import number_text, weight_text

MISSING_FAILS = "A missing value fulfils no condition{unless}."
MISSING_LEFT_OUT = "What missing values do is left out here."


def rules_text(sheet: RuleSheet) -> str:
    """One line for each rule, then the answer without a rule, then the footnotes."""
    marks = sheet.footnotes() if sheet.shows_missing else {}
    width = max((len(rule.name) for rule in sheet.rules), default=0)
    lines = [f"{rule.name.rjust(width)}: {rule_text(rule, sheet, marks)}" for rule in sheet.rules]
    if sheet.otherwise is not None:
        lines.append(f"otherwise {sheet.otherwise}")
    return "\n".join([*lines, *footnote_lines(sheet, marks)])


def rule_text(rule: Rule, sheet: RuleSheet, marks: dict[str, str]) -> str:
    parts = []
    for condition in rule.conditions:
        text, mark = sheet.marked(condition, marks)
        parts.append(f"{text} [{mark}]" if mark else text)
    answer = answer_text(rule.answer, sheet.decimals)
    sentence = f"if {' and '.join(parts)} then {answer}" if parts else f"always {answer}"
    return f"{sentence}  ({quality_text(rule)})" if sheet.shows_quality else sentence


def quality_text(rule: Rule) -> str:
    """`weight 5, errors 1, confidence 0.80 [0.38, 0.96], lift 2.24`."""
    parts = [f"weight {weight_text(rule.weight)}"]
    if rule.errors > 0:
        parts.append(f"errors {weight_text(rule.errors)}")
    if not math.isnan(rule.confidence):
        low, high = rule.interval
        parts.append(f"confidence {rule.confidence:.2f} [{low:.2f}, {high:.2f}]")
    if not math.isnan(rule.lift):
        parts.append(f"lift {number_text(rule.lift, 2)}")
    return ", ".join(parts)


def footnote_lines(sheet: RuleSheet, marks: dict[str, str]) -> list[str]:
    """What missing values do, as far as the rules do not say it themselves."""
    if not any(rule.conditions for rule in sheet.rules):
        return []
    if not sheet.shows_missing:
        return ["", MISSING_LEFT_OUT]
    unless = " unless marked" if marks else ""
    lines = ["", MISSING_FAILS.format(unless=unless)]
    lines += [f"[{mark}] {text}" for text, mark in marks.items()]
    lines += [sheet.sentence(rule) for rule in sheet.fallbacks]
    return lines
