"""Training rows on a plane: a dot for each, or one dot for many that lie close together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.data.target import encode_classes, encode_numbers
from treewright.errors import DataError
from treewright.figures.frame import Frame
from treewright.figures.marks import Mark
from treewright.figures.plane import Plane, Side
from treewright.figures.territory import ClassShades, NumberShades
from treewright.pictures.colours import FAINT_INK, INK, PAPER, REST
from treewright.pictures.node_text import counted
from treewright.pictures.shapes import Circle, Shape
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

Floats = NDArray[np.float64]
MOST_DOTS = 400  # more rows are gathered in cells of the plane
N_CELLS = 18  # along an axis of numbers
DOT, SMALLEST, LARGEST = 3.3, 1.6, 10.0  # radius in pixels
LANES = 0.72  # of a band of levels: the classes stand beside each other there


@dataclass(frozen=True, slots=True)
class Dotted:
    """Dots in colours of their own; without an entry in the legend."""

    places: Sequence[tuple[float, float, float]]  # x, y in values; radius in pixels
    fills: Sequence[str]
    rims: Sequence[str]
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for (x, y, radius), fill, rim in zip(self.places, self.fills, self.rims, strict=True):
            at = frame.x(x), frame.y(y)
            yield Circle(*at, radius, fill=fill, stroke=rim, stroke_width=0.8)

    def sample(self) -> Iterator[Shape]:
        yield from ()


@dataclass(frozen=True, slots=True)
class Dots:
    """What is drawn of the rows, and what a reader must know of it."""

    marks: tuple[Mark, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows on the plane, or groups of them."""

    x: Floats
    y: Floats
    group: NDArray[np.intp]  # class; -1 where there is none
    number: Floats  # of the target; NaN where there is none
    is_elsewhere: NDArray[np.bool_]  # its other columns lead it to another leaf
    count: Floats  # of rows that it stands for

    def take(self, kept: NDArray[Any]) -> "Rows":
        return Rows(*(getattr(self, field.name)[kept] for field in fields(self)))


def dots_of(tree: Tree, plane: Plane, y: Any, shades: ClassShades | NumberShades) -> Dots:
    """The training rows as dots in the colours of their classes or numbers."""
    if plane.rows is None:
        if y is not None:
            raise DataError("y was given without X", hint="give both, the rows and their target")
        return Dots((), "")
    x_column, y_column = (plane.rows.columns[side.column] for side in (plane.x, plane.y))
    rows = Rows(
        plane.x.places(x_column),
        plane.y.places(y_column),
        groups_of(tree, len(plane.rows), y),
        numbers_of(tree, len(plane.rows), y),
        led_elsewhere(tree, plane, plane.rows),
        np.ones(len(plane.rows)),
    )
    on_plane = np.isfinite(rows.x) & np.isfinite(rows.y)
    rows = rows.take(on_plane)
    are_many = len(rows.x) > MOST_DOTS or bool(plane.x.codes and plane.y.codes)
    if are_many:
        rows = gathered(rows, plane)
    remark = remark_on(rows, int((~on_plane).sum()), are_gathered=are_many)
    return Dots((dots_in_colour(in_lanes(rows, plane), shades),), remark)


def groups_of(tree: Tree, n_rows: int, y: Any) -> NDArray[np.intp]:
    """The class of each row, one more for those that the tree does not know; -1: not told."""
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
    """Whether a row comes to another leaf than it would with the fixed values of the plane.

    Told for classes only: the colour of a number does not say which region it belongs to.
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


def gathered(rows: Rows, plane: Plane) -> Rows:
    """One dot for all rows of a class in a cell of the plane, in the middle of them."""
    cells = np.column_stack([cells_of(rows.x, plane.x), cells_of(rows.y, plane.y), rows.group])
    kinds, kind_of_row = np.unique(cells, axis=0, return_inverse=True)
    kind_of_row = kind_of_row.reshape(-1)
    count = np.bincount(kind_of_row, minlength=len(kinds)).astype(np.float64)
    x, y, number = (
        np.bincount(kind_of_row, values, minlength=len(kinds)) / count
        for values in (rows.x, rows.y, rows.number)
    )
    nobody = np.zeros(len(kinds), dtype=np.bool_)
    found = Rows(x, y, kinds[:, 2].astype(np.intp), number, nobody, count)
    return found.take(np.argsort(-count, kind="stable"))


def cells_of(places: Floats, side: Side) -> NDArray[np.int64]:
    if side.codes:
        return places.astype(np.int64)
    shares = np.array([side.scale.at(place) for place in places.tolist()])
    return np.asarray(np.clip(shares * N_CELLS, 0, N_CELLS - 1), dtype=np.int64)


def in_lanes(rows: Rows, plane: Plane) -> Rows:
    """Classes beside each other in a band of levels, where they would lie on its middle."""
    present, lane = np.unique(rows.group, return_inverse=True)
    offset = ((lane + 0.5) / max(len(present), 1) - 0.5) * LANES
    if plane.x.codes:
        return replace(rows, x=rows.x + offset)
    return replace(rows, y=rows.y + offset) if plane.y.codes else rows


def dots_in_colour(rows: Rows, shades: ClassShades | NumberShades) -> Dotted:
    """Dots in the colour of their class or number; hollow if other columns lead them elsewhere."""
    if isinstance(shades, NumberShades):
        known = np.isfinite(rows.number)
        fills = [shades.fill([number], 0) for number in np.where(known, rows.number, 0).tolist()]
        colours = np.where(known, fills, FAINT_INK).tolist()
        rims, fills = [INK] * len(colours), colours
    else:
        of_class = [*shades.colours.of_class, REST, FAINT_INK]  # unknown to the tree; not told
        colours = [of_class[group] for group in rows.group.tolist()]
        is_hollow = rows.is_elsewhere.tolist()
        fills = [PAPER if own else c for c, own in zip(colours, is_hollow, strict=True)]
        rims = [c if own else PAPER for c, own in zip(colours, is_hollow, strict=True)]
    places = zip(rows.x.tolist(), rows.y.tolist(), radii_of(rows.count).tolist(), strict=True)
    return Dotted(tuple(places), tuple(fills), tuple(rims))


def radii_of(count: Floats) -> Floats:
    """Areas as the numbers of rows are."""
    if count.max(initial=1) == 1:
        return np.full(len(count), DOT)
    return np.asarray(np.maximum(LARGEST * np.sqrt(count / count.max()), SMALLEST))


def remark_on(rows: Rows, n_left_out: int, *, are_gathered: bool) -> str:
    remarks = []
    if are_gathered:
        remarks.append("A dot stands for the rows nearby, its area for their number.")
    if rows.is_elsewhere.any():
        remarks.append("Hollow dots: rows that other columns lead to another leaf.")
    if n_left_out:
        remarks.append(f"{counted(n_left_out, 'row')} without a place here.")
    return " ".join(remarks)
