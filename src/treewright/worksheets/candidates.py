"""The best split of one column at one node, computed step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import log2, nan

import numpy as np

from treewright import measures
from treewright.plain_text import plain
from treewright.tree.conditions import conditions_of, sum_text
from treewright.tree.layout import OBLIQUE
from treewright.tree.tree import Tree
from treewright.worksheets.level_partitions import Branches, LevelOrders, LevelSets, tries_all_sets
from treewright.worksheets.node_rows import NOWHERE, child_of_rows
from treewright.worksheets.number_partitions import Intervals, Thresholds
from treewright.worksheets.partitions import NOT_COUNTED, OWN_SIDE, Partitions, Ways
from treewright.worksheets.place import TIE, Place
from treewright.worksheets.scoring import WEIGHT, Codes, Sides, ValuesHere, first_best
from treewright.worksheets.work import CandidateWork, Group, Tried


def partitions_of(place: Place, feature: int, here: ValuesHere) -> Partitions:
    """All splits of a node by one column that the settings allow."""
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


MOST_KEPT = 30  # best cuts of one column whose gains the worksheet stores


class Detail(IntEnum):
    """How much to compute about a column's best split; more detail takes longer."""

    SCORE = 0  # gain and score
    BRANCHES = 1  # and the branches
    EVERYTHING = 2  # and the other splits that were tried


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """One split of the values of a column at a node."""

    kind: str
    side_of_value: Codes
    conditions: tuple[str, ...]  # one for each side
    threshold: float | None
    missing: int  # the side of the missing rows, NOT_COUNTED or OWN_SIDE

    @property
    def n_sides(self) -> int:
        return len(self.conditions) + (self.missing == OWN_SIDE)

    @property
    def missing_side(self) -> int:
        return len(self.conditions) if self.missing == OWN_SIDE else self.missing


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """All splits by one column, and the best of them."""

    partitions: Partitions
    ways: Ways
    best: int | None
    n_allowed: int  # with the missing rows on the same side as in the best one

    @property
    def n_tried(self) -> int:
        return int(self.ways.partition.max(initial=-1)) + 1


def candidate(
    place: Place,
    feature: int,
    here: ValuesHere,
    made: Division | None = None,
    detail: Detail = Detail.EVERYTHING,
) -> CandidateWork:
    """The best split by a column; `made` is the tree's own split if it uses this column."""
    if here.n_values == 0:
        return _refused(place, feature, here, "all values are missing here")
    if detail == Detail.SCORE and here.n_values == 1 and not here.has_missing:
        return replace(_refused(place, feature, here, "one value only"), gain=0.0)
    found = _searched(place, feature, here, None if made is None else made.missing)
    if found.best is None and made is None:
        work = _without_split(place, feature, here, found)
    elif detail == Detail.SCORE and made is None:
        work = _scored(place, feature, here, found)
    else:  # among equal splits, show the tree's own
        division = made or _division(found)
        sides = sides_of(place, here, division)
        work = worked_out(place, feature, division, sides, found.n_allowed)
        work = replace(work, n_tried=found.n_tried)
    if detail < Detail.EVERYTHING:
        return work
    return replace(work, tried=_tried(place, found), levels=_levels(place, here, found))


def _searched(place: Place, feature: int, here: ValuesHere, missing: int | None) -> Searched:
    partitions = partitions_of(place, feature, here)
    ways = partitions.measured()
    if not ways.allowed.any():
        return Searched(partitions, ways, None, 0)
    best = _best(place, partitions, ways)
    missing = int(ways.missing[best]) if missing is None else missing
    n_allowed = int(ways.allowed[ways.missing == missing].sum())
    return Searched(partitions, ways, best, n_allowed)


def _best(place: Place, partitions: Partitions, ways: Ways) -> int:
    """The split with the largest gain, the first of equals.

    With the gain ratio and one category against the rest, the categories are compared by gain
    ratio; the side of the missing rows is chosen by gain first.
    """
    settings = place.training.settings
    gains = np.where(ways.allowed, ways.gains, -np.inf)
    one_by_one = partitions.kind == "subset" and settings.nominal == "one_vs_rest"
    if not one_by_one or settings.criterion != "gain_ratio":
        return first_best(gains, place.tolerance)
    best, ratios = [], []
    for level in range(partitions.here.n_values):
        own = np.flatnonzero((ways.partition == level) & ways.allowed)
        if len(own):
            at = int(own[first_best(gains[own], place.tolerance)])
            sides, missing = partitions.sides(level), int(ways.missing[at])
            best.append(at)
            bits = _information(partitions.here, sides, missing)
            ratios.append(gains[at] / place.weight / bits)
    return best[first_best(ratios, TIE)]


