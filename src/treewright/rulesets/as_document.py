"""Rules as tables for documents: Markdown and LaTeX."""

import math

from treewright.plain_text import plain
from treewright.rulesets.as_text import MISSING_FAILS
from treewright.rulesets.rule import Rule, answer_text
from treewright.rulesets.sheet import RuleSheet
from treewright.tree.conditions import number_text, weight_text
from treewright.tree.escaping import latex, markdown

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
