"""What the reference grower is given: columns, a target, weights and settings.

Plain Python only. Weights are exact: ints, or Fractions once a row has been divided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Weight = int | Fraction
Rows = list[tuple[int, Weight]]  # (row number, the part of its weight that is here)


@dataclass(frozen=True)
class RefColumn:
    """One column. Missing is None; nominal and ordered columns hold level codes."""

    kind: str  # "numeric", "nominal" or "ordered"
    values: tuple[float | int | None, ...]
    n_levels: int = 0

    @property
    def is_split_by_threshold(self) -> bool:
        return self.kind != "nominal"


@dataclass(frozen=True)
class RefSettings:
    """The parts of a tree algorithm; the names are those of the product."""

    criterion: str = "gini"
    nominal: str = "subset"  # "branches", "subset", "one_vs_rest"
    numeric: str = "threshold"  # "threshold", "intervals"
    missing: str = "majority"
    max_surrogates: int = 5
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    class_factor: tuple[float, ...] | None = None
    use_once: bool = False
    column_order: tuple[int, ...] | None = None
    limits_by_weight: bool = False  # C4.5
    weights_are_counts: bool = False  # a row of weight k counts as k rows
    average_gain_filter: bool = False
    mdl_correction: bool = False
    data_value_thresholds: bool = False
    j48_gaps: bool = False


@dataclass(frozen=True)
class Problem:
    """A table with its target. `n_classes` is 0 for a numeric target."""

    columns: tuple[RefColumn, ...]
    target: Sequence[int] | Sequence[float]
    n_classes: int
    weights: tuple[Weight, ...]
    settings: RefSettings = field(default_factory=RefSettings)

    @property
    def all_rows(self) -> Rows:
        """A row of weight 0 is a row left out."""
        return [(row, weight) for row, weight in enumerate(self.weights) if weight > 0]

    @property
    def total_weight(self) -> Weight:
        return weight_of(self.all_rows)

    @property
    def n_rows(self) -> int:
        return len(self.all_rows)

    def size_of(self, rows: Rows) -> Weight:
        """How many rows these are to a limit."""
        by_weight = self.settings.limits_by_weight or self.settings.weights_are_counts
        return weight_of(rows) if by_weight else len(rows)


def weight_of(rows: Rows) -> Weight:
    return sum(weight for _, weight in rows)


def class_weights(problem: Problem, rows: Rows) -> list[Weight]:
    """The weight of each class among the rows."""
    weights: list[Weight] = [0] * problem.n_classes
    for row, weight in rows:
        weights[problem.target[row]] += weight
    return weights


def mean_of(problem: Problem, rows: Rows) -> Fraction:
    """The weighted mean of a numeric target."""
    total = sum(Fraction(problem.target[row]) * weight for row, weight in rows)
    return Fraction(total) / weight_of(rows)


def median_of(problem: Problem, rows: Rows) -> Fraction:
    """Half of the weight lies on each side; midway between two values that both do so.

    Weights may be scaled importances, so a half is one up to their last digits.
    """
    targets = sorted({Fraction(problem.target[row]) for row, _ in rows})
    half = Fraction(weight_of(rows)) / 2
    rounding = half / 10**12
    up_to = [weight_of([pair for pair in rows if problem.target[pair[0]] <= t]) for t in targets]
    low = next(t for t, weight in zip(targets, up_to, strict=True) if weight >= half - rounding)
    high = next(
        (t for t, w in zip(targets, up_to, strict=True) if w > half + rounding), targets[-1]
    )
    return (low + high) / 2


def value_of(problem: Problem, rows: Rows) -> list[Weight]:
    """What a node stores: class weights, or the one number that it predicts."""
    if problem.n_classes:
        return class_weights(problem, rows)
    if problem.settings.criterion == "absolute_error":
        return [median_of(problem, rows)]
    return [mean_of(problem, rows)]


def known_and_missing(problem: Problem, column: int, rows: Rows) -> tuple[Rows, Rows]:
    """The rows that know a column, and those that do not."""
    values = problem.columns[column].values
    known = [(row, weight) for row, weight in rows if values[row] is not None]
    missing = [(row, weight) for row, weight in rows if values[row] is None]
    return known, missing
