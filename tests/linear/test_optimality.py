"""Where a fit ends, the cost is as low as it can be: its slopes are 0, or l1 holds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw

NEAR = 1e-10  # of the standard deviation of a target, or of a probability

seeds = st.integers(0, 2**32 - 1)
penalties = st.sampled_from([0.0, 0.01, 0.3])


def random_rows(seed: int):
    """Columns of other units and places, some of which the target knows nothing of; weights."""
    rng = np.random.default_rng(seed)
    n_columns = int(rng.integers(1, 6))
    units = 10.0 ** rng.integers(-3, 4, n_columns)
    scores = rng.normal(size=(60, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    X = (scores + rng.normal(scale=3.0, size=n_columns)) * units
    y = scores @ rng.choice([-2.0, 0.0, 1.0], n_columns) + rng.normal(size=60)
    return X, y, rng.integers(1, 4, 60).astype(float)


def distance_from_the_bottom(X, weights, coefficients, errors, l1, l2):
    """The largest slope of the cost, by coefficients of scaled columns and by the intercept.

    `errors`: what is answered less what is true. Where l1 keeps a coefficient at 0, only a slope
    beyond it counts.
    """
    shares = weights / weights.sum()
    centered = X - shares @ X
    scales = np.sqrt(shares @ np.square(centered))
    scaled = coefficients * scales
    slopes = (shares * errors) @ (centered / scales) + l2 * scaled
    at_corner = np.maximum(np.abs(slopes) - l1, 0.0)
    elsewhere = np.abs(slopes + l1 * np.sign(scaled))
    by_column = np.where(scaled == 0.0, at_corner, elsewhere)
    return max(by_column.max(), abs(shares @ errors))


@pytest.mark.parametrize("solver", ["gradient_descent", "normal_equations"])
@given(seed=seeds, l1=penalties, l2=penalties)
def test_P17_no_slope_is_left_where_a_regression_ends(solver, seed, l1, l2):
    X, y, weights = random_rows(seed)
    l1 = 0.0 if solver == "normal_equations" else l1
    model = tw.GradientDescentRegressor(solver=solver, l1=l1, l2=l2).fit(X, y, weights)
    errors = model.predict(X) - y
    assert model.converged_
    assert distance_from_the_bottom(X, weights, model.coef_, errors, l1, l2) < NEAR * y.std()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["gradient_descent", "newton"])
@given(seed=seeds, l1=penalties, l2=st.sampled_from([0.01, 0.3]))
def test_P17_no_slope_is_left_where_a_classification_ends(solver, n_classes, seed, l1, l2):
    X, y, weights = random_rows(seed)
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    l1 = 0.0 if solver == "newton" else l1
    settings = {"solver": solver, "l1": l1, "l2": l2, "tol": NEAR / 10}
    model = tw.GradientDescentClassifier(**settings).fit(X, labels, weights)
    errors = model.predict_proba(X) - np.eye(n_classes)[labels]
    if n_classes == 2:  # the score is that of the second class
        errors = errors[:, 1:]
    assert model.converged_
    for coefficients, of_class in zip(model.coef_, errors.T, strict=True):
        assert distance_from_the_bottom(X, weights, coefficients, of_class, l1, l2) < NEAR
