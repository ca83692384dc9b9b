"""ReadableTreeClassifier, ReadableTreeRegressor and tw.frontier."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.data.target import ClassTarget
from treewright.errors import DataError, ModelFileError, ParameterError
from treewright.readable_trees.candidates import Ground, grown_and_pruned, lookahead
from treewright.readable_trees.sketches import best_sizes, n_leaves, pruned, total_loss
from treewright.verbs.load import model_bytes, model_from_bytes

IRIS = tw.load_sample("iris")


def two_steps(n_rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A class that is an exclusive or of two columns, beside columns of noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((n_rows, 4)).round(3), columns=list("abcd"))
    frame["e"] = rng.choice(["red", "green", "blue"], n_rows)
    y = (frame["a"] > 0.4) ^ (frame["e"] == "red")
    return frame, np.where(y, "yes", "no")


def ground_of(n_rows: int = 200, seed: int = 0, **given) -> Ground:
    X, y = two_steps(n_rows, seed)
    model = tw.ReadableTreeClassifier()
    rows = model.training_rows(X, y)
    assert isinstance(rows.target, ClassTarget)
    labels = np.eye(2)[rows.target.codes]
    settings = {"min_leaf": 1.0, "max_depth": None, "n_threads": 1} | given
    return Ground(rows.table, rows.target.classes, labels, np.ones(n_rows), **settings)


@pytest.fixture(scope="module")
def fitted():
    return tw.ReadableTreeClassifier(max_leaf_nodes=4).fit(*IRIS)


def test_it_has_few_leaves_and_names_its_candidates(fitted):
    assert fitted.get_n_leaves() <= 4
    choice = fitted.candidates_
    assert [one.way for one in choice.candidates if one.chosen] == [choice.chosen.way]
    assert fitted.cv_score_ == choice.chosen.score
    assert fitted.ensemble_score_ > 0
    assert choice.verdict in fitted.export_text()
    assert "boosted trees" in str(choice)
    assert set(choice.to_frame()["way"]) >= {"CART", "distilled", "optimal"}


def test_an_exclusive_or_is_found_where_cart_fails():
    X, y = two_steps()
    model = tw.ReadableTreeClassifier(max_leaf_nodes=4, distil=False).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.get_n_leaves() == 4
    cart = tw.CARTClassifier(max_leaf_nodes=4, prune=None).fit(X, y)
    assert cart.score(X, y) < 1.0
    assert model.optimality_gap_ is None or model.optimality_gap_ == 0


def test_numbers_are_predicted_and_shrunk():
    rng = np.random.default_rng(0)
    X = rng.random((120, 3)).round(2)
    y = np.where(X[:, 0] > 0.5, 10.0, 0.0) + rng.normal(size=120)
    model = tw.ReadableTreeRegressor(max_leaf_nodes=3).fit(X, y)
    assert model.shrinkage_ > 0
    assert np.abs(model.predict(X) - np.where(X[:, 0] > 0.5, 10.0, 0.0)).max() < 2
    leaf = int(model.apply(X[:1])[0])
    assert model.predict(X[:1])[0] != model.tree_.value[leaf, 0]  # the tree shows the plain mean
    assert model.as_tree().value[leaf, 0] == model.predict(X[:1])[0]


def test_no_probability_is_exactly_0_or_1(fitted):
    shares = fitted.predict_proba(IRIS[0])
    assert shares.min() > 0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_thresholds_are_short_and_on_the_same_side(fitted):
    lines = [line for line in fitted.export_text().splitlines() if not line.startswith("#")]
    numbers = [word.rstrip(":") for line in lines for word in line.split() if "." in word]
    assert numbers
    assert all(len(number) <= 4 for number in numbers)


@pytest.mark.full
def test_the_order_of_rows_and_the_threads_change_nothing():
    X, y = two_steps(150)
    order = np.random.default_rng(3).permutation(150)
    model = tw.ReadableTreeClassifier(max_leaf_nodes=4, n_jobs=1).fit(X, y)
    other = tw.ReadableTreeClassifier(max_leaf_nodes=4, n_jobs=2).fit(X.iloc[order], y[order])
    assert model.export_text() == other.export_text()


def test_a_file_holds_the_candidates_and_refuses_wrong_ones(fitted):
    content = model_bytes(fitted)
    loaded = model_from_bytes(content)
    assert model_bytes(loaded) == content
    assert str(loaded.candidates_) == str(fitted.candidates_)
    np.testing.assert_array_equal(loaded.predict_proba(IRIS[0]), fitted.predict_proba(IRIS[0]))
    for key, wrong in (("shrinkage", -1.0), ("candidates", []), ("candidates", None)):
        entry = json.loads(content)
        entry["model"][key] = wrong
        with pytest.raises(ModelFileError):
            type(fitted.state_).from_parts(entry["model"], {})


@pytest.mark.full
def test_worksheet_rules_and_exports_work_as_for_other_trees(fitted):
    text = tw.worksheet(fitted, *IRIS).to_text()
    assert fitted.candidates_.chosen.way in text
    assert "Other ways by log loss: " in text
    assert "Other ways by log loss: " in tw.report(fitted, *IRIS, folds=2, repeats=1).to_html()
    assert tw.verify_export(fitted, tw.export(fitted, to="python"), to="python")
    assert len(tw.rules(fitted)) == fitted.get_n_leaves()
    assert "<svg" in fitted.draw().to_svg()


@pytest.mark.parametrize("kind", [tw.ReadableTreeClassifier, tw.ReadableTreeRegressor])
def test_little_or_bad_data_gives_a_tree_or_a_clear_error(kind):
    same = kind().fit([[1.0], [2.0], [3.0]], [1, 1, 1])
    assert same.get_n_leaves() == 1
    assert same.cv_score_ is None
    assert "too few rows" in str(same.candidates_)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"constant": np.ones(10), "empty": np.full(10, np.nan), "x": rng.random(10)})
    with pytest.warns(UserWarning, match="without any value"):
        few = kind(min_samples_leaf=1).fit(X, [0, 1] * 5)
    assert 1 <= few.get_n_leaves() <= 10
    constant = kind(distil=False).fit(np.ones((40, 2)), [0, 1] * 20)
    assert constant.get_n_leaves() == 1
    with pytest.raises(ParameterError, match="max_leaf_nodes"):
        kind(max_leaf_nodes=1).fit(*IRIS)


def test_thousands_of_categories_are_not_learned_by_heart():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": [f"c{i}" for i in range(2000)], "x": rng.random(2000)})
    y = np.where(rng.random(2000) < 0.8, X["x"] > 0.5, X["x"] <= 0.5)
    with pytest.warns(UserWarning, match="`id`"):
        model = tw.ReadableTreeClassifier(max_leaf_nodes=4, distil=False).fit(X, y)
    assert set(model.tree_.feature[~model.tree_.is_leaf]) == {1}


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), most=st.integers(2, 9))
def test_the_best_pruning_is_not_worse_than_any_other(seed, most):
    ground = ground_of(60, seed)
    aim = ground.by_labels.aim
    large = ground.by_labels.grow(None, 12)
    everything = np.arange(60)
    sizes = best_sizes(large, aim, everything, most)[id(large)]
    best = pruned(large, aim, most)
    assert n_leaves(best) <= most
    assert total_loss(best, aim, everything) == pytest.approx(min(sizes.losses[:most]))
    smaller = ground.by_labels.grow(None, 2)  # its first split is the one of the large tree
    assert total_loss(best, aim, everything) <= total_loss(smaller, aim, everything) + 1e-9


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_lookahead_and_refinement_do_not_raise_the_training_loss(seed):
    ground = ground_of(80, seed)
    aim, everything = ground.by_labels.aim, np.arange(80)
    found = lookahead(ground, 4)
    assert n_leaves(found) <= 4
    greedy = grown_and_pruned(ground.by_labels, 4)
    assert total_loss(found, aim, everything) <= total_loss(greedy, aim, everything) + 1e-6


def test_a_frontier_has_a_curve_for_every_way():
    model = tw.ReadableTreeClassifier(distil=False)
    found = tw.frontier(*IRIS, leaves=(2, 4), folds=2, model=model)
    assert found.sizes == (2, 4)
    assert {"readable", "CART", "optimal"} <= set(found.ways)
    assert found.smallest().max_leaf_nodes == 4
    assert found.baseline_score > max(point.score for point in found.curve("readable"))
    assert found.ensemble_score is None
    assert "4 leaves are enough" in str(found)
    assert len(found.to_frame()) == len(found.points)
    svg = tw.figures.frontier(found).to_svg()
    assert "readable" in svg
    again = tw.frontier(*IRIS, leaves=(4, 2), folds=2, model=model, n_jobs=1)
    assert again.to_dict() == found.to_dict()


def test_a_frontier_says_that_no_split_helps():
    X = np.array([[0.0], [1.0]] * 30)
    model = tw.ReadableTreeClassifier(distil=False)
    found = tw.frontier(X, ["yes", "yes", "no", "no"] * 15, leaves=(2,), folds=2, model=model)
    assert found.gains_nothing
    assert "No readable tree of these sizes is better" in str(found)
    assert "enough" not in str(found)


@pytest.mark.full
def test_a_frontier_of_numbers_knows_its_ceiling():
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    found = tw.frontier(X, X[:, 0] + 0.1 * rng.random(90), leaves=[3], folds=2)
    assert found.measure == "RMSE"
    assert found.ensemble_score > 0
    with pytest.raises(ParameterError, match="leaves"):
        tw.frontier(X, X[:, 0], leaves=[1])
    with pytest.raises(DataError, match="90 rows cannot make 91 folds"):
        tw.frontier(X, X[:, 0], folds=91)
    with pytest.raises(ParameterError, match="same target"):
        tw.frontier(X, np.ones(90))
    with pytest.raises(ParameterError, match="ReadableTree"):
        tw.frontier(X, X[:, 0], model=tw.CARTRegressor())
