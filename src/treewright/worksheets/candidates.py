"""The best split of one column at one node, measured step by step."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log2, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import measures
from treewright.worksheets.partitions import (
    Partition,
    branches,
    cut_in_two,
    cuts_of,
    known_or_not,
    level_sets,
    threshold_at,
    threshold_conditions,
)
from treewright.worksheets.scoring import Scorer
from treewright.worksheets.training import Share, Training
from treewright.worksheets.work import CandidateWork, Group, Tried

TIE = 1e-12  # of impurity x weight: gains closer than this are equal
KNOWN_ROWS_ONLY = ("fractional", "surrogate", "majority", "stop")
MOST_KEPT = 30  # cuts of one column, the best, of which the worksheet keeps the gains
CEILING, PART = 25.0, 0.1  # C4.5: the least weight on each side of a threshold


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A node as candidates see it."""

    training: Training
    scorer: Scorer
    share: Share

    @property
    def tolerance(self) -> float:
        return TIE * self.scorer.impurity(self.share) * self.scorer.weight(self.share)

    def parted(self, feature: int) -> tuple[Share, Share]:
        """The rows that know a column, and those that do not."""
        is_missing = np.isnan(self.training.numbers(feature)[self.share.rows])
        return self.share.where(~is_missing), self.share.where(is_missing)

    def group(self, condition: str, share: Share) -> Group:
        """What the worksheet says of some rows."""
        training = self.training
        counts: tuple[float, ...] = ()
        mean = nan
        if training.values is None:
            counts = tuple(training.class_weights(share).tolist())
        elif share.weight > 0:
            mean = float(np.average(training.values[share.rows], weights=share.weights))
        impurity = self.scorer.impurity(share) if share.n_rows else 0.0
        return Group(condition, share.n_rows, share.weight, counts, mean, impurity)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A way to part the rows: the sides that the gain sees, and the gain times weight."""

    partition: Partition
    sides: tuple[Share, ...]
    gain: float
    is_allowed: bool
    is_missing_side: bool = False  # the last side holds the missing rows


def candidate(place: Place, feature: int, made: Partition | None = None) -> CandidateWork:
    """The best split by a column; `made` is the one that the tree has made, if it did by this."""
    training = place.training
    known, missing = place.parted(feature)
    name = training.table.columns[feature].name
    if known.n_rows == 0:
        return _refused(place, name, feature, missing, "no value is known here")
    found, tried, n_allowed = _search(place, feature, known, missing)
    if made is not None:
        # Of equal splits the tree's own is shown; where missing rows go is settled by the gain.
        found = _best(place, _with_missing(place, [made], known, missing))
    if found is None:
        parted = _is_parted(place, feature, known)
        why = "too few rows in a branch" if parted else "one value only"
        refused = _refused(place, name, feature, missing, why)
        return replace(refused, tried=tried, gain=nan if parted else 0.0)
    return _worked_out(place, feature, found, missing, tried, n_allowed)


def _search(
    place: Place, feature: int, known: Share, missing: Share
) -> tuple[Measured | None, tuple[Tried, ...], int]:
    """The best way, all ways tried, and the number of them that were allowed."""
    training = place.training
    if not training.is_nominal(feature):
        return _best_cut(place, feature, known, missing)
    if training.settings.nominal == "branches":
        made: Iterable[Partition] = [branches(training, feature, known)]
    else:
        made = level_sets(training, feature, known)
    measured = _with_missing(place, list(made), known, missing)
    allowed = [way for way in measured if way.is_allowed]
    tried: tuple[Tried, ...] = ()
    if training.settings.nominal != "branches":
        weight = place.scorer.weight(place.share)
        tried = tuple(
            Tried(way.partition.conditions[0], way.gain / weight, way.is_allowed)
            for way in measured
        )
    return _best(place, measured), tried, len(allowed)


def _with_missing(
    place: Place, partitions: list[Partition], known: Share, missing: Share
) -> list[Measured]:
    """Each partition with the missing rows where the policy puts them while it is measured."""
    policy = place.training.settings.missing
    ways = []
    for partition in partitions:
        groups = partition.groups
        if missing.n_rows == 0 or policy in KNOWN_ROWS_ONLY:
            ways.append(_measured(place, partition, tuple(groups), known))
        elif policy == "branch":
            way = _measured(place, partition, (*groups, missing), known)
            ways.append(replace(way, is_missing_side=True))
    if missing.n_rows and policy == "learned":
        n_sides = max((len(partition.groups) for partition in partitions), default=0)
        for child in range(n_sides):
            for partition in partitions:
                # Where no known row goes right, the missing ones do.
                only_last = partition.groups[-1].n_rows == 0 and child + 1 < len(partition.groups)
                if child < len(partition.groups) and not only_last:
                    sides = list(partition.groups)
                    sides[child] = sides[child].and_also(missing)
                    ways.append(_measured(place, partition, tuple(sides), known))
    return ways


def _measured(
    place: Place, partition: Partition, sides: tuple[Share, ...], known: Share
) -> Measured:
    gain = place.scorer.gain(list(sides))
    big = [_is_big(place, side, _limit(place, partition.kind, known)) for side in sides]
    by_two = partition.kind in ("threshold", "subset", "oblique")
    is_allowed = all(big[:2]) if by_two else sum(big) >= 2
    if place.training.settings.criterion == "poisson":
        is_allowed = is_allowed and all(place.group("", side).mean > 0 for side in sides)
    return Measured(partition, sides, gain, is_allowed and len(sides) > 1)


def _limit(place: Place, kind: str, known: Share) -> float:
    settings = place.training.settings
    limit = float(settings.min_samples_leaf)
    if settings.limits_by_weight and kind == "threshold":
        limit = max(limit, min(CEILING, PART * known.weight / place.training.n_classes))
    return limit


def _is_big(place: Place, side: Share, limit: float) -> bool:
    settings = place.training.settings
    size = side.weight if settings.limits_by_weight else side.n_rows
    least = settings.min_weight_fraction_leaf * float(place.training.weights.sum())
    return side.n_rows > 0 and size >= limit - TIE * limit and side.weight >= least * (1 - TIE)


def _best(place: Place, measured: list[Measured]) -> Measured | None:
    """The first whose gain no later one exceeds.

    Where gain ratios count, single levels against the rest are compared by these; where the
    missing rows of a level do best is settled by the gain before.
    """
    settings = place.training.settings
    allowed = [way for way in measured if way.is_allowed]
    if not allowed:
        return None
    single_levels = allowed[0].partition.kind == "subset" and settings.nominal == "one_vs_rest"
    if not single_levels or settings.criterion != "gain_ratio":
        return allowed[first_best([way.gain for way in allowed], place.tolerance)]
    by_level: dict[int, list[Measured]] = {}
    for way in allowed:
        by_level.setdefault(id(way.partition), []).append(way)
    best = [
        ways[first_best([way.gain for way in ways], place.tolerance)] for ways in by_level.values()
    ]
    weight = place.scorer.weight(place.share)
    ratios = [way.gain / weight / _information(place, way) for way in best]
    return best[first_best(ratios, TIE)]


def first_best(scores: ArrayLike, tolerance: float) -> int:
    """The position that keeps first place: a later score must exceed it by the tolerance."""
    numbers = np.asarray(scores, dtype=np.float64)
    # Only a score above all before it can take the place.
    highest = np.maximum.accumulate(numbers)
    best = 0
    for at in np.flatnonzero(highest[1:] > highest[:-1]) + 1:
        if numbers[at] > numbers[best] + tolerance:
            best = int(at)
    return best


def _best_cut(
    place: Place, feature: int, known: Share, missing: Share
) -> tuple[Measured | None, tuple[Tried, ...], int]:
    training = place.training
    if missing.n_rows and training.settings.missing in ("learned", "branch"):
        return _best_of_few(place, feature, known, missing)
    cuts = cuts_of(training, feature, known)
    if len(cuts.ends) == 0:
        return None, (), 0
    gains = place.scorer.cut_gains(cuts.share, cuts.ends)
    allowed = _allowed_cuts(place, cuts.share, cuts.ends)
    kept = np.sort(np.argsort(-np.where(allowed, gains, -np.inf), kind="stable")[:MOST_KEPT])
    weight = place.scorer.weight(place.share)
    tried = tuple(
        Tried(
            _condition(training, feature, float(cuts.below[at]), float(cuts.above[at])),
            float(gains[at]) / weight,
            bool(allowed[at]),
        )
        for at in kept
    )
    if not allowed.any():
        return None, tried, 0
    best = first_best(np.where(allowed, gains, -np.inf), place.tolerance)
    partition = cut_in_two(training, feature, cuts, best)
    return _measured(place, partition, tuple(partition.groups), known), tried, int(allowed.sum())


def _best_of_few(
    place: Place, feature: int, known: Share, missing: Share
) -> tuple[Measured | None, tuple[Tried, ...], int]:
    cuts = cuts_of(place.training, feature, known)
    partitions = [cut_in_two(place.training, feature, cuts, at) for at in range(len(cuts.ends))]
    if place.training.settings.missing == "learned":
        partitions += known_or_not(place.training, feature, known)
    measured = _with_missing(place, partitions, known, missing)
    weight = place.scorer.weight(place.share)
    tried = tuple(
        Tried(way.partition.conditions[0], way.gain / weight, way.is_allowed) for way in measured
    )
    return _best(place, measured), tried, sum(way.is_allowed for way in measured)


def _allowed_cuts(place: Place, share: Share, ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which cuts of rows in order leave enough on both sides."""
    settings = place.training.settings
    running = np.cumsum(share.weights)
    smaller = np.minimum(running[ends - 1], running[-1] - running[ends - 1])
    limit = _limit(place, "threshold", share)
    if settings.limits_by_weight:
        fits = smaller >= limit - TIE * limit
    else:
        fits = np.minimum(ends, share.n_rows - ends) >= limit
    least = settings.min_weight_fraction_leaf * float(place.training.weights.sum())
    fits &= smaller >= least * (1 - TIE)
    if settings.criterion == "poisson":
        assert place.training.values is not None
        mass = np.cumsum(place.training.values[share.rows] * share.weights)
        fits &= (mass[ends - 1] > 0) & (mass[-1] > mass[ends - 1])
    return np.asarray(fits)


