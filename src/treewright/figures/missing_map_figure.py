"""How much of each column is missing, class by class, as a map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError
from treewright.evaluation.missing_study import MissingMap
from treewright.figures.axes import Frame
from treewright.figures.chart import figure
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands
from treewright.pictures.colors import INK, PALETTE, PAPER, mixed
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Rectangle, Shape, Text
from treewright.plain_text import tiny_percent

COLOR = PALETTE[0]
DARK = 0.6  # of the color: from here on numbers are written in white
LINE_HEIGHT, NARROWEST, WIDEST = 24.0, 24.0, 96.0  # of a cell
ROOM = 700.0  # pixels for all cells of a line, as long as they are not too narrow
LETTERS, NARROW_FOR_LETTERS = 11.0, 38.0


@dataclass(frozen=True, slots=True)
class Cells:
    """A share in each cell of a grid: the darker, the larger; lines from bottom to top."""

    shares: NDArray[np.float64]  # (n_lines, n_columns)
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for line, column in np.ndindex(*self.shares.shape):
            share = float(self.shares[line, column])
            left, right = frame.x(column - 0.5), frame.x(column + 0.5)
            top, bottom = frame.y(line + 0.5), frame.y(line - 0.5)
            size = (right - left, bottom - top)
            fill = mixed(COLOR, share)
            yield Rectangle(left, top, *size, fill=fill, stroke=PAPER)
            if share > 0 and size[0] >= NARROW_FOR_LETTERS:
                ink = PAPER if share >= DARK else INK
                middle = ((left + right) / 2, (top + bottom) / 2 + LETTERS / 3)
                yield Text(*middle, tiny_percent(share), size=LETTERS, fill=ink)

    def sample(self) -> Iterator[Shape]:
        yield from ()


def missing_map(found: MissingMap, *, max_columns: int = 30) -> Picture:
    """The share of missing values of each column, in all rows and in each class.

    Columns without a hole are left out, the emptiest stands on top. Where a line is darker in one
    class than in others, values are not missing by chance: a policy that looks at what is missing
    can learn from it, one that fills holes in hides it.

    Parameters
    ----------
    found
        What `tw.missing_map` gives, or the `missing` of `tw.missing_study`.
    max_columns
        Most columns shown.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.missing_map({"a": [1.0, None, 3.0, 4.0]}, ["x", "x", "y", "y"])
    >>> tw.figures.missing_map(found).data["shares"].tolist()
    [[0.25, 0.5, 0.0]]
    """
    if not isinstance(found, MissingMap):
        raise ParameterError(
            f"a {type(found).__name__} is no map of missing values",
            hint="give tw.missing_map(X, y)",
        )
    if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 1:
        raise ParameterError(f"max_columns is {max_columns!r}", hint="use a whole number from 1 on")
    order = np.argsort(-found.overall, kind="stable")
    order = order[found.overall[order] > 0]
    shown = order[:max_columns]
    shares = np.column_stack([found.overall[shown], found.shares[shown]])
    columns = [found.columns[at] for at in shown]
    note = "Of all rows, and of the rows of each class."
    if len(shown) < len(order):
        note += f" {counted(len(order) - len(shown), 'column')} with fewer holes not shown."
    return figure(
        [[map_panel(columns, found.classes, shares)]],
        title="Missing values by class",
        note=note if len(order) else "No value is missing.",
        summary=f"missing values of {counted(len(order), 'column')}",
        data={"columns": columns, "classes": ["all rows", *found.classes], "shares": shares},
    )


def map_panel(
    columns: Sequence[str], classes: Sequence[object], shares: NDArray[np.float64]
) -> Panel:
    """A line for each column, a cell for all rows and for each class."""
    heads = ("all rows", *(shown_name(str(label)) for label in classes))
    names = tuple(shown_name(name) for name in columns) or ("",)
    cell = min(max(ROOM / len(heads), NARROWEST), WIDEST)
    return Panel(
        marks=[Cells(shares[::-1])],
        x=Bands(heads),
        y=Bands(names[::-1]),
        width=cell * len(heads),
        height=LINE_HEIGHT * len(names),
        grid="",
        is_boxed=True,
    )
