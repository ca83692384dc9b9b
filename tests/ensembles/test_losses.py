"""Losses: derivatives against finite differences, starts against search, predictions against y."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from treewright.ensembles.boosting.losses import (
    AbsoluteError,
    Gamma,
    HuberError,
    Logistic,
    Multinomial,
    Poisson,
    QuantileError,
    SquaredError,
    Tweedie,
)

NUMBER_LOSSES = {
    "squared": SquaredError(),
    "absolute": AbsoluteError(),
    "huber": HuberError(0.9),
    "quantile": QuantileError(0.3),
    "poisson": Poisson(),
    "gamma": Gamma(),
    "tweedie": Tweedie(1.4),
}
SMOOTH = {name: NUMBER_LOSSES[name] for name in ("squared", "poisson", "gamma", "tweedie")}
for_every_loss = pytest.mark.parametrize("loss", NUMBER_LOSSES.values(), ids=NUMBER_LOSSES)

scores = arrays(np.float64, 8, elements=st.floats(-3, 3))
targets = arrays(np.float64, 8, elements=st.floats(0.125, 8))
STEP = 1e-6


@for_every_loss
@given(y=targets, score=scores)
@settings(max_examples=30, deadline=None)
def test_the_first_derivative_is_the_slope_of_the_loss(loss, y, score):
    score = np.where(np.abs(score - y) < 1e-3, score + 0.5, score)  # corners have no slope
    if loss.name == "huber":
        score = np.where(np.abs(np.abs(score - y) - 1) < 1e-3, score + 0.01, score)
    slope = (loss.row_losses(y, score + STEP) - loss.row_losses(y, score - STEP)) / (2 * STEP)
    np.testing.assert_allclose(loss.gradients(y, score)[0], slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", [*SMOOTH.values(), Logistic()], ids=[*SMOOTH, "logistic"])
@given(y=targets, score=scores)
@settings(max_examples=30, deadline=None)
def test_the_second_derivative_is_the_slope_of_the_first(loss, y, score):
    y = (y > 2).astype(float) if loss.name == "logistic" else y
    first = [loss.gradients(y, score + step)[0] for step in (-STEP, STEP)]
    slope = (first[1] - first[0]) / (2 * STEP)
    np.testing.assert_allclose(loss.gradients(y, score)[1], slope, rtol=1e-4, atol=1e-5)


@given(score=arrays(np.float64, (3, 8), elements=st.floats(-5, 5)))
@settings(max_examples=15, deadline=None)
def test_derivatives_of_several_classes_are_slopes_too(score):
    loss, y = Multinomial(3), np.arange(8.0) % 3
    first, second = loss.gradients(y, score)
    for k in range(3):
        step = np.zeros((3, 1))
        step[k] = STEP
        low, high = loss.row_losses(y, score - step), loss.row_losses(y, score + step)
        np.testing.assert_allclose(first[k], (high - low) / (2 * STEP), rtol=1e-4, atol=1e-5)
        ends = [loss.gradients(y, score + sign * step)[0][k] for sign in (-1, 1)]
        slope = (ends[1] - ends[0]) / (2 * STEP)
        np.testing.assert_allclose(second[k], slope * 3 / 2, rtol=1e-4, atol=1e-5)


@for_every_loss
@given(y=targets, weights=arrays(np.float64, 8, elements=st.sampled_from([0.5, 1.0, 2.0])))
@settings(max_examples=20, deadline=None)
def test_no_other_start_loses_less(loss, y, weights):
    (start,) = loss.start(y, weights)
    if loss.name == "huber":  # its start is the median, whatever the distance
        assert start == AbsoluteError().start(y, weights)[0]
        return

    def total(score):
        return float(weights @ loss.row_losses(y, np.full_like(y, score)))

    best = minimize_scalar(total, bounds=(-10, 10), method="bounded", options={"xatol": 1e-9})
    assert total(start) <= best.fun + 1e-6 * abs(best.fun)


def test_starts_of_classes_are_their_shares():
    y = np.array([0.0, 1.0, 1.0, 2.0])
    shares = Multinomial(3).predictions(Multinomial(3).start(y, None)[:, np.newaxis])
    np.testing.assert_allclose(shares[:, 0], [0.25, 0.5, 0.25])
    odds = Logistic().start(np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(Logistic().predictions(odds), 0.75)


def test_a_class_without_rows_has_a_finite_start():
    assert np.isfinite(Multinomial(3).start(np.array([0.0, 2.0]), None)).all()
    assert np.isfinite(Logistic().start(np.array([1.0, 1.0]), None)).all()


@pytest.mark.parametrize("loss", [Poisson(), Gamma(), Tweedie(1.5), Logistic()])
def test_large_scores_do_not_overflow(loss):
    far = np.array([-1e5, 1e5])
    with np.errstate(over="raise", invalid="raise"):
        for values in (*loss.gradients(np.array([1.0, 1.0]), far), loss.predictions(far)):
            assert np.isfinite(values).all()


def test_the_distance_of_huber_is_a_quantile_of_the_residuals():
    loss = HuberError(0.75)
    loss.adapt(np.array([1.0, -2.0, 3.0, 100.0]), np.zeros(4), None)
    assert 3 <= loss.parameter < 100


def test_huber_tells_losses_by_the_distance_before_the_first_round():
    loss, y = HuberError(1.0), np.array([-4.0, 4.0])
    loss.settle(y, np.zeros(2), None)
    loss.adapt(y, np.array([-3.0, 3.0]), None)
    assert loss.parameter == 1.0
    np.testing.assert_allclose(loss.row_losses(y, np.zeros(2)), [8.0, 8.0])
