"""Intervals and tests over folds that share rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.evaluation.resampled import compared, interval

scores = st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=30).map(np.array)


@given(scores, st.floats(0.01, 2))
def test_the_t_test_uses_the_corrected_variance(difference, test_share):
    found = compared("accuracy", difference, test_share)
    scale = np.sqrt((1 / len(difference) + test_share) * difference.var(ddof=1))
    if scale == 0:
        return
    t = difference.mean() / scale
    assert found.t == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), len(difference) - 1))


@given(scores, st.floats(0.01, 2), st.floats(0, 0.3))
def test_the_three_probabilities_add_up_to_one_and_turn_round_with_the_models(
    difference, test_share, rope
):
    there = compared("accuracy", difference, test_share, rope)
    back = compared("accuracy", -difference, test_share, rope)
    assert there.first_better + there.equal + there.second_better == pytest.approx(1)
    assert there.first_better == pytest.approx(back.second_better, abs=1e-12)


def test_the_posterior_is_a_t_distribution_around_the_mean():
    difference = np.array([0.02, 0.01, 0.03, 0.00, 0.04])
    found = compared("accuracy", difference, 0.25, rope=0.01)
    scale = np.sqrt((1 / 5 + 0.25) * difference.var(ddof=1))
    posterior = stats.t(4, loc=0.02, scale=scale)
    assert found.first_better == pytest.approx(posterior.sf(0.01))
    assert found.second_better == pytest.approx(posterior.cdf(-0.01))


def test_a_difference_without_variation_is_certain():
    found = compared("accuracy", np.full(10, 0.05), 1 / 9, rope=0.01)
    assert (found.first_better, found.equal, found.second_better) == (1, 0, 0)
    assert found.p_value == 0


def test_an_interval_leaves_out_what_is_not_defined():
    with_gaps = interval(np.array([0.5, np.nan, 0.7, 0.9]), 0.5)
    without = interval(np.array([0.5, 0.7, 0.9]), 0.5)
    assert with_gaps == without
    assert np.isnan(interval(np.array([np.nan]), 0.5).mean)


@pytest.mark.parametrize(("n_folds", "n_repeats"), [(10, 1), (10, 10), (5, 2)])
def test_intervals_hold_the_truth_as_often_as_they_say_where_scores_are_so_correlated(
    n_folds, n_repeats
):
    # Scores that share the correlation 1 / folds, which the correction supposes.
    generator = np.random.default_rng(n_folds + n_repeats)
    n_scores, n_trials, correlation = n_folds * n_repeats, 4000, 1 / n_folds
    shared = generator.normal(size=(n_trials, 1)) * np.sqrt(correlation)
    own = generator.normal(size=(n_trials, n_scores)) * np.sqrt(1 - correlation)
    found = [interval(scores, 1 / (n_folds - 1)) for scores in 0.8 + 0.05 * (shared + own)]
    covered = np.mean([one.low <= 0.8 <= one.high for one in found])
    assert covered == pytest.approx(0.95, abs=0.012)
    # Without the correction the truth is missed far more often.
    plain = [interval(scores, 0.0) for scores in 0.8 + 0.05 * (shared + own)]
    assert np.mean([one.low <= 0.8 <= one.high for one in plain]) < 0.9


def test_two_models_that_are_alike_are_told_apart_as_seldom_as_promised():
    generator = np.random.default_rng(0)
    shared = generator.normal(size=(4000, 1)) * np.sqrt(0.1)
    difference = shared + generator.normal(size=(4000, 30)) * np.sqrt(0.9)
    p_values = np.array([compared("accuracy", one, 1 / 9).p_value for one in difference])
    for level in (0.01, 0.05, 0.2):
        assert np.mean(p_values < level) == pytest.approx(level, abs=0.015)


@given(scores, st.integers(2, 20), st.floats(0, 0.2))
def test_the_bayesian_test_is_that_of_the_published_form(difference, n_folds, rope):
    # Benavoli and others (2017): St(n - 1, mean, (1/n + rho / (1 - rho)) s2), rho = 1 / folds.
    if difference.std() < 1e-6:
        return
    n, rho = len(difference), 1 / n_folds
    scale = np.sqrt((1 / n + rho / (1 - rho)) * difference.var(ddof=1))
    posterior = stats.t(n - 1, loc=difference.mean(), scale=scale)
    found = compared("accuracy", difference, 1 / (n_folds - 1), rope)
    assert found.second_better == pytest.approx(posterior.cdf(-rope), abs=1e-9)
    assert found.equal == pytest.approx(posterior.cdf(rope) - posterior.cdf(-rope), abs=1e-9)


def test_a_worked_example():
    # Ten folds: mean 0.021, s = 0.016633, so t = 0.021 / (s sqrt(1/10 + 1/9)) with 9 degrees.
    difference = np.array([0.02, 0.03, 0.00, 0.04, 0.01, 0.02, 0.03, 0.05, 0.01, 0.00])
    found = compared("accuracy", difference, 1 / 9, rope=0.01)
    assert found.t == pytest.approx(0.021 / (found.deviation * np.sqrt(19 / 90)))
    assert found.deviation == pytest.approx(0.016633, abs=1e-6)
    assert found.t == pytest.approx(2.7478, abs=1e-4)
    assert found.p_value == pytest.approx(0.0226, abs=1e-4)
