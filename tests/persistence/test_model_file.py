"""A model file holds the whole estimator, and only what it may hold."""

import json

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFileError
from treewright.param import SavedFunction
from treewright.persistence.file_text import document, model_in
from treewright.verbs.load import model_bytes, model_from_bytes

X = {"color": ["red", "blue", "red", "green"] * 5, "size": np.arange(20.0)}
Y = np.array(["a", "b", "a", "b"] * 5)


def own_impurity(weights):
    return float(1 - weights.max() / weights.sum())


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": {"a": 2.5, "b": 1}},
        {"class_weight": "balanced"},
        {"costs": np.array([[0, 2], [1, 0]]), "priors": (0.25, 0.75)},
        {"priors": {"a": 0.25, "b": 0.75}},
        {"min_gain": float("inf")},
        {"categorical_features": np.array([True, False])},
        {"categorical_features": ["color"]},
        {"max_depth": np.int64(3), "min_samples_leaf": np.float32(0.25)},
        {"random_state": np.random.default_rng(0), "validation_fraction": 0.2},
        {"n_jobs": 2},
    ],
)
def test_parameters_of_every_kind_come_back(params):
    model = tw.TreeClassifier(**params).fit(X, Y)
    content = model_bytes(model)
    loaded = model_from_bytes(content)
    assert model_bytes(loaded) == content
    for name, value in params.items():
        if name in ("n_jobs", "random_state"):
            assert getattr(loaded, name) is None
        elif isinstance(value, dict | str):
            assert getattr(loaded, name) == value
        else:
            np.testing.assert_array_equal(np.asarray(getattr(loaded, name)), np.asarray(value))
    assert model_bytes(loaded.fit(X, Y)) == content or "random_state" in params


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.C45Rules])
def test_a_file_from_before_j48_gaps_was_a_setting_has_it_on(kind):
    """C4.5 then always left gaps; such a file is saved with the same bytes."""
    new = model_bytes(kind().fit(X, Y))
    assert model_from_bytes(new).j48_gaps is False
    head = model_in(new)
    del head["params"]["j48_gaps"]
    loaded = model_from_bytes(document(head))
    assert loaded.j48_gaps is True
    assert model_bytes(loaded) == document(head) != new


def test_the_number_of_threads_is_not_in_the_file():
    assert b"n_jobs" not in model_bytes(tw.CARTClassifier(prune=None, n_jobs=2).fit(X, Y))


def test_a_function_is_kept_by_name_only():
    content = model_bytes(tw.TreeClassifier(criterion=own_impurity).fit(X, Y))
    loaded = model_from_bytes(content)
    assert isinstance(loaded.criterion, SavedFunction)
    assert loaded.criterion.name.endswith("own_impurity")
    assert model_bytes(loaded) == content
    with pytest.raises(tw.ParameterError, match="own_impurity"):
        loaded.fit(X, Y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no"] * 10),
        np.array(["yes", "no"] * 10, dtype=object),
        np.array([True, False] * 10),
        np.array([1, 0] * 10, dtype=np.int8),
        np.array([2**63, 7] * 10, dtype=np.uint64),
        np.array([1.0, 0.0] * 10, dtype=np.float32),
        np.array(["größe", "体重"] * 10),
    ],
)
def test_classes_come_back_in_their_type(labels):
    model = tw.C45Classifier().fit(X, labels)
    loaded = model_from_bytes(model_bytes(model))
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_parameter_of_a_later_version_keeps_its_default():
    content = model_in(model_bytes(tw.CARTClassifier(cp=0.1).fit(X, Y)))
    del content["params"]["cp"]
    assert model_from_bytes(document(content)).cp is None


def test_a_subclass_of_the_users_cannot_be_saved_but_pickled():
    import pickle

    model = Own().fit(X, Y)
    with pytest.raises(ModelFileError, match=r"cannot hold a .*Own"):
        model_bytes(model)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


class Own(tw.CARTClassifier):
    """A user's subclass."""


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.json"):
        tw.load(tmp_path / "absent.json")


def test_any_path_will_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = tw.CARTRegressor(prune=None).fit(X, np.arange(20.0))
    model.save("model.json")
    assert tw.load("model.json").get_depth() == model.get_depth()
    json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))


def spoilt_id3(**changes):
    content = model_in(model_bytes(tw.ID3Classifier().fit(X, (np.arange(20) > 9).astype(int))))
    content["cut_in_advance"].update(changes)
    return document(content)


@pytest.mark.parametrize(
    "cut_points",
    [
        [],
        [["size", []]],
        [["size", [9.5, 9.5]]],
        [["size", ["9.5"]]],
        [["size", [9]]],
        [["color", [9.5]]],
        [["size", [9.5]], ["size", [9.5]]],
        "size",
        [None],
    ],
)
def test_cut_points_must_fit_the_tree(cut_points):
    with pytest.raises(ModelFileError):
        model_from_bytes(spoilt_id3(cut_points=cut_points))


def test_models_and_trees_must_fit():
    regressor = model_in(model_bytes(tw.CARTRegressor(prune=None).fit(X, np.arange(20.0))))
    with pytest.raises(ModelFileError, match="predict different things"):
        model_from_bytes(document({**regressor, "estimator": "C45Classifier", "params": {}}))
    cart = model_in(model_bytes(tw.CARTClassifier(prune=None).fit(X, np.arange(20) > 9)))
    with pytest.raises(ModelFileError, match="cut in advance"):
        model_from_bytes(document({**cart, "estimator": "ID3Classifier", "params": {}}))
    id3 = model_in(spoilt_id3())
    with pytest.raises(ModelFileError, match="cut in advance"):
        model_from_bytes(document({**id3, "estimator": "C45Classifier", "params": {}}))
    with pytest.raises(ModelFileError, match="`estimator` is 'Forest'"):
        model_from_bytes(document({**cart, "estimator": "Forest"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("class_weight", {"pairs": [["a", 1, 2]]}),
        ("class_weight", {"pairs": [[["a"], 1]]}),
        ("class_weight", {"surprise": 1}),
        ("class_weight", {"a": 1, "b": 2}),
        ("min_gain", {"float": "nan"}),
        ("min_gain", {"float": "1"}),
        ("min_gain", -1),
        ("max_depth", True),
        ("criterion", {"function": 3}),
        ("surprise", 1),
    ],
)
def test_odd_parameters_are_refused(name, value):
    content = model_in(model_bytes(tw.CARTClassifier(prune=None).fit(X, Y)))
    content["params"][name] = value
    with pytest.raises(ModelFileError, match="params"):
        model_from_bytes(document(content))


@pytest.mark.parametrize("class_type", ["int8", "bool", "float64", "datetime64", 3, None, "str "])
def test_classes_must_have_the_type_that_is_named(class_type):
    content = model_in(model_bytes(tw.CARTClassifier(prune=None).fit(X, Y)))
    with pytest.raises(ModelFileError, match="class"):
        model_from_bytes(document({**content, "class_type": class_type}))
