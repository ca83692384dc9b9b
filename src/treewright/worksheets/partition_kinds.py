"""Which ways to part a column the settings of growth allow."""

from treewright.worksheets.level_partitions import (
    Branches,
    LevelOrders,
    LevelSets,
    tries_all_sets,
)
from treewright.worksheets.number_partitions import Intervals, Thresholds
from treewright.worksheets.partitions import Partitions
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import ValuesHere


def partitions_of(place: Place, feature: int, here: ValuesHere) -> Partitions:
    """The ways that the settings let a column part a node."""
    settings = place.training.settings
    kind: type[Partitions]
    if not place.training.is_nominal(feature):
        kind = Intervals if settings.numeric == "intervals" else Thresholds
    elif settings.nominal == "branches":
        kind = Branches
    elif settings.nominal == "one_vs_rest" or tries_all_sets(place, here):
        kind = LevelSets
    else:
        kind = LevelOrders
    return kind(place, feature, here)
