"""The rows of a node along one column: a lane of dots for each class, or numbers above it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.figures.marks import Points
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Scale, linear_over, spread_of
from treewright.pictures.colors import PALETTE, REST, class_colors
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.shapes import FONT_SIZE
from treewright.pictures.text_width import fitted
from treewright.tree.tree import Tree
from treewright.worksheets.place import Place

Codes = NDArray[np.intp]
WIDTH, LANE, NUMBERS_HEIGHT = 560.0, 30.0, 180.0
N_CELLS, N_NUMBER_CELLS = 70, 30  # along the column, and along numbers to be predicted
MOST_PLACES = 120  # that are shown exactly
SMALLEST, LARGEST, LARGEST_OF_NUMBERS = 1.2, 8.0, 4.0  # radius of dots
ONE = 3.5  # of dots that are one row each
WIDEST_NAME = 120.0


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows along a column."""

    numbers: Floats  # the values there are
    value: Codes  # of each row: a position among them
    weight: Floats

    def gathered(self, lane: Codes, y: Floats) -> "Dots":
        """One dot for all rows of a lane at one place, or in one cell if there are many places."""
        low, high = spread_of(self.numbers)
        at = np.clip(self.numbers, low, high)
        cell_of_value = np.arange(len(at))
        if len(at) > MOST_PLACES:
            cell_of_value = np.digitize(at, np.linspace(low, high, N_CELLS))
        cell = lane * (int(cell_of_value.max()) + 1) + cell_of_value[self.value]
        weights = np.bincount(cell, self.weight).astype(np.float64)
        filled = np.flatnonzero(weights)
        x, y, lanes = (
            np.bincount(cell, self.weight * of)[filled] / weights[filled]
            for of in (at[self.value], y, lane)
        )
        return Dots(x, y, weights[filled], np.rint(lanes).astype(np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """Places of rows, and the weight at each."""

    x: Floats
    y: Floats
    weight: Floats
    lane: Codes

    def of_lane(self, lane: int) -> "Dots":
        own = self.lane == lane
        return Dots(self.x[own], self.y[own], self.weight[own], self.lane[own])

    def points(self, color: str, heaviest: float, largest: float) -> Points:
        """Areas as weights are."""
        radii = [ONE] * len(self.weight)
        if heaviest > 1:
            radii = np.maximum(largest * np.sqrt(self.weight / heaviest), SMALLEST).tolist()
        return Points(self.x.tolist(), self.y.tolist(), color, radius=radii)


def rows_panel(tree: Tree, place: Place, feature: int, scale: Scale) -> Panel:
    """The rows at a node that know a column, gathered where they lie close together."""
    here = place.values(feature)
    known = here.value_of_row < here.n_values
    weight = place.share.weights[known]
    rows = Rows(here.numbers, here.value_of_row[known], weight)
    numbers = place.share.rows[known]
    training = place.training
    name = shown_name(training.table.columns[feature].name)
    if training.codes is not None:
        return class_panel(tree, rows, training.codes[numbers], scale, name)
    assert training.values is not None
    return number_panel(rows, training.values[numbers], scale, name)


def class_panel(
    tree: Tree, rows: Rows, codes: NDArray[np.int32], scale: Scale, x_title: str
) -> Panel:
    """A lane for each class that has rows here; classes without a color of their own share one."""
    assert tree.classes is not None
    colors = class_colors(tree)
    n_rows = np.bincount(codes, minlength=tree.n_values)
    named = [code for code in colors.named if n_rows[code]]
    names = [fitted(shown_name(tree.classes[code]), WIDEST_NAME, FONT_SIZE) for code in named]
    shades = [colors.of_class[code] for code in named]
    if n_rest := int(np.count_nonzero(n_rows)) - len(named):
        names.append(counted(n_rest, "other class", "other classes"))
        shades.append(REST)
    top = len(names) - 1
    lane_of_class = np.zeros(tree.n_values, dtype=np.intp)  # the rest at the bottom
    lane_of_class[named] = np.arange(top, top - len(named), -1)
    lane = lane_of_class[codes]
    dots = rows.gathered(lane, lane.astype(np.float64))
    heaviest = float(dots.weight.max())
    return Panel(
        marks=[
            dots.of_lane(top - at).points(shade, heaviest, LARGEST)
            for at, shade in enumerate(shades)
        ],
        x=scale,
        y=Bands(tuple(names[::-1])),
        x_title=x_title,
        width=WIDTH,
        height=LANE * len(names),
    )


def number_panel(rows: Rows, y: Floats, scale: Scale, x_title: str) -> Panel:
    """Dots at the numbers to be predicted."""
    up = linear_over(y)
    lane = np.unique(y, return_inverse=True)[1]
    if len(y) > MOST_PLACES:
        lane = np.digitize(y, np.linspace(up.low, up.high, N_NUMBER_CELLS))
    dots = rows.gathered(lane, y)
    return Panel(
        marks=[dots.points(PALETTE[0], float(dots.weight.max()), LARGEST_OF_NUMBERS)],
        x=scale,
        y=up,
        x_title=x_title,
        y_title="target",
        width=WIDTH,
        height=NUMBERS_HEIGHT,
    )