def _division(found: Searched) -> Division:
    """The best split; of two sides the first contains the lowest category."""
    partitions, ways, best = found.partitions, found.ways, found.best
    number, missing = int(ways.partition[best]), int(ways.missing[best])
    sides, conditions = partitions.sides(number), partitions.conditions(number)
    if partitions.kind == "subset" and sides[0] == 1:
        sides, conditions = 1 - sides, conditions[::-1]
        missing = 1 - missing if missing >= 0 else missing
    return Division(partitions.kind, sides, conditions, partitions.threshold(number), missing)


def _tried(place: Place, found: Searched) -> tuple[Tried, ...]:
    """The best splits, each with the missing rows on their best side."""
    partitions, ways, n_tried = found.partitions, found.ways, found.n_tried
    if partitions.kind not in ("threshold", "subset"):
        return ()
    allowed = np.zeros(n_tried, dtype=bool)
    np.logical_or.at(allowed, ways.partition, ways.allowed)
    gains = np.full(n_tried, -np.inf)
    counts = ways.allowed | ~allowed[ways.partition]
    np.maximum.at(gains, ways.partition[counts], ways.gains[counts])
    ranked = np.lexsort((-gains, ~allowed))[:MOST_KEPT]
    kept = {  # several orders of the categories may produce the same set
        _which_side(partitions, at): Tried(
            partitions.first_condition(at),
            float(gains[at]) / place.weight,
            bool(allowed[at]),
            partitions.n_first(at),
        )
        for at in np.sort(ranked).tolist()
    }
    return tuple(kept.values())


def _which_side(partitions: Partitions, at: int) -> bytes:
    """Which values are on the same side as the lowest one."""
    sides = partitions.sides(at)
    return bytes(np.equal(sides, sides[0]))


def _levels(place: Place, here: ValuesHere, found: Searched) -> tuple[Group, ...]:
    """Each category alone, in the order that was cut."""
    order = found.partitions.levels_in_order
    if not len(order):
        return ()
    alone = np.append(np.arange(here.n_values), NOT_COUNTED)
    groups = place.scorer.sides(here, alone, here.n_values).groups
    names = [found.partitions.spec.levels[int(code)] for code in here.numbers]
    return tuple(groups[level].as_group(plain(str(names[level]))) for level in order.tolist())


def _information(here: ValuesHere, side_of_value: Codes, missing: int) -> float:
    """Split information; rows that the gain leaves out count as one more branch."""
    weights = np.zeros(int(side_of_value.max(initial=1)) + 2)
    np.add.at(weights, side_of_value, here.sums[:, WEIGHT])
    weights[missing if missing >= 0 else -1] += here.missing[WEIGHT]
    return measures.entropy(weights)


def _correction(place: Place, kind: str, n_allowed: int) -> float:
    """C4.5: the penalty for the number of possible thresholds."""
    if not place.training.settings.mdl_correction or kind != "threshold" or not n_allowed:
        return 0.0
    return log2(n_allowed) / place.scorer.node.weight


def score_of(place: Place, gain: float, information: float) -> float:
    """What columns are compared by."""
    match place.training.settings.criterion:
        case "gain_ratio":
            return gain / information if information > 0 else 0.0
        case "chi2":
            return gain * place.weight
    return gain


def _scored(place: Place, feature: int, here: ValuesHere, found: Searched) -> CandidateWork:
    """The gain and score of the best split, without its branches."""
    partitions, ways, best = found.partitions, found.ways, found.best
    assert best is not None
    sides = partitions.sides(int(ways.partition[best]))
    information = _information(here, sides, int(ways.missing[best]))
    correction = _correction(place, partitions.kind, found.n_allowed)
    gain = max(float(ways.gains[best]) / place.weight, 0.0) - correction
    return replace(
        _refused(place, feature, here, ""),
        kind=partitions.kind,
        correction=correction,
        gain=gain,
        split_information=information,
        score=score_of(place, gain, information),
        n_tried=found.n_tried,
        n_allowed=found.n_allowed,
    )


def sides_of(place: Place, here: ValuesHere, division: Division) -> Sides:
    """The rows on each side of a split."""
    side_of_value = np.append(division.side_of_value, division.missing_side)
    return place.scorer.sides(here, side_of_value, division.n_sides)


