"""A confusion matrix of many classes as a picture: the darker, the more rows of a class."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.pictures.colours import EDGE, FAINT_INK, PALETTE, mixed
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Group, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted
from treewright.plain_text import plain
from treewright.tree.conditions import weight_text

Floats = NDArray[np.float64]
NAMES_WIDTH, HEAD, MARGIN = 190.0, 26.0, 10.0
ROOM, LARGEST_CELL = 600.0, 24.0  # of the matrix, and of one cell
FAINTEST = 0.05  # a share above 0 is never invisible


def confusion_figure(classes: Sequence[Any], weights: Floats, shares: Floats) -> Picture:
    """True classes down, predicted ones across by their numbers."""
    cell = min(LARGEST_CELL, ROOM / len(classes))
    size = cell * len(classes)
    shapes = (*names(classes, cell), *squares(classes, (weights, shares), cell))
    frame = Rectangle(NAMES_WIDTH, HEAD, size, size, stroke=EDGE)
    paper = (NAMES_WIDTH + size + MARGIN, HEAD + size + MARGIN)
    n_right = weight_text(round(float(np.trace(weights)), 1))
    summary = f"confusion matrix of {len(classes)} classes, {n_right} rows right"
    drawing = Drawing(*paper, (*shapes, frame), summary)
    return Picture(drawing, summary, {"weights": weights, "shares": shares})


def names(classes: Sequence[Any], cell: float) -> Iterator[Shape]:
    """The name and number of each line, and the number of each column."""
    size = min(11.0, cell * 0.75)
    yield Text(NAMES_WIDTH - 8, 10.0, "true \\ predicted", "end", fill=FAINT_INK)
    for at, label in enumerate(classes):
        name = fitted(plain(str(label)), NAMES_WIDTH - 40, size)
        middle = (at + 0.5) * cell
        yield Text(NAMES_WIDTH - 6, HEAD + middle + size / 3, f"{name}  {at + 1}", "end", size=size)
        yield Text(NAMES_WIDTH + middle, HEAD - 5, str(at + 1), size=size * 0.9, fill=FAINT_INK)


def squares(classes: Sequence[Any], matrix: tuple[Floats, Floats], cell: float) -> Iterator[Shape]:
    """A square for each pair that occurs, which tells its numbers under the pointer."""
    weights, shares = matrix
    for true, taken in np.argwhere(weights > 0).tolist():
        share = shares[true, taken]
        colour = PALETTE[0] if true == taken else PALETTE[1]
        left, top = NAMES_WIDTH + taken * cell, HEAD + true * cell
        fill = mixed(colour, FAINTEST + (1 - FAINTEST) * share)
        square = Rectangle(left, top, cell, cell, fill=fill)
        pair = f"{plain(str(classes[true]))} taken for {plain(str(classes[taken]))}"
        weight = weight_text(round(float(weights[true, taken]), 1))
        yield Group((square,), title=f"{pair}: {weight} rows, {100 * share:.0f} %")
