"""The best split of one column at one node, measured step by step."""

from dataclasses import dataclass, replace
from math import log2, nan

import numpy as np

from treewright import measures
from treewright.worksheets.first_best import first_best
from treewright.worksheets.partition_kinds import partitions_of
from treewright.worksheets.partitions import NOT_COUNTED, OWN_SIDE, Partitions, Ways
from treewright.worksheets.place import TIE, Place
from treewright.worksheets.scoring import WEIGHT, Codes, Pile, ValuesHere
from treewright.worksheets.work import CandidateWork, Group, Tried

MOST_KEPT = 30  # cuts of one column, the best, of which the worksheet keeps the gains


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """One split of the values that a column has at a node."""

    kind: str
    side_of_value: Codes
    conditions: tuple[str, ...]  # one for each side that values go to
    threshold: float | None
    missing: int  # the side of the missing rows, NOT_COUNTED or OWN_SIDE

    @property
    def missing_side(self) -> int:
        return len(self.conditions) if self.missing == OWN_SIDE else self.missing


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """What was found among the ways to part one column."""

    best: Division | None
    tried: tuple[Tried, ...]
    n_tried: int
    n_allowed: int  # with the missing rows where the best way has them


def candidate(
    place: Place, feature: int, here: ValuesHere, made: Division | None = None
) -> CandidateWork:
    """The best split by a column; `made` is the one that the tree has made, if it did by this."""
    name = place.training.table.columns[feature].name
    if here.n_values == 0:
        return _refused(place, name, feature, here, "no value is known here")
    partitions = partitions_of(place, feature, here)
    found = _searched(place, partitions, None if made is None else made.missing)
    division = found.best if made is None else made  # of equal splits the tree's own is shown
    if division is None:
        is_parted = here.n_values > 1 or partitions.parts_missing_rows
        why = "too few rows in a branch" if is_parted else "one value only"
        if is_parted and partitions.kind == "intervals" and not found.n_tried:
            why = "no cut pays for itself"
        refused = _refused(place, name, feature, here, why)
        gain = nan if is_parted else 0.0
        return replace(refused, tried=found.tried, n_tried=found.n_tried, gain=gain)
    return _worked_out(place, feature, here, division, found)


def _searched(place: Place, partitions: Partitions, missing: int | None) -> Searched:
    ways = partitions.measured()
    n_tried = int(ways.partition.max(initial=-1)) + 1
    tried = _tried(place, partitions, ways) if partitions.kind in ("threshold", "subset") else ()
    if not ways.allowed.any():
        return Searched(None, tried, n_tried, 0)
    best = _best(place, partitions, ways)
    missing = int(ways.missing[best]) if missing is None else missing
    n_allowed = int(ways.allowed[ways.missing == missing].sum())
    return Searched(_division(partitions, ways, best), tried, n_tried, n_allowed)


