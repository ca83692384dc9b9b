"""OptimalTreeClassifier and tw.optimality_gap: what users see of the search."""

import json
import pickle
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import treewright as tw
from treewright.errors import ModelFileError, ParameterError
from treewright.persistence.file_text import document
from treewright.verbs.load import model_bytes, model_from_bytes
from watched import SLOWER

IRIS = tw.load_sample("iris")


@pytest.fixture(scope="module")
def fitted():
    return tw.OptimalTreeClassifier(max_depth=2).fit(*IRIS)


@pytest.mark.parametrize(("depth", "errors"), [(1, 50), (2, 6), (3, 1)])
def test_iris_has_these_optima(depth, errors):
    model = tw.OptimalTreeClassifier(max_depth=depth).fit(*IRIS)
    assert model.proven_
    assert model.gap_ == 0
    assert np.count_nonzero(model.predict(IRIS[0]) != IRIS[1]) == errors
    assert model.lower_bound_ == errors / 150


def test_it_is_never_worse_than_cart():
    X, y = load_breast_cancer(return_X_y=True)
    cart = tw.CARTClassifier(prune=None, max_depth=2).fit(X, y)
    best = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert best.score(X, y) > cart.score(X, y)


def test_a_price_of_leaves_makes_the_tree_smaller():
    by_price = [tw.OptimalTreeClassifier(penalty=price).fit(*IRIS) for price in (0.0, 0.01, 0.4)]
    assert [model.get_n_leaves() for model in by_price[1:]] == [4, 1]
    assert by_price[0].get_n_leaves() > 4
    assert by_price[1].proof_.cost == pytest.approx(3 / 150 + 4 * 0.01)


def test_the_verdict_stands_above_the_tree_and_goes_when_the_tree_is_cut(fitted):
    assert fitted.export_text().startswith("# Proven: this tree gets 6 of 150 wrong")
    cut = fitted.to_depth(1)
    assert (cut.proof_, cut.proven_, cut.gap_, cut.lower_bound_) == (None, False, None, None)
    assert cut.notes_ == ()


def test_the_worksheet_says_that_splits_were_chosen_together(fitted):
    page = str(tw.worksheet(fitted, *IRIS))
    assert "chosen together, for the fewest errors of the whole tree" in " ".join(page.split())
    assert "is chosen." not in page


def test_files_and_pickles_keep_the_proof(fitted, tmp_path):
    fitted.save(tmp_path / "best.tw")
    for other in (tw.load(tmp_path / "best.tw"), pickle.loads(pickle.dumps(fitted))):
        assert other.proof_ == fitted.proof_
        assert other.notes_ == fitted.notes_
        assert model_bytes(other) == model_bytes(fitted)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lower_bound", 0.5),
        ("errors", -1.0),
        ("errors", 1e9),
        ("n_rows", "150"),
        ("proven", 1),
        ("max_depth", 10**9),
        ("cost", None),
        ("stranger", 1),
    ],
)
def test_a_proof_that_cannot_be_one_is_refused(fitted, name, value):
    entry = json.loads(model_bytes(fitted))["model"]
    entry["optimality"][name] = value
    with pytest.raises(ModelFileError, match="optimality"):
        model_from_bytes(document(entry))


def test_a_file_is_the_same_for_any_number_of_threads():
    X, y = load_breast_cancer(return_X_y=True)
    y = y ^ (np.random.default_rng(0).random(len(y)) < 0.2)
    models = [
        tw.OptimalTreeClassifier(max_depth=3, max_cuts=6, n_jobs=n).fit(X[:, :8], y)
        for n in (1, 2, 3)
    ]
    assert len({model_bytes(model) for model in models}) == 1
    assert models[0].proven_


@pytest.mark.filterwarnings("ignore:categories not seen")
def test_words_holes_and_levels_never_seen_are_taken():
    frame = pd.DataFrame(
        {"town": ["Rome", "Oslo", None, "Bonn", "Rome", None], "age": [1, np.nan, 3, 4, 5, np.nan]}
    )
    y = ["a", "b", "b", "a", "a", "b"]
    model = tw.OptimalTreeClassifier(max_depth=2).fit(frame, y)
    assert model.predict(frame).tolist() == y
    assert len(model.predict(pd.DataFrame({"town": ["Lima"], "age": [np.nan]}))) == 1


@pytest.mark.parametrize(
    "X",
    [np.zeros((1, 2)), np.zeros((5, 1)), np.full((4, 1), np.nan), np.array([[np.inf], [-np.inf]])],
)
@pytest.mark.filterwarnings("ignore:column")
def test_tables_with_little_to_ask_give_a_tree_too(X):
    model = tw.OptimalTreeClassifier().fit(X, np.arange(len(X)) % 2)
    assert model.proven_
    assert len(model.predict(X)) == len(X)


def test_when_time_runs_out_the_gap_is_told():
    X, y = load_breast_cancer(return_X_y=True)
    start = time.monotonic()
    model = tw.OptimalTreeClassifier(max_depth=5, time_limit=0.1).fit(X, y)
    assert time.monotonic() - start < 10 * SLOWER
    assert not model.proven_
    assert 0 < model.gap_ <= model.proof_.cost
    assert "Not proven in the time given" in str(model.proof_)
    assert "time ran out before the rest" in str(model.proof_)
    cart = tw.CARTClassifier(prune=None, max_depth=5).fit(X, y)
    assert model.score(X, y) >= cart.score(X, y)


