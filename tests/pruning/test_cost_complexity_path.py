"""The cost-complexity path: prices by definition, nested subtrees, figures that add up."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, a_mixed_schema, a_perfect_tree, a_random_tree, a_tennis_tree
from treewright._kernels.pruning import saving_per_leaf_prices, weakest_link_prices
from treewright.pruning.cost_complexity_path import PathRule, path_of, steps_of
from treewright.pruning.risk import impurity_risk, node_risk, risk_of_stopped_rows
from treewright.tree.rebuild import below

RISKS = ["impurity", "error"]
seeds = st.integers(0, 2**32 - 1)


def a_tree(seed: int, n_splits: int = 12):
    rng = np.random.default_rng(seed)
    return a_random_tree(rng, a_mixed_schema(rng), n_splits=n_splits)


def whole_risks(seed: int, n_nodes: int) -> np.ndarray:
    """Small whole numbers, so that prices are often equal and sums exact."""
    return np.random.default_rng(seed).integers(0, 12, n_nodes).astype(float)


def children_of(tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def weakest_links(tree, as_leaf: np.ndarray) -> list:
    """Prices by the words of the book: find the weakest links, cut them, look again."""
    is_cut = [bool(leaf) for leaf in tree.is_leaf]
    price = [None] * tree.n_nodes

    def subtree(node: int) -> tuple[Fraction, int]:
        if is_cut[node]:
            return Fraction(as_leaf[node]), 1
        parts = [subtree(child) for child in children_of(tree, node)]
        return sum(risk for risk, _ in parts), sum(leaves for _, leaves in parts)

    def link(node: int) -> Fraction:
        risk, n_leaves = subtree(node)
        return (Fraction(as_leaf[node]) - risk) / (n_leaves - 1)

    def cut(node: int, at: Fraction) -> None:
        if not tree.is_leaf[node]:
            price[node] = at if price[node] is None else price[node]
            for child in children_of(tree, node):
                cut(child, at)
        is_cut[node] = True

    reached = None
    while not is_cut[0]:
        links = {node: link(node) for node in range(tree.n_nodes) if not is_cut[node]}
        weakest = min(links.values())
        reached = weakest if reached is None else max(reached, weakest)
        for node in [node for node, own in links.items() if own == weakest]:
            cut(node, reached)
    return price


@given(seed=seeds)
def test_prices_are_those_of_the_weakest_links(seed):
    tree = a_tree(seed)
    as_leaf = whole_risks(seed, tree.n_nodes)
    prices = weakest_link_prices(tree, as_leaf, np.zeros(tree.n_nodes))
    for node, expected in enumerate(weakest_links(tree, as_leaf)):
        if expected is None:
            assert prices[node] == np.inf
        else:
            assert prices[node] == pytest.approx(float(expected), abs=1e-9)


@given(seed=seeds, alpha=st.floats(0, 6))
def test_the_cut_at_a_price_is_the_smallest_subtree_of_least_cost(seed, alpha):
    tree = a_tree(seed)
    as_leaf = whole_risks(seed, tree.n_nodes)
    stopped = whole_risks(seed + 1, tree.n_nodes) * ~tree.is_leaf
    kept = weakest_link_prices(tree, as_leaf, stopped) > alpha

    def best(node: int) -> tuple[float, int]:
        if tree.is_leaf[node]:
            return as_leaf[node] + alpha, 1
        parts = [best(child) for child in children_of(tree, node)]
        cost = stopped[node] + sum(part for part, _ in parts)
        alone = as_leaf[node] + alpha
        return (alone, 1) if alone <= cost + 1e-9 else (cost, sum(leaves for _, leaves in parts))

    def ours(node: int) -> tuple[float, int]:
        if tree.is_leaf[node] or not kept[node]:
            return as_leaf[node] + alpha, 1
        parts = [ours(child) for child in children_of(tree, node)]
        return stopped[node] + sum(part for part, _ in parts), sum(leaves for _, leaves in parts)

    assert ours(0)[0] == pytest.approx(best(0)[0], abs=1e-6)
    near_a_price = np.isclose(weakest_link_prices(tree, as_leaf, stopped), alpha, atol=1e-6).any()
    assert near_a_price or ours(0)[1] == best(0)[1]


@pytest.mark.parametrize("risk", RISKS)
@given(seed=seeds)
def test_larger_prices_give_nested_trees(risk, seed):
    tree = a_tree(seed, n_splits=20)
    path = path_of(tree, PathRule(risk))
    gone = [below(tree, path.cut_at <= step) for step in range(len(path))]
    for earlier, later in pairwise(gone):
        assert (later >= earlier).all()
    assert path.tree_at(-1).n_nodes == 1
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_splits) < 0).all()


@pytest.mark.parametrize("risk", RISKS)
@given(seed=seeds)
def test_figures_of_the_path_are_those_of_its_trees(risk, seed):
    tree = a_tree(seed)
    path = path_of(tree, PathRule(risk))
    for step in range(len(path)):
        subtree = path.tree_at(step)
        if risk == "impurity":
            as_leaf, stopped = impurity_risk(subtree)
        else:
            as_leaf, stopped = node_risk(subtree), risk_of_stopped_rows(subtree)
        total = as_leaf[subtree.is_leaf].sum() + stopped.sum()
        assert path.risks[step] == pytest.approx(total / tree.weight[0], abs=1e-9)
        assert path.n_leaves[step] == subtree.n_leaves
        assert path.n_splits[step] == np.count_nonzero(~subtree.is_leaf)


@given(seed=seeds, low=st.floats(0, 1), more=st.floats(0, 1))
def test_a_price_between_two_steps_belongs_to_the_lower(seed, low, more):
    path = path_of(a_tree(seed), PathRule("impurity"))
    assert path.step_for(low) <= path.step_for(low + more)
    assert [path.step_for(alpha) for alpha in path.alphas] == list(range(len(path)))


def test_prices_that_rounding_parts_are_one():
    third = 0.1 + 0.2
    alphas, step = steps_of(np.array([0.3, third, 1e-18, 0.4]), 0.0, 1e-14)
    assert alphas == pytest.approx([0.0, 0.3, 0.4])
    assert step.tolist() == [1, 1, 0, 2]


def test_splits_without_gain_go_at_the_price_of_nothing():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    tree = tw.CARTClassifier(prune=None).fit(X, [0, 1, 1, 0]).tree_  # its first split gains nothing
    path = path_of(tree, PathRule("impurity"))
    assert path.n_leaves.tolist() == [4, 1]
    assert path.alphas[0] == 0


def test_the_path_of_the_tennis_tree():
    path = path_of(a_tennis_tree(), PathRule("error"))
    assert path.n_splits.tolist() == [3, 0]  # four leaves more than one save five errors
    assert path.alphas == pytest.approx([0, 5 / 14 / 4])
    assert path.cps == pytest.approx([0, 1 / 4])
    assert str(path).splitlines()[-1].split() == ["0.000000", "0", "3", "5", "0.00000"]


def test_a_leaf_has_a_path_of_one():
    path = path_of(a_perfect_tree(0), PathRule("error"))
    assert len(path) == 1
    assert path.tree_at(0) is path.tree
    assert str(path).startswith("1 subtree by ")


@pytest.mark.full
@pytest.mark.parametrize("prices", [weakest_link_prices, saving_per_leaf_prices])
def test_a_chain_of_many_nodes_is_no_slower_than_a_bush(prices):
    tree = a_chain(50_000)
    risks = np.arange(tree.n_nodes, 0, -1.0) ** 2
    least = {"least": 0.0} if prices is saving_per_leaf_prices else {}
    found = prices(tree, risks, np.zeros(tree.n_nodes), **least)
    assert np.isfinite(found[~tree.is_leaf]).all()


def test_a_long_path_is_abridged():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    model = tw.CARTRegressor(prune=None).fit(X, X[:, 0] + rng.normal(size=400))
    text = str(tw.cost_complexity_path(model))
    assert len(text.splitlines()) == 33
    assert " more\n" in text
