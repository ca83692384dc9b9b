"""What columns gain, whatever numbers a file holds."""

from dataclasses import replace

import numpy as np

import treewright as tw
from treewright.tree.counts import as_shares, column_gains

X = {"a": [1.0, 1, 2, 2, 3, 3], "b": [1.0, 2, 1, 2, 1, 2]}
TREE = tw.TreeRegressor().fit(X, [1.0, 2, 3, 5, 8, 13]).tree_


def test_gains_beyond_all_numbers_are_shared_all_the_same():
    huge = replace(TREE, gain=np.full_like(TREE.gain, 1e308), weight=TREE.weight * 1e10)
    shares = as_shares(column_gains(huge))
    assert np.isfinite(shares).all()
    assert abs(shares.sum() - 1) < 1e-12


def test_usual_gains_are_weight_times_gain():
    expected = [(TREE.weight * TREE.gain)[TREE.feature == column].sum() for column in (0, 1)]
    np.testing.assert_allclose(column_gains(TREE), expected)
