"""ObliqueTreeClassifier: sums that people can read, in a tree like any other."""

import os
import pickle
import signal
import threading

import numpy as np
import pytest

import treewright as tw
from treewright.single_trees.shared_growth import fit_many
from treewright.tree.layout import OBLIQUE
from treewright.verbs.load import model_bytes


def shoppers(n_rows=400):
    rng = np.random.default_rng(0)
    age, income = rng.integers(18, 70, n_rows), rng.integers(10, 90, n_rows)
    X = [{"age": int(a), "income": int(i)} for a, i in zip(age, income, strict=True)]
    return X, np.where(2 * age + income <= 131, "no", "yes")


def with_words_and_holes(n_rows=300):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, n_rows)).round(2)
    word = rng.choice(["x", "y", "z"], n_rows)
    y = np.where(word == "z", "other", np.where(a + 2 * b > 0.3, "up", "down"))
    hole = rng.random(n_rows) < 0.1
    X = [
        {"a": None if gap else float(one), "b": float(two), "word": str(level)}
        for gap, one, two, level in zip(hole, a, b, word, strict=True)
    ]
    return X, y


@pytest.fixture(scope="module")
def mixed():
    X, y = with_words_and_holes()
    return tw.ObliqueTreeClassifier().fit(X, y), X, y


def test_the_line_that_made_the_classes_is_found_and_written_as_people_would():
    model = tw.ObliqueTreeClassifier().fit(*shoppers())
    assert model.export_text() == (
        "2 * age + income <= 131.5: no (175)\n2 * age + income > 131.5: yes (225)"
    )


def test_words_are_asked_by_level_and_numbers_by_sums(mixed):
    model, X, y = mixed
    kinds = {node.kind for node in model.tree_.nodes()}
    assert {"subset", "oblique"} <= kinds
    assert model.score(X, y) > 0.93


@pytest.mark.parametrize("to", ["python", "json", "sql"])
def test_program_code_answers_as_the_tree(mixed, to):
    model, _, _ = mixed
    assert "agrees" in str(tw.verify_export(model, tw.export(model, to), to))


def test_spreadsheets_refuse_sums(mixed):
    with pytest.raises(tw.ExportError, match="sums"):
        tw.export(mixed[0], "excel")


def test_rules_predict_as_the_tree(mixed):
    model, X, _ = mixed
    assert np.array_equal(tw.rules(model).predict(X), model.predict(X))


def test_files_and_pickles_bring_the_same_tree_back(mixed, tmp_path):
    model, X, _ = mixed
    model.save(tmp_path / "model.tw")
    for copy in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert copy.tree_.same_as(model.tree_)
        assert np.array_equal(copy.predict(X), model.predict(X))


def test_any_number_of_threads_writes_the_same_bytes():
    X, y = with_words_and_holes()
    models = [tw.ObliqueTreeClassifier(n_jobs=n, prune=None).fit(X, y) for n in (1, 2, 3)]
    assert len({model_bytes(model) for model in models}) == 1


def test_importance_is_shared_by_the_columns_of_a_sum():
    model = tw.ObliqueTreeClassifier().fit(*shoppers())
    assert model.feature_importances_.tolist() == [0.5, 0.5]


def test_costs_change_answers():
    X, y = tw.load_sample("iris")
    dear = [[0, 1, 1], [1, 0, 1], [1, 50, 0]]  # to take virginica for versicolor
    model = tw.ObliqueTreeClassifier(costs=dear, max_leaf_nodes=3, prune=None).fit(X, y)
    assert not ((model.predict(X) == "versicolor") & (np.asarray(y) == "virginica")).any()


def test_pruning_counts_the_columns_of_sums():
    X, y = tw.load_sample("iris")
    grown = tw.ObliqueTreeClassifier(prune=None).fit(X, y)
    pruned = tw.ObliqueTreeClassifier().fit(X, y)
    by_folds = tw.ObliqueTreeClassifier(prune="cv", prune_options={"folds": 3}).fit(X, y)
    assert pruned.get_n_leaves() < grown.get_n_leaves()
    assert by_folds.get_n_leaves() <= grown.get_n_leaves()
    assert pruned.pruning_.method == "mdl"


def test_many_settings_at_once_grow_sums_too():
    X, y = shoppers(150)
    (model,) = fit_many(tw.ObliqueTreeClassifier(), [{"max_depth": 2}], X, y)
    assert (model.tree_.kind == OBLIQUE).any()


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-161, 1e90])
def test_the_size_of_numbers_changes_no_split(size):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 2 * X[:, 0] + X[:, 1] > 0.3
    for sizes in (np.full(3, size), np.array([1.0, size, 1.0])):
        model = tw.ObliqueTreeClassifier().fit(X * sizes, y)
        assert model.tree_.n_leaves == 2
        assert (model.predict(X * sizes) == y).all()


def test_an_interrupted_fit_leaves_the_old_tree():
    X, y = tw.load_sample("iris")
    model = tw.ObliqueTreeClassifier().fit(X, y)
    old = model.tree_
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4_000, 12)), rng.integers(0, 3, 4_000)
    stop = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(A, b)
    stop.join()
    assert model.tree_ is old


@pytest.mark.parametrize(
    ("setting", "value"), [("max_terms", 0), ("term_gain", -0.1), ("n_jumps", 1.5)]
)
def test_settings_are_checked(setting, value):
    with pytest.raises(tw.ParameterError, match=setting):
        tw.ObliqueTreeClassifier(**{setting: value}).fit(*shoppers(20))
