"""Row weights: what they mean, and weighted means that neither overflow nor underflow."""

import math
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.target import array_of
from treewright.errors import DataError, DataTypeError

LARGEST_COUNT = 2.0**53  # beyond it every float is whole, so being whole says nothing

SMALLEST = float(np.finfo(np.float64).tiny)


def check_weights(sample_weight: Any, n_rows: int, setting: str = "sample_weight") -> Floats | None:
    """Row weights as counts, or as importances with a mean of 1; None if every row counts once.

    Whole numbers are counts of equal rows and stay as they are. If any weight is not whole, only
    the ratios of the weights matter: see `scaled_importances`.
    """
    if sample_weight is None:
        return None
    weights = weight_numbers(sample_weight, n_rows, setting)
    if weights.ndim != 1:
        raise DataError(f"{setting} has the shape {weights.shape}, not ({n_rows},)")
    if len(weights) != n_rows:
        raise DataError(f"{setting} has {len(weights)} rows, X has {n_rows}")
    low, high = weights.min(), weights.max()  # both are NaN if any weight is
    if not (low >= 0 and high < np.inf):
        row = int(np.argmin((weights >= 0) & (weights < np.inf)))
        raise DataError(
            f"{setting}, row {row}: {weights[row]:g} is not a finite number of at least zero"
        )
    if high == 0:
        raise DataError(f"{setting}: every weight is zero, so no row counts")
    if not are_counts(weights):
        weights = scaled_importances(weights)
    return None if (weights == 1).all() else weights


def weight_numbers(sample_weight: Any, n_rows: int, setting: str) -> Floats:
    """Weights of any kind as float64; a single number stands for every row."""
    if isinstance(sample_weight, (int, float, np.number)):
        sample_weight = np.full(n_rows, sample_weight)
    given = array_of(sample_weight, setting)
    if given.dtype.kind in "biuf":
        return np.ascontiguousarray(given, dtype=np.float64)
    if given.dtype.kind != "O" or given.ndim != 1:
        raise DataTypeError(f"{setting} has dtype {given.dtype}, not numbers")
    for row, one in enumerate(given):
        if not is_real_number(one):
            raise DataTypeError(
                f"{setting}, row {row}: {one!r} is not a number",
                hint="give every row a weight; weight 0 leaves a row out",
            )
    return np.ascontiguousarray(given, dtype=np.float64)


def is_real_number(value: object) -> bool:
    """Whether a value is a number that a float can hold; text that looks like one is not."""
    if isinstance(value, (str, bytes, complex)) or not hasattr(value, "__float__"):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def are_counts(weights: Floats | None) -> bool:
    """Whether weights say how many times each row occurs: whole numbers, or none given."""
    return weights is None or bool(
        weights.max() <= LARGEST_COUNT and (weights == np.floor(weights)).all()
    )


def scaled_importances(weights: Floats, total: float | None = None) -> Floats:
    """Weights in the same ratios, with a mean of 1 over the rows of positive weight.

    With `total`, that is their sum instead. Weights times a power of two give the same bytes.

    >>> scaled_importances(np.array([0.5, 0.0, 1.5])).tolist()
    [0.5, 0.0, 1.5]
    >>> scaled_importances(np.array([0.01, 0.01, 0.0])).tolist()
    [1.0, 1.0, 0.0]
    """
    is_positive = weights > 0
    n_positive = int(np.count_nonzero(is_positive))
    total = float(n_positive) if total is None else total
    if (weights[is_positive] == weights.max()).all():  # 1 exactly, and not by a rounded sum
        return np.where(is_positive, total / n_positive, 0.0)
    ratios = np.asarray(in_range(weights)[0])
    # Rows of weight 0 take no part: they would change the order in which others are added up.
    scaled: Floats = ratios * (total / ratios[is_positive].sum())
    return scaled


def power_near(largest: float) -> float:
    """A power of two above the number, if there is one: dividing by it changes no digit."""
    return math.ldexp(1.0, min(math.frexp(largest)[1], 1023))


def in_range(weights: Floats | None) -> tuple[Floats | None, float]:
    """Weights over a power of two, the largest below 1, and that power.

    Their means have the same digits as before. A row that weighs next to nothing beside others
    still weighs something.
    """
    if weights is None or not len(weights):
        return weights, 1.0
    unit = power_near(float(weights.max()))
    return np.where(weights > 0, np.maximum(weights / unit, SMALLEST), 0.0), unit


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """The mean of some values, by weight if there are weights.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2e-320, 1e-320]))
    2.0
    """
    return float(np.average(values, weights=in_range(weights)[0]))


def weighted_variance(values: Floats, weights: Floats | None) -> float:
    """The weighted mean of squared distances from the weighted mean."""
    own, _ = in_range(weights)
    mean = np.average(values, weights=own)
    return float(np.average((values - mean) ** 2, weights=own))


def weighted_deviation(values: Floats, weights: Floats | None) -> float:
    """The root of the variance, also where squares overflow or underflow.

    >>> weighted_deviation(np.array([0.0, 2.0**-1000]), None) == 2.0**-1001
    True
    """
    size = power_near(float(np.abs(values).max()))
    return float(np.sqrt(weighted_variance(values / size, weights))) * size