def _best(place: Place, partitions: Partitions, ways: Ways) -> int:
    """The first whose gain no later one exceeds.

    Where gain ratios count, single levels against the rest are compared by these; where the
    missing rows of a level do best is settled by the gain before.
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
            division = _division(partitions, ways, at)
            best.append(at)
            ratios.append(gains[at] / place.weight / _information(partitions.here, division))
    return best[first_best(ratios, TIE)]


def _division(partitions: Partitions, ways: Ways, at: int) -> Division:
    """One way; the lowest level is on the first of two sides."""
    number, missing = int(ways.partition[at]), int(ways.missing[at])
    sides, conditions = partitions.sides(number), partitions.conditions(number)
    if partitions.kind == "subset" and sides[0] == 1:
        sides, conditions = 1 - sides, conditions[::-1]
        missing = 1 - missing if missing >= 0 else missing
    return Division(partitions.kind, sides, conditions, partitions.threshold(number), missing)


def _tried(place: Place, partitions: Partitions, ways: Ways) -> tuple[Tried, ...]:
    """The best partitions, with missing rows where they do best."""
    n_tried = int(ways.partition.max(initial=-1)) + 1
    allowed = np.zeros(n_tried, dtype=bool)
    np.logical_or.at(allowed, ways.partition, ways.allowed)
    gains = np.full(n_tried, -np.inf)
    counts = ways.allowed | ~allowed[ways.partition]
    np.maximum.at(gains, ways.partition[counts], ways.gains[counts])
    ranked = np.lexsort((-gains, ~allowed))[:MOST_KEPT]
    kept = {  # several orders of levels may have a set in common
        condition: Tried(condition, float(gains[at]) / place.weight, bool(allowed[at]))
        for at in np.sort(ranked).tolist()
        for condition in [partitions.first_condition(at)]
    }
    return tuple(kept.values())


def _information(here: ValuesHere, division: Division) -> float:
    """Bits that name the branch of a row; rows left out by the gain are one more branch."""
    weights = np.zeros(len(division.conditions) + 1)
    np.add.at(weights, division.side_of_value, here.sums[:, WEIGHT])
    weights[division.missing if division.missing >= 0 else -1] += here.missing[WEIGHT]
    return measures.entropy(weights)


def _worked_out(
    place: Place, feature: int, here: ValuesHere, division: Division, found: Searched
) -> CandidateWork:
    scorer, settings = place.scorer, place.training.settings
    has_missing_side = division.missing_side >= 0
    n_sides = len(division.conditions) + (division.missing == OWN_SIDE)
    side_of_value = np.append(division.side_of_value, division.missing_side)
    sides, whole = scorer.sides(here, side_of_value, n_sides)
    correction = 0.0
    if settings.mdl_correction and division.kind == "threshold" and found.n_allowed:
        correction = log2(found.n_allowed) / scorer.node.weight
    gain = max(scorer.gain(sides, whole) / place.weight, 0.0) - correction
    information = _information(here, division)
    score = gain
    if settings.criterion == "gain_ratio":
        score = gain / information if information > 0 else 0.0
    elif settings.criterion == "chi2":
        score = gain * place.weight
    name = place.training.table.columns[feature].name
    conditions = (*division.conditions, f"{name} missing")
    return CandidateWork(
        column=name,
        feature=feature,
        kind=division.kind,
        branches=tuple(map(group_of, conditions, sides)),
        threshold=division.threshold,
        missing_weight=float(here.missing[WEIGHT]),
        known_share=whole.counted / place.weight,
        before=whole.impurity,
        remainder=sum(side.counted * side.impurity for side in sides) / whole.counted,
        correction=correction,
        gain=gain,
        split_information=information,
        score=score,
        tried=found.tried,
        refused="",
        n_tried=found.n_tried,
        n_allowed=found.n_allowed,
        missing_joins=division.missing if has_missing_side and division.missing >= 0 else -1,
    )


def group_of(condition: str, pile: Pile) -> Group:
    """What the worksheet says of some rows."""
    return Group(
        condition, pile.n_rows, pile.weight, pile.counts, pile.mean, pile.impurity, pile.median
    )


def _refused(place: Place, name: str, feature: int, here: ValuesHere, why: str) -> CandidateWork:
    missing = float(here.missing[WEIGHT])
    known = 1 - missing / place.scorer.node.weight
    return CandidateWork(
        name, feature, "", (), None, missing, known, nan, nan, 0.0, nan, nan, nan, (), why
    )


def made_division(
    kind: str, child_of_value: Codes, conditions: list[str], threshold: float | None, missing: int
) -> Division:
    """The split that a tree has made, without the branches that no known row takes.

    A level that the node does not list, where pruning raised it, has no side.
    """
    has_rows = np.isin(np.arange(len(conditions)), child_of_value)
    if kind in ("threshold", "subset"):
        has_rows[:2] = True
    side_of_child = np.append(np.cumsum(has_rows) - 1, NOT_COUNTED)
    if missing >= 0:
        missing = int(side_of_child[missing])
    kept = tuple(conditions[child] for child in np.flatnonzero(has_rows))
    return Division(kind, side_of_child[child_of_value], kept, threshold, missing)
