"""Hierarchical shrinkage: leaves move toward their ancestors, and nothing else changes."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from reference.shrinkage_reference import shrunk_predictions
from treewright.errors import ParameterError
from treewright.tree.check import check_tree
from treewright.tree.predict import predict_values
from treewright.tree.predictions import class_shares
from treewright.tree.shrinkage import shrunk


def a_tree(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, is_classifier=bool(seed % 3))
    return tree, builders.a_random_table(rng, schema, 30)


def node_values(tree):
    """Without the factors of classes, which are applied after shrinkage."""
    return tree.value if tree.classes is None else class_shares(tree.value, np.ones(tree.n_values))


seeds = st.integers(0, 2**32 - 1)
strengths = st.sampled_from([0.1, 1.0, 7.5, 100.0, 1e6])


@given(seed=seeds, strength=strengths)
def test_it_matches_the_definition(seed, strength):
    tree, _ = a_tree(seed)
    found = shrunk(tree, strength)
    check_tree(found)
    expected = np.array(shrunk_predictions(tree, strength), dtype=float)
    np.testing.assert_allclose(node_values(found), expected, rtol=0, atol=1e-12)
    for field in dataclasses.fields(tree):
        if field.name != "value":
            assert getattr(found, field.name) is getattr(tree, field.name)


@given(seed=seeds)
def test_strength_0_changes_nothing_and_infinity_leaves_the_root(seed):
    tree, _ = a_tree(seed)
    assert shrunk(tree, 0) is tree
    everywhere = node_values(shrunk(tree, np.inf))
    np.testing.assert_allclose(everywhere, np.repeat(everywhere[:1], tree.n_nodes, axis=0))
    np.testing.assert_allclose(everywhere[0], node_values(tree)[0])
    nearly = node_values(shrunk(tree, 1e15))
    np.testing.assert_allclose(nearly, everywhere, rtol=0, atol=1e-10)


@given(seed=seeds, strength=strengths)
def test_probabilities_add_up_to_1_and_numbers_stay_in_the_range_of_their_path(seed, strength):
    tree, table = a_tree(seed)
    found = shrunk(tree, strength)
    if tree.classes is not None:
        sums = predict_values(found, table).sum(axis=1)
        np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-12)
    before, after = node_values(tree), node_values(found)
    for node in range(tree.n_nodes):
        path = before[list(tree.path_to(node))]
        assert (after[node] >= path.min(axis=0) - 1e-12).all()
        assert (after[node] <= path.max(axis=0) + 1e-12).all()


def test_the_value_of_a_node_stays_the_weighted_mean_of_its_children():
    tree = builders.a_tennis_tree()
    found = shrunk(tree, 3.0)
    np.testing.assert_allclose(found.value[1], found.value[4:6].sum(axis=0))
    np.testing.assert_allclose(found.value[0], [5.0, 9.0])


def test_a_long_chain_is_shrunk():
    found = shrunk(builders.a_chain(3000), 10.0)
    assert np.isfinite(found.value).all()


def test_a_leaf_of_few_rows_by_hand():
    """Sunny has 3 no of 5 days, its humid days 3 of 3; all days 5 of 14."""
    found = shrunk(builders.a_tennis_tree(), 1.0)
    sunny = 5 / 14 + (3 / 5 - 5 / 14) * 14 / 15
    humid = sunny + (1 - 3 / 5) * 5 / 6
    np.testing.assert_allclose(found.probabilities[4, 0], humid)


@pytest.mark.parametrize("strength", [-1, -1e-300, float("nan")])
def test_a_strength_below_0_is_refused(strength):
    with pytest.raises(ParameterError, match="strength"):
        shrunk(builders.a_stump(), strength)
