"""What a worksheet page begins with: contents, the picture of the tree, the training rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.column import Column, NumericColumn
from treewright.documents.page import (
    Block,
    Contents,
    Document,
    Figure,
    Heading,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.plain_text import number_text, plain, shortened
from treewright.tree.tree import Tree
from treewright.worksheets.training import Training

MOST_ROWS, MOST_COLUMNS = 30, 12  # of the data
LONGEST_ENTRY, LONGEST_CELL = 44, 30
FEWEST_SECTIONS = 3  # that are worth a table of contents
PICTURE, DATA, FORMULAS = "picture", "data", "formulas"


@dataclass(frozen=True, eq=False)
class PageStart:
    """What stands before the calculation."""

    picture: Callable[[], Figure] | None = None  # of the tree or the rules
    described: str = "The tree"
    data: tuple[Block, ...] = ()  # a table of the training rows, and what it leaves out

    def blocks(self) -> Iterator[Block]:
        if self.picture is not None:
            yield Heading(2, self.described, PICTURE)
            yield self.picture()
        if self.data:
            yield Heading(2, "The training rows", DATA)
            yield from self.data


def needs_heading(blocks: tuple[Block, ...]) -> bool:
    """Whether something comes before the first heading of a page."""
    return bool(blocks) and not isinstance(blocks[0], Heading)


def entry_text(heading: str) -> str:
    """A heading in the contents; of a long path only the last condition.

    >>> entry_text("Node 5: outlook = Sunny and humidity = High")
    'Node 5: … humidity = High'
    """
    name, colon, path = heading.partition(": ")
    *above, last = path.split(" and ")
    return shortened(f"{name}{colon}{'… ' if above else ''}{last}", LONGEST_ENTRY)


def with_start(document: Document, start: PageStart | None) -> Document:
    """The page with contents, picture and data after its first paragraphs."""
    blocks = document.blocks
    first = next(
        (at for at, one in enumerate(blocks) if not isinstance(one, Paragraph | Note)), len(blocks)
    )
    added = [] if start is None else list(start.blocks())
    if added and needs_heading(blocks[first:]):
        added.append(Heading(2, "How splits are measured", FORMULAS))
    whole = (*blocks[:first], *added, *blocks[first:])
    entries = tuple(
        Heading(2, entry_text(one.text), one.anchor)
        for one in whole
        if isinstance(one, Heading) and one.level == 2 and one.anchor
    )
    if len(entries) >= FEWEST_SECTIONS:
        whole = (Contents(entries), *whole)
    return Document(document.title, whole)


def data_blocks(training: Training, tree: Tree, target: str | None) -> tuple[Block, ...]:
    """The first training rows as a table, the target last."""
    table = training.table
    n_rows, n_columns = min(table.n_rows, MOST_ROWS), min(table.n_columns, MOST_COLUMNS)
    columns = table.columns[:n_columns]
    has_weights = bool((training.weights != 1).any())
    titles = ["row", *(shortened(column.name, LONGEST_CELL) for column in columns)]
    titles += [plain(target or "target"), *(["weight"] if has_weights else [])]
    rows = []
    for row in range(n_rows):
        cells = [str(row), *(cell_text(column, row) for column in columns)]
        cells.append(target_text(training, tree, row))
        if has_weights:
            cells.append(number_text(float(training.weights[row])))
        rows.append(tuple(cells))
    align = "r" + "".join("r" if isinstance(one, NumericColumn) else "l" for one in columns)
    align += "l" if tree.classes is not None else "r"
    blocks: list[Block] = [SheetTable(tuple(titles), tuple(rows), align + "r" * has_weights)]
    left_out = []
    if table.n_rows > n_rows:
        left_out.append(f"{table.n_rows - n_rows:,} more rows")
    if table.n_columns > n_columns:
        left_out.append(f"{table.n_columns - n_columns:,} more columns")
    if left_out:
        blocks.append(Note(f"... {' and '.join(left_out)}"))
    return tuple(blocks)


def cell_text(column: Column, row: int) -> str:
    """A value as it is read; nothing if it is missing."""
    value: Any = column.value(row)
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    text = number_text(value) if isinstance(value, float) else plain(str(value))
    return shortened(text, LONGEST_CELL)


def target_text(training: Training, tree: Tree, row: int) -> str:
    if training.codes is not None:
        assert tree.classes is not None
        return shortened(plain(str(tree.classes[int(training.codes[row])])), LONGEST_CELL)
    assert training.values is not None
    return number_text(float(training.values[row]))
