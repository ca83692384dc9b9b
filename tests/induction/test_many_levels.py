"""Sets of so many levels that not all of them are tried: the cuts of the levels in some order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.measures import absolute_error, gini_gain, information_gain

seeds = st.integers(0, 2**32 - 1)
limits = st.sampled_from([1, 5, 40])
N_ROWS = 200


def drawn_levels(rng, fewest):
    """A level for each row; every level occurs."""
    n_levels = int(rng.integers(fewest, 30))
    return np.concatenate([np.arange(n_levels), rng.integers(0, n_levels, N_ROWS - n_levels)])


def cuts_of(levels, keys, least):
    """Which rows go left, for each cut of the levels by rising key that leaves enough."""
    in_order = np.lexsort((np.arange(len(keys)), keys))
    for n_left in range(1, len(keys)):
        left = np.isin(levels, in_order[:n_left])
        if least <= left.sum() <= len(levels) - least:
            yield left


def root_gain(kind, levels, y, least, criterion):
    model = kind(criterion=criterion, nominal="subset", max_depth=1, min_samples_leaf=least)
    tree = model.fit({"x": [f"level {level:02}" for level in levels]}, y).tree_
    return tree.gain[0] if tree.n_nodes > 1 else None


@pytest.mark.parametrize(
    ("criterion", "gain"), [("gini", gini_gain), ("information_gain", information_gain)]
)
@given(seed=seeds, least=limits)
@settings(max_examples=10)
def test_of_several_classes_each_orders_the_levels_by_its_share(criterion, gain, seed, least):
    rng = np.random.default_rng(seed)
    levels = drawn_levels(rng, 13)
    classes = (levels + rng.integers(0, 2, N_ROWS)) % 7 % 3
    counts = np.zeros((levels.max() + 1, 3))
    np.add.at(counts, (levels, classes), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    gains = [
        gain([np.bincount(classes[side], minlength=3) for side in (left, ~left)])
        for share in shares.T
        for left in cuts_of(levels, share, least)
    ]
    found = root_gain(tw.TreeClassifier, levels, classes, least, criterion)
    assert found == pytest.approx(max(gains), abs=1e-12)


@given(seed=seeds, least=limits)
@settings(max_examples=20)
def test_absolute_errors_order_the_levels_by_their_medians(seed, least):
    rng = np.random.default_rng(seed)
    levels = drawn_levels(rng, 9)
    y = levels * 7 % 5 + rng.integers(0, 3, N_ROWS) + 0.5 * (levels % 2)
    medians = np.array([np.median(y[levels == level]) for level in range(levels.max() + 1)])
    left_over = [
        (left.sum() * absolute_error(y[left]) + (~left).sum() * absolute_error(y[~left])) / N_ROWS
        for left in cuts_of(levels, medians, least)
    ]
    found = root_gain(tw.TreeRegressor, levels, y, least, "absolute_error")
    assert found == pytest.approx(absolute_error(y) - min(left_over), abs=1e-9)


@pytest.mark.parametrize("limit", [{"min_samples_leaf": 15}, {"min_weight_fraction_leaf": 0.3}])
@pytest.mark.parametrize("kind", [tw.TreeClassifier, tw.TreeRegressor])
@pytest.mark.parametrize("first", [0, 1])
def test_learned_missing_rows_make_a_small_side_large_enough(limit, kind, first):
    x = ["p"] * 5 + [None] * 20 + ["q"] * 25
    y = [first] * 25 + [1 - first] * 25
    tree = kind(missing="learned", nominal="subset", **limit).fit({"x": x}, y).tree_
    assert tree.n_rows.tolist() == [50, 25, 25]
    assert tree.missing_child[0] == 0
