"""The gain of every cut of a column, above the rows of the node."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import ColumnSpec
from treewright.errors import DataError, ParameterError, UnknownColumnError, is_whole, kind_of
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DOTTED, Label, Line, Mark, Points, Rule
from treewright.figures.scales import Bands, Scale, Times, linear_over, spread_of
from treewright.pictures.colors import FAINT_INK, INK, PALETTE, PATH, REST, class_colors
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import FONT_SIZE
from treewright.pictures.text_width import fitted
from treewright.single_trees.base import TreeEstimator
from treewright.tree.layout import THRESHOLD
from treewright.tree.tree import Tree
from treewright.verbs.fitted_rows import training_of
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.number_partitions import Thresholds, threshold_text
from treewright.worksheets.place import Place

MOST_DRAWN = 1200  # cuts that a curve goes through


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """All cuts of one column at one node, in rising order."""

    spec: ColumnSpec
    places: Floats  # midway between neighboring values
    gains: Floats  # per unit of the node's weight
    allowed: NDArray[np.bool_]  # enough rows on both sides
    best: int | None  # the first of the largest gain among those allowed
    threshold: float | None  # of the best, as the model would store it
    threshold_text: str  # as it is printed; "" where there is none
    made: int | None  # the cut of the tree at the node

    def shown(self) -> NDArray[np.intp]:
        """The cuts to draw: of very many, the lowest and the highest gain near each place."""
        n_cuts = len(self.places)
        if n_cuts <= MOST_DRAWN:
            return np.arange(n_cuts)
        low, high = spread_of(self.places)
        cell = np.digitize(self.places, np.linspace(low, high, MOST_DRAWN // 2))
        order = np.lexsort((self.gains, cell))
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        ends = np.append(starts[1:], n_cuts) - 1
        return np.unique(order[np.concatenate([starts, ends])])


def all_cuts(place: Place, feature: int, made_at: float | None) -> Cuts:
    """Every cut with its gain, missing values on the better side."""
    here = place.values(feature)
    spec = ColumnSpec.of(place.training.table.columns[feature])
    if here.n_values < 2:
        raise DataError(
            f"`{spec.name}` has {counted(here.n_values, 'value')} at this node: there is no cut"
        )
    ways = Thresholds(place, feature, here)
    measured = ways.measured()
    n_cuts = int((ways.lengths < here.n_values).sum())
    inside = measured.partition < n_cuts  # one more may separate known from missing values
    cut, can_be = measured.partition[inside], measured.allowed[inside]
    allowed = np.zeros(n_cuts, dtype=bool)
    np.logical_or.at(allowed, cut, can_be)
    gains = np.full(n_cuts, -np.inf)
    counts = can_be | ~allowed[cut]
    np.maximum.at(gains, cut[counts], measured.gains[inside][counts])
    gains /= place.weight
    below = here.numbers[ways.lengths[:n_cuts] - 1]
    above = here.numbers[ways.lengths[:n_cuts]]
    best = int(np.argmax(np.where(allowed, gains, -np.inf))) if allowed.any() else None
    threshold = None if best is None else ways.threshold(best)
    training = place.training
    return Cuts(
        spec=spec,
        places=midway(below, above),
        gains=gains,
        allowed=allowed,
        best=best,
        threshold=threshold,
        threshold_text="" if threshold is None else threshold_text(training, feature, threshold),
        made=None if made_at is None else int(np.flatnonzero(below <= made_at)[-1]),
    )


def midway(below: Floats, above: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        middle: Floats = below + (above - below) / 2
    return np.where(np.isnan(middle), 0.0, middle)


WIDTH = 560.0
MOST_DOTS = 150  # cuts that get a dot each
MOST_LINES = 60  # cuts that get a line between the rows
LABEL_SIZE = 11.0
BEST_RADIUS = 5.0
GAINS = {  # what the criterion measures; gain ratio compares cuts by information gain, too
    "information_gain": "information gain, bits",
    "entropy": "information gain, bits",
    "gain_ratio": "information gain, bits",
    "gini": "Gini gain",
    "cost_gini": "Gini gain with costs",
    "squared_error": "variance reduction",
    "absolute_error": "reduction of the mean absolute error",
    "poisson": "reduction of half the Poisson deviance",
    "chi2": "chi-square per unit of weight",
}


def cut_gains(  # noqa: PLR0913 -- settings by name
    model: TreeEstimator,
    X: Any,
    y: Any,
    column: str | None = None,
    *,
    node: int = 0,
    sample_weight: Any = None,
) -> Picture:
    """The gain of every possible cut of a numeric or ordered column at a node.

    Cuts lie between neighboring values. Below the gains are the rows of the node: a lane for each
    class, or the numbers to be predicted. The area of a dot is the weight of its rows.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        The training rows.
    column
        The column to cut; None for the one that splits the node.
    node
        Number of the node, 0 for the root.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None).fit(X, y)
    >>> picture = cut_gains(model, X, y, "petal length")
    >>> best = picture.data["best"]
    >>> f"{picture.data['cuts'][best]:.2f} gains {picture.data['gains'][best]:.4f}"
    '2.45 gains 0.3333'
    """
    tree = checked_tree(model, node)
    training = training_of(model, X, y, sample_weight)
    name = column_name(tree, node, column)
    feature = training.table.position(name)
    if training.is_nominal(feature):
        raise no_cuts(name, is_number=model.schema_.columns[feature].is_numeric)
    place = Place(training, NodeRows(tree, training).of(node))
    is_made = tree.kind[node] == THRESHOLD and tree.feature[node] == feature
    cuts = all_cuts(place, feature, float(tree.threshold[node]) if is_made else None)
    scale = scale_of(cuts.spec, place.values(feature).numbers)
    criterion = training.settings.criterion
    gain_name = GAINS.get(criterion, "gain") if isinstance(criterion, str) else "gain"
    return figure(
        [
            [gains_panel(cuts, scale, gain_name)],
            [with_cuts(rows_panel(tree, place, feature, scale), cuts)],
        ],
        title=f"Cuts of {shown_name(name)}" + (f" at node {node}" if node else ""),
        note=note_on(tree, node, cuts),
        summary=counted(len(cuts.places), "cut"),
        data={
            "column": name,
            "node": node,
            "cuts": cuts.places,
            "gains": cuts.gains,
            "allowed": cuts.allowed,
            "best": cuts.best,
            "threshold": cuts.threshold,
        },
    )


def checked_tree(model: TreeEstimator, node: int) -> Tree:
    """The tree of the model, if it has the node."""
    if not isinstance(model, TreeEstimator):
        raise ParameterError(f"{kind_of(model)} has no cuts", hint="give a fitted tree estimator")
    tree = model.state_.tree
    if not is_whole(node, 0, tree.n_nodes - 1):
        raise ParameterError(
            f"there is no node {node!r}", hint=f"use a whole number from 0 to {tree.n_nodes - 1}"
        )
    return tree


def column_name(tree: Tree, node: int, column: str | None) -> str:
    """The column asked for, or the one that splits the node."""
    names = tree.schema.names
    if column is None:
        if tree.kind[node] != THRESHOLD:
            raise ParameterError(
                f"node {node} is not cut by a threshold", hint="name the column to look at"
            )
        return names[int(tree.feature[node])]
    if column not in names:
        raise UnknownColumnError.among(column, names, source="the model")
    return column


def no_cuts(name: str, *, is_number: bool) -> ParameterError:
    """The error for a column that is split by its categories."""
    if is_number:
        return ParameterError(
            f"`{name}` was cut into intervals before the tree grew",
            hint="use a model that cuts at each node, such as C45Classifier or CARTClassifier",
        )
    return ParameterError(
        f"`{name}` is split by its categories, not cut", hint="choose a numeric or ordered column"
    )


def scale_of(spec: ColumnSpec, numbers: Floats) -> Scale:
    """An axis over all values at the node."""
    if not spec.is_numeric:
        return Bands(tuple(map(shown_name, spec.levels)))
    scale = linear_over(numbers)
    return Times(scale.low, scale.high, spec.unit) if spec.unit else scale


def gains_panel(cuts: Cuts, scale: Scale, gain_name: str) -> Panel:
    """The gain over the place of the cut."""
    shown = cuts.shown()
    at, gains = cuts.places[shown].tolist(), cuts.gains[shown].tolist()
    marks: list[Mark] = [*made_rule(cuts), Line(at, gains, PALETTE[0], width=1.5)]
    if len(shown) <= MOST_DOTS:
        marks.append(points(cuts, shown[cuts.allowed[shown]], PALETTE[0], "a cut"))
    if not cuts.allowed.all():
        marks.append(points(cuts, shown[~cuts.allowed[shown]], REST, "too few rows on one side"))
    if cuts.best is not None and cuts.threshold is not None:
        x, y = float(cuts.places[cuts.best]), float(cuts.gains[cuts.best])
        name = f"{shown_name(cuts.spec.name)} ≤ {cuts.threshold_text}"
        marks.append(Points([x], [y], PATH, "the best cut", BEST_RADIUS))
        marks.append(Label(x, y, fitted(name, WIDTH, LABEL_SIZE), INK, (0.0, -10.0)))
    return Panel(
        marks=marks,
        x=scale,
        y=linear_over(gains, also=[0.0, max(*gains, 0.0) * 1.12]),  # room for the label of the best
        y_title=gain_name,
        width=WIDTH,
        height=220.0,
        grid="xy",
    )


def with_cuts(panel: Panel, cuts: Cuts) -> Panel:
    """The rows with a thin line at each cut, if there are few."""
    thin: list[Mark] = []
    if len(cuts.places) <= MOST_LINES:
        thin = [Rule(FAINT_INK, x=x, width=0.7, dashes=DOTTED) for x in cuts.places.tolist()]
    return replace(panel, marks=[*thin, *made_rule(cuts), *panel.marks], grid="")


def made_rule(cuts: Cuts) -> list[Mark]:
    if cuts.made is None:
        return []
    return [Rule(PATH, "the tree's cut", x=float(cuts.places[cuts.made]), dashes=())]


def points(cuts: Cuts, chosen: NDArray[np.intp], color: str, name: str) -> Points:
    return Points(cuts.places[chosen].tolist(), cuts.gains[chosen].tolist(), color, name, 3.0)


def note_on(tree: Tree, node: int, cuts: Cuts) -> str:
    """How the cuts compare with the split of the tree."""
    note = f"{counted(len(cuts.places), 'cut')} between neighboring values."
    if cuts.best is None:
        return f"{note} None leaves enough rows on both sides."
    if cuts.made is not None:
        return note
    if tree.is_leaf[node]:
        return f"{note} The tree does not split this node."
    feature = int(tree.feature[node])
    column = "a weighted sum" if feature < 0 else shown_name(tree.schema.names[feature])
    return f"{note} The tree splits this node by {column}."


Codes = NDArray[np.intp]
LANE, NUMBERS_HEIGHT = 30.0, 180.0
N_CELLS, N_NUMBER_CELLS = 70, 30  # along the column, and along numbers to be predicted
MOST_PLACES = 120  # values that are shown exactly
SMALLEST, LARGEST, LARGEST_OF_NUMBERS = 1.2, 8.0, 4.0  # radius of dots
ONE = 3.5  # of a dot that is one row
WIDEST_NAME = 120.0


@dataclass(frozen=True, slots=True, eq=False)
class NodePoints:
    """The rows of a node along a column."""

    numbers: Floats  # the distinct values
    value: Codes  # of each row, as a position in `numbers`
    weight: Floats

    def gathered(self, lane: Codes, y: Floats) -> "Dots":
        """One dot for the rows of a lane with one value, or in one cell if there are many."""
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
    """Positions of dots, and the weight of each."""

    x: Floats
    y: Floats
    weight: Floats
    lane: Codes

    def of_lane(self, lane: int) -> "Dots":
        own = self.lane == lane
        return Dots(self.x[own], self.y[own], self.weight[own], self.lane[own])

    def points(self, color: str, heaviest: float, largest: float) -> Points:
        """Dots whose area is their weight."""
        radii = [ONE] * len(self.weight)
        if heaviest > 1:
            radii = np.maximum(largest * np.sqrt(self.weight / heaviest), SMALLEST).tolist()
        return Points(self.x.tolist(), self.y.tolist(), color, radius=radii)


def rows_panel(tree: Tree, place: Place, feature: int, scale: Scale) -> Panel:
    """The rows of a node along a column: a lane for each class, or numeric targets."""
    here = place.values(feature)
    known = here.value_of_row < here.n_values
    weight = place.share.weights[known]
    rows = NodePoints(here.numbers, here.value_of_row[known], weight)
    numbers = place.share.rows[known]
    training = place.training
    name = shown_name(training.table.columns[feature].name)
    if training.codes is not None:
        return class_panel(tree, rows, training.codes[numbers], scale, name)
    assert training.values is not None
    return number_panel(rows, training.values[numbers], scale, name)


def class_panel(
    tree: Tree, rows: NodePoints, codes: NDArray[np.int32], scale: Scale, x_title: str
) -> Panel:
    """A lane for each class at the node; classes beyond the palette share one."""
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


def number_panel(rows: NodePoints, y: Floats, scale: Scale, x_title: str) -> Panel:
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
