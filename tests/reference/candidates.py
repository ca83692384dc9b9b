"""Every split of a node that the settings allow, with its sides and its score.

One column at a time: list all partitions of the rows that know it, add the missing rows
as the policy says, drop what the limits forbid, and measure the rest from scratch.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise

from reference.impurity import (
    LN2,
    chi_square_statistic,
    entropy_of_weights,
    has_positive_mean,
    total_impurity,
)
from reference.mdl import mdl_cuts
from reference.problem import Problem, Rows, Weight, known_and_missing, mean_of, weight_of
from reference.thresholds import LARGEST, is_gap_of_j48, largest_value_up_to, midpoint

# Policies that score the rows that know the column, and only those.
KNOWN_ROWS_ONLY = ("fractional", "surrogate", "majority", "stop")


@dataclass(frozen=True)
class Candidate:
    """One split of one node. `groups` are the rows that know the column, child by child."""

    column: int
    kind: str  # "threshold", "branches", "intervals", "subset"
    groups: list[Rows] = field(repr=False)
    threshold: float | None = None
    level_child: dict[int, int] | None = None
    cuts: tuple[float, ...] = ()
    missing_child: int | None = None  # chosen by score; only for `learned`
    gain: Decimal = Decimal(0)  # in units of weight
    split_information: Decimal | None = None  # in units of weight; only for gain ratio

    @property
    def score(self) -> Decimal:
        """What columns are compared by."""
        return self.gain if self.split_information is None else self.gain / self.split_information


def candidates_of(problem: Problem, column: int, rows: Rows) -> list[Candidate]:
    """All admissible splits by one column, in the order that decides ties."""
    known, missing = known_and_missing(problem, column, rows)
    found = []
    for partition in partitions(problem, column, known, missing):
        for sides, missing_child in scored_sides(problem, partition, missing):
            if is_admissible(problem, partition, sides, known):
                scored = replace(partition, missing_child=missing_child)
                found.append(_with_score(problem, scored, sides, missing))
    # Missing values are tried at the first child for every partition, then at the next one.
    found.sort(key=lambda candidate: candidate.missing_child or 0)
    if problem.settings.mdl_correction and problem.columns[column].is_split_by_threshold:
        found = [replace(c, gain=c.gain - _price_of_place(c, found)) for c in found]
    return found


def _price_of_place(chosen: Candidate, among: list[Candidate]) -> Decimal:
    """Bits that name a threshold among the admissible ones, missing values being where they are."""
    n_places = sum(candidate.missing_child == chosen.missing_child for candidate in among)
    return Decimal(n_places).ln() / LN2


# Partitions of the rows that know the column.


def partitions(problem: Problem, column: int, known: Rows, missing: Rows) -> Iterator[Candidate]:
    """All ways to divide the rows that know the column, in the order that decides ties."""
    if not known:
        return iter(())
    if not problem.columns[column].is_split_by_threshold:
        if problem.settings.nominal == "branches":
            return _branches(problem, column, known)
        return _subsets(problem, column, known)
    if problem.settings.numeric == "intervals":
        return _intervals(problem, column, known)
    return _thresholds(problem, column, known, missing)


def _thresholds(problem: Problem, column: int, known: Rows, missing: Rows) -> Iterator[Candidate]:
    values = problem.columns[column].values
    distinct = sorted({values[row] for row, _ in known})
    in_table = [values[row] for row, _ in problem.all_rows if values[row] is not None]
    for lower, upper in pairwise(distinct):
        if problem.settings.j48_gaps and not is_gap_of_j48(lower, upper):
            continue
        below = [(row, weight) for row, weight in known if values[row] <= lower]
        above = [(row, weight) for row, weight in known if values[row] > lower]
        threshold = midpoint(lower, upper)
        if problem.settings.data_value_thresholds and problem.columns[column].kind == "numeric":
            threshold = largest_value_up_to(in_table, threshold, upper - lower)
        yield Candidate(column, "threshold", [below, above], threshold=threshold)
    if problem.settings.missing == "learned" and missing and distinct[-1] < math.inf:
        highest = max(distinct[-1], -LARGEST)
        yield Candidate(column, "threshold", [known, []], threshold=highest)


def _branches(problem: Problem, column: int, known: Rows) -> Iterator[Candidate]:
    values = problem.columns[column].values
    levels = sorted({values[row] for row, _ in known})
    groups = [[pair for pair in known if values[pair[0]] == level] for level in levels]
    children = {level: child for child, level in enumerate(levels)}
    yield Candidate(column, "branches", groups, level_child=children)


def _subsets(problem: Problem, column: int, known: Rows) -> Iterator[Candidate]:
    """Two sets of levels; child 0 holds the lowest one."""
    values = problem.columns[column].values
    levels = sorted({values[row] for row, _ in known})
    for left in _left_sets(problem, column, known):
        left = left if levels[0] in left else set(levels) - left
        groups = [
            [pair for pair in known if values[pair[0]] in left],
            [pair for pair in known if values[pair[0]] not in left],
        ]
        children = {level: int(level not in left) for level in levels}
        yield Candidate(column, "subset", groups, level_child=children)


def _left_sets(problem: Problem, column: int, known: Rows) -> Iterator[set[int]]:
    """All sets with the lowest level, smaller ones first; or the cuts of the levels in order.

    With two classes, squared error and Poisson deviance the best set is a cut of the levels
    sorted by their mean (Breiman et al. 1984, theorem 4.5). Limits are then applied to the cuts.
    """
    values = problem.columns[column].values
    levels = sorted({values[row] for row, _ in known})
    if problem.settings.nominal == "one_vs_rest":
        yield from ({level} for level in levels if len(levels) > 1)
    elif _is_cut_in_order(problem):
        # Of two classes the codes are as good as any numbers; the share of the first class rises.
        sign = -1 if problem.n_classes else 1
        means = {
            level: mean_of(problem, [pair for pair in known if values[pair[0]] == level])
            for level in levels
        }
        in_order = sorted(levels, key=lambda level: (sign * means[level], level))
        yield from (set(in_order[:size]) for size in range(1, len(levels)))
    else:
        first, *others = levels
        for size in range(len(others)):
            yield from ({first, *chosen} for chosen in combinations(others, size))


def _is_cut_in_order(problem: Problem) -> bool:
    if problem.n_classes:
        return problem.n_classes == 2
    return problem.settings.criterion in ("squared_error", "poisson")


def _intervals(problem: Problem, column: int, known: Rows) -> Iterator[Candidate]:
    values = problem.columns[column].values
    triples = [(values[row], problem.target[row], weight) for row, weight in known]
    limit = Fraction(problem.settings.min_samples_leaf)

    def is_big(side: list[tuple[float, int, Weight]]) -> bool:
        return is_big_enough(problem, [(row, weight) for row, _, weight in side], limit)

    cuts = mdl_cuts(triples, is_big)
    if cuts:
        ends = [float("-inf"), *cuts, float("inf")]
        groups: list[Rows] = [[] for _ in range(len(cuts) + 1)]
        for row, weight in known:
            child = next(i for i, end in enumerate(ends[1:]) if values[row] <= end)
            groups[child].append((row, weight))
        yield Candidate(column, "intervals", groups, cuts=tuple(cuts))


# Where the missing rows are while the split is measured.


def scored_sides(
    problem: Problem, partition: Candidate, missing: Rows
) -> Iterator[tuple[list[Rows], int | None]]:
    """The sides as the gain sees them; with the child of the missing rows where that is tried."""
    groups = partition.groups
    policy = problem.settings.missing
    if not missing or policy in KNOWN_ROWS_ONLY:
        yield groups, None
    elif policy == "branch":
        yield [*groups, missing], None
    elif [] in groups:  # all known rows left: the missing ones can only go right
        yield [groups[0], missing], 1
    else:
        for child in range(len(groups)):
            yield [g + missing if i == child else g for i, g in enumerate(groups)], child


def is_admissible(problem: Problem, partition: Candidate, sides: list[Rows], known: Rows) -> bool:
    """Whether enough rows are on the sides."""
    if problem.settings.criterion == "poisson" and not all(
        has_positive_mean(problem, side) for side in sides
    ):
        return False
    limit = Fraction(problem.settings.min_samples_leaf)
    if problem.settings.limits_by_weight and partition.kind == "threshold":
        fair_share = Fraction(weight_of(known)) / 10 / problem.n_classes
        limit = max(limit, min(Fraction(25), fair_share))
    if partition.kind in ("threshold", "subset"):
        return all(is_big_enough(problem, side, limit) for side in sides[:2])
    return sum(is_big_enough(problem, side, limit) for side in sides) >= 2


def is_big_enough(problem: Problem, side: Rows, limit: Fraction) -> bool:
    settings = problem.settings
    size = problem.size_of(side)
    least_weight = Fraction(settings.min_weight_fraction_leaf) * problem.total_weight
    return len(side) > 0 and size >= limit and weight_of(side) >= least_weight


# How good it is.


def _with_score(
    problem: Problem, candidate: Candidate, sides: list[Rows], missing: Rows
) -> Candidate:
    together = [pair for side in sides for pair in side]
    if problem.settings.criterion == "chi2":
        gain = chi_square_statistic(problem, sides)
    else:
        left_over = sum((total_impurity(problem, side) for side in sides), Decimal(0))
        gain = total_impurity(problem, together) - left_over
    if problem.settings.criterion != "gain_ratio":
        return replace(candidate, gain=gain)
    side_weights = [weight_of(side) for side in sides]
    if problem.settings.missing in KNOWN_ROWS_ONLY:
        side_weights.append(weight_of(missing))
    return replace(candidate, gain=gain, split_information=entropy_of_weights(side_weights))
