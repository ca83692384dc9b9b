"""Ordered rules as a tree: it predicts every row as the rules do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ExportError
from treewright.exports.witnesses import witnesses
from treewright.rulesets.as_tree import tree_of_rules, weights_of
from treewright.single_trees.fitted import fitted_rules
from treewright.tree.check import check_tree
from treewright.tree.predict import predict_values
from treewright.tree.predictions import class_shares

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def mixed_rows(seed, n_rows=120, missing=0.1):
    """Numbers, categories and ordered categories, with missing values."""
    rng = np.random.default_rng(seed)
    age = rng.normal(size=n_rows).round(1)
    color = rng.choice(["red", "green", "blue", "gray"], n_rows)
    code = (age > 0).astype(int) + (color == "red") + (rng.random(n_rows) < 0.2)
    age[rng.random(n_rows) < missing] = np.nan
    rate = rng.integers(0, 9, n_rows).astype(float)
    cells = [None if rng.random() < missing else one for one in color.tolist()]
    return {"age": age, "rate": rate, "color": cells}, np.array(["a", "b", "c", "d"])[code]


def with_gaps(X, seed):
    """The same rows with more missing values, unseen categories and infinities."""
    rng = np.random.default_rng(seed)
    n_rows = len(X["age"])
    age = np.where(rng.random(n_rows) < 0.2, rng.choice([np.nan, np.inf, -np.inf]), X["age"])
    color = [rng.choice([None, "violet", one]) for one in X["color"]]
    return {"age": age, "rate": X["rate"], "color": color}


@given(seed=st.integers(0, 10_000), simple=st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_tree_predicts_every_row_as_the_rules_do(seed, simple):
    X, y = mixed_rows(seed)
    model = tw.C45Rules(min_samples_leaf=1, simple=simple).fit(X, y)
    tree = model.as_tree()
    check_tree(tree)
    for rows in (X, with_gaps(X, seed)):
        found = predict_values(tree, model.encode_rows(rows))
        np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-15)
        labels = [tree.classes[code] for code in np.argmax(found, axis=1)]
        assert labels == model.predict(rows).tolist()
    rows = witnesses(tree)
    np.testing.assert_allclose(
        predict_values(tree, tree.schema.encode(rows, "missing")),
        model.predict_proba(rows),
        rtol=1e-15,
    )


@pytest.mark.parametrize("sample", ["tennis", "iris", "loans"])
@pytest.mark.parametrize("to", ["python", "json", "sql"])
def test_exported_rules_agree_with_the_model(sample, to):
    model = tw.C45Rules().fit(*tw.load_sample(sample))
    assert tw.verify_export(model, tw.export(model, to=to), to=to)


def test_exported_rules_refuse_what_the_model_refuses():
    X, y = tw.load_sample("tennis")
    model = tw.C45Rules(handle_unknown="error").fit(X, y)
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")


def test_a_model_of_one_class_is_a_leaf():
    model = tw.C45Rules().fit([[1.0], [2.0]], ["a", "a"])
    assert model.as_tree().n_nodes == 1
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")


def test_a_list_whose_tree_would_be_too_large_is_refused():
    X, y = mixed_rows(3)
    rules = fitted_rules(tw.C45Rules(min_samples_leaf=1).fit(X, y).state_)
    with pytest.raises(ExportError, match="more than 5 nodes") as caught:
        tree_of_rules(rules, max_nodes=5)
    assert "min_samples_leaf=" in str(caught.value)


@given(st.lists(st.integers(0, 2000), min_size=1, max_size=12).filter(any))
def test_shares_of_counts_come_out_the_same_to_the_last_bit(counts):
    shares = np.array(counts, dtype=np.float64) / sum(counts)
    weights = weights_of(shares)
    assert class_shares(weights[np.newaxis], np.ones(len(counts)))[0].tolist() == shares.tolist()
