"""Measures of predicted numbers agree with scikit-learn's, weights included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from treewright.evaluation.scores import number_measures

numbers = st.floats(-1e6, 1e6, width=32)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(numbers, numbers, st.sampled_from([0.5, 1.0, 3.0])), min_size=2, max_size=30)
)
def test_errors_and_r2_are_those_of_scikit_learn(rows):
    truth, guess, weights = (np.array(values, dtype=float) for values in zip(*rows, strict=True))
    found = number_measures(truth, guess, weights)
    assert found["mae"] == pytest.approx(
        metrics.mean_absolute_error(truth, guess, sample_weight=weights)
    )
    assert found["rmse"] == pytest.approx(
        metrics.root_mean_squared_error(truth, guess, sample_weight=weights)
    )
    if truth.std() > 1e-3:
        assert found["r2"] == pytest.approx(
            metrics.r2_score(truth, guess, sample_weight=weights), rel=1e-6
        )


def test_rows_that_are_all_equal_define_no_r2():
    assert np.isnan(number_measures(np.ones(3), np.arange(3.0), np.ones(3))["r2"])
