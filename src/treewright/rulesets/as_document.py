"""Rules as tables for documents: Markdown and LaTeX."""

import math

from treewright.plain_text import plain
from treewright.rulesets.rule import Rule, answer_text
from treewright.rulesets.sheet import RuleSheet
from treewright.tree.conditions import number_text, weight_text
from treewright.tree.escaping import latex, markdown

MISSING_FAILS = "A missing value fulfills no condition{unless}."
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
    conditions = marked_conditions(rule, sheet, marks)
    answer = answer_text(rule.answer, sheet.decimals)
    sentence = f"if {conditions} then {answer}" if conditions else f"always {answer}"
    return f"{sentence}  ({quality_text(rule)})" if sheet.shows_quality else sentence


def marked_conditions(rule: Rule, sheet: RuleSheet, marks: dict[str, str]) -> str:
    """The conditions of a rule on one line, with the marks of their footnotes."""
    parts = [sheet.marked(condition, marks) for condition in rule.conditions]
    return " and ".join(f"{text} [{mark}]" if mark else text for text, mark in parts)


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


TITLES = ("rule", "if", "then", "weight")
CLASS_TITLES = ("errors", "confidence", "95 % interval", "lift")


def rules_markdown(sheet: RuleSheet) -> str:
    """A Markdown table of the rules, and the footnotes below it."""
    marks = sheet.footnotes()
    titles = titles_of(sheet)
    lines = [
        f"| {' | '.join(titles)} |",
        f"|{'|'.join('---' if title in TITLES[:3] else '---:' for title in titles)}|",
    ]
    for rule in sheet.rules:
        parts = [
            markdown(text) + (f" <sup>{mark}</sup>" if mark else "")
            for text, mark in (sheet.marked(condition, marks) for condition in rule.conditions)
        ]
        condition = " **and** ".join(parts) or "always"
        answer = markdown(answer_text(rule.answer, sheet.decimals))
        cells = [markdown(plain(rule.name)), condition, answer, *number_cells(rule, sheet)]
        lines.append(f"| {' | '.join(cells)} |")
    notes = [markdown(note) for note in plain_notes(sheet, marks)]
    notes += [f"<sup>{mark}</sup> {markdown(text)}" for text, mark in marks.items()]
    notes += [markdown(sheet.sentence(rule)) for rule in sheet.fallbacks]
    return "\n\n".join(["\n".join(lines), *notes])


def rules_latex(sheet: RuleSheet) -> str:
    """A LaTeX `tabular` of the rules, and the footnotes below it; it needs no package."""
    marks = sheet.footnotes()
    titles = titles_of(sheet)
    lines = [
        rf"\begin{{tabular}}{{lp{{0.5\linewidth}}l{'r' * (len(titles) - 3)}}}",
        r"\hline",
        f"{' & '.join(map(latex, titles))} \\\\",
        r"\hline",
    ]
    for rule in sheet.rules:
        parts = [
            latex(text) + (f"\\textsuperscript{{{mark}}}" if mark else "")
            for text, mark in (sheet.marked(condition, marks) for condition in rule.conditions)
        ]
        condition = r" \textbf{and} ".join(parts) or "always"
        answer = latex(answer_text(rule.answer, sheet.decimals))
        name = latex(plain(rule.name))
        cells = [name, condition, answer, *map(latex, number_cells(rule, sheet))]
        lines.append(f"{' & '.join(cells)} \\\\")
    lines += [r"\hline", r"\end{tabular}"]
    notes = [latex(note) for note in plain_notes(sheet, marks)]
    notes += [f"\\textsuperscript{{{mark}}} {latex(text)}" for text, mark in marks.items()]
    notes += [latex(sheet.sentence(rule)) for rule in sheet.fallbacks]
    return "\n\n".join(["\n".join(lines), *notes])


def titles_of(sheet: RuleSheet) -> tuple[str, ...]:
    return TITLES + CLASS_TITLES if sheet.is_classifier else TITLES


def number_cells(rule: Rule, sheet: RuleSheet) -> list[str]:
    cells = [weight_text(rule.weight)]
    if sheet.is_classifier:
        low, high = rule.interval
        known = not math.isnan(rule.confidence)
        cells += [
            weight_text(rule.errors),
            f"{rule.confidence:.2f}" if known else "",
            f"{low:.2f} to {high:.2f}",
            number_text(rule.lift, 2) if not math.isnan(rule.lift) else "",
        ]
    return cells


def plain_notes(sheet: RuleSheet, marks: dict[str, str]) -> list[str]:
    notes = [] if sheet.otherwise is None else [f"Otherwise {sheet.otherwise}."]
    if any(rule.conditions for rule in sheet.rules):
        notes.append(MISSING_FAILS.format(unless=" unless marked" if marks else ""))
    return notes
