"""Least squares against NumPy's own, on easy, hard and hopeless columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.linear.least_squares import CrossProducts, least_squares


def random_rows(seed: int, n_rows: int, n_columns: int):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, n_columns)) * generator.uniform(0.01, 100, n_columns)
    X += generator.normal(size=n_columns) * 1000
    y = X @ generator.normal(size=n_columns) + generator.normal(size=n_rows)
    return X, y, generator.integers(1, 5, n_rows).astype(float)


def by_numpy(X, y, weights):
    roots = np.sqrt(weights)[:, np.newaxis]
    mean, y_mean = np.average(X, 0, weights), np.average(y, 0, weights)
    centered = (X - mean) * roots
    return np.linalg.lstsq(centered, (y - y_mean) * roots[:, 0], rcond=1e-11)[0]


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_P17_coefficients_are_those_of_a_singular_value_decomposition(seed, n_columns):
    X, y, weights = random_rows(seed, 40, n_columns)

    fit = least_squares(X, y, weights)

    np.testing.assert_allclose(fit.coefficients, by_numpy(X, y, weights), rtol=1e-7, atol=1e-9)
    assert abs(np.average(y - fit.predict(X), weights=weights)) < 1e-8 * np.abs(y).max()
    assert fit.used.all()


def test_a_weight_of_two_is_the_row_twice_and_of_zero_no_row():
    X, y, _ = random_rows(1, 30, 3)
    weights = np.array([0.0, 1.0, 2.0] * 10)
    rows = np.repeat(np.arange(30), weights.astype(int))

    weighted, repeated = least_squares(X, y, weights), least_squares(X[rows], y[rows])

    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)
    assert weighted.intercept == pytest.approx(repeated.intercept, rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_columns_that_say_nothing_new_get_no_coefficient(seed):
    X, y, weights = random_rows(seed, 30, 3)
    wide = np.column_stack([X[:, 0], np.full(30, 1e9), X[:, 1], X[:, 0] - 2 * X[:, 1], X[:, 2]])

    fit, plain = least_squares(wide, y, weights), least_squares(X, y, weights)

    assert fit.used.tolist() == [True, False, True, False, True]
    assert fit.coefficients[[1, 3]].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(fit.predict(wide), plain.predict(X), rtol=1e-8, atol=1e-6)


def test_more_columns_than_rows_go_through_every_row():
    X, y, _ = random_rows(3, 4, 9)

    fit = least_squares(X, y)

    assert fit.used.sum() == 3
    np.testing.assert_allclose(fit.predict(X), y, rtol=1e-9)


def test_one_row_is_answered_by_its_own_target():
    fit = least_squares(np.array([[5.0, 7.0]]), np.array([3.0]))

    assert (fit.intercept, fit.coefficients.tolist()) == (3.0, [0.0, 0.0])


def test_without_columns_the_answer_is_the_mean():
    fit = least_squares(np.zeros((3, 0)), np.array([1.0, 2.0, 6.0]))

    assert fit.intercept == pytest.approx(3.0)
    assert fit.predict(np.zeros((2, 0))).tolist() == pytest.approx([3.0, 3.0])


def test_nearly_dependent_columns_keep_their_digits():
    generator = np.random.default_rng(0)
    x = generator.normal(size=400)
    X = np.column_stack([x, x + 1e-4 * generator.normal(size=400)])
    y = X @ np.array([3.0, -2.0]) + 5.0

    fit = least_squares(X, y)

    np.testing.assert_allclose(fit.coefficients, [3.0, -2.0], rtol=1e-9)
    assert fit.intercept == pytest.approx(5.0, rel=1e-12)


def test_any_choice_of_columns_is_fitted_from_the_same_products():
    X, y, weights = random_rows(5, 50, 4)

    chosen = CrossProducts.of(X, y, weights).fit([0, 3])

    np.testing.assert_allclose(
        chosen.coefficients[[0, 3]], least_squares(X[:, [0, 3]], y, weights).coefficients, rtol=1e-8
    )
    assert chosen.coefficients[[1, 2]].tolist() == [0.0, 0.0]


def test_many_columns_of_which_half_say_nothing_new():
    generator = np.random.default_rng(6)
    base = generator.normal(size=(300, 80))
    X = np.empty((300, 160))
    X[:, ::2] = base
    X[:, 1::2] = np.cumsum(base, axis=1)
    y = generator.normal(size=300)

    fit = least_squares(X, y)

    assert fit.used.tolist() == [True, False] * 80
    np.testing.assert_allclose(fit.predict(X), least_squares(base, y).predict(base), atol=1e-9)
