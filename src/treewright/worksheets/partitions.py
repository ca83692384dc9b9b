"""The ways in which one column may part the rows of a node."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.cut_points import LARGEST, midpoint
from treewright.data.schema import ColumnSpec
from treewright.tree.conditions import bound_text, level_condition, plain
from treewright.tree.kinds import BRANCHES, INTERVALS, KIND_NAMES, OBLIQUE, THRESHOLD
from treewright.tree.tree import Tree
from treewright.worksheets.training import Floats, Share, Training

MOST_LEVELS_TRIED = 12  # all sets of so many levels; of more, cuts of their order
MOST_LEVELS_BY_DISTANCE = 8
CLOSEST_GAP, LEAST_SHARE_OF_RANGE = 1e-5, 1e-3  # C4.5 does not cut between closer values


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """One split of the rows that know a column."""

    kind: str
    groups: list[Share]
    conditions: tuple[str, ...]
    threshold: float | None = None


def branches(training: Training, feature: int, known: Share) -> Partition:
    """One group for each level with rows."""
    spec = ColumnSpec.of(training.table.columns[feature])
    codes = training.numbers(feature)[known.rows]
    levels = np.unique(codes)
    return Partition(
        "branches",
        [known.where(codes == level) for level in levels],
        tuple(level_condition(plain(spec.name), (spec.levels[int(level)],)) for level in levels),
    )


def level_sets(training: Training, feature: int, known: Share) -> Iterator[Partition]:
    """Two sets of levels, the lowest level in the first; in the order that decides ties."""
    spec = ColumnSpec.of(training.table.columns[feature])
    codes = training.numbers(feature)[known.rows].astype(np.intp)
    levels = np.unique(codes).tolist()
    for chosen in _left_sets(training, known, codes, levels):
        left = chosen if levels[0] in chosen else set(levels) - chosen
        goes_left = np.isin(codes, sorted(left))
        sides = [sorted(left), [level for level in levels if level not in left]]
        yield Partition(
            "subset",
            [known.where(goes_left), known.where(~goes_left)],
            tuple(
                level_condition(plain(spec.name), tuple(spec.levels[level] for level in side))
                for side in sides
            ),
        )


def _left_sets(
    training: Training, known: Share, codes: NDArray[np.intp], levels: list[int]
) -> Iterator[set[int]]:
    if training.settings.nominal == "one_vs_rest":
        yield from ({level} for level in levels if len(levels) > 1)
        return
    limit = MOST_LEVELS_TRIED
    if training.settings.criterion == "absolute_error":
        limit = MOST_LEVELS_BY_DISTANCE
    in_order = training.n_classes == 2 or training.settings.criterion in (
        "squared_error",
        "poisson",
    )
    if not in_order and len(levels) <= limit:
        first, *others = levels
        for size in range(len(others)):
            yield from ({first, *chosen} for chosen in combinations(others, size))
        return
    for numbers in _orders(training, known):
        means = {
            level: np.average(numbers[codes == level], weights=known.weights[codes == level])
            for level in levels
        }
        ranked = sorted(levels, key=lambda level: (means[level], level))
        yield from (set(ranked[:size]) for size in range(1, len(levels)))


def _orders(training: Training, known: Share) -> list[Floats]:
    """Numbers whose means put levels in order: the target, or each class against the others."""
    if training.values is not None:
        return [training.values[known.rows]]
    assert training.codes is not None
    codes = training.codes[known.rows]
    n_orders = 1 if training.n_classes == 2 else training.n_classes
    return [-(codes == number).astype(np.float64) for number in range(n_orders)]


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The rows that know a column in rising order, and the places where it may be cut."""

    share: Share
    ends: NDArray[np.intp]  # rows below each cut
    below: Floats  # the values on both sides of each cut
    above: Floats


def cuts_of(training: Training, feature: int, known: Share) -> Cuts:
    """All places between different neighbours that the settings let a cut be made at."""
    numbers = training.numbers(feature)
    order = np.argsort(numbers[known.rows], kind="stable")
    share = known.in_order(order)
    values = numbers[share.rows]
    ends = np.flatnonzero(values[1:] > values[:-1]) + 1
    if training.settings.c45_gaps and len(ends):
        in_table = numbers[~np.isnan(numbers)]
        gap = min(CLOSEST_GAP, LEAST_SHARE_OF_RANGE * float(in_table.max() - in_table.min()))
        ends = ends[values[ends - 1] + gap < values[ends]]
    return Cuts(share, ends, values[ends - 1], values[ends])


def threshold_at(training: Training, feature: int, below: float, above: float) -> float:
    """The threshold of a cut: the midpoint, or for C4.5 the largest value not above it."""
    middle = float(midpoint(below, above))
    column = training.table.columns[feature]
    if not training.settings.data_value_thresholds or not isinstance(column, NumericColumn):
        return middle
    slack = 1e-6 * (above - below) if np.isfinite(above - below) else 0.0
    values = training.numbers(feature)
    value = float(values[values <= middle + slack].max())
    return value if np.isfinite(value) else middle


def cut_in_two(training: Training, feature: int, cuts: Cuts, at: int) -> Partition:
    """The rows below and above one cut."""
    end = int(cuts.ends[at])
    share = cuts.share
    threshold = threshold_at(training, feature, float(cuts.below[at]), float(cuts.above[at]))
    return Partition(
        "threshold",
        [
            Share(share.rows[:end], share.weights[:end]),
            Share(share.rows[end:], share.weights[end:]),
        ],
        threshold_conditions(training, feature, threshold),
        threshold,
    )


def known_or_not(training: Training, feature: int, known: Share) -> list[Partition]:
    """All known rows on one side, so that the missing ones have the other to themselves."""
    highest = float(training.numbers(feature)[known.rows].max())
    if highest == np.inf:
        return []
    threshold = max(highest, -LARGEST)
    nobody = known.where(np.zeros(known.n_rows, dtype=bool))
    conditions = threshold_conditions(training, feature, threshold)
    return [Partition("threshold", [known, nobody], conditions, threshold)]


def threshold_conditions(training: Training, feature: int, threshold: float) -> tuple[str, str]:
    """`x <= 5` and `x > 5`."""
    spec = ColumnSpec.of(training.table.columns[feature])
    at, name = bound_text(spec, threshold), plain(spec.name)
    return f"{name} <= {at}", f"{name} > {at}"


def split_of(
    tree: Tree, node: int, children: NDArray[np.intp], share: Share, conditions: list[str]
) -> Partition:
    """The split that a node of the tree makes, of the rows that know its value."""
    groups = [share.where(children == child) for child in range(int(tree.n_children[node]))]
    kept = [number for number, group in enumerate(groups) if group.n_rows]
    kind = tree.kind[node]
    two_sided = kind in (THRESHOLD, OBLIQUE)
    if kind not in (BRANCHES, INTERVALS):
        kept = [0, 1]
    return Partition(
        KIND_NAMES[kind],
        [groups[number] for number in kept],
        tuple(conditions[number] for number in kept),
        float(tree.threshold[node]) if two_sided else None,
    )
