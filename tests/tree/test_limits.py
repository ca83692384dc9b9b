"""Limits after the fact leave the tree that growth within them would have made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.check import check_tree
from treewright.tree.layout import STOP_REASONS


def a_table(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(10, 80))
    numbers = rng.normal(size=n_rows).round(1)
    numbers[rng.random(n_rows) < 0.1] = np.nan
    levels = rng.choice([*"pqrst"], n_rows)
    return {"number": numbers, "level": levels.tolist()}, rng.choice([*"uvw"], n_rows)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_leaves=st.integers(1, 12),
    nominal=st.sampled_from(["branches", "subset"]),
)
def test_to_leaves_is_growth_with_that_many_leaves(seed, n_leaves, nominal):
    X, y = a_table(seed)
    full = tw.TreeClassifier(nominal=nominal).fit(X, y).tree_
    cut = full.to_leaves(n_leaves)
    check_tree(cut)
    grown = tw.TreeClassifier(nominal=nominal, max_leaf_nodes=n_leaves).fit(X, y).tree_
    assert str(cut) == str(grown)


@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(1, 6))
def test_to_depth_is_growth_to_that_depth(seed, depth):
    X, y = a_table(seed)
    cut = tw.TreeClassifier().fit(X, y).tree_.to_depth(depth)
    check_tree(cut)
    assert str(cut) == str(tw.TreeClassifier(max_depth=depth).fit(X, y).tree_)


def test_depth_zero_is_the_root_alone():
    X, y = tw.load_sample("tennis")
    root = tw.ID3Classifier().fit(X, y).tree_.to_depth(0)
    assert str(root) == ": Yes (14/5)"
    assert STOP_REASONS[root.stop_reason[0]] == "max_depth"


@pytest.mark.parametrize("limit", [-1, 2.0, "3", True, None])
def test_other_than_counts_are_refused(limit):
    X, y = tw.load_sample("tennis")
    tree = tw.ID3Classifier().fit(X, y).tree_
    with pytest.raises(ParameterError, match=r"n_leaves=.* is not allowed"):
        tree.to_leaves(limit)
    with pytest.raises(ParameterError, match=r"depth=.* is not allowed"):
        tree.to_depth(limit)