def worked_out(
    place: Place, feature: int, division: Division, sides: Sides, n_allowed: int
) -> CandidateWork:
    """A split with its branches, gain and score."""
    name = place.training.table.columns[feature].name
    work = CandidateWork(
        column=name,
        feature=feature,
        kind=division.kind,
        threshold=division.threshold,
        missing_weight=sides.missing,
        correction=_correction(place, division.kind, n_allowed),
        # Rows that the gain leaves out count as one more branch.
        split_information=measures.entropy([*(one.weight for one in sides.groups), sides.left_out]),
        n_allowed=n_allowed,
        missing_joins=max(division.missing, -1),
    )
    return _with_gain(work, place, (*division.conditions, f"{name} missing"), sides)


def _with_gain(
    work: CandidateWork,
    place: Place,
    conditions: Sequence[str],
    sides: Sides,
) -> CandidateWork:
    """The candidate with its branches, gain and score."""
    scored, whole = sides.groups, sides.whole
    gain = max(place.scorer.gain(scored, whole) / place.weight, 0.0) - work.correction
    groups = [side.as_group(condition) for condition, side in zip(conditions, scored, strict=False)]
    return replace(
        work,
        branches=tuple(groups),
        known_share=whole.counted / place.weight,
        before=whole.impurity,
        remainder=sum(side.counted * side.impurity for side in scored) / whole.counted,
        gain=gain,
        score=score_of(place, gain, work.split_information),
    )


def _without_split(place: Place, feature: int, here: ValuesHere, found: Searched) -> CandidateWork:
    can_split = here.n_values > 1 or found.partitions.can_isolate_missing
    why = "too few rows in a branch" if can_split else "one value only"
    if can_split and found.partitions.kind == "intervals" and not found.n_tried:
        why = "no cut pays for itself"
    refused = _refused(place, feature, here, why)
    return replace(refused, n_tried=found.n_tried, gain=nan if can_split else 0.0)


def _refused(place: Place, feature: int, here: ValuesHere, why: str) -> CandidateWork:
    name = place.training.table.columns[feature].name
    missing = float(here.missing[WEIGHT])
    known = 1 - missing / place.scorer.node.weight
    return CandidateWork(name, feature, missing_weight=missing, known_share=known, refused=why)


def division_of_node(
    kind: str, child_of_value: Codes, conditions: list[str], threshold: float | None, missing: int
) -> Division:
    """The split of a tree's node, without branches that no row with a known value takes.

    A category that the node does not list (pruning raised the node) has no side.
    """
    has_rows = np.isin(np.arange(len(conditions)), child_of_value)
    if kind in ("threshold", "subset"):
        has_rows[:2] = True
    side_of_child = np.append(np.cumsum(has_rows) - 1, NOT_COUNTED)
    if missing >= 0:
        missing = int(side_of_child[missing])
    kept = tuple(conditions[child] for child in np.flatnonzero(has_rows))
    return Division(kind, side_of_child[child_of_value], kept, threshold, missing)


def chosen_feature(tree: Tree, node: int) -> int:
    """The feature number of the chosen candidate; a sum of columns comes after all columns."""
    if tree.kind[node] == OBLIQUE:
        return tree.schema.n_columns
    return int(tree.feature[node])


def sum_candidate(tree: Tree, node: int, place: Place) -> CandidateWork:
    """The split of an oblique node; the missing policy says where missing values count."""
    side_of_row = child_of_rows(tree, place.training, node, place.share.rows)
    is_missing = side_of_row == NOWHERE
    missing_weight = float(place.share.weights[is_missing].sum())
    is_counted = place.training.settings.missing in ("learned", "branch")
    joins = int(tree.missing_child[node]) if is_missing.any() and is_counted else -1
    side_of_row = np.where(is_missing, joins, side_of_row)
    scorer = place.scorer
    n_sides = int(tree.n_children[node])
    groups = scorer.groups(side_of_row, n_sides)
    whole = scorer.node
    if (side_of_row < 0).any():
        whole = scorer.groups(np.minimum(side_of_row, 0), 1)[0]
    weights = [group.weight for group in groups] + [missing_weight if joins < 0 else 0.0]
    work = CandidateWork(
        column=sum_text(tree, node),
        feature=chosen_feature(tree, node),
        kind="oblique",
        threshold=float(tree.threshold[node]),
        missing_weight=missing_weight,
        split_information=measures.entropy(weights),
        missing_joins=joins if joins < n_sides else -1,
    )
    sides = Sides(groups, whole, 0.0, missing_weight)
    return _with_gain(work, place, conditions_of(tree, node), sides)
