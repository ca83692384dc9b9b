"""Rules as text, and as tables in Markdown and LaTeX."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from treewright.plain_text import counted, number_text, plain, weight_text
from treewright.rulesets.rule import Rule
from treewright.rulesets.sheet import RuleSheet
from treewright.tree.escaping import latex, markdown

MISSING_FAILS = "A missing value fulfills no condition{unless}."
MISSING_LEFT_OUT = "What missing values do is left out here."


def rules_text(sheet: RuleSheet) -> str:
    """One line for each rule, then the default, then the footnotes."""
    marks = sheet.footnotes() if sheet.shows_missing else {}
    width = max((len(rule.name) for rule in sheet.rules), default=0)
    lines = [f"{rule.name.rjust(width)}: {rule_text(rule, sheet, marks)}" for rule in sheet.rules]
    if sheet.otherwise is not None:
        lines.append(f"otherwise {sheet.otherwise}")
    return "\n".join([*lines, *footnote_lines(sheet, marks)])


def rule_text(rule: Rule, sheet: RuleSheet, marks: dict[str, str]) -> str:
    conditions = marked_conditions(rule, sheet, marks)
    prediction = rule.prediction_text(sheet.decimals)
    sentence = f"if {conditions} then {prediction}" if conditions else f"always {prediction}"
    return f"{sentence}  ({quality_text(rule, sheet)})" if sheet.shows_quality else sentence


def marked_conditions(rule: Rule, sheet: RuleSheet, marks: dict[str, str]) -> str:
    """The conditions of a rule on one line, with the marks of their footnotes."""
    parts = [sheet.marked(condition, marks) for condition in rule.conditions]
    return " and ".join(f"{text} [{mark}]" if mark else text for text, mark in parts)


def quality_text(rule: Rule, sheet: RuleSheet) -> str:
    """`5 rows, 1 error, confidence 0.80 [0.38, 0.96], lift 2.24`; with weights, `weight 4.5`.

    Rows with missing values count fractionally; the counts are rounded.
    """
    if sheet.has_weights:
        parts = [f"weight {weight_text(rule.weight)}"]
        parts += [f"errors {weight_text(rule.errors)}"] if rule.errors > 0 else []
    else:
        parts = [rounded(rule.weight, "row")]
        parts += [rounded(rule.errors, "error")] if rule.errors > 0 else []
    if not math.isnan(rule.confidence):
        low, high = rule.interval
        parts.append(f"confidence {rule.confidence:.2f} [{low:.2f}, {high:.2f}]")
    if not math.isnan(rule.lift):
        parts.append(f"lift {number_text(rule.lift, 2)}")
    return ", ".join(parts)


def rounded(amount: float, noun: str) -> str:
    """`3 rows`, `1 error`; for a fractional count, `under 1 row`."""
    return f"under 1 {noun}" if 0 < amount < 0.5 else counted(round(amount), noun)


def rounded_text(amount: float) -> str:
    """`3`; for a fractional count, `<1`."""
    return "<1" if 0 < amount < 0.5 else f"{amount:.0f}"


def footnote_lines(sheet: RuleSheet, marks: dict[str, str]) -> list[str]:
    """How missing values are treated."""
    if not any(rule.conditions for rule in sheet.rules):
        return []
    if not sheet.shows_missing:
        return ["", MISSING_LEFT_OUT]
    unless = " unless marked" if marks else ""
    lines = ["", MISSING_FAILS.format(unless=unless)]
    lines += [f"[{mark}] {text}" for text, mark in marks.items()]
    lines += [sheet.sentence(rule) for rule in sheet.fallbacks]
    return lines


TITLES = ("rule", "if", "then")
CLASS_TITLES = ("errors", "confidence", "95 % interval", "lift")


def rules_markdown(sheet: RuleSheet) -> str:
    """A Markdown table of the rules, with footnotes."""
    marks, titles = sheet.footnotes(), titles_of(sheet)
    lines = [
        f"| {' | '.join(titles)} |",
        f"|{'|'.join('---' if title in TITLES else '---:' for title in titles)}|",
    ]
    for rule in sheet.rules:
        cells = [*text_cells(rule, sheet, marks, MARKDOWN), *number_cells(rule, sheet)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n\n".join(["\n".join(lines), *notes(sheet, marks, MARKDOWN)])


def rules_latex(sheet: RuleSheet) -> str:
    """A LaTeX `tabular` of the rules, with footnotes; it needs no package."""
    marks, titles = sheet.footnotes(), titles_of(sheet)
    lines = [
        rf"\begin{{tabular}}{{lp{{0.5\linewidth}}l{'r' * (len(titles) - 3)}}}",
        r"\hline",
        f"{' & '.join(map(latex, titles))} \\\\",
        r"\hline",
    ]
    for rule in sheet.rules:
        numbers = map(latex, number_cells(rule, sheet))
        cells = [*text_cells(rule, sheet, marks, LATEX), *numbers]
        lines.append(f"{' & '.join(cells)} \\\\")
    lines += [r"\hline", r"\end{tabular}"]
    return "\n\n".join(["\n".join(lines), *notes(sheet, marks, LATEX)])


@dataclass(frozen=True, slots=True)
class Markup:
    """How a format writes text, the mark of a footnote, and "and" between conditions."""

    escape: Callable[[str], str]
    mark: str
    before_mark: str
    and_: str


PLAIN = Markup(str, "[{}]", " ", " and ")
MARKDOWN = Markup(markdown, "<sup>{}</sup>", " ", " **and** ")
LATEX = Markup(latex, r"\textsuperscript{{{}}}", "", r" \textbf{and} ")


def text_cells(rule: Rule, sheet: RuleSheet, marks: dict[str, str], markup: Markup) -> list[str]:
    """The name of a rule, its conditions and its prediction."""
    parts = []
    for condition in rule.conditions:
        text, mark = sheet.marked(condition, marks)
        shown = markup.before_mark + markup.mark.format(mark) if mark else ""
        parts.append(markup.escape(text) + shown)
    prediction = rule.prediction_text(sheet.decimals)
    conditions = markup.and_.join(parts) or "always"
    return [markup.escape(plain(rule.name)), conditions, markup.escape(prediction)]


def notes(sheet: RuleSheet, marks: dict[str, str], markup: Markup) -> list[str]:
    """The default, the footnotes and the fallbacks."""
    lines = [] if sheet.otherwise is None else [markup.escape(f"Otherwise {sheet.otherwise}.")]
    if any(rule.conditions for rule in sheet.rules):
        unless = " unless marked" if marks else ""
        lines.append(markup.escape(MISSING_FAILS.format(unless=unless)))
    lines += [f"{markup.mark.format(mark)} {markup.escape(text)}" for text, mark in marks.items()]
    return lines + [markup.escape(sheet.sentence(rule)) for rule in sheet.fallbacks]


def titles_of(sheet: RuleSheet) -> tuple[str, ...]:
    size = "weight" if sheet.has_weights else "rows"
    return (*TITLES, size, *(CLASS_TITLES if sheet.is_classifier else ()))


def number_cells(rule: Rule, sheet: RuleSheet) -> list[str]:
    amount_text = weight_text if sheet.has_weights else rounded_text
    cells = [amount_text(rule.weight)]
    if sheet.is_classifier:
        low, high = rule.interval
        known = not math.isnan(rule.confidence)
        cells += [
            amount_text(rule.errors),
            f"{rule.confidence:.2f}" if known else "",
            f"{low:.2f} to {high:.2f}",
            number_text(rule.lift, 2) if not math.isnan(rule.lift) else "",
        ]
    return cells
