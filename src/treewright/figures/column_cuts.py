"""All cuts of a column at a node, with their gains."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import ColumnSpec
from treewright.errors import DataError
from treewright.figures.scales import spread_of
from treewright.pictures.node_text import counted
from treewright.tree.kinds import THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.number_partitions import Thresholds
from treewright.worksheets.place import Place
from treewright.worksheets.thresholds import threshold_text

Floats = NDArray[np.float64]
MOST_DRAWN = 1200  # cuts that a curve goes through


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """All cuts of one column at one node, in rising order."""

    spec: ColumnSpec
    places: Floats  # midway between neighbouring values
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
