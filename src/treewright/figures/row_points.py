"""Training rows on a plane: a dot for each, or a pie for many that are close together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise
from math import ceil, cos, pi, sin, sqrt, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.data.target import encode_classes, encode_numbers
from treewright.errors import DataError
from treewright.figures.axes import Frame
from treewright.figures.marks import Mark
from treewright.figures.plane import Plane, Side
from treewright.figures.scales import Bands
from treewright.figures.territory import ClassShades, NumberShades
from treewright.pictures.colors import FAINT_INK, INK, PAPER, REST
from treewright.pictures.node_text import counted
from treewright.pictures.shapes import Circle, Path, Shape, Step
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

SMALLEST, LARGEST = 1.6, 16.0  # radius in pixels
FILLED = 0.9  # of the cell, by the largest pie


@dataclass(frozen=True, slots=True)
class Pie:
    """The rows of one cell."""

    cell: tuple[int, int]  # how many cells from the left, and from below
    x: float  # mean of the rows, in values of the axes
    y: float
    parts: Sequence[tuple[str, float]]  # color and number of rows


@dataclass(frozen=True, slots=True)
class Pies(Mark):
    """Pies in cells that divide the plot area evenly."""

    pies: Sequence[Pie]
    n_across: int
    n_up: int
    rim: str = PAPER

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        sizes = [sum(count for _, count in pie.parts) for pie in self.pies]
        across, up = frame.width / self.n_across, frame.height / self.n_up
        largest = min(FILLED * min(across, up) / 2, LARGEST)
        for pie, size in zip(self.pies, sizes, strict=True):
            radius = max(largest * sqrt(size / max(sizes)), SMALLEST)
            x = inside(frame.x(pie.x), frame.left + pie.cell[0] * across, across, radius)
            y = inside(frame.y(pie.y), frame.bottom - (pie.cell[1] + 1) * up, up, radius)
            if len(pie.parts) == 1:
                yield Circle(x, y, radius, fill=pie.parts[0][0], stroke=self.rim, stroke_width=0.8)
                continue
            ends = [2 * pi * end / size for end in accumulate((n for _, n in pie.parts), initial=0)]
            for (color, _), (start, end) in zip(pie.parts, pairwise(ends), strict=True):
                yield Path(wedge((x, y), radius, start, end), fill=color)
            yield Circle(x, y, radius, stroke=self.rim, stroke_width=0.8)


def inside(middle: float, start: float, length: float, radius: float) -> float:
    """The place nearest to `middle` where a pie does not leave its cell."""
    if 2 * radius >= length:
        return start + length / 2
    return min(max(middle, start + radius), start + length - radius)


def wedge(middle: tuple[float, float], radius: float, start: float, end: float) -> tuple[Step, ...]:
    """A sector of a circle between two angles, clockwise from the top."""
    x, y = middle
    n_arcs = max(ceil((end - start) / (pi / 2) - 1e-9), 1)
    turn = (end - start) / n_arcs
    pull = radius * 4 / 3 * tan(turn / 4)  # of the handles of a curve that is nearly an arc
    steps: list[Step] = [
        ("M", x, y),
        ("L", x + radius * sin(start), y - radius * cos(start)),
    ]
    for at in range(n_arcs):
        one, other = start + at * turn, start + (at + 1) * turn
        from_x, from_y = x + radius * sin(one), y - radius * cos(one)
        to_x, to_y = x + radius * sin(other), y - radius * cos(other)
        steps.append(
            (
                "C",
                from_x + pull * cos(one),
                from_y + pull * sin(one),
                to_x - pull * cos(other),
                to_y - pull * sin(other),
                to_x,
                to_y,
            )
        )
    return (*steps, ("Z",))


MOST_DOTS = 400  # more rows are shown as pies
N_CELLS = 18  # along an axis of numbers
RADIUS = 3.3  # of a dot, in pixels
LANES = 0.72  # of a band of categories: classes are side by side there


@dataclass(frozen=True, slots=True)
class Dots:
    """The marks of the rows, and notes for the reader."""

    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows on the plane."""

    x: Floats
    y: Floats
    group: NDArray[np.intp]  # class; -1 where there is none
    number: Floats  # of the target; NaN where there is none
    is_elsewhere: NDArray[np.bool_]  # because of its other columns, it reaches another leaf

    def take(self, kept: NDArray[Any]) -> "Rows":
        return Rows(*(getattr(self, field.name)[kept] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Dotted(Mark):
    """Dots, each with its own colors."""

    places: Sequence[tuple[float, float]]
    fills: Sequence[str]
    rims: Sequence[str]

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for (x, y), fill, rim in zip(self.places, self.fills, self.rims, strict=True):
            yield Circle(frame.x(x), frame.y(y), RADIUS, fill=fill, stroke=rim, stroke_width=0.8)


@dataclass(frozen=True, slots=True)
class Palette:
    """The colors of rows, by class or by number."""

    shades: ClassShades | NumberShades

    def of(self, group: int, number: float) -> str:
        if isinstance(self.shades, ClassShades):
            # After the classes a color for unknown ones; the last is that of -1, no class given.
            return (*self.shades.colors.of_class, REST, FAINT_INK)[group]
        return FAINT_INK if np.isnan(number) else self.shades.fill([number], 0)

    @property
    def rim(self) -> str:
        """The outline of dots: a number may have the same shade as its region."""
        return PAPER if isinstance(self.shades, ClassShades) else INK


def dots_of(tree: Tree, plane: Plane, y: Any, shades: ClassShades | NumberShades) -> Dots:
    """The training rows in the colors of their classes or numbers."""
    if plane.rows is None:
        if y is not None:
            raise DataError("y was given without X", hint="give both, the rows and their target")
        return Dots()
    x_column, y_column = (plane.rows.columns[side.column] for side in (plane.x, plane.y))
    rows = Rows(
        plane.x.places(x_column),
        plane.y.places(y_column),
        groups_of(tree, len(plane.rows), y),
        numbers_of(tree, len(plane.rows), y),
        led_elsewhere(tree, plane, plane.rows),
    )
    on_plane = np.isfinite(rows.x) & np.isfinite(rows.y)
    n_left_out = int((~on_plane).sum())
    left_out = [f"{counted(n_left_out, 'row')} not on this plane."] if n_left_out else []
    rows = rows.take(on_plane)
    palette = Palette(shades)
    if len(rows.x) > MOST_DOTS or (plane.x.codes and plane.y.codes):
        shape = "pie" if isinstance(shades, ClassShades) else "dot"
        note = f"The area of a {shape} is the number of rows nearby."
        return Dots((gathered(rows, plane, palette),), (note, *left_out))
    hollow = "Hollow dots: rows in another leaf because of other columns."
    notes = [hollow] if rows.is_elsewhere.any() else []
    return Dots((one_by_one(rows, plane, palette),), (*notes, *left_out))


def groups_of(tree: Tree, n_rows: int, y: Any) -> NDArray[np.intp]:
    """The class of each row, one more for classes unknown to the tree; -1 without y."""
    if y is None or tree.classes is None:
        return np.full(n_rows, -1, dtype=np.intp)
    target = encode_classes(y, n_rows=n_rows)
    known = {name: at for at, name in enumerate(tree.classes)}
    code_of = [known.get(name, len(known)) for name in target.classes.tolist()]
    return np.array(code_of, dtype=np.intp)[target.codes]


def numbers_of(tree: Tree, n_rows: int, y: Any) -> Floats:
    """The target of each row where it is a number; else NaN."""
    if y is None or tree.classes is not None:
        return np.full(n_rows, np.nan)
    return encode_numbers(y, n_rows=n_rows).values


def led_elsewhere(tree: Tree, plane: Plane, rows: Table) -> NDArray[np.bool_]:
    """Whether a row reaches another leaf than it would with the fixed values of the plane.

    For classes only: the color of a number does not show which region it belongs to.
    """
    if tree.classes is None:
        return np.zeros(len(rows), dtype=np.bool_)
    columns = [
        column if at in (plane.x.column, plane.y.column) else constant(column, plane.row[at])
        for at, column in enumerate(rows.columns)
    ]
    on_plane = Table(columns, len(rows), has_names=rows.has_names)
    return np.asarray(predict_leaves(tree, rows) != predict_leaves(tree, on_plane))


def constant(column: NumericColumn | NominalColumn, value: float) -> NumericColumn | NominalColumn:
    """The column with one value in every row."""
    n_rows = len(column)
    if isinstance(column, NumericColumn):
        return NumericColumn(column.name, np.full(n_rows, value), column.unit)
    code = -1 if np.isnan(value) else int(value)
    codes = np.full(n_rows, code, dtype=np.int32)
    return NominalColumn(column.name, codes, column.levels, column.ordered)


def one_by_one(rows: Rows, plane: Plane, palette: Palette) -> Dotted:
    """A dot for each row, hollow if it reaches another leaf."""
    present, lane = np.unique(rows.group, return_inverse=True)
    offset = ((lane + 0.5) / max(len(present), 1) - 0.5) * LANES  # classes side by side in a band
    x = rows.x + offset if plane.x.codes else rows.x
    y = rows.y + offset if plane.y.codes else rows.y
    groups, numbers = rows.group.tolist(), rows.number.tolist()
    colors = [palette.of(*own) for own in zip(groups, numbers, strict=True)]
    is_hollow = rows.is_elsewhere.tolist()
    return Dotted(
        list(zip(x.tolist(), y.tolist(), strict=True)),
        [PAPER if own else c for c, own in zip(colors, is_hollow, strict=True)],
        [c if own else palette.rim for c, own in zip(colors, is_hollow, strict=True)],
    )


def gathered(rows: Rows, plane: Plane, palette: Palette) -> Pies:
    """A pie for all rows in a cell of the plane; for numbers a dot in the color of the mean."""
    n_across, n_up = (len(side.codes) or N_CELLS for side in (plane.x, plane.y))
    cells, cell_of_row = np.unique(
        cells_of(rows.x, plane.x) * n_up + cells_of(rows.y, plane.y), return_inverse=True
    )
    count = np.bincount(cell_of_row)
    x, y, number = (
        (np.bincount(cell_of_row, values) / count).tolist()
        for values in (rows.x, rows.y, rows.number)
    )
    n_groups = int(rows.group.max(initial=-1)) + 2  # those of -1 too
    of_group = np.bincount(cell_of_row * n_groups + rows.group + 1, minlength=len(cells) * n_groups)
    pies = []
    for at, own in enumerate(of_group.reshape(len(cells), n_groups).tolist()):
        parts: dict[str, float] = {}
        for group in np.flatnonzero(own).tolist():
            color = palette.of(group - 1, number[at])
            parts[color] = parts.get(color, 0.0) + own[group]  # rare classes share one
        pies.append(Pie(divmod(int(cells[at]), n_up), x[at], y[at], [*parts.items()]))
    return Pies(pies, n_across, n_up, palette.rim)


def cells_of(places: Floats, side: Side) -> NDArray[np.int64]:
    """Which cell of an axis each row is in: its category, or its interval."""
    if side.codes:
        return places.astype(np.int64)
    assert not isinstance(side.scale, Bands)
    shares = (places - side.scale.low) / (side.scale.high - side.scale.low)
    return np.asarray(np.clip(shares * N_CELLS, 0, N_CELLS - 1), dtype=np.int64)
