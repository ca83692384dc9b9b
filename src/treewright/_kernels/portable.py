"""exp, log, sums of products and linear equations, with the same bytes on every processor.

The C library's `exp` and `log`, NumPy's vector versions of them and BLAS choose their instructions
and the order of their sums by the processor. What is learned or predicted uses these instead. (What
IEEE 754 fixes, such as `+`, `/` and `sqrt`, is the same everywhere, and so are NumPy's sums.)
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from treewright._kernels import _native
from treewright._kernels._native import Elementwise
from treewright.arrays import Floats

LOG_2 = 0.6931471805599453
FACTORIALS = np.array([float(math.factorial(number)) for number in range(171)])


def exp(values: ArrayLike) -> Floats:
    """e to the power of each value."""
    return _each(Elementwise.exp, values)


def exp2(values: ArrayLike) -> Floats:
    """2 to the power of each value."""
    return _each(Elementwise.exp2, values)


def log(values: ArrayLike) -> Floats:
    """The natural logarithm of each value; -inf of 0 and NaN below, without a warning."""
    return _each(Elementwise.log, values)


def log1p(values: ArrayLike) -> Floats:
    """log(1 + value), which keeps the digits of small values."""
    return _each(Elementwise.log1p, values)


def log2(values: ArrayLike) -> Floats:
    """The logarithm to base 2, exact for powers of two; -inf of 0 and NaN below."""
    return _each(Elementwise.log2, values)


def exp_of(value: float) -> float:
    """e to the power of a single number, for which an array would take 50 times as long."""
    return _native.elementwise_of(Elementwise.exp, value)


def log_of(value: float) -> float:
    """The natural logarithm of a single number."""
    return _native.elementwise_of(Elementwise.log, value)


def _each(function: Elementwise, values: ArrayLike) -> Floats:
    given = np.ascontiguousarray(values, dtype=np.float64)
    found = np.empty_like(given)
    _native.fill_elementwise(function, given, found)
    return found.reshape(np.shape(values))  # `ascontiguousarray` gives a number an axis


def softmax(scores: Floats, axis: int) -> Floats:
    """Probabilities that add up to 1 along the axis, from scores up to a common summand."""
    powers = exp(scores - scores.max(axis=axis, keepdims=True))
    powers /= powers.sum(axis=axis, keepdims=True)
    return powers


def log_sum_exp(scores: Floats, axis: int) -> Floats:
    """log(sum of exp(scores)) along the axis, without large powers."""
    largest = scores.max(axis=axis, keepdims=True)
    found: Floats = log(exp(scores - largest).sum(axis=axis)) + largest.squeeze(axis)
    return found


def log_gamma(values: ArrayLike) -> Floats:
    """log((x - 1)!) of each x above 0, to about 1e-14 of x log x.

    >>> log_gamma([1.0, 5.0]).tolist()  # of 0! and 4!
    [0.0, 3.1780538303479458]
    """
    given = np.asarray(values, dtype=np.float64)
    found = np.asarray(_each(Elementwise.log_gamma, given))
    is_whole = (given == np.floor(given)) & (given <= len(FACTORIALS))
    found[is_whole] = log(FACTORIALS[given[is_whole].astype(np.intp) - 1])
    return found


def dot(one: Floats, other: Floats) -> float:
    """The sum of the products of two arrays of one length."""
    return _native.dot(np.ascontiguousarray(one), np.ascontiguousarray(other))


def product(rows: Floats, right: Floats) -> Floats:
    """rows @ right, which is a vector or a matrix of few columns."""
    given = np.ascontiguousarray(rows)
    if right.ndim == 1:
        found = np.empty(given.shape[:-1])
        _native.fill_row_products(given, np.ascontiguousarray(right), found)
        return found
    products = np.empty((*given.shape[:-1], right.shape[1]))
    for at, column in enumerate(right.T):
        products[..., at] = product(given, column)
    return products


def weighted_sum(weights: Floats, matrix: Floats) -> Floats:
    """weights @ matrix: the sum of its rows, each times its weight."""
    found = np.empty(matrix.shape[1])
    _native.fill_weighted_sum(np.ascontiguousarray(weights), np.ascontiguousarray(matrix), found)
    return found


def factored(matrix: Floats, least: float) -> Floats:
    """Cholesky's upper triangle of a symmetric matrix.

    A column that leaves `least` or less on the diagonal once the columns before it are known is a
    combination of them: its row of the triangle is zero.
    """
    factor = np.array(matrix, dtype=np.float64, order="C")
    _native.factor_in_place(factor, least)
    return factor


def solved(factor: Floats, right: Floats) -> Floats:
    """The solution of the equations of a factored matrix; 0 for columns that others make up."""
    solution = np.array(right, dtype=np.float64)
    _native.solve_in_place(factor, solution)
    return solution