def test_ctrl_c_ends_the_search_and_keeps_the_old_fit(fitted):
    model = pickle.loads(pickle.dumps(fitted)).set_params(max_depth=6, time_limit=None)
    X, y = load_breast_cancer(return_X_y=True)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.proof_ == fitted.proof_
    assert model.n_features_in_ == 4


def test_few_thresholds_are_told_in_the_proof():
    model = tw.OptimalTreeClassifier(max_depth=2, max_cuts=3).fit(*IRIS)
    assert "max_cuts left" in str(model.proof_)
    assert model.proof_.n_questions <= 12


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [({"max_depth": 0}, "1 to 16"), ({"time_limit": 0}, "above 0"), ({"penalty": 1}, "below 1")],
)
def test_settings_out_of_range_are_refused(wrong, hint):
    with pytest.raises(ParameterError, match=hint):
        tw.OptimalTreeClassifier(**wrong).fit(*IRIS)


def test_the_gap_of_a_greedy_tree_is_what_the_best_tree_of_its_size_saves():
    cart = tw.CARTClassifier(prune=None, max_depth=3).fit(*IRIS)
    gap = tw.optimality_gap(cart, *IRIS)
    assert (gap.errors, gap.best_errors, gap.least_errors, gap.proven) == (4, 2, 2, True)
    assert gap.best.n_leaves <= cart.get_n_leaves()
    assert gap.gap == pytest.approx(2 / 150)


def test_an_optimal_tree_has_no_gap(fitted):
    assert tw.optimality_gap(fitted, *IRIS).gap == 0


def test_trees_of_many_branches_are_compared_in_their_binary_form():
    X, y = tw.load_sample("tennis")
    gap = tw.optimality_gap(tw.ID3Classifier().fit(X, y), X, y)
    assert (gap.errors, gap.best_errors, gap.proof.max_leaf_nodes) == (0, 0, 5)


@pytest.mark.parametrize(
    "size",
    [{"max_depth": -1}, {"max_depth": "x"}, {"max_depth": True}, {"max_leaf_nodes": 2.5}],
    ids=str,
)
def test_the_size_of_a_gap_is_checked(fitted, size):
    with pytest.raises(tw.ParameterError, match=f"{next(iter(size))}=.* is not allowed"):
        tw.optimality_gap(fitted, *IRIS, **size)


def towns_and_colors(n_rows=300):
    """Two columns of levels, of which one is too many for all sets, and a column of noise."""
    rng = np.random.default_rng(0)
    town, color = rng.integers(0, 13, n_rows), rng.integers(0, 6, n_rows)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n_rows),
            "town": [f"t{number:02}" for number in town],
            "color": [f"c{number}" for number in color],
        }
    )
    return frame, np.isin(town, range(0, 13, 2)), np.isin(color, [0, 2, 4])


def one_level_at_a_time(X, y):
    return tw.TreeClassifier(max_depth=1, nominal="one_vs_rest").fit(X, y)


def test_a_gap_is_not_proven_where_sets_of_many_levels_were_left_out():
    X, by_town, _ = towns_and_colors()
    y = by_town ^ (np.random.default_rng(1).random(len(X)) < 0.1)
    gap = tw.optimality_gap(one_level_at_a_time(X, y), X, y)
    cart = tw.CARTClassifier(prune=None, max_depth=1).fit(X, y)
    assert gap.best_errors <= np.count_nonzero(cart.predict(X) != y)
    assert not gap.proven
    assert "another tree may be better" in str(gap)
    assert "Gap: at least" in str(gap)


def test_sets_of_few_levels_are_tried_beside_a_column_of_many():
    X, _, by_color = towns_and_colors()
    gap = tw.optimality_gap(one_level_at_a_time(X, by_color), X, by_color)
    assert (gap.best_errors, gap.proven, gap.best.depth) == (0, True, 1)


def test_a_proof_tells_that_levels_were_tried_one_against_the_rest():
    X, _, by_color = towns_and_colors()
    proof = tw.OptimalTreeClassifier(max_depth=1).fit(X[["color"]], by_color).proof_
    assert "with these splits gets fewer" in proof.verdict
    assert "categories of 1 column were tried one against the rest" in str(proof)
    proof = tw.OptimalTreeClassifier(max_depth=1, nominal="subset").fit(X[["color"]], by_color)
    assert "these splits" not in str(proof.proof_)


def test_a_gap_of_sums_tells_that_sums_were_not_searched():
    X, y = IRIS
    gap = tw.optimality_gap(tw.ObliqueTreeClassifier(max_depth=2).fit(X, y), X, y)
    assert gap.asks_sums
    assert "Only splits on one column" in str(gap)


def test_a_gap_needs_a_single_tree_with_classes():
    X, y = IRIS
    with pytest.raises(ParameterError, match="is not a single tree"):
        tw.optimality_gap(tw.RandomForestClassifier(n_estimators=3).fit(X, y), X, y)
    numbers = np.arange(150.0)
    regressor = tw.CARTRegressor(prune=None, max_depth=2).fit(X, numbers)
    with pytest.raises(ParameterError, match="predicts numbers"):
        tw.optimality_gap(regressor, X, numbers)
