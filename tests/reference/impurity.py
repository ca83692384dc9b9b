"""Weight x impurity of a group of rows, from the definitions, to fifty digits.

Sums are exact; logarithms and quotients are Decimals. Call inside `fifty_digits()`.
"""

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from reference.problem import Problem, Rows, Weight, class_weights, mean_of, weight_of

LN2 = decimal.Context(prec=60).ln(Decimal(2))


def fifty_digits():
    """The arithmetic that scores are taken in."""
    return decimal.localcontext(prec=50)


def to_decimal(number: Weight | float) -> Decimal:
    exact = Fraction(number)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


@lru_cache(maxsize=100_000)
def x_log2_x(x: Weight) -> Decimal:
    return to_decimal(x) * to_decimal(x).ln() / LN2 if x > 0 else Decimal(0)


def entropy_of_weights(weights: list[Weight]) -> Decimal:
    """Total weight x entropy."""
    return x_log2_x(sum(weights)) - sum((x_log2_x(w) for w in weights), Decimal(0))


def total_impurity(problem: Problem, rows: Rows) -> Decimal:
    """Weight x impurity of the rows by the criterion of the problem; 0 for no rows."""
    if not rows:
        return Decimal(0)
    if problem.n_classes:
        return _impurity_of_classes(problem, scored_class_weights(problem, rows))
    return _NUMERIC[problem.settings.criterion](problem, rows)


def scored_class_weights(problem: Problem, rows: Rows) -> list[Weight]:
    """Class weights times the altered-prior factor of each class."""
    weights = class_weights(problem, rows)
    factors = problem.settings.class_factor
    if factors is None:
        return weights
    return [w * Fraction(factor) for w, factor in zip(weights, factors, strict=True)]


def scored_weight(problem: Problem, rows: Rows) -> Weight:
    """The weight that a gain per unit of weight refers to."""
    return sum(scored_class_weights(problem, rows)) if problem.n_classes else weight_of(rows)


def chi_square_statistic(problem: Problem, sides: list[Rows]) -> Decimal:
    """Pearson's statistic of the sides x classes table."""
    table = [scored_class_weights(problem, side) for side in sides]
    by_class = [sum(column) for column in zip(*table, strict=True)]
    total = sum(by_class)
    statistic = Fraction(0)
    for side in table:
        for observed, of_class in zip(side, by_class, strict=True):
            expected = Fraction(sum(side) * of_class) / total
            if expected > 0:
                statistic += (observed - expected) ** 2 / expected
    return to_decimal(statistic)


def _impurity_of_classes(problem: Problem, weights: list[Weight]) -> Decimal:
    criterion = problem.settings.criterion
    total = sum(weights)
    if criterion in ("information_gain", "entropy", "gain_ratio"):
        return entropy_of_weights(weights)
    if criterion in ("gini", "chi2"):
        return to_decimal(total - Fraction(sum(w * w for w in weights)) / total)
    if criterion == "cost_gini":
        costs = problem.settings.costs
        paid = sum(
            Fraction(costs[i][j]) * weights[i] * weights[j]
            for i in range(problem.n_classes)
            for j in range(problem.n_classes)
            if i != j
        )
        return to_decimal(paid / total)
    raise ValueError(criterion)


def _squared_error(problem: Problem, rows: Rows) -> Decimal:
    mean = mean_of(problem, rows)
    return to_decimal(sum(w * (Fraction(problem.target[row]) - mean) ** 2 for row, w in rows))


def _absolute_error(problem: Problem, rows: Rows) -> Decimal:
    """Around a median, which is the best of the targets themselves."""
    targets = {Fraction(problem.target[row]) for row, _ in rows}
    errors = (
        sum(w * abs(Fraction(problem.target[row]) - center) for row, w in rows)
        for center in targets
    )
    return to_decimal(min(errors))


def _half_poisson_deviance(problem: Problem, rows: Rows) -> Decimal:
    """Sum of w y ln(y / mean)."""
    mean = to_decimal(mean_of(problem, rows))
    return sum(
        (
            to_decimal(w * Fraction(problem.target[row]))
            * (to_decimal(problem.target[row]) / mean).ln()
            for row, w in rows
            if problem.target[row] > 0
        ),
        Decimal(0),
    )


_NUMERIC = {
    "squared_error": _squared_error,
    "absolute_error": _absolute_error,
    "poisson": _half_poisson_deviance,
}


def is_pure(problem: Problem, rows: Rows) -> bool:
    return len({problem.target[row] for row, _ in rows}) <= 1


def has_positive_mean(problem: Problem, rows: Rows) -> bool:
    return weight_of(rows) > 0 and mean_of(problem, rows) > 0
