"""An explanation as a page, for HTML and Markdown."""

from collections.abc import Iterator

from treewright.documents.page import Block, Document, Heading, Note, Paragraph, Run, SheetTable
from treewright.explanations.as_text import (
    answer_lines,
    cell_text,
    change_lines,
    counts_text,
    gap_texts,
    measured_text,
    neighbour_columns,
    nodes_to_show,
    reason_lines,
    rows_text,
)
from treewright.explanations.explanation import Explanation
from treewright.explanations.path import Evidence
from treewright.explanations.words import label, percent
from treewright.tree.conditions import number_text, plain


def explanation_page(explanation: Explanation) -> Document:
    """The page: the answer, what it takes, the path as a table, and the row itself."""
    return Document(f"Why {label(explanation.answer)}?", tuple(_blocks(explanation)))


def _blocks(explanation: Explanation) -> Iterator[Block]:
    first, *others = answer_lines(explanation)
    yield Paragraph.of(Run(first, "strong"))
    yield from (Paragraph.of(line) for line in others)
    for lines in (reason_lines(explanation), change_lines(explanation)):
        yield Paragraph.of(" ".join(line.strip() for line in lines))
    yield Heading(2, "Path")
    shown, rest = nodes_to_show(explanation)
    yield _path_table(explanation, shown)
    if rest:
        yield Note(rest)
    if explanation.gaps:
        yield Heading(2, "What was not known")
        for text in gap_texts(explanation):
            yield from (Paragraph.of(line) for line in text)
    if explanation.neighbours:
        yield Heading(2, "Nearest training rows")
        yield _neighbour_table(explanation)
    yield Heading(2, "The row")
    yield _row_table(explanation)


def _path_table(explanation: Explanation, shown: list[Evidence]) -> SheetTable:
    is_divided = any(evidence.share < 1 for evidence in explanation.path)
    has_classes = bool(explanation.probabilities)
    has_interval = any(evidence.interval is not None for evidence in shown)
    measured = f"share of {label(explanation.answer)}" if has_classes else "mean"
    columns = {
        "condition": ([evidence.condition or "all rows" for evidence in shown], "l"),
        "the row has": ([evidence.value for evidence in shown], "l"),
    }
    if is_divided:
        columns["part of the row"] = ([percent(evidence.share) for evidence in shown], "r")
    columns["training rows"] = ([rows_text(evidence) for evidence in shown], "r")
    if has_classes:
        columns["classes"] = ([counts_text(evidence) for evidence in shown], "l")
    title = f"{measured} (95 % interval)" if has_interval else measured
    columns[title] = ([_measured(evidence) for evidence in shown], "r")
    rows = tuple(zip(*(cells for cells, _ in columns.values()), strict=True))
    ends = {place.node for place in explanation.ends}
    marked = frozenset(at for at, evidence in enumerate(shown) if evidence.node in ends)
    align = "".join(align for _, align in columns.values())
    return SheetTable(tuple(columns), rows, align, marked=marked)


def _measured(evidence: Evidence) -> str:
    return measured_text(evidence) if evidence.weight > 0 else "as the node above"


def _row_table(explanation: Explanation) -> SheetTable:
    rows = tuple(
        (plain(name), "missing" if value is None else label(value))
        for name, value in explanation.row.items()
    )
    return SheetTable(("column", "value"), rows, "ll")


def _neighbour_table(explanation: Explanation) -> SheetTable:
    names = neighbour_columns(explanation)
    rows = tuple(
        (
            str(one.row),
            number_text(one.distance, 3),
            label(one.target),
            *(cell_text(one, name) for name in names),
        )
        for one in explanation.neighbours
    )
    columns = ("row", "distance", "target", *map(plain, names))
    return SheetTable(columns, rows, "rrl" + "l" * len(names))
