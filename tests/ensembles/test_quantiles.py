"""Quantiles of a forest against Meinshausen's definition, written out."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.ensembles.forests.predictions import LeafTargets
from treewright.errors import ParameterError


def by_definition(training, targets, weights, leaves, share):
    """The least target at which the mean weight of the leaves reaches `share`, one row."""
    row_weights = np.zeros(len(targets))
    for tree, leaf in enumerate(leaves):
        together = (training[:, tree] == leaf) * weights
        if together.sum() > 0:
            row_weights += together / together.sum()
    order = np.argsort(targets)
    reached = np.cumsum(row_weights[order]) / row_weights.sum()
    return targets[order][np.flatnonzero(reached >= share - 1e-9)[0]]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 5))
def test_quantiles_are_those_of_the_definition(seed, n_rows, n_trees):
    rng = np.random.default_rng(seed)
    training = rng.integers(0, 4, (n_rows, n_trees))
    targets = rng.integers(0, 9, n_rows).astype(float)
    weights = rng.integers(1, 4, n_rows).astype(float)
    asked = training[rng.integers(0, n_rows, 7)]  # in leaves that training rows lie in
    shares = np.array([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
    found = LeafTargets(training, targets, weights).quantiles(asked, shares)
    expected = [
        [by_definition(training, targets, weights, row, share) for share in shares] for row in asked
    ]
    np.testing.assert_array_equal(found[:, 1:], np.array(expected)[:, 1:])
    assert (found[:, 0] <= found[:, 1]).all()


def noisy(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n_rows, 3))
    return X, X[:, 0] ** 2 + rng.normal(size=n_rows) * (0.1 + np.abs(X[:, 1]))


def test_intervals_cover_new_rows_about_as_often_as_promised():
    forest = tw.RandomForestRegressor(keep_targets=True, min_samples_leaf=5).fit(*noisy(2000, 0))
    X, y = noisy(1000, 1)
    interval = forest.predict_interval(X, coverage=0.8)
    inside = (interval[:, 0] <= y) & (y <= interval[:, 1])
    assert 0.75 < inside.mean() < 0.92
    noise = np.abs(X[:, 1])
    widths = interval[:, 1] - interval[:, 0]
    assert widths[noise > 1.5].mean() > 2 * widths[noise < 0.5].mean()
    median = forest.predict_quantiles(X, 0.5)[:, 0]
    assert np.abs(median - X[:, 0] ** 2).mean() < 0.35


def test_a_second_fit_and_a_copy_have_the_targets_of_their_own_rows():
    forest = tw.RandomForestRegressor(n_estimators=5, keep_targets=True).fit(*noisy(60, 0))
    X, y = noisy(60, 1)
    before = forest.predict_quantiles(X)
    np.testing.assert_array_equal(copy.deepcopy(forest).predict_quantiles(X), before)
    again = forest.fit(X, y).predict_quantiles(X)
    assert np.isin(again, y).all()
    assert not np.array_equal(again, before)


def test_a_forest_without_targets_and_wrong_shares_are_refused():
    X, y = noisy(50, 0)
    forest = tw.RandomForestRegressor(n_estimators=3).fit(X, y)
    with pytest.raises(ParameterError, match="keep_targets=True"):
        forest.predict_quantiles(X)
    forest = tw.ExtraTreesRegressor(n_estimators=3, keep_targets=True).fit(X, y)
    with pytest.raises(ParameterError, match="quantiles"):
        forest.predict_quantiles(X, [1.2])
    with pytest.raises(ParameterError, match="coverage"):
        forest.predict_interval(X, 90)
