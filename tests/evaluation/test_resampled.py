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
