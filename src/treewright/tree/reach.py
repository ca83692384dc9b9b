"""Which values of a column can still reach a node, given the splits above it."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, inf, nextafter
from typing import TYPE_CHECKING

from treewright.data.schema import ColumnSpec
from treewright.tree.layout import INTERVALS, SPREAD, STOP, THRESHOLD

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Reach:
    """Possible values of one column: an interval or a set of categories, and missing values."""

    low: float = -inf  # numbers from here ...
    high: float = inf  # ... to here, both included; none if high is below low
    levels: int = 0  # one bit for each level that may come
    missing: bool = True
    unseen: bool = False  # an unseen level, where these are not simply missing

    @property
    def is_empty(self) -> bool:
        return not (self.low <= self.high or self.levels or self.missing or self.unseen)


NOTHING = Reach(low=inf, high=-inf, missing=False)


@dataclass(frozen=True, slots=True)
class Division:
    """What the children of a node receive of a column, and what else may happen to a row."""

    parts: tuple[Reach, ...]  # one for each child
    stops: bool  # whether a row may end at the node
    spreads: bool  # whether a row may be divided among children


def anything(spec: ColumnSpec, unseen: str) -> Reach:
    """All that a column can hold before it is asked."""
    if spec.is_numeric:
        return Reach()
    return replace(
        NOTHING, levels=(1 << len(spec.levels)) - 1, missing=True, unseen=unseen == "majority"
    )


def divide(tree: "Tree", node: int, reach: Reach) -> Division:
    """How the node divides what may come of its column among its children."""
    n_children = int(tree.n_children[node])
    parts = known_parts(tree, node, reach)
    parts += [NOTHING] * (n_children - len(parts))
    first = int(tree.first_child[node])
    if reach.unseen:
        heaviest = int(tree.heaviest_child[node]) - first
        parts[heaviest] = replace(parts[heaviest], unseen=True)
    # A level that the node does not know is as good as missing here.
    unknown = reach.levels
    for part in parts:
        unknown &= ~part.levels
    if not (reach.missing or unknown):
        return Division(tuple(parts), stops=False, spreads=False)
    route = int(tree.missing_child[node])
    takers = [route] if route >= 0 else []
    if route == SPREAD:
        takers = [child for child in range(n_children) if tree.weight[first + child] > 0]
    if tree.surrogate_start[node] != tree.surrogate_start[node + 1]:
        takers += [0, 1]
    for child in takers:
        part = parts[child]
        missing = part.missing or reach.missing
        parts[child] = replace(part, levels=part.levels | unknown, missing=missing)
    stops = route == STOP or (route == SPREAD and not takers)
    return Division(tuple(parts), stops, spreads=route == SPREAD)


def known_parts(tree: "Tree", node: int, reach: Reach) -> list[Reach]:
    """What the children receive of the values that the node knows."""
    if tree.kind[node] not in (THRESHOLD, INTERVALS):
        entries = slice(tree.level_start[node], tree.level_start[node + 1])
        bits = [0] * int(tree.n_children[node])
        listed = 0
        codes, children = tree.level_code[entries], tree.level_child[entries]
        for code, child in zip(codes.tolist(), children.tolist(), strict=True):
            bits[child] |= reach.levels & (1 << code)
            listed |= 1 << code
        if tree.other_child[node] >= 0:
            bits[tree.other_child[node] - tree.first_child[node]] = reach.levels & ~listed
        return [replace(NOTHING, levels=own) for own in bits]
    if tree.kind[node] == THRESHOLD:
        cuts = [float(tree.threshold[node])]
    else:
        cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
    if tree.schema.columns[tree.feature[node]].is_numeric:
        lows = [-inf, *(nextafter(cut, inf) for cut in cuts)]
        return [
            replace(NOTHING, low=max(reach.low, low), high=min(reach.high, high))
            for low, high in zip(lows, [*cuts, inf], strict=True)
        ]
    masks = [0, *(up_to(cut, reach.levels) for cut in cuts), -1]
    return [
        replace(NOTHING, levels=reach.levels & above & ~below) for below, above in pairwise(masks)
    ]


def up_to(cut: float, levels: int) -> int:
    """The bits of the ordered levels whose position is not above the cut, as far as these go."""
    return (1 << min(max(floor(cut) + 1, 0), levels.bit_length())) - 1
