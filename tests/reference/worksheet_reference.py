"""Every number of a worksheet from the definitions: sums exact, logarithms to fifty digits.

The tree gives the questions alone. Which rows are at a node is found with exact fractions
(`prunable`), and there every candidate of every column is listed and measured anew, those that
the limits forbid as well. Nothing here is shared with the package.
"""

import math
from collections.abc import Iterator, Sequence
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
    mean: float  # NaN for classes
    median: float  # NaN unless errors are absolute
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
    why_none: str  # "", "used", "unknown", "one value", "no cut", "too few rows"
    tried: Sequence[TryNumbers]
    best: Candidate | None = None
    sides: tuple[SideNumbers, ...] = ()
    n_allowed: int = 0
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

    too_little: set[int]  # columns whose gain is not above `min_gain`
    below_average: set[int]
    averaged: tuple[int, ...] = ()  # columns that the average gain is taken of
    average_gain: float | None = None
    winner: int | None = None
    runner_up: int | None = None
    ties: tuple[int, ...] = ()


# Groups of rows.


def side_numbers(problem: Problem, rows: Rows) -> SideNumbers:
    """What a worksheet says of some rows. Call with fifty digits."""
    counts: tuple[float, ...] = ()
    mean = median = math.nan
    if problem.n_classes:
        counts = tuple(float(weight) for weight in class_weights(problem, rows))
    else:
        mean = float(mean_of(problem, rows))
    if problem.settings.criterion == "absolute_error":
        median = float(median_of(problem, rows))
    impurity = total_impurity(problem, rows) / to_decimal(scored_weight(problem, rows))
    return SideNumbers(len(rows), float(weight_of(rows)), counts, mean, median, float(impurity))


# One column.


def column_numbers(
    problem: Problem, column: int, rows: Rows, used: frozenset[int]
) -> ColumnNumbers:
    """The best split of a column with each step to its score. Call with fifty digits."""
    if problem.settings.use_once and column in used:
        return ColumnNumbers(column, "used", [])
    known, _ = known_and_missing(problem, column, rows)
    if not known:
        return ColumnNumbers(column, "unknown", [])
    tried = _tried(problem, column, rows)
    free = replace(problem, settings=replace(problem.settings, mdl_correction=False))
    allowed = candidates_of(free, column, rows)
    if not allowed:
        return ColumnNumbers(column, _why_none(problem, column, known, tried), tried)
    return split_numbers(problem, rows, _best(problem, rows, allowed), allowed, tried)


def split_numbers(
    problem: Problem,
    rows: Rows,
    best: Candidate,
    allowed: Sequence[Candidate] = (),
    tried: Sequence[TryNumbers] = (),
) -> ColumnNumbers:
    """A split with each step to its score. Call with fifty digits."""
    _, missing = known_and_missing(problem, best.column, rows)
    sides = _sides_of(problem, best, missing)
    seen = [pair for side in sides for pair in side]
    whole, known_weight = _scored(problem, rows), _scored(problem, seen)
    before = total_impurity(problem, seen) / known_weight
    remainder = sum((total_impurity(problem, side) for side in sides), Decimal(0)) / known_weight
    correction = _price(problem, best, allowed) / to_decimal(weight_of(rows))
    gain = max(_taken(problem, sides) / whole, Decimal(0)) - correction
    bits = _split_information(problem, sides, missing)
    return ColumnNumbers(
        best.column,
        "",
        tried,
        best,
        tuple(side_numbers(problem, side) for side in sides),
        _n_places(best, allowed),
        float(weight_of(missing)),
        float(known_weight / whole),
        float(before),
        float(remainder),
        float(correction),
        float(gain),
        float(bits),
        float(_score(problem, gain, bits, whole)),
    )


def _why_none(problem: Problem, column: int, known: Rows, tried: list[TryNumbers]) -> str:
    of_table = problem.columns[column]
    n_values = len({of_table.values[row] for row, _ in known})
    by_intervals = of_table.is_split_by_threshold and problem.settings.numeric == "intervals"
    if by_intervals and not tried and n_values > 1:
        return "no cut"
    return "too few rows" if tried else "one value"


def _tried(problem: Problem, column: int, rows: Rows) -> list[TryNumbers]:
    """Every partition with at least two sides, in the order that decides ties."""
    known, missing = known_and_missing(problem, column, rows)
    return _measured(problem, rows, known, missing, partitions(problem, column, known, missing))


