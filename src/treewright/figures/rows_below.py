"""The rows of a node along one column: a lane of dots for each class, or numbers above it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.figures.marks import Mark, Points
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Scale, linear_over, spread_of
from treewright.pictures.colours import PALETTE, REST, class_colours
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.text_width import fitted
from treewright.tree.tree import Tree
from treewright.worksheets.place import Place

Floats = NDArray[np.float64]
WIDTH, LANE, NUMBERS_HEIGHT = 560.0, 30.0, 180.0
N_CELLS, N_NUMBER_CELLS = 70, 30  # along the column, and along numbers to be predicted
MOST_DOTS = 120  # of different places that are shown exactly
NO_EDGES = np.empty(0)
SMALLEST, LARGEST, LARGEST_OF_NUMBERS = 1.2, 8.0, 4.0  # radius of dots
ONE = 3.5  # of dots that are one row each
WIDEST_NAME = 120.0


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """Places of rows, and the weight at each."""

    x: Floats
    y: Floats
    weight: Floats

    def radii(self, heaviest: float, largest: float) -> list[float]:
        """Areas as weights are."""
        if heaviest <= 1:
            return [ONE] * len(self.weight)
        areas = largest * np.sqrt(self.weight / heaviest)
        return [max(radius, SMALLEST) for radius in areas.tolist()]


def rows_panel(tree: Tree, place: Place, feature: int, scale: Scale) -> Panel:
    """The rows at a node that know a column, gathered where they lie close together."""
    here = place.values(feature)
    value_of_row = here.value_of_row
    known = value_of_row < here.n_values
    x = here.numbers[value_of_row[known]]
    weight = place.share.weights[known]
    rows = place.share.rows[known]
    training = place.training
    name = shown_name(training.table.columns[feature].name)
    if training.codes is not None:
        return lanes(tree, (x, training.codes[rows], weight), scale, name)
    assert training.values is not None
    return numbers((x, training.values[rows], weight), scale, name)


def lanes(
    tree: Tree, rows: tuple[Floats, NDArray[np.int32], Floats], scale: Scale, x_title: str
) -> Panel:
    """A lane for each class that has rows here; classes without a colour of their own share one."""
    x, codes, weight = rows
    assert tree.classes is not None
    colours = class_colours(tree)
    present = set(codes.tolist())
    named = [code for code in colours.named if code in present]
    names = [fitted(shown_name(tree.classes[code]), WIDEST_NAME, 11.0) for code in named]
    groups = [codes == code for code in named]
    shades = [colours.of_class[code] for code in named]
    if rest := present.difference(named):
        names.append(counted(len(rest), "other class", "other classes"))
        groups.append(np.isin(codes, sorted(rest)))
        shades.append(REST)
    top = len(names) - 1
    piles = [
        gathered(x[own], np.full(int(own.sum()), float(top - at)), weight[own], NO_EDGES)
        for at, own in enumerate(groups)
    ]
    heaviest = max(float(pile.weight.max()) for pile in piles)
    marks: list[Mark] = [
        Points(pile.x.tolist(), pile.y.tolist(), shade, radius=pile.radii(heaviest, LARGEST))
        for pile, shade in zip(piles, shades, strict=True)
    ]
    return Panel(
        marks=marks,
        x=scale,
        y=Bands(tuple(names[::-1])),
        x_title=x_title,
        width=WIDTH,
        height=LANE * len(names),
        grid="x",
    )


def numbers(rows: tuple[Floats, Floats, Floats], scale: Scale, x_title: str) -> Panel:
    """Dots at the numbers to be predicted."""
    x, y, weight = rows
    up = linear_over(y)
    pile = gathered(x, y, weight, np.linspace(up.low, up.high, N_NUMBER_CELLS + 1))
    radii = pile.radii(float(pile.weight.max()), LARGEST_OF_NUMBERS)
    return Panel(
        marks=[Points(pile.x.tolist(), pile.y.tolist(), PALETTE[0], radius=radii)],
        x=scale,
        y=up,
        x_title=x_title,
        y_title="target",
        width=WIDTH,
        height=NUMBERS_HEIGHT,
        grid="xy",
    )


def gathered(x: Floats, y: Floats, weight: Floats, y_edges: Floats) -> Dots:
    """One dot for each place; where there are very many, for all rows in a cell."""
    places = np.column_stack([x, y])
    if len(np.unique(places, axis=0)) > MOST_DOTS:
        columns = np.digitize(x, np.linspace(*spread_of(x), N_CELLS))
        places = np.column_stack([columns, np.digitize(y, y_edges)])
    cell = np.unique(places, axis=0, return_inverse=True)[1].reshape(-1)
    total = np.bincount(cell, weight).astype(np.float64)
    shares = weight / total[cell]
    middle_x, middle_y = (np.bincount(cell, of * shares).astype(np.float64) for of in (x, y))
    return Dots(middle_x, middle_y, total)
