"""Bounds of goals: no prediction at or below a node is nearer to the goal than they say."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from explanations.test_explain import a_small_tree
from treewright.explanations.goals import NumberWithin, OtherNumber, largest_below, other_prediction

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds)
@settings(max_examples=100, deadline=None)
def test_the_largest_below_a_node_is_that_of_a_node_that_may_predict(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    own = rng.normal(size=(tree.n_nodes, 3))
    found = largest_below(tree, own)
    may_predict = tree.is_leaf | (tree.missing_child < 0)
    for node in range(tree.n_nodes):
        below = [one for one in range(node, tree.n_nodes) if node in line_of(tree, one)]
        np.testing.assert_array_equal(
            found[node], own[[one for one in below if may_predict[one]]].max(axis=0)
        )


def line_of(tree, node):
    """A node and all above it."""
    found = [node]
    while found[-1] > 0:
        found.append(int(tree.parent[found[-1]]))
    return found


@given(seed=seeds, is_classifier=st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_prediction_that_meets_a_goal_leaves_hope(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng, is_classifier=is_classifier)
    values = tree.probabilities if is_classifier else tree.value
    goals = [other_prediction(tree, values[0], 0.1)]
    if not is_classifier:
        goals.append(NumberWithin(0.0, 1.0, OtherNumber.than(tree, -5.0, 0.0)))
    for goal in goals:
        for node in range(tree.n_nodes):
            if tree.is_leaf[node]:
                assert goal.hope(goal.best[node]) == goal.hope(goal.at[node])
            if goal.is_met(values[node]):
                assert goal.hope(goal.at[node]) > 0
