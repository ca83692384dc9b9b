"""What a model learnt that is no tree, and the first steps of how it did."""

from collections.abc import Iterator
from textwrap import wrap

from treewright.documents.page import Block, Figure, Heading, Listing, Note
from treewright.figures.descent_figure import descent
from treewright.linear.base import LinearModel
from treewright.reports.facts import ReportFacts

LONGEST_SUMMARY = 80  # lines
WIDEST_LINE = 96  # letters; equations are longer
STEPS_SHOWN = 1  # of a calculation


def model_section(facts: ReportFacts) -> Iterator[Block]:
    """The model in its own words, and the way down to it."""
    model = facts.learned_model
    lines = [part for line in model.summary().splitlines() for part in wrapped(line)]
    if len(lines) > LONGEST_SUMMARY:
        lines = [*lines[:LONGEST_SUMMARY], f"... {len(lines) - LONGEST_SUMMARY:,} more lines"]
    yield Listing("\n".join(lines))
    if isinstance(model, LinearModel) and model.solver == "gradient_descent":
        picture = descent(model)
        yield Figure(picture.to_svg(), picture.drawing.description)


def wrapped(line: str) -> list[str]:
    """A long line as several, the further ones indented as far and a bit more."""
    if len(line) <= WIDEST_LINE:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(line, WIDEST_LINE, subsequent_indent=f"{indent}    ", break_long_words=False)


def first_steps_section(facts: ReportFacts) -> Iterator[Block]:
    """The beginning of the worksheet."""
    rows = facts.rows
    sheet = facts.learned_model._worksheet(rows.table, rows.y, rows.weights)
    for block in sheet.document(max_steps=STEPS_SHOWN).blocks:
        if isinstance(block, Heading):
            block = Heading(block.level + 1, block.text)  # the anchors of sections are others
        yield block
    yield Note(
        "All of it: `treewright worksheet MODEL TABLE`, or `treewright.worksheet(model, X, y)`."
    )
