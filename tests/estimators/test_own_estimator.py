"""Models that are no trees: becoming fitted, files and pickles, with one made for the test."""

import pickle
from dataclasses import make_dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw
from treewright import registry
from treewright.data.schema import Schema
from treewright.data.target import encode_numbers
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.fitted import Fitted, learned
from treewright.estimators.params import CATEGORICAL_FEATURES, HANDLE_UNKNOWN, N_JOBS
from treewright.persistence.container import container_bytes, read_container
from treewright.persistence.values import (
    FLAG,
    NUMBER,
    TREE,
    VALUES,
    WHOLE,
    WORD,
    WORDS,
    floats,
    ints,
    optional,
    word_of,
)
from treewright.verbs.load import model_bytes, model_from_bytes

EXAMPLES = {
    "whole_": (WHOLE, 3, -3),
    "number_": (NUMBER, 0.1, 1),
    "flag_": (FLAG, True, 1),
    "word_": (WORD, "é", 1),
    "choice_": (word_of("a", "b"), "b", "c"),
    "words_": (WORDS, ("x", "y"), ("x", 1)),
    "values_": (VALUES, (("x", None), (1, 2.5, True)), {"x": 1}),
    "nothing_": (optional(NUMBER), None, "x"),
    "floats_": (floats(2), np.array([[1.0, 2.0]]), np.array([[np.nan, 2.0]])),
    "holes_": (floats(1, finite=False), np.array([np.nan, 2.0]), np.array([1, 2])),
    "ints_": (ints(1), np.array([1, 2]), np.array([1.0])),
    "absent_": (optional(ints(1)), None, np.array([[1]])),
}


FittedMeans = make_dataclass(
    "FittedMeans",
    [
        *((name[:-1], Any, learned(kind)) for name, (kind, _, _) in EXAMPLES.items()),
        ("tree", Any, learned(TREE)),
    ],
    bases=(Fitted,),
    frozen=True,
    eq=False,
    kw_only=True,
)


class Means(OtherModel, Model[Fitted]):
    """Predicts the mean, and stores one value of every kind."""

    state_type = FittedMeans
    encode_target = staticmethod(encode_numbers)

    handle_unknown: str = HANDLE_UNKNOWN
    categorical_features: Any = CATEGORICAL_FEATURES
    n_jobs: int | None = N_JOBS

    def learn(self, rows):
        mean = float(np.average(rows.target.values, weights=rows.weights))
        tree = tw.CARTRegressor(prune=None).fit(rows.table, rows.target.values).tree_
        values = {name[:-1]: value for name, (_, value, _) in EXAMPLES.items()}
        return FittedMeans(schema=Schema.of(rows.table), **values | {"number": mean, "tree": tree})

    def predict(self, X):
        return np.full(len(self.encode_rows(X)), self.number_)


TABLE = {"size": [1.0, 2.0, 3.0], "color": ["red", "blue", None]}


@pytest.fixture
def fitted(monkeypatch):
    entry = registry.Entry(
        Means.__module__,
        model="means",
        family="means",
        task=registry.REGRESSION,
        state=f"{Means.__module__}.FittedMeans",
    )
    monkeypatch.setitem(registry.ESTIMATORS, "Means", entry)
    return Means().fit(TABLE, [1.0, 2.0, 6.0])


def same(one, other):
    if not isinstance(one, np.ndarray):
        return one == other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def test_a_file_brings_back_every_kind_of_value(fitted, tmp_path):
    fitted.save(tmp_path / "means.tw")
    loaded = tw.load(tmp_path / "means.tw")
    for name in EXAMPLES.keys() - {"number_"}:
        value = getattr(fitted, name)
        assert type(getattr(loaded, name)) is type(value)
        assert same(getattr(loaded, name), value), name
    assert str(loaded.tree_) == str(fitted.tree_)
    assert loaded.predict(TABLE).tolist() == [3.0, 3.0, 3.0]


def test_a_pickle_brings_back_the_model(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert model_bytes(again) == model_bytes(fitted)


def test_a_clone_is_not_fitted(fitted):
    with pytest.raises(NotFittedError):
        clone(fitted).predict(TABLE)


def test_a_failed_fit_leaves_the_model_as_it_was(fitted):
    with pytest.raises(ValueError, match="rows"):
        fitted.fit(TABLE, [1.0])
    assert fitted.predict(TABLE).tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_value_of_another_kind_is_refused(fitted, name):
    wrong = EXAMPLES[name][2]
    found = read_container(model_bytes(fitted))
    found.model["learned"].pop(name, None)
    found.arrays.pop(name, None)
    if isinstance(wrong, np.ndarray):
        found.arrays[name] = wrong
    else:
        found.model["learned"][name] = wrong
    with pytest.raises(tw.ModelFileError):
        model_from_bytes(container_bytes(found.model, found.arrays))


@pytest.mark.parametrize("key", ["schema", "notes", "learned", "params", "classes", "target"])
def test_a_file_without_a_part_is_refused(fitted, key):
    found = read_container(model_bytes(fitted))
    del found.model[key]
    with pytest.raises(tw.ModelFileError, match=key):
        model_from_bytes(container_bytes(found.model, found.arrays))


def test_a_model_of_somebody_else_cannot_be_saved(tmp_path):
    with pytest.raises(tw.ModelFileError, match="cannot hold"):
        Means().fit(TABLE, [1.0, 2.0, 6.0]).save(tmp_path / "means.tw")


def test_measures_are_for_single_trees(fitted):
    with pytest.raises(tw.ParameterError, match="single trees"):
        tw.worksheet(fitted, measures="gini_gain")
