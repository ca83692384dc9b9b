"""An ensemble shows what each column of a row adds to its prediction."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from packed_forests import a_forest, a_table, kinds
from treewright.ensembles.reading import mean_of_row
from treewright.explanations.tree_sum import TreeSum, own_predictions

X = {"size": [1.0, 2.0, 3.0, 4.0] * 20, "color": ["red", "red", "blue", None] * 20}
SIZE = np.array(X["size"])
Y = np.where(SIZE > 2, "large", "small")

MODELS = [
    tw.RandomForestClassifier(n_estimators=5).fit(X, Y),
    tw.RandomForestRegressor(n_estimators=5).fit(X, SIZE * 1000),
    tw.BoostedTreesClassifier(n_estimators=5, min_samples_leaf=2).fit(X, Y),
    tw.BoostedTreesClassifier(n_estimators=5, min_samples_leaf=2).fit(X, SIZE.astype(int)),
    tw.BoostedTreesRegressor(n_estimators=5, min_samples_leaf=2).fit(X, SIZE),
]
for_every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@for_every_model
def test_shares_add_up_to_what_is_explained(model):
    found = model.explain({"size": 3.0, "color": "blue"})
    assert found.base + sum(one.adds for one in found.shares) == pytest.approx(found.total)
    assert found.prediction == model.predict([{"size": 3.0, "color": "blue"}])[0]


def test_a_forest_explains_the_probability_of_its_prediction():
    found = MODELS[0].explain({"size": 4.0, "color": None})
    assert found.explained == "probability of large"
    assert found.total == pytest.approx(found.probabilities["large"])
    assert abs(found.shares[0].adds) >= abs(found.shares[1].adds)


@pytest.mark.parametrize("size", [1.0, 4.0])
def test_boosted_trees_explain_the_log_odds_of_their_prediction(size):
    model = MODELS[2]
    found = model.explain({"size": size, "color": "red"})
    assert found.explained == f"log-odds of {found.prediction}"
    assert found.total > 0
    assert 1 / (1 + np.exp(-found.total)) == pytest.approx(found.probabilities[found.prediction])
    assert abs(found.total) == pytest.approx(
        abs(model.decision_function([{"size": size, "color": "red"}])[0])
    )
    assert " to 1: " in str(found)


def test_a_logarithm_is_told_with_its_number():
    model = tw.BoostedTreesRegressor(loss="poisson", n_estimators=5).fit(X, SIZE)
    text = str(model.explain({"size": 2.0}))
    assert "logarithm of the prediction" in text
    assert "e to the power of" in text


def test_a_level_that_training_never_met_is_told_of_once():
    with pytest.warns(UserWarning, match="pink") as told:
        found = MODELS[0].explain({"size": 1.0, "color": "pink"})
    assert len(told) == 1
    assert {one.value for one in found.shares} == {1.0, "pink"}


def test_votes_of_trees_that_spread_rows_are_explained_where_nothing_is_missing():
    forest = tw.RandomForestClassifier(n_estimators=3, inductors=["c45"], voting="hard").fit(X, Y)
    assert forest.explain({"size": 4.0, "color": "blue"}).total == pytest.approx(1.0)
    with pytest.raises(tw.ParameterError, match="missing"):
        forest.explain({"size": 4.0})


def test_the_text_shows_values_and_what_they_add():
    text = str(MODELS[1].explain({"size": 4.0}))
    assert "Contribution of each column to the prediction" in text
    assert "missing" in text
    assert "base value" in text


@for_every_model
def test_every_form_can_be_written(model):
    found = model.explain({"size": 2.0})
    data = json.loads(found.to_json())
    assert {one["column"] for one in data["shares"]} == {"size", "color"}
    assert "<table" in found.to_html()
    assert "|" in found.to_markdown()
    assert "RowShares" in repr(found)


def test_one_row_is_explained_at_a_time():
    with pytest.raises(tw.DataError, match="explain takes one row, not 2"):
        MODELS[0].explain([{"size": 1.0, "color": "red"}, {"size": 2.0, "color": "red"}])


def test_of_many_columns_only_the_first_have_lines():
    table = np.random.default_rng(0).normal(size=(60, 30))
    model = tw.RandomForestRegressor(n_estimators=3).fit(table, table[:, 0])
    assert "10 other columns" in str(model.explain(table[0]))


def compare_with_single_trees(trees: TreeSum, rows, output: int) -> None:
    """All trees at once give what they add up to one by one."""
    assert trees.one_row is not None
    base, values = trees.by_weight(rows)
    found = [trees.of_row(rows[at : at + 1], output, 1 + at % 3) for at in range(len(rows))]
    assert all(trees.one_row(rows[at : at + 1], output, 1) is not None for at in range(len(rows)))
    np.testing.assert_allclose([one for one, _ in found], base[output], rtol=1e-12)
    np.testing.assert_allclose([one for _, one in found], values[..., output], atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(kinds, st.integers(0, 1000), st.sampled_from([2, 20, 10_000]), st.booleans())
def test_one_row_has_the_values_that_single_trees_add_up_to(kinds, seed, leaves, votes):
    table = a_table(kinds, seed, 300)
    trees, _ = a_forest(table, seed, max_leaf_nodes=leaves, n_trees=11)

    def predictions(tree):
        return (np.eye(3)[tree.node_class] if votes else own_predictions(tree)) / len(trees)

    one_row = mean_of_row(trees, votes=votes)
    model = TreeSum(trees.schema, trees, (0, 1, 2), "", np.zeros(3), predictions, one_row=one_row)
    compare_with_single_trees(model, a_table(kinds, seed + 1, 3), seed % 3)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_row_of_boosted_trees_has_the_values_of_the_single_trees(growth, n_classes):
    rng = np.random.default_rng(n_classes)
    table = rng.normal(size=(300, 70))
    table[:, :5] = table[:, :5].round()
    table[rng.random(table.shape) < 0.1] = np.nan
    y = rng.integers(0, n_classes, 300)
    model = tw.BoostedTreesClassifier(
        n_estimators=9, growth=growth, max_depth=7, min_samples_leaf=1
    )
    compare_with_single_trees(model.fit(table, y).tree_sum(), table[:4], n_classes - 2)
