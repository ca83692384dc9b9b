"""Forests shrink their leaves: by a given strength, or by one that left-out rows choose."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.ensembles.forests import shrinkage
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.settings import forest_settings
from treewright.errors import ParameterError
from treewright.tree.shrinkage import shrunk

CLASSIFIERS = [tw.RandomForestClassifier, tw.ExtraTreesClassifier]
EVERY = [*CLASSIFIERS, tw.RandomForestRegressor, tw.ExtraTreesRegressor]


def noisy(seed=0, n_rows=120, n_classes=3):
    """Numbers, categories and missing values; a target that they say little about."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    words = [None if rng.random() < 0.1 else f"w{at}" for at in rng.integers(0, 5, n_rows)]
    X = {"x": np.where(rng.random(n_rows) < 0.1, np.nan, x), "z": rng.normal(size=n_rows)}
    score = x + rng.normal(size=n_rows)
    return X | {"words": words}, np.digitize(score, np.linspace(-1, 1, n_classes - 1)), score


def target_of(kind, seed=0):
    X, classes, numbers = noisy(seed)
    return X, classes if kind in CLASSIFIERS else numbers


@given(
    seed=st.integers(0, 1000),
    strength=st.sampled_from([0.1, 3.0, 100.0]),
    kind=st.sampled_from(EVERY),
)
@settings(max_examples=20, deadline=None)
def test_packed_trees_shrink_as_ordinary_ones(seed, strength, kind):
    X, y = target_of(kind, seed)
    weights = np.random.default_rng(seed).uniform(0.1, 2, len(y)) if seed % 2 else None
    settings = {"n_estimators": 4, "random_state": seed, "shrinkage": strength}
    forest = kind(**settings).fit(X, y, weights)
    plain = kind(**(settings | {"shrinkage": 0})).fit(X, y, weights)
    for ours, before in zip(forest.trees_, plain.trees_, strict=True):
        expected = shrunk(before, strength, shrinkage.PRIOR)
        leaf = before.is_leaf
        scale = np.abs(expected.value).max()
        np.testing.assert_allclose(
            ours.value[leaf], expected.value[leaf], rtol=1e-9, atol=1e-12 * scale
        )
        np.testing.assert_array_equal(ours.weight, before.weight)


@pytest.mark.parametrize("kind", EVERY)
def test_the_kernel_predicts_left_out_rows_as_single_trees_do(kind):
    X, y = target_of(kind)
    model = kind(n_estimators=7, max_samples=0.6, bootstrap=False, shrinkage=0).fit(X, y)
    rows = model.training_rows(X, y, None)
    task = ForestTask(rows, forest_settings(model, rows, model.seed_, 0), 255, "missing", 2)
    trees, taken = task.grown(), np.arange(0, rows.n_rows, 2)
    sums, n_trees = shrinkage.left_out_predictions(task, trees, taken)
    one_by_one, n_again = shrinkage.left_out_predictions(task, tuple(trees), taken)
    np.testing.assert_array_equal(n_trees, n_again)
    assert n_trees.max() > 0
    np.testing.assert_allclose(sums, one_by_one, rtol=1e-10)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "params", [{}, {"splits": "exact"}, {"inductors": ["c45", "cart"]}, {"bootstrap": False}]
)
def test_no_probability_is_0_or_1(kind, params):
    if kind is tw.ExtraTreesClassifier:
        params = {}  # it has no others
    X, y, _ = noisy(n_classes=4)
    y[0] = 9  # a class that most trees do not draw
    forest = kind(n_estimators=10, **params).fit(X, y)
    probabilities = forest.predict_proba(X)
    assert probabilities.min() > 0
    assert probabilities.max() < 1
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert forest.shrinkage_ > 0
    plain = kind(n_estimators=10, shrinkage=0, **params).fit(X, y)
    assert plain.shrinkage_ == 0
    assert np.mean(plain.predict(X) == forest.predict(X)) > 0.6


@pytest.mark.parametrize("kind", EVERY)
def test_noise_gets_more_shrinkage_than_a_clean_table(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    signal = (X[:, 0] > 0).astype(float)
    noise = rng.permutation(signal)
    clean, random = (kind(n_estimators=30).fit(X, y).shrinkage_ for y in (signal, noise))
    assert clean < 1 < 10 <= random


@pytest.mark.parametrize("kind", EVERY)
def test_threads_do_not_matter_and_everything_follows_the_shrunk_leaves(kind, tmp_path):
    X, y = target_of(kind)
    forest = kind(n_estimators=12, n_jobs=1).fit(X, y)
    again = kind(n_estimators=12, n_jobs=3).fit(X, y)
    for one, other in zip(forest.trees_, again.trees_, strict=True):
        assert one.same_as(other)
    forest.save(tmp_path / "forest.tw")
    loaded = tw.load(tmp_path / "forest.tw")
    assert loaded.shrinkage_ == forest.shrinkage_
    read = pickle.loads(pickle.dumps(forest))
    method = "predict_proba" if kind in CLASSIFIERS else "predict"
    expected = getattr(forest, method)(X)
    for model in (loaded, read):
        np.testing.assert_array_equal(getattr(model, method)(X), expected)
    found = tw.shap_values(forest, {name: cells[:3] for name, cells in X.items()})
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, expected[:3].reshape(total.shape), atol=1e-9)


def test_a_loaded_forest_grows_on_with_its_strength(tmp_path):
    X, y, _ = noisy()
    forest = tw.RandomForestClassifier(n_estimators=5, warm_start=True).fit(X, y)
    forest.save(tmp_path / "forest.tw")
    loaded = tw.load(tmp_path / "forest.tw").set_params(n_estimators=8)
    strength = loaded.shrinkage_
    with pytest.raises(ParameterError, match="shrunk with a strength"):
        loaded.set_params(shrinkage=strength + 1).fit(X, y)
    loaded.set_params(shrinkage="auto").fit(X, y)
    assert (len(loaded.trees_), loaded.shrinkage_) == (8, strength)
    assert loaded.trees_[0].same_as(forest.trees_[0])
    # In memory, the trees before shrinkage are known: another strength is possible.
    forest.set_params(n_estimators=8, shrinkage=7.0).fit(X, y)
    at_once = tw.RandomForestClassifier(n_estimators=8, shrinkage=7.0).fit(X, y)
    assert all(map(lambda a, b: a.same_as(b), forest.trees_, at_once.trees_))


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("n_rows", [1, 2, 10])
def test_few_rows_equal_rows_and_one_class_are_no_trouble(kind, n_rows):
    X = np.ones((n_rows, 2))
    for y in (np.zeros(n_rows, dtype=int), np.arange(n_rows) % 2):
        forest = kind(n_estimators=3).fit(X, y)
        assert np.isfinite(forest.predict(X)).all()
        assert forest.shrinkage_ >= 0
    weights = np.zeros(n_rows)
    weights[0] = 1
    assert kind(n_estimators=3).fit(X, y, weights).predict(X).tolist() == [y[0]] * n_rows


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "strong", None, True])
@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.CARTClassifier])
def test_other_strengths_are_refused(kind, bad):
    with pytest.raises(ParameterError, match="shrinkage"):
        kind(shrinkage=bad).fit([[1.0], [2.0]], [0, 1])


def test_an_inductor_leaves_shrinkage_to_the_forest():
    X, y, _ = noisy()
    forest = tw.RandomForestClassifier(inductors=[tw.CARTClassifier(shrinkage=3.0)])
    with pytest.raises(ParameterError, match="has no effect in a forest"):
        forest.fit(X, y)
