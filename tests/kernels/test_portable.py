"""Our own exp, log, sums and equations: right to the last digits, and in one order everywhere.

The judge is `decimal`, which rounds correctly to as many digits as asked for and shares no code
with the kernels.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treewright._kernels import portable

DIGITS = 60


def correct(function: str, x: float) -> Decimal:
    """The value to 60 digits."""
    with localcontext() as context:
        context.prec = DIGITS
        number = Decimal(x)
        if function == "exp":
            return number.exp()
        if function == "exp2":
            return (number * Decimal(2).ln()).exp()
        if function == "log1p":
            context.prec = 2 * DIGITS + 330  # 1 + 5e-324 needs them
            return (1 + number).ln()
        return number.ln() / (Decimal(2).ln() if function == "log2" else 1)


def ulps_off(function: str, x: float) -> float:
    """By how many units in the last place the kernel is wrong."""
    found = float(getattr(portable, function)(x))
    exact = correct(function, x)
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


@given(st.floats(-745.0, 709.78))
@example(-745.0)
@example(0.34657359027997264)  # half of log 2: the border between two powers
@example(5e-324)
def test_exp_is_right_to_one_unit_in_the_last_place(x):
    assert ulps_off("exp", x) <= 1.0


@given(st.floats(-1074.0, 1023.9))
@example(-1073.7)
@example(0.5)
def test_exp2_is_right_to_about_one_unit(x):
    assert ulps_off("exp2", x) <= 1.1


@given(st.floats(5e-324, 1.7976931348623157e308))
@example(math.sqrt(0.5))
@example(math.nextafter(1.0, 0.0))
@example(1.0)
@example(2.2e-308)
def test_log_is_right_to_one_unit_in_the_last_place(x):
    assert ulps_off("log", x) <= 1.0
    assert ulps_off("log2", x) <= 6.0


@given(st.floats(-0.9999999999999999, 1e300))
@example(-0.25)
@example(0.375)
@example(-1e-300)
@example(2.0**53)
@example(0.41421356237309503)
def test_log1p_is_right_to_one_unit_in_the_last_place(x):
    assert ulps_off("log1p", x) <= 1.0


def test_limits_are_those_of_ieee_754():
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(
        portable.exp([inf, -inf, nan, 710.0, -746.0]), [inf, 0, nan, inf, 0]
    )
    np.testing.assert_array_equal(portable.exp2([1024.0, -1075.0, nan, 10.0]), [inf, 0, nan, 1024])
    for log in (portable.log, portable.log2):
        np.testing.assert_array_equal(log([0.0, inf, -1.0, nan, 1.0]), [-inf, inf, nan, nan, 0])
    np.testing.assert_array_equal(
        portable.log1p([-1.0, inf, -2.0, nan, 0.0]), [-inf, inf, nan, nan, 0]
    )
    powers = np.arange(-1074, 1024)
    np.testing.assert_array_equal(portable.log2(np.ldexp(1.0, powers)), powers)


def test_shapes_and_strides_are_kept():
    matrix = np.arange(1.0, 25.0).reshape(4, 6)
    np.testing.assert_allclose(portable.log(matrix.T[::2]), np.log(matrix.T[::2]), rtol=1e-15)
    assert portable.exp(0.0).shape == ()
    assert portable.exp(np.zeros((0, 3))).shape == (0, 3)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=9))
def test_softmax_and_log_sum_exp_agree(scores):
    given_scores = np.array([scores])
    shares = portable.softmax(given_scores, axis=1)
    assert shares.sum() == pytest.approx(1.0)
    total = portable.log_sum_exp(given_scores, axis=1)
    np.testing.assert_allclose(shares, np.exp(given_scores - total[:, np.newaxis]), rtol=1e-12)


@given(st.floats(1e-3, 1e12))
def test_log_gamma_is_the_c_library_s_to_the_last_digits(x):
    size = max(1.0, abs(x * math.log(x)))
    assert float(portable.log_gamma(x)) == pytest.approx(math.lgamma(x), abs=1e-14 * size)


def test_factorials_are_exact_where_they_are_numbers():
    whole = np.arange(1.0, 172.0)
    exact = [float(correct("log", float(math.factorial(n)))) for n in range(171)]
    np.testing.assert_allclose(portable.log_gamma(whole), exact, rtol=3e-16)


finite = st.floats(-1e3, 1e3)


@given(st.lists(st.tuples(finite, finite), max_size=40))
def test_a_dot_product_is_the_exact_sum_but_for_rounding(pairs):
    one, other = (np.array([pair[at] for pair in pairs]) for at in (0, 1))
    exact = sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))
    size = sum(abs(a * b) for a, b in pairs)
    assert abs(portable.dot(one, other) - float(exact)) <= 1e-14 * size


def test_a_dot_product_adds_in_eight_sums():
    """The order is a part of every model file: `((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))`."""
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 1003))
    sums = [0.0] * 8
    for at, product in enumerate((one * other).tolist()):
        sums[at % 8] += product
    left = (sums[0] + sums[4]) + (sums[2] + sums[6])
    assert portable.dot(one, other) == left + ((sums[1] + sums[5]) + (sums[3] + sums[7]))


def test_products_are_those_of_matrices():
    rng = np.random.default_rng(1)
    rows, vector, few = rng.random((5, 4, 11)), rng.random(11), rng.random((11, 3))
    np.testing.assert_allclose(portable.product(rows, vector), rows @ vector, rtol=1e-14)
    np.testing.assert_allclose(portable.product(rows, few), rows @ few, rtol=1e-14)
    np.testing.assert_allclose(portable.weighted_sum(vector, few), vector @ few, rtol=1e-14)
    assert portable.product(np.zeros((0, 3)), np.zeros((3, 0))).shape == (0, 0)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 45, 120])
def test_equations_are_solved(n):
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(2 * n + 3, n))
    gram, wanted = rows.T @ rows, rng.normal(size=n)
    factor = portable.factored(gram, 1e-12)
    np.testing.assert_allclose(factor.T @ factor, gram, atol=1e-12 * n * abs(gram).max())
    assert (np.tril(factor, -1) == 0).all()
    np.testing.assert_allclose(portable.solved(factor, gram @ wanted), wanted, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("at", [0, 3, 8, 20])
def test_a_combination_of_columns_is_left_out(at):
    rng = np.random.default_rng(at)
    rows = rng.normal(size=(60, 21))
    rows[:, at] = rows[:, :at] @ rng.normal(size=at)  # all zero if there are none before
    scales = np.sqrt(np.square(rows).sum(axis=0))
    rows /= np.where(scales > 0, scales, 1.0)
    target = rng.normal(size=60)
    factor = portable.factored(rows.T @ rows, 1e-12)
    assert np.flatnonzero(factor.diagonal() == 0).tolist() == [at]
    found = portable.solved(factor, rows.T @ target)
    kept = np.delete(rows, at, axis=1)
    best = np.linalg.lstsq(kept, target, rcond=None)[0]
    np.testing.assert_allclose(np.delete(found, at), best, rtol=1e-8, atol=1e-10)
    assert found[at] == 0


def test_blocks_of_rows_do_not_change_a_bit():
    """A factor of the first columns is the start of the factor of all, wherever blocks end."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(90, 37))
    gram = rows.T @ rows
    whole = portable.factored(gram, 0.0)
    for n in range(1, 37):
        np.testing.assert_array_equal(portable.factored(gram[:n, :n], 0.0), whole[:n, :n])
