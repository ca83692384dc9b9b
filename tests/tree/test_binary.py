"""Any tree as a binary one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
import treewright as tw
from treewright.errors import DataError
from treewright.tree.check import check_tree
from treewright.tree.predict import predict_values


def has_wide_surrogates(tree):
    return bool(((np.diff(tree.surrogate_start) > 0) & (tree.n_children > 2)).any())


@given(seed=st.integers(0, 2**32 - 1))
def test_the_binary_form_predicts_every_row_as_the_tree_does(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, is_classifier=bool(seed % 2))
    if has_wide_surrogates(tree):
        with pytest.raises(DataError, match="surrogates for 3 children"):
            tree.to_binary()
        return
    binary = tree.to_binary()
    check_tree(binary)
    assert set(binary.n_children.tolist()) <= {0, 2}
    assert np.count_nonzero(binary.is_leaf) == np.count_nonzero(tree.is_leaf)
    table = builders.a_random_table(rng, schema, n_rows=40)
    np.testing.assert_allclose(
        predict_values(binary, table), predict_values(tree, table), rtol=0, atol=1e-12
    )


def test_branches_become_a_chain_in_their_order():
    X, y = tw.load_sample("tennis")
    binary = tw.ID3Classifier().fit(X, y).tree_.to_binary()
    assert str(binary).splitlines() == [
        "outlook = Sunny",
        "|   humidity = High: No (3)",
        "|   humidity = Normal: Yes (2)",
        "outlook in {Overcast, Rain}",
        "|   outlook = Overcast: Yes (4)",
        "|   outlook = Rain",
        "|   |   wind = Weak: Yes (3)",
        "|   |   wind = Strong: No (2)",
    ]


def test_the_gains_of_a_binary_form_add_up_as_before():
    X, y = tw.load_sample("tennis")
    tree = tw.ID3Classifier().fit(X, y).tree_
    binary = tree.to_binary()
    before, after = ((t.weight * t.gain).sum() for t in (tree, binary))
    assert after == pytest.approx(before)
    inner = np.flatnonzero(~binary.is_leaf)
    for node in inner:
        children = slice(binary.first_child[node], binary.first_child[node] + 2)
        below = (binary.weight * binary.impurity)[children].sum()
        mixed = binary.weight[node] * (binary.impurity[node] - binary.gain[node])
        assert below == pytest.approx(mixed)


def test_a_branch_for_missing_numbers_asks_whether_there_is_one():
    X = [[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]]
    y = ["a", "a", "b", "b", "c", "c"]
    tree = tw.TreeClassifier(missing="branch").fit(X, y).tree_
    assert str(tree.to_binary()).splitlines() == [
        "x0 <= 2.5: a (2)",
        "x0 > 2.5",
        "|   x0 known: b (2)",
        "|   x0 missing: c (2)",
    ]
    values = predict_values(tree.to_binary(), np.array([[np.inf], [-np.inf], [np.nan]]))
    assert values.argmax(axis=1).tolist() == [1, 0, 2]


def test_an_unseen_level_goes_to_the_heaviest_of_all_branches():
    X = [[level] for level in "aaaabbbccc"]
    tree = (
        tw.TreeClassifier(nominal="branches", handle_unknown="majority")
        .fit(X, list("1111222333"))
        .tree_
    )
    stranger = tree.schema.encode(tw.table_from([["z"]]), "majority")
    assert predict_values(tree.to_binary(), stranger).tolist() == [[1.0, 0.0, 0.0]]
