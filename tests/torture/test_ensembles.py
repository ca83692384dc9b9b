"""The cases of the torture list that forests and boosted trees meet: T01 to T22."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import is_classifier

from contracts.ensembles import (
    BOOSTED,
    CLASSIFIERS,
    PREDICTORS,
    answers,
    for_every_classifier,
    for_every_predictor,
    numbers,
    small,
    words,
)
from treewright.any_model.saved_model import model_bytes
from treewright.tree.as_json import tree_to_json


@for_every_predictor
@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_T01_a_hole_in_the_target_is_counted_and_placed(kind, hole):
    X, _ = numbers(6)
    target = pd.Series([1.0, 0.0, hole, 1.0, hole, 0.0], name="income", dtype=object)
    with pytest.raises(ValueError, match=r"`income`.*2 missing values.*first in row 2"):
        kind().fit(X, target)


@for_every_predictor
def test_T02_infinities_are_the_extreme_values(kind):
    X = np.array([[-np.inf], [-1.0], [0.0], [1.0], [np.inf], [np.inf]] * 8)
    y = np.array([0, 1, 1, 0, 1, 1] * 8)
    model = small(kind, n_estimators=60, learning_rate=0.5) if kind in BOOSTED else small(kind)
    model.fit(X, y)
    for tree in model.trees_:
        assert np.isfinite(tree.threshold).all()
    answer = model.predict(X)
    np.testing.assert_array_equal(answer if is_classifier(model) else answer > 0.5, y)


@for_every_predictor
def test_T03_a_column_without_a_value_is_never_used(kind):
    X, y = numbers()
    X[:, 2] = np.nan
    with pytest.warns(UserWarning, match="column `x2` without any value cannot be used"):
        model = small(kind).fit(X, y)
    assert all(2 not in tree.feature for tree in model.trees_)
    assert model.feature_importances_[2] == 0
    later = X.copy()
    later[:, 2] = 1.0
    np.testing.assert_array_equal(answers(model, later), answers(model, X))


@for_every_predictor
def test_T04_a_first_hole_at_predict_goes_with_the_larger_side(kind):
    X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [14.0]] * 4)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1] * 4)
    model = small(kind).fit(X, y)
    assert model.predict([[np.nan]])[0] > 0.5


@for_every_classifier
def test_T05_every_mark_of_missing_is_missing_and_words_stay_words(kind):
    column = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, "nan", "None", "red", "red", "blue"]
    model = small(kind).fit({"color": column}, [0, 1] * 5)
    plain = small(kind).fit({"color": [None] * 5 + column[5:]}, [0, 1] * 5)
    assert model_bytes(model) == model_bytes(plain)


@for_every_predictor
def test_T06_constant_columns_give_leaves(kind):
    X = {"number": [3.0] * 8, "word": ["same"] * 8}
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    params = {} if kind in BOOSTED else {"bootstrap": False}
    model = small(kind, **params).fit(X, y)
    np.testing.assert_array_equal(model.feature_importances_, [0, 0])
    first = answers(model, X)[0]
    np.testing.assert_allclose(first, [0.25, 0.75] if is_classifier(model) else 0.75, rtol=1e-6)


@for_every_predictor
@pytest.mark.parametrize(
    "values", [[-1.7e308, 1.7e308], [1.7e308, 1.79e308], [np.nextafter(1.0, 0), 1.0], [0.0, 5e-324]]
)
def test_T07_T08_T09_thresholds_of_any_two_values_separate_them(kind, values):
    low, high = values
    X = np.array([[low], [high]] * 20)
    y = np.array([0, 1] * 20)
    params = {"bootstrap": False} if kind not in BOOSTED else {}
    model = small(kind, **params).fit(X, y)
    threshold = model.trees_[0].threshold[0]
    assert math.isfinite(threshold)
    assert low <= threshold < high
    answer = model.predict(X)
    np.testing.assert_array_equal(answer if is_classifier(model) else answer > 0.5, y)


@for_every_predictor
def test_T10_rows_of_weight_zero_are_rows_left_out(kind):
    table, y = words(80)
    weights = np.ones(80)
    weights[::3] = 0
    table["color"][0] = "only with weight zero"
    kept = np.flatnonzero(weights)
    fewer = {name: [column[row] for row in kept] for name, column in table.items()}
    one = small(kind).fit(table, y, sample_weight=weights)
    other = small(kind).fit(fewer, y[kept])
    assert len(one.trees_) == len(other.trees_)
    for tree, same in zip(one.trees_, other.trees_, strict=True):
        assert tree_to_json(tree) == tree_to_json(same)


@for_every_predictor
@pytest.mark.parametrize(
    ("weights", "words_in_error"),
    [
        ([0.0, 0.0, 0.0, 0.0], "zero"),
        ([1.0, -1.0, 1.0, 1.0], "row 1.*-1"),
        ([1.0, 1.0, np.nan, 1.0], "row 2.*nan"),
        ([1.0, 1.0, 1.0, np.inf], "row 3.*inf"),
        ([1.0, 1.0], "2 rows.*4"),
    ],
)
def test_T10_odd_weights_are_refused(kind, weights, words_in_error):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=words_in_error):
        kind().fit(X, y, sample_weight=weights)


FORESTS = {name: kind for name, kind in PREDICTORS.items() if kind not in BOOSTED}


@pytest.mark.parametrize("kind", FORESTS.values(), ids=FORESTS)
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_T10_the_scale_of_weights_does_not_matter_to_forests(kind, scale):
    X, y = numbers(100)
    weights = np.random.default_rng(1).random(100)
    one = small(kind).fit(X, y, sample_weight=weights)
    other = small(kind).fit(X, y, sample_weight=weights * scale)
    for a, b in zip(one.trees_, other.trees_, strict=True):
        np.testing.assert_array_equal(a.feature, b.feature)
        np.testing.assert_array_equal(a.threshold, b.threshold)


@for_every_predictor
def test_T10_weights_of_very_different_sizes_survive(kind):
    X, y = numbers(400)
    weights = np.where(np.arange(400) < 200, 1.0, 1e7)
    model = small(kind, n_estimators=30).fit(X, y, sample_weight=weights)
    heavy = model.predict(X[200:])
    right = heavy == y[200:] if is_classifier(model) else (heavy > 0.5) == y[200:]
    assert right.mean() > 0.9


@pytest.mark.parametrize("kind", [k for k in PREDICTORS.values() if not is_classifier(k())])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_numbers_of_any_size_are_learnt_alike(kind, scale):
    rng = np.random.default_rng(5)
    X = rng.random((500, 4))
    y = (X[:, 0] + (X[:, 1] > 0.5) + 3.0) * scale
    params = {"learning_rate": 0.2} if kind in BOOSTED else {}
    model = small(kind, n_estimators=60, **params).fit(X, y)
    error = np.abs(model.predict(X) - y) / scale
    assert error.mean() < 0.1
    assert np.isfinite(model.predict(X)).all()


@for_every_classifier
def test_T11_contradictions_end_in_leaves_with_the_shares(kind):
    X = np.ones((10_000, 2))
    y = np.arange(10_000) % 4 == 0
    params = {} if kind in BOOSTED else {"bootstrap": False}
    model = small(kind, **params).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.75, 0.25]], rtol=1e-6)


@for_every_classifier
@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_T12_one_class_gives_certainty(kind, n_rows):
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    model = kind().fit(X, ["only"] * n_rows)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((n_rows, 1)))
    assert model.predict(X).tolist() == ["only"] * n_rows


@for_every_predictor
def test_T12_one_and_two_rows_fit(kind):
    assert len(kind().fit([[0.0], [1.0]], [0, 1]).predict([[0.5], [2.0]])) == 2
    assert kind().fit([[0.0]], [1]).predict([[5.0]])[0] == 1


@for_every_classifier
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a", "b", "a"]),
        np.array([True, False, True, False]),
        np.array([3, -1, 3, -1], dtype=np.int8),
        np.array([2**63, 1, 2**63, 1], dtype=np.uint64),
        np.array(["b", "a", "b", "a"], dtype=object),
    ],
)
def test_T13_classes_are_sorted_and_keep_their_type(kind, labels):
    X = [[0.0], [1.0], [0.0], [1.0]]
    model = small(kind).fit(X, labels)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    assert model.classes_.dtype == labels.dtype
    assert model.predict(X).dtype == labels.dtype


@for_every_classifier
def test_T13_odd_labels_are_refused_with_the_reason(kind):
    X, _ = numbers(4)
    with pytest.raises(TypeError, match=r"str.*int|int.*str"):
        kind().fit(X, np.array(["a", 1, "b", 2], dtype=object))
    with pytest.raises(ValueError, match="regression"):
        kind().fit(X, [0.5, 1.25, 3.0, 2.0])
    with pytest.warns(UserWarning, match="column-vector"):
        kind().fit(X, np.array([[0], [1], [0], [1]]))


@for_every_predictor
def test_T14_a_new_level_counts_as_missing_with_one_warning_or_is_an_error(kind):
    table, y = words()
    model = small(kind).fit(table, y)
    new = {"color": ["violet", "violet", "red"], "size": [0.1, 0.2, 0.3]}
    with pytest.warns(UserWarning, match="'violet' in column `color`, row 0") as caught:
        found = answers(model, new)
    assert len(caught) == 1
    as_missing = {"color": [None, None, "red"], "size": [0.1, 0.2, 0.3]}
    np.testing.assert_array_equal(found, answers(model, as_missing))
    strict = small(kind, unseen="error").fit(table, y)
    with pytest.raises(ValueError, match="'violet' in column `color`, row 0"):
        strict.predict(new)


@for_every_predictor
def test_T15_the_order_of_categories_is_no_information(kind):
    table, y = words()
    plain = pd.DataFrame(table)
    model = small(kind).fit(plain, y)
    other = plain.copy()
    other["color"] = pd.Categorical(plain["color"], ["violet", "blue", "red", "green"])
    np.testing.assert_array_equal(answers(model, other), answers(model, plain))
    few = other.iloc[:3].copy()
    few["color"] = few["color"].cat.remove_unused_categories()
    np.testing.assert_array_equal(answers(model, few), answers(model, plain.iloc[:3]))


@for_every_predictor
def test_T16_missing_extra_and_moved_columns_are_listed(kind):
    table, y = words()
    frame = pd.DataFrame(table)
    model = small(kind).fit(frame, y)
    with pytest.raises(ValueError, match="now missing:\n- size"):
        model.predict(frame[["color"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- weight"):
        model.predict(frame.assign(weight=1.0))
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[["size", "color"]])
    X, y = numbers()
    with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
        small(kind).fit(X, y).predict(X[:, :2])


@for_every_predictor
def test_T20_a_column_that_changed_its_kind_is_named(kind):
    table, y = words()
    model = small(kind).fit(table, y)
    with pytest.raises(ValueError, match=r"`size`.*row 1|row 1.*`size`"):
        model.predict({"color": ["red", "red"], "size": [1.0, "12a"]})


@for_every_predictor
def test_T21_odd_shapes_are_told(kind):
    X, y = numbers()
    for odd in (np.empty((0, 3)), X[:, 0], X[:, :, None], scipy.sparse.csr_matrix(X)):
        with pytest.raises((ValueError, TypeError)):
            kind().fit(odd, y[: len(odd)] if not scipy.sparse.issparse(odd) else y)
    with pytest.raises(ValueError, match=r"60.*59|59.*60"):
        kind().fit(X, y[:59])


@for_every_predictor
def test_T22_read_only_and_mapped_arrays_are_taken(kind, tmp_path):
    X, y = numbers()
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert model_bytes(small(kind).fit(mapped, y)) == model_bytes(small(kind).fit(X, y))


def test_no_ensemble_prints_warnings_on_ordinary_tables():
    X, y = numbers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in PREDICTORS.values():
            small(kind).fit(X, y).predict(X)
        for kind in CLASSIFIERS.values():
            small(kind).fit(*words()).predict(words()[0])
