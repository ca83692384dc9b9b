"""The first rows of a table as text."""

from html import escape
from itertools import zip_longest

from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.plain_text import plain

WHOLE = 20  # rows of a table that is shown from the first to the last
MAX_ROWS = 5  # of a longer one
MAX_COLUMNS = 10
MAX_WIDTH = 24


def head_of(table: Table) -> str:
    """A title, the names, and the first rows in aligned columns."""
    rows, columns = table.shape
    head = head_rows(table)
    shown_rows, shown_columns = head.shape
    cells = [
        [column.name, *[cell_text(column.value(row)) for row in range(shown_rows)]]
        for column in head.columns
    ]
    to_right = [isinstance(column, NumericColumn) and not column.unit for column in head.columns]
    lines = [
        f"Table of {counted(rows, 'row')} and {counted(columns, 'column')}",
        *aligned(cells, to_right),
    ]
    if rows > shown_rows:
        lines.append(f"  ... {counted(rows - shown_rows, 'more row')}")
    if columns > shown_columns:
        lines.append(f"  ... {counted(columns - shown_columns, 'more column')}")
    return "\n".join(lines)


def head_rows(table: Table) -> Table:
    """What is shown of a table: small ones whole, the first rows and columns of others."""
    head: Table = table[: WHOLE if table.n_rows <= WHOLE else MAX_ROWS, :MAX_COLUMNS]
    return head


def html_of(table: Table) -> str:
    """The first rows as an HTML table, for notebooks."""
    head = head_rows(table)
    names = "".join(f"<th>{escape(shortened(column.name))}</th>" for column in head.columns)
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td>{escape(shortened(cell_text(column.value(row))))}</td>" for column in head.columns
        )
        + "</tr>"
        for row in range(len(head))
    )
    size = f"{counted(table.n_rows, 'row')}, {counted(table.n_columns, 'column')}"
    return f"<table><caption>{size}</caption><tr>{names}</tr>{rows}</table>"


def aligned(
    columns: list[list[str]], to_right: list[bool], max_width: int = MAX_WIDTH
) -> list[str]:
    """Lines of text from columns of cells, each as wide as its widest cell."""
    cut = [[shortened(cell, max_width) for cell in column] for column in columns]
    padded = []
    for column, right in zip(cut, to_right, strict=True):
        width = max(map(len, column))
        padded.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    return [("  " + "  ".join(line)).rstrip() for line in zip_longest(*padded, fillvalue="")]


def cell_text(value: object) -> str:
    """One cell; a missing value is shown as `?`."""
    if value is None:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value)


def shortened(text: str, max_width: int = MAX_WIDTH) -> str:
    """`text` on one line, cut where it is too wide."""
    line = plain(" ".join(text.split())) if text.split() else repr(text)
    return line if len(line) <= max_width else line[: max_width - 1] + "…"


def counted(number: int, noun: str) -> str:
    """ "1 row", "2 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
