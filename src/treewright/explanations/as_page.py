"""An explanation as a page, for HTML and Markdown."""

from collections.abc import Iterator

from treewright.documents.page import Block, Document, Heading, Note, Paragraph, Run, SheetTable
from treewright.explanations.as_text import (
    MOST_NODES,
    answer_lines,
    change_lines,
    counts_text,
    gap_text,
    label,
    reason_lines,
    rows_text,
)
from treewright.explanations.explanation import Explanation
from treewright.explanations.path import Evidence
from treewright.explanations.words import percent
from treewright.tree.conditions import number_text, plain


def explanation_page(explanation: Explanation) -> Document:
    """The page: the answer, the path as a table, and what else is known."""
    return Document(f"Why {label(explanation.answer)}?", tuple(_blocks(explanation)))


def _blocks(explanation: Explanation) -> Iterator[Block]:
    first, *others = answer_lines(explanation)
    yield Paragraph.of(Run(first, "strong"))
    yield from (Paragraph.of(line) for line in others)
    yield from (Paragraph.of(line.strip()) for line in reason_lines(explanation))
    yield from (Paragraph.of(line) for line in change_lines(explanation))
    yield Heading(2, "Path")
    yield _path_table(explanation)
    if len(explanation.path) > MOST_NODES:
        yield Note(f"{len(explanation.path) - MOST_NODES} more nodes")
    if explanation.gaps:
        yield Heading(2, "What was not known")
        yield from (Paragraph.of(gap_text(gap)) for gap in explanation.gaps)
    if explanation.neighbours:
        yield Heading(2, "Nearest training rows")
        yield _neighbour_table(explanation)


def _path_table(explanation: Explanation) -> SheetTable:
    about = "mean" if not explanation.probabilities else f"share of {label(explanation.answer)}"
    columns: tuple[str, ...] = ("condition", "of the row", "training rows", "classes")
    columns = (*columns, about, "95 % interval")
    rows = [_path_row(evidence) for evidence in explanation.path[:MOST_NODES]]
    align = "lrllrr"
    if not explanation.probabilities:  # there are no classes to count
        columns = (*columns[:3], *columns[4:])
        rows = [(*row[:3], *row[4:]) for row in rows]
        align = "lrlrr"
    ends = {node for node, _ in explanation.ends}
    shown = explanation.path[:MOST_NODES]
    marked = frozenset(at for at, evidence in enumerate(shown) if evidence.node in ends)
    return SheetTable(columns, tuple(rows), align, marked=marked)


def _path_row(evidence: Evidence) -> tuple[str, ...]:
    shown = percent if evidence.support is not None else number_text
    middle = evidence.answer if evidence.support is None else evidence.support
    interval = "" if evidence.interval is None else " to ".join(map(shown, evidence.interval))
    return (
        evidence.condition or "all rows",
        percent(evidence.share),
        rows_text(evidence),
        counts_text(evidence),
        shown(middle),
        interval,
    )


def _neighbour_table(explanation: Explanation) -> SheetTable:
    names = tuple(explanation.neighbours[0].values)
    rows = tuple(
        (
            str(one.row),
            number_text(one.distance, 3),
            label(one.target),
            *("missing" if value is None else label(value) for value in one.values.values()),
        )
        for one in explanation.neighbours
    )
    columns = ("row", "distance", "target", *map(plain, names))
    return SheetTable(columns, rows, "rrl" + "l" * len(names))
