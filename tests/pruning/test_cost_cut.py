"""The cp rule: each split must pay its price."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, a_tennis_tree, build, leaf, numeric_schema, threshold
from treewright.pruning.cost_complexity import cut_by_cost
from treewright.pruning.risk import node_risk


def grown(seed: int, n_rows: int = 80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int) + (X[:, 1] > 1)
    return tw.CARTClassifier(prune=None).fit(X, y).tree_


def risk_of_leaves(tree) -> float:
    return float(node_risk(tree)[tree.is_leaf].sum())


def test_at_zero_only_splits_without_gain_go():
    lower = threshold(1, 0.5, leaf(5, 1), leaf(4, 2))
    root = threshold(0, 1.0, lower, leaf(0, 6))
    tree = build(root, numeric_schema("a", "b"), ("no", "yes"))
    assert cut_by_cost(tree, 0.0).n_leaves == 2
    useful = a_tennis_tree()
    assert cut_by_cost(useful, 0.0) is useful


def test_the_price_is_a_share_of_the_roots_risk():
    tree = a_tennis_tree()  # its four leaves more than one save all of the risk, a quarter each
    assert cut_by_cost(tree, 0.249).n_leaves == 5
    assert cut_by_cost(tree, 0.251).n_leaves == 1


def test_a_large_price_leaves_the_root():
    assert cut_by_cost(grown(0), 1.0).n_nodes == 1


@given(seed=st.integers(0, 30), cp=st.floats(0, 0.5))
def test_the_result_is_the_smallest_subtree_of_least_cost(seed, cp):
    tree = grown(seed)
    price = cp * node_risk(tree)[0]
    cut = cut_by_cost(tree, cp)
    best = least_cost(tree, price)
    assert risk_of_leaves(cut) + price * cut.n_leaves == pytest.approx(best)


def least_cost(tree, price: float) -> float:
    """Least risk + price x leaves over all subtrees, by recursion on the definition."""
    risk = node_risk(tree)

    def best(node: int) -> float:
        as_leaf = risk[node] + price
        if tree.is_leaf[node]:
            return as_leaf
        children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        return min(as_leaf, sum(best(child) for child in children))

    return best(0)


@given(seed=st.integers(0, 20), low=st.floats(0, 0.2), high=st.floats(0, 0.2))
def test_a_higher_price_cuts_no_less(seed, low, high):
    low, high = sorted((low, high))
    tree = grown(seed)
    assert cut_by_cost(tree, high).n_leaves <= cut_by_cost(tree, low).n_leaves


def test_regression_counts_the_sum_of_squares():
    X = np.arange(8.0).reshape(-1, 1)
    y = np.array([0, 0, 0, 0, 10, 10, 10, 12.0])
    root_risk = ((y - y.mean()) ** 2).sum()
    small = 3.0 / root_risk  # the last split saves 3
    assert tw.CARTRegressor(cp=small * 0.99).fit(X, y).get_n_leaves() == 3
    assert tw.CARTRegressor(cp=small * 1.01).fit(X, y).get_n_leaves() == 2


def test_a_constant_target_is_one_leaf_and_stays_it():
    assert tw.CARTRegressor(cp=0.0).fit([[1.0], [2.0]], [5.0, 5.0]).get_n_leaves() == 1


def test_a_chain_of_many_nodes_needs_no_recursion():
    assert cut_by_cost(a_chain(20_000), 0.0).n_nodes >= 1
