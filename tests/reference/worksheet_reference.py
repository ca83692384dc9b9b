"""Every number of a worksheet from the definitions: sums exact, logarithms to fifty digits.

The tree gives the questions alone. Which rows are at a node is found with exact fractions
(`prunable`), and there every candidate of every column is listed and measured anew, those that
the limits forbid as well. Nothing here is shared with the package.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from reference.candidates import Candidate, candidates_of, is_admissible, partitions, scored_sides
from reference.grow_reference import TIE
from reference.impurity import (
    LN2,
    chi_square_statistic,
    entropy_of_weights,
    scored_weight,
    to_decimal,
    total_impurity,
)
from reference.problem import (
    Problem,
    Rows,
    class_weights,
    known_and_missing,
    mean_of,
    median_of,
    weight_of,
)

T = TypeVar("T")
Score = Decimal | float

KNOWN_ROWS_ONLY = ("fractional", "surrogate", "majority", "stop")


@dataclass(frozen=True)
class SideNumbers:
    """A node or one branch of it."""

    n_rows: int
    weight: float
    counts: tuple[float, ...]
    centre: float  # the median for absolute errors, otherwise the mean; NaN for classes
    impurity: float


@dataclass(frozen=True)
class TryNumbers:
    """One way to divide a column."""

    candidate: Candidate
    gain: float
    is_allowed: bool


@dataclass(frozen=True)
class ColumnNumbers:
    """The best split of a column, and what else was tried. Without a split all is zero."""

    column: int
    why_none: str  # "", "used", "unknown", "one value", "too few rows"
    tried: list[TryNumbers]
    best: Candidate | None = None
    sides: tuple[SideNumbers, ...] = ()
    missing_weight: float = 0.0
    known_share: float = 0.0
    before: float = 0.0
    remainder: float = 0.0
    correction: float = 0.0
    gain: float = 0.0
    split_information: float = 0.0
    score: float = 0.0


@dataclass(frozen=True)
class Choice:
    """What the rules make of the columns of a node."""

    average_gain: float | None
    below_average: frozenset[int]
    too_little: frozenset[int]  # gain that is not above `min_gain`, or does not pay for its cut
    winner: int | None
    runner_up: int | None
    ties: tuple[int, ...]


# Groups of rows.


def side_numbers(problem: Problem, rows: Rows) -> SideNumbers:
    """What a worksheet says of some rows. Call with fifty digits."""
    counts: tuple[float, ...] = ()
    centre = math.nan
    if problem.n_classes:
        counts = tuple(float(weight) for weight in class_weights(problem, rows))
    else:
        of_target = median_of if problem.settings.criterion == "absolute_error" else mean_of
        centre = float(of_target(problem, rows))
    impurity = total_impurity(problem, rows) / to_decimal(scored_weight(problem, rows))
    return SideNumbers(len(rows), float(weight_of(rows)), counts, centre, float(impurity))


# One column.


def column_numbers(
    problem: Problem, column: int, rows: Rows, used: frozenset[int]
) -> ColumnNumbers:
    """The best split of a column with each step to its score. Call with fifty digits."""
    if problem.settings.use_once and column in used:
        return ColumnNumbers(column, "used", [])
    known, missing = known_and_missing(problem, column, rows)
    if not known:
        return ColumnNumbers(column, "unknown", [])
    tried = _tried(problem, column, rows)
    free = replace(problem, settings=replace(problem.settings, mdl_correction=False))
    allowed = candidates_of(free, column, rows)
    if not allowed:
        return ColumnNumbers(column, "too few rows" if tried else "one value", tried)
    best = _best(problem, rows, allowed)
    sides = _sides_of(problem, best, missing)
    seen = [pair for side in sides for pair in side]
    whole, known_weight = _scored(problem, rows), _scored(problem, seen)
    before = total_impurity(problem, seen) / known_weight
    remainder = sum((total_impurity(problem, side) for side in sides), Decimal(0)) / known_weight
    correction = _price(problem, best, allowed) / to_decimal(weight_of(rows))
    taken = (before - remainder) * known_weight / whole
    if problem.settings.criterion == "chi2":
        taken = chi_square_statistic(problem, sides) / whole
    gain = max(taken, Decimal(0)) - correction
    bits = _split_information(problem, sides, missing)
    return ColumnNumbers(
        column,
        "",
        tried,
        best,
        tuple(side_numbers(problem, side) for side in sides),
        float(weight_of(missing)),
        float(known_weight / whole),
        float(before),
        float(remainder),
        float(correction),
        float(gain),
        float(bits),
        float(_score(problem, gain, bits, whole)),
    )


def _tried(problem: Problem, column: int, rows: Rows) -> list[TryNumbers]:
    """Every partition with at least two sides, in the order that decides ties.

    Where a column is cut into intervals, its single cuts are what is tried.
    """
    problem = replace(problem, settings=replace(problem.settings, numeric="threshold"))
    known, missing = known_and_missing(problem, column, rows)
    return _measured(problem, rows, known, missing, partitions(problem, column, known, missing))


def level_set_tries(
    problem: Problem, column: int, rows: Rows, first_side: set[int]
) -> list[TryNumbers]:
    """One set of levels against the others: once for each place of the missing rows."""
    known, missing = known_and_missing(problem, column, rows)
    values = problem.columns[column].values
    sides: list[Rows] = [[], []]
    for row, weight in known:
        sides[values[row] not in first_side].append((row, weight))
    return _measured(problem, rows, known, missing, iter([Candidate(column, "subset", sides)]))


def _measured(
    problem: Problem, rows: Rows, known: Rows, missing: Rows, ways: Iterator[Candidate]
) -> list[TryNumbers]:
    found = []
    for way in ways:
        for sides, child in scored_sides(problem, way, missing):
            if len(sides) > 1:
                is_allowed = is_admissible(problem, way, sides, known)
                gain = _taken(problem, sides) / _scored(problem, rows)
                found.append((child or 0, TryNumbers(way, float(gain), is_allowed)))
    return [numbers for _, numbers in sorted(found, key=lambda entry: entry[0])]


def is_cut_in_order(problem: Problem, column: int, rows: Rows, first_side: set[int]) -> bool:
    """Whether no level of one side has a mean target between those of the other side."""
    known, _ = known_and_missing(problem, column, rows)
    values = problem.columns[column].values
    means: list[list[Fraction]] = [[], []]
    for level in {values[row] for row, _ in known}:
        mean = mean_of(problem, [pair for pair in known if values[pair[0]] == level])
        means[level not in first_side].append(mean)
    lower, higher = sorted(means, key=lambda side: (min(side), max(side)))
    return max(lower) <= min(higher)


def _taken(problem: Problem, sides: list[Rows]) -> Decimal:
    """The impurity that a division takes away, in units of weight."""
    if problem.settings.criterion == "chi2":
        return chi_square_statistic(problem, sides)
    seen = [pair for side in sides for pair in side]
    return total_impurity(problem, seen) - sum(
        (total_impurity(problem, side) for side in sides), Decimal(0)
    )


def _best(problem: Problem, rows: Rows, allowed: list[Candidate]) -> Candidate:
    """The first of the largest gain; of single levels, if ratios count, of the largest ratio."""
    tolerance = TIE * total_impurity(problem, rows)
    by_ratio = problem.settings.criterion == "gain_ratio" and problem.settings.nominal == (
        "one_vs_rest"
    )
    if not (by_ratio and allowed[0].kind == "subset"):
        return _first_best([(c, c.gain) for c in allowed], tolerance)
    by_level: dict[str, list[Candidate]] = {}
    for candidate in allowed:
        by_level.setdefault(str(candidate.level_child), []).append(candidate)
    finalists = [_first_best([(c, c.gain) for c in same], tolerance) for same in by_level.values()]
    return _first_best([(c, c.score) for c in finalists], TIE)


def _first_best(scored: list[tuple[T, Score]], tolerance: Score) -> T:
    """A later one must exceed the best so far by more than the tolerance."""
    best, highest = scored[0]
    for candidate, score in scored[1:]:
        if score > highest + tolerance:
            best, highest = candidate, score
    return best


def _sides_of(problem: Problem, best: Candidate, missing: Rows) -> list[Rows]:
    for sides, child in scored_sides(problem, best, missing):
        if child == best.missing_child:
            return sides
    raise AssertionError(best)


def _price(problem: Problem, best: Candidate, allowed: list[Candidate]) -> Decimal:
    """Bits that name a threshold among those that missing values in the same place allow."""
    if not (problem.settings.mdl_correction and best.kind == "threshold"):
        return Decimal(0)
    n_places = sum(candidate.missing_child == best.missing_child for candidate in allowed)
    return Decimal(n_places).ln() / LN2


def _split_information(problem: Problem, sides: list[Rows], missing: Rows) -> Decimal:
    weights = [weight_of(side) for side in sides]
    if problem.settings.missing in KNOWN_ROWS_ONLY:
        weights.append(weight_of(missing))
    return entropy_of_weights(weights) / to_decimal(sum(weights))


def _score(problem: Problem, gain: Decimal, bits: Decimal, whole: Decimal) -> Decimal:
    if problem.settings.criterion == "gain_ratio":
        return gain / bits
    return gain * whole if problem.settings.criterion == "chi2" else gain


def _scored(problem: Problem, rows: Rows) -> Decimal:
    return to_decimal(scored_weight(problem, rows))


# All columns of a node.


def choice_of(problem: Problem, rows: Rows, columns: list[ColumnNumbers]) -> Choice:
    """Which column the rules take, and which come close. Call with fifty digits."""
    settings = problem.settings
    impurity = float(total_impurity(problem, rows) / _scored(problem, rows))
    tolerance = 1e-12 * impurity
    splits = [numbers for numbers in columns if numbers.best is not None]
    too_little, below, average = set(), set(), None
    if settings.min_gain is not None:
        too_little = {n.column for n in splits if n.gain <= settings.min_gain + tolerance}
    if settings.average_gain_filter:
        # A threshold that gains too little is no candidate, a nominal column still is one.
        counted = [n for n in splits if n.best.kind != "threshold" or n.column not in too_little]
        average = _average_gain(problem, counted)
        below = {n.column for n in counted if average is None or n.gain < average - 1e-3}
    eligible = [n for n in splits if n.column not in too_little | below]
    if not eligible:
        return Choice(average, frozenset(below), frozenset(too_little), None, None, ())
    least = 1e-12 if settings.criterion == "gain_ratio" else tolerance
    if settings.criterion == "chi2":
        least = 1e-12 * impurity * float(_scored(problem, rows))
    winner = _winner(settings.column_order, eligible, least)
    others = [n for n in eligible if n is not winner]
    runner_up = _first_best([(n, n.score) for n in others], least).column if others else None
    ties = tuple(n.column for n in others if abs(n.score - winner.score) <= least)
    return Choice(average, frozenset(below), frozenset(too_little), winner.column, runner_up, ties)


def _winner(
    order: tuple[int, ...] | None, eligible: list[ColumnNumbers], least: float
) -> ColumnNumbers:
    if order is not None:
        return min(eligible, key=lambda numbers: order.index(numbers.column))
    return _first_best([(numbers, numbers.score) for numbers in eligible], least)


def _average_gain(problem: Problem, usable: list[ColumnNumbers]) -> float | None:
    """Columns with levels for 30 % of the table's rows stay out, unless all are such."""

    def is_wide(column: int) -> bool:
        of_table = problem.columns[column]
        return of_table.kind == "nominal" and of_table.n_levels >= Fraction(3, 10) * problem.n_rows

    all_wide = all(is_wide(column) for column in range(len(problem.columns)))
    counted = [n.gain for n in usable if all_wide or not is_wide(n.column)]
    return math.fsum(counted) / len(counted) if counted else None
