"""Growth stopped by rows it has not seen."""

import numpy as np
import pytest

import treewright as tw
from builders import a_chain
from fitted_states import with_learned
from treewright.pruning.validation import (
    loss_after_each_split,
    n_splits_worth,
    stop_by_validation,
)
from treewright.tree.rebuild import make_leaves


def noisy(n_rows: int, seed: int):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    return X, ((X[:, 0] > 0) ^ (rng.random(n_rows) < 0.25)).astype(int)


def wrong(tree, y):
    return lambda rows, nodes: (tree.node_class[nodes] != y[rows]).astype(float)


def test_the_loss_after_k_splits_is_that_of_the_tree_with_k_splits():
    X, y = noisy(200, 0)
    model = tw.TreeClassifier(max_leaf_nodes=40).fit(X, y)
    tree = model.tree_
    new_X, new_y = noisy(100, 1)
    losses = loss_after_each_split(tree, model.apply(new_X), wrong(tree, new_y))
    for n_splits, loss in enumerate(losses):
        smaller = make_leaves(tree, tree.split_order >= n_splits, "validation")
        model = with_learned(model, tree_=smaller)
        assert loss == (model.predict(new_X) != new_y).sum()


@pytest.mark.parametrize(
    ("losses", "patience", "kept"),
    [
        ([5, 4, 3, 3, 3, 2], 2, 2),
        ([5, 4, 3, 3, 3, 2], 3, 5),
        ([5, 6, 7], 1, 0),
        ([5], 3, 0),
        ([3, 3 - 1e-15, 3], 5, 0),
    ],
)
def test_patience_decides_how_long_to_wait(losses, patience, kept):
    assert n_splits_worth(np.array(losses, dtype=float), n_iter_no_change=patience) == kept


def test_late_splits_go_with_their_reason():
    X, y = noisy(300, 2)
    model = tw.TreeClassifier(max_leaf_nodes=200).fit(X, y)
    new_X, new_y = noisy(300, 3)
    loss = wrong(model.tree_, new_y)
    stopped = stop_by_validation(model.tree_, model.apply(new_X), loss, n_iter_no_change=5)
    assert 1 < stopped.n_leaves < model.get_n_leaves()
    assert (stopped.split_order.max() + 2) == stopped.n_leaves


def test_a_long_chain_needs_no_recursion():
    tree = a_chain(3000)
    leaves = np.flatnonzero(tree.is_leaf)
    losses = loss_after_each_split(tree, leaves, lambda rows, nodes: np.ones(len(rows)))
    assert losses[0] == len(leaves)
    np.testing.assert_allclose(losses, len(leaves))


def test_estimators_stop_early_and_generalize_better():
    X, y = noisy(600, 4)
    new_X, new_y = noisy(2000, 5)
    full = tw.TreeClassifier().fit(X, y)
    stopped = tw.TreeClassifier(validation_fraction=0.3, n_iter_no_change=5).fit(X, y)
    assert stopped.get_n_leaves() < full.get_n_leaves() / 5
    assert stopped.score(new_X, new_y) > full.score(new_X, new_y)
    again = tw.TreeClassifier(validation_fraction=0.3, n_iter_no_change=5).fit(X, y)
    assert again.tree_.same_as(stopped.tree_)
    other = tw.TreeClassifier(validation_fraction=0.3, n_iter_no_change=5, random_state=7).fit(X, y)
    assert not other.tree_.same_as(stopped.tree_)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_regressors_stop_early_by_their_own_measure(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = rng.poisson(np.exp(X[:, 0]))
    stopped = tw.TreeRegressor(validation_fraction=0.3, criterion=criterion).fit(X, y)
    assert 1 < stopped.get_n_leaves() < 100


def test_too_few_rows_to_hold_back_are_named():
    with pytest.raises(ValueError, match=r"validation_fraction=0\.01 of 4 rows"):
        tw.TreeRegressor(validation_fraction=0.01).fit(np.zeros((4, 1)), [0.0, 1.0, 2.0, 3.0])
