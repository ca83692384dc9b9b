"""Intervals of measures that were taken on one set of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import treewright as tw
from evaluation.random_rows import rows_from
from treewright.intervals import share_interval


@given(st.integers(1, 200), st.floats(0, 1), st.floats(0.5, 0.999))
def test_the_interval_of_a_share_is_that_of_wilson(n_rows, share, confidence):
    n_right = round(share * n_rows)
    quantile = float(stats.norm.ppf((1 + confidence) / 2))
    found = share_interval(n_right / n_rows, n_rows, quantile)
    theirs = stats.binomtest(n_right, n_rows).proportion_ci(confidence, method="wilson")
    assert found == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilsons_interval_holds_the_truth_as_often_as_it_says():
    # Mean over true shares: the coverage of single ones swings around it.
    n_rows, shares = 50, np.linspace(0.05, 0.95, 181)
    low, high = share_interval(np.arange(n_rows + 1) / n_rows, n_rows)
    covered = [
        stats.binom.pmf(np.arange(n_rows + 1), n_rows, share)[
            (low <= share) & (share <= high)
        ].sum()
        for share in shares
    ]
    assert 0.94 < np.mean(covered) < 0.96


@pytest.fixture(scope="module")
def held_out():
    rows = rows_from(3, n_rows=200, weighted=True)
    return tw.evaluate(
        tw.CARTClassifier(prune=None, max_depth=3, costs=1 - np.eye(3)),
        rows.table,
        rows.y,
        rows.weights,
        hold_out=0.4,
    )


def test_measures_that_are_means_over_rows_have_the_interval_of_a_mean(held_out):
    only = held_out.judgments[0]
    truth, weights = held_out.rows.codes[only.split.test], held_out.rows.weights[only.split.test]
    squared = ((only.shares - np.eye(3)[truth]) ** 2).sum(axis=1)
    mean = np.average(squared, weights=weights)
    error = np.sqrt((weights**2 * (squared - mean) ** 2).sum()) / weights.sum()
    found = held_out.interval("brier")
    assert found.mean == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx(
        (mean - 1.96 * error, mean + 1.96 * error), 1e-4
    )
    for name in ("log_loss", "cost", "accuracy"):
        assert held_out.interval(name).low < held_out.mean(name) < held_out.interval(name).high


def test_measures_that_are_no_means_have_none(held_out):
    for name in ("kappa", "auc", "balanced_accuracy"):
        assert np.isnan(held_out.interval(name).low)
        assert held_out.interval(name).mean == held_out.mean(name)
    assert "deviation" not in str(held_out)


def test_errors_of_numbers_have_intervals():
    generator = np.random.default_rng(0)
    X = generator.random((300, 2))
    y = X[:, 0] + generator.normal(0, 0.1, 300)
    found = tw.evaluate(tw.CARTRegressor(prune=None, max_depth=4), X, y, hold_out=1 / 3)
    for name in ("mae", "rmse"):
        assert 0 < found.interval(name).low < found.mean(name) < found.interval(name).high
    assert np.isnan(found.interval("r2").low)


def test_weights_of_two_for_all_rows_are_no_more_rows():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None, max_depth=2).fit(X, y)
    one, two = (tw.evaluate_fitted(model, X, y, weight) for weight in (None, np.full(150, 2.0)))
    assert one.interval("accuracy") == two.interval("accuracy")
