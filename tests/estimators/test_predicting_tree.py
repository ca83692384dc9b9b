"""The tree behind a model predicts as the model does, over the user's columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ParameterError
from treewright.single_trees.as_tree import tree_of
from treewright.tree.check import check_tree
from treewright.tree.predict import predict_values


def a_table(rng, n_rows, holes):
    def numbers():
        values = rng.normal(size=n_rows).round(1)
        values[rng.random(n_rows) < holes] = np.nan
        return values

    levels = [None if rng.random() < holes else rng.choice([*"pqrst"]) for _ in range(n_rows)]
    return {"level": levels, "one": numbers(), "two": numbers()}


@given(
    seed=st.integers(0, 2**32 - 1),
    missing=st.sampled_from(["fractional", "branch", "majority", "stop", "learned"]),
    discretize=st.sampled_from(["mdl", "equal_width", "equal_frequency"]),
)
def test_columns_cut_in_advance_are_asked_for_their_numbers(seed, missing, discretize):
    rng = np.random.default_rng(seed)
    X = a_table(rng, 60, 0.15)
    y = np.where(
        np.nan_to_num(X["one"]) + rng.normal(size=60) / 3 > 0, "u", rng.choice([*"vw"], 60)
    )
    model = tw.ID3Classifier(missing=missing, discretize=discretize, n_bins=4).fit(X, y)
    tree = tree_of(model)
    check_tree(tree)
    assert tree.schema.names == model.schema_.names
    new = a_table(rng, 80, 0.2)
    new["one"][:2] = [np.inf, -np.inf]
    values = predict_values(tree, tree.schema.encode(tw.table_from(new)))
    np.testing.assert_array_equal(values, model.predict_proba(new))


def test_smoothed_probabilities_are_part_of_the_tree():
    X, y = tw.load_sample("tennis")
    model = tw.C45Classifier(laplace=True).fit(X, y)
    tree = tree_of(model)
    np.testing.assert_array_equal(
        predict_values(tree, tree.schema.encode(X)), model.predict_proba(X)
    )


def test_what_is_no_tree_is_refused():
    with pytest.raises(ParameterError, match="a str is not a model of treewright"):
        tree_of("tennis")