def _condition(training: Training, feature: int, below: float, above: float) -> str:
    return threshold_conditions(training, feature, threshold_at(training, feature, below, above))[0]


def _is_parted(place: Place, feature: int, known: Share) -> bool:
    return len(np.unique(place.training.numbers(feature)[known.rows])) > 1


def _information(place: Place, way: Measured) -> float:
    """Bits that name the branch of a row; rows left out by the gain are one more branch."""
    weights = [side.weight for side in way.sides]
    rest = place.share.n_rows - sum(side.n_rows for side in way.sides)
    if rest > 0:
        weights.append(place.share.weight - sum(weights))
    return measures.entropy(np.maximum(weights, 0.0))


def _worked_out(  # noqa: PLR0913 -- all that was found of one column
    place: Place,
    feature: int,
    found: Measured,
    missing: Share,
    tried: tuple[Tried, ...],
    n_allowed: int,
) -> CandidateWork:
    training, scorer = place.training, place.scorer
    weight = scorer.weight(place.share)
    seen = found.sides[0]
    for side in found.sides[1:]:
        seen = seen.and_also(side)
    seen_weight = scorer.weight(seen)
    correction = 0.0
    if training.settings.mdl_correction and not training.is_nominal(feature) and n_allowed:
        correction = log2(n_allowed) / place.share.weight
    gain = max(found.gain / weight, 0.0) - correction
    conditions = list(found.partition.conditions)
    name = training.table.columns[feature].name
    if found.is_missing_side:
        conditions.append(f"{name} missing")
    groups = tuple(
        place.group(condition, side)
        for condition, side in zip(conditions, found.sides, strict=True)
    )
    information = _information(place, found)
    score = gain
    if training.settings.criterion == "gain_ratio":
        score = gain / information if information > 0 else 0.0
    elif training.settings.criterion == "chi2":
        score = gain * weight
    remainder = sum(
        scorer.weight(side) * group.impurity
        for side, group in zip(found.sides, groups, strict=True)
    )
    return CandidateWork(
        column=name,
        feature=feature,
        kind=found.partition.kind,
        branches=groups,
        threshold=found.partition.threshold,
        missing_weight=missing.weight,
        known_share=seen_weight / weight,
        before=scorer.impurity(seen),
        remainder=remainder / seen_weight,
        correction=correction,
        gain=gain,
        split_information=information,
        score=score,
        tried=tried,
        refused="",
    )


def _refused(place: Place, name: str, feature: int, missing: Share, why: str) -> CandidateWork:
    known = 1 - missing.weight / place.share.weight
    return CandidateWork(
        name, feature, "", (), None, missing.weight, known, nan, nan, 0.0, nan, nan, nan, (), why
    )
