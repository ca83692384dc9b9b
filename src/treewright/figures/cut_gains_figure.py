"""The gain of every cut of a column, above the rows that the cuts would part."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import ColumnSpec
from treewright.errors import DataError, ParameterError, UnknownColumnError, kind_of
from treewright.figures.chart import figure
from treewright.figures.marks import DOTTED, Line, Mark, Points, Remark, Rule
from treewright.figures.panel import Panel
from treewright.figures.rows_below import rows_panel
from treewright.figures.scales import Bands, Scale, Times, linear_over, spread_of
from treewright.pictures.colors import FAINT_INK, INK, PALETTE, PATH, REST
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
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
    threshold: float | None  # of the best, as the model would keep it
    threshold_text: str  # as it is printed; "" where there is none
    made: int | None  # the one that the tree makes at the node

    def shown(self) -> NDArray[np.intp]:
        """The cuts worth drawing: of very many, the lowest and the highest gain near each place."""
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
    """Every cut with its gain, missing rows where they do best."""
    here = place.values(feature)
    spec = ColumnSpec.of(place.training.table.columns[feature])
    if here.n_values < 2:
        raise DataError(
            f"`{spec.name}` has {counted(here.n_values, 'value')} at this node: there is no cut"
        )
    ways = Thresholds(place, feature, here)
    measured = ways.measured()
    n_cuts = int((ways.lengths < here.n_values).sum())
    inside = measured.partition < n_cuts  # one more may part known rows from missing ones
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


def made_cut(tree: Tree, node: int, feature: int) -> float | None:
    """Where the tree cuts the column at the node; None if it does not."""
    is_made = tree.kind[node] == THRESHOLD and tree.feature[node] == feature
    return float(tree.threshold[node]) if is_made else None


WIDTH = 560.0
MOST_DOTS = 150  # cuts that get a dot each
MOST_LINES = 60  # cuts that get a line between the rows
LABEL_SIZE = 11.0
BEST_RADIUS = 5.0
GAINS = {  # what the criterion calls a gain; cuts are compared by information also for gain ratio
    "information_gain": "information gain, bits",
    "entropy": "information gain, bits",
    "gain_ratio": "information gain, bits",
    "gini": "Gini gain",
    "cost_gini": "Gini gain with costs",
    "squared_error": "variance taken away",
    "absolute_error": "mean distance from the median taken away",
    "poisson": "half Poisson deviance taken away",
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
    """What every possible cut of a numeric or ordered column would gain at a node.

    Cuts lie between neighboring values. Below the gains are the rows of the node: a lane for each
    class, or the numbers to be predicted; the area of a dot is the weight of the rows at its place.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        The rows that it was fitted to.
    column
        The column to cut; None for the one that splits the node.
    node
        Number of the node, 0 for the root.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier().fit(X, y)
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
    cuts = all_cuts(place, feature, made_cut(tree, node, feature))
    scale = scale_of(cuts.spec, place.values(feature).numbers)
    criterion = training.settings.criterion
    gain_name = GAINS.get(criterion, "gain") if isinstance(criterion, str) else "gain"
    return figure(
        [
            [gains_panel(cuts, scale, gain_name)],
            [with_cuts(rows_panel(tree, place, feature, scale), cuts)],
        ],
        title=f"Cuts of {shown_name(name)}" + (f" at node {node}" if node else ""),
        note=told(tree, node, cuts),
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
    if isinstance(node, bool) or not isinstance(node, int) or not 0 <= node < tree.n_nodes:
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
    """The error for a column that nodes part by its levels."""
    if is_number:
        return ParameterError(
            f"`{name}` was cut into intervals before the tree grew",
            hint="use a model that cuts at each node, such as C45Classifier or CARTClassifier",
        )
    return ParameterError(
        f"`{name}` is parted by its levels, not cut", hint="choose a numeric or ordered column"
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
        marks.append(Remark(x, y, fitted(name, WIDTH, LABEL_SIZE), INK, (0.0, -10.0)))
    return Panel(
        marks=marks,
        x=scale,
        y=linear_over(gains, also=[0.0, max(*gains, 0.0) * 1.12]),  # room for words at the best
        y_title=gain_name,
        width=WIDTH,
        height=220.0,
        grid="xy",
    )


def with_cuts(panel: Panel, cuts: Cuts) -> Panel:
    """The rows with thin lines between them where they may be cut, if these are few."""
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


def told(tree: Tree, node: int, cuts: Cuts) -> str:
    """How the cuts compare with what the tree does."""
    n_cuts = counted(len(cuts.places), "cut lies", "cuts lie")
    words = f"{n_cuts} between neighboring values."
    if cuts.best is None:
        return f"{words} None leaves enough rows on both sides."
    if cuts.made is not None:
        return words
    if tree.is_leaf[node]:
        return f"{words} The tree does not split this node."
    return f"{words} The tree splits this node by {shown_name(splitting_column(tree, node))}."


def splitting_column(tree: Tree, node: int) -> str:
    feature = int(tree.feature[node])
    return "a weighted sum" if feature < 0 else tree.schema.names[feature]
