"""An explanation as a page, for HTML, Markdown and LaTeX."""

from collections.abc import Iterator

from treewright.documents.page import Block, Document, Heading, Note, Paragraph, Run, SheetTable
from treewright.explanations.as_text import (
    answer_lines,
    cell_text,
    change_lines,
    counts_text,
    gap_texts,
    has_other_weights,
    measured_text,
    nodes_to_show,
    reason_lines,
)
from treewright.explanations.explanation import Explanation
from treewright.explanations.path import Evidence
from treewright.explanations.words import distance_text, label, percent
from treewright.plain_text import plain
from treewright.tree.conditions import weight_text

MOST_CLASSES = 5  # with a column of their own
TableColumn = tuple[str, str, list[str]]  # title, alignment, cells


def explanation_page(explanation: Explanation) -> Document:
    """The page: the answer, what it takes, the path as a table, and the row itself."""
    return Document(f"Why {label(explanation.answer)}?", tuple(_blocks(explanation)))


def _blocks(explanation: Explanation) -> Iterator[Block]:
    for line in answer_lines(explanation):
        yield _sentence(line)
    for lines in (reason_lines(explanation), change_lines(explanation)):
        yield _sentence(" ".join(line.strip() for line in lines))
    yield Heading(2, "Path")
    shown, rest = nodes_to_show(explanation)
    yield _path_table(explanation, shown)
    if rest:
        yield Note(rest)
    if explanation.gaps:
        yield Heading(2, "What was not known")
        for first, *others in gap_texts(explanation):
            yield _sentence(first)
            yield from (Paragraph.of(line) for line in others)
    has_neighbours = bool(explanation.neighbours)
    yield Heading(2, "The row and its nearest training rows" if has_neighbours else "The row")
    yield _row_table(explanation)


def _sentence(line: str) -> Paragraph:
    """A line with what it is about standing out."""
    about, colon, rest = line.partition(": ")
    if not colon:
        return Paragraph.of(line.strip())
    return Paragraph.of(Run(about[:1].upper() + about[1:], "strong"), f"{colon}{rest}")


def _path_table(explanation: Explanation, shown: list[Evidence]) -> SheetTable:
    columns = [*_path_columns(explanation, shown)]
    ends = {place.node for place in explanation.ends}
    return SheetTable(
        columns=tuple(title for title, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(align for _, align, _ in columns),
        marked=frozenset(at for at, evidence in enumerate(shown) if evidence.node in ends),
        depths=tuple(one.depth for one in shown) if len(ends) > 1 else (),
    )


def _path_columns(explanation: Explanation, shown: list[Evidence]) -> Iterator[TableColumn]:
    yield "condition", "l", [evidence.condition or "all rows" for evidence in shown]
    yield "the row has", "l", [evidence.value for evidence in shown]
    if len(explanation.ends) > 1:
        yield "part of the row", "r", [percent(evidence.share) for evidence in shown]
    yield "training rows", "r", [str(evidence.n_rows) for evidence in shown]
    has_weights = any(has_other_weights(evidence) for evidence in shown)
    classes = [*explanation.probabilities]
    if has_weights and not 0 < len(classes) <= MOST_CLASSES:
        yield "weight", "r", [weight_text(evidence.weight) for evidence in shown]
    if len(classes) <= MOST_CLASSES:
        for name in classes:
            counts = [weight_text(evidence.counts[name]) for evidence in shown]
            yield f"weight of {label(name)}" if has_weights else label(name), "r", counts
    else:
        yield "classes", "l", [counts_text(evidence) for evidence in shown]
    measured = f"share of {label(explanation.answer)}" if classes else "mean"
    if any(evidence.interval is not None for evidence in shown):
        measured += " (95 % interval)"
    yield measured, "r", [_measured(evidence) for evidence in shown]


def _measured(evidence: Evidence) -> str:
    return measured_text(evidence) if evidence.weight > 0 else "as the node above"


def _row_table(explanation: Explanation) -> SheetTable:
    """A line for each column, those of the reason standing out; neighbours side by side."""
    near = explanation.neighbours
    lines: list[tuple[str, ...]] = [
        (plain(name), cell_text(value), *(cell_text(one.values[name]) for one in near))
        for name, value in explanation.row.items()
    ]
    first = 0
    if near:
        about = [("distance", "", *(distance_text(one.distance) for one in near))]
        answer = f"{label(explanation.answer)} (answered)"
        about.append(("target", answer, *(label(one.target) for one in near)))
        lines, first = [*about, *lines], len(about)
    names = [*explanation.row]
    marked = frozenset(first + names.index(name) for name in explanation.reason.columns)
    columns = ("column", "the row", *(f"row {one.row}" for one in near))
    caption = "The columns of the reason stand out" if marked else ""
    return SheetTable(columns, tuple(lines), "l" * len(columns), caption, marked)