def level_set_try(
    problem: Problem, column: int, rows: Rows, first_side: frozenset[int]
) -> TryNumbers:
    """One set of levels against the others."""
    known, missing = known_and_missing(problem, column, rows)
    values = problem.columns[column].values
    sides: list[Rows] = [[], []]
    for row, weight in known:
        sides[values[row] not in first_side].append((row, weight))
    way = Candidate(column, "subset", sides)
    return _measured(problem, rows, known, missing, iter([way]))[0]


def _measured(
    problem: Problem, rows: Rows, known: Rows, missing: Rows, ways: Iterator[Candidate]
) -> list[TryNumbers]:
    """Each way once, with the missing rows where they do best: where they may be, if anywhere."""
    found = []
    tolerance = float(TIE * total_impurity(problem, rows) / _scored(problem, rows))
    for way in ways:
        tries = []
        for sides, child in scored_sides(problem, way, missing):
            if len(sides) > 1:
                gain = float(_taken(problem, sides) / _scored(problem, rows))
                at = replace(way, missing_child=child)
                tries.append(TryNumbers(at, gain, is_admissible(problem, way, sides, known)))
        allowed = [one for one in tries if one.is_allowed] or tries
        if allowed:
            found.append(_first_best([(one, one.gain) for one in allowed], tolerance))
    return found


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


def _price(problem: Problem, best: Candidate, allowed: Sequence[Candidate]) -> Decimal:
    """Bits that name a threshold among those that missing values in the same place allow."""
    if not (problem.settings.mdl_correction and best.kind == "threshold"):
        return Decimal(0)
    return Decimal(_n_places(best, allowed)).ln() / LN2


def _n_places(best: Candidate, allowed: Sequence[Candidate]) -> int:
    return sum(candidate.missing_child == best.missing_child for candidate in allowed)


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
    tolerance = float(TIE * total_impurity(problem, rows) / _scored(problem, rows))
    splits = [numbers for numbers in columns if numbers.best is not None]
    filtered = _filtered(problem, splits, tolerance)
    out = filtered.too_little | filtered.below_average
    eligible = [numbers for numbers in splits if numbers.column not in out]
    if not eligible:
        return filtered
    if settings.criterion == "gain_ratio":
        tolerance = float(TIE)
    elif settings.criterion == "chi2":
        tolerance *= float(_scored(problem, rows))
    winner = _winner(settings.column_order, eligible, tolerance)
    others = [numbers for numbers in eligible if numbers is not winner]
    return replace(
        filtered,
        winner=winner.column,
        runner_up=_winner(None, others, tolerance).column if others else None,
        ties=tuple(n.column for n in others if abs(n.score - winner.score) <= tolerance),
    )


def _filtered(problem: Problem, splits: list[ColumnNumbers], tolerance: float) -> Choice:
    """The columns that gain too little: by `min_gain`, or by C4.5's average."""
    least, too_little = problem.settings.min_gain, set()
    if least is not None:
        too_little = {n.column for n in splits if n.gain <= least + tolerance}
    if not problem.settings.average_gain_filter:
        return Choice(too_little, set())
    # A threshold that gains too little is no candidate, a nominal column still is one.
    usable = [n for n in splits if n.best.kind != "threshold" or n.column not in too_little]
    all_wide = all(_is_wide(problem, column) for column in range(len(problem.columns)))
    counted = [n for n in usable if all_wide or not _is_wide(problem, n.column)]
    if not counted:
        return Choice(too_little, {n.column for n in usable})
    average = math.fsum(n.gain for n in counted) / len(counted)
    below = {n.column for n in usable if n.gain < average - 1e-3}
    return Choice(too_little, below, tuple(n.column for n in counted), average)


def _is_wide(problem: Problem, column: int) -> bool:
    """Whether a column has levels for 30 % of the table's rows."""
    of_table = problem.columns[column]
    return of_table.kind == "nominal" and of_table.n_levels >= Fraction(3, 10) * problem.n_rows


def _winner(
    order: tuple[int, ...] | None, eligible: list[ColumnNumbers], tolerance: float
) -> ColumnNumbers:
    if order is not None:
        return min(eligible, key=lambda numbers: order.index(numbers.column))
    return _first_best([(numbers, numbers.score) for numbers in eligible], tolerance)
