"""Which columns matter: shares add up, shuffling finds the column that answers."""

from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.errors import DataError, ParameterError
from treewright.figures.column_figures import feature_importance


def table_of_one_telling_column(n_rows=400, n_columns=5, telling=2):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n_rows, n_columns))
    return X, np.where(X[:, telling] > 0, "yes", "no")


def assert_readable(picture):
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


def test_shares_are_those_of_the_model_largest_first():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    data = feature_importance(model).data
    assert data["importances"].tolist() == sorted(model.feature_importances_, reverse=True)
    assert data["importances"].sum() == pytest.approx(1)
    by_name = dict(zip(data["columns"], data["importances"], strict=True))
    assert [by_name[name] for name in X.names] == model.feature_importances_.tolist()


def test_a_column_that_answers_alone_loses_all_when_shuffled():
    X, y = table_of_one_telling_column()
    picture = feature_importance(tw.CARTClassifier(prune=None).fit(X, y), X, y, n_shuffles=20)
    assert picture.data["columns"][0] == "x2"
    assert picture.data["losses"][0] == pytest.approx(
        0.5, abs=0.05
    )  # a coin is right half the time
    assert (picture.data["losses"][1:] == 0).all()
    assert_readable(picture)


def test_ensembles_are_drawn_too():
    X, y = table_of_one_telling_column()
    forest = tw.RandomForestClassifier(n_estimators=5).fit(X, y)
    picture = feature_importance(forest, X, y, n_shuffles=3)
    assert picture.data["columns"][0] == "x2"
    assert (picture.data["low"] <= picture.data["losses"]).all()
    assert_readable(picture)


def test_the_seed_decides_the_shuffles():
    X, y = table_of_one_telling_column(60)
    model = tw.CARTClassifier(prune=None).fit(X, y)
    one, same, other = (
        feature_importance(model, X, y, random_state=seed).data["losses"] for seed in (1, 1, 2)
    )
    assert one.tolist() == same.tolist() != other.tolist()


def test_surrogates_count_as_asked_columns():
    rng = np.random.default_rng(3)
    x, holes = rng.normal(size=300), rng.random(300) < 0.1
    X = np.column_stack([np.where(holes, np.nan, x), rng.normal(size=300), x + 0.01])
    model = tw.CARTClassifier(prune=None, max_depth=1).fit(X, x > 0)
    asked = np.column_stack([np.full(300, np.nan), X[:, 1:]])  # only the surrogate knows
    data = feature_importance(model, asked, x > 0).data
    losses = dict(zip(data["columns"], data["losses"], strict=True))
    assert losses["x0"] == 0
    assert losses["x2"] > 0.3


@pytest.mark.parametrize("n_columns", [1, 3, 30])
def test_many_columns_share_a_bar(n_columns):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, n_columns)), rng.normal(size=200)
    model = tw.CARTRegressor(prune=None, min_samples_leaf=2).fit(X, y)
    picture = feature_importance(model, X, y, max_columns=6, n_shuffles=2)
    assert len(picture.data["columns"]) == n_columns
    svg = picture.to_svg()
    assert ("24 other columns" in svg) == (n_columns == 30)
    assert "R squared lost" in svg
    assert_readable(picture)


@pytest.mark.parametrize("name", ["<script>x</script>", "שלום 🦊 " * 20, '"', "a" * 300])
def test_names_stay_text_and_find_room(name):
    X = tw.table_from({name: [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1.0, 2.0, 1.0]})
    y = ["n", "n", "y", "y"]
    picture = feature_importance(tw.CARTClassifier(prune=None).fit(X, y), X, y)
    ElementTree.fromstring(picture.to_svg())
    assert "<script" not in picture.to_svg()
    assert picture.data["columns"][0] == name
    assert_readable(picture)


def test_a_tree_of_one_leaf_has_no_importances_and_is_drawn():
    picture = feature_importance(tw.CARTClassifier(prune=None).fit([[1.0], [2.0]], ["a", "a"]))
    assert picture.data["importances"].tolist() == [0]
    assert_readable(picture)


def test_rules_say_whose_shares_they_are():
    X, y = tw.load_sample("tennis")
    assert "tree behind the rules" in feature_importance(tw.C45Rules().fit(X, y)).to_svg()


def test_what_makes_no_sense_is_refused():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    with pytest.raises(DataError, match="both X and y"):
        feature_importance(model, X)
    with pytest.raises(ParameterError, match="max_columns is 0"):
        feature_importance(model, max_columns=0)
    with pytest.raises(ParameterError, match=r"n_shuffles is 1\.5"):
        feature_importance(model, X, y, n_shuffles=1.5)
    with pytest.raises(ParameterError, match="a list has no importances"):
        feature_importance([model])
