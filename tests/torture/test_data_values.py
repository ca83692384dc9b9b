"""T01 to T13: odd values, odd weights, odd targets."""

import math
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from torture.trees import (
    CLASSIFIERS,
    ESTIMATORS,
    POLICIES,
    for_every_classifier,
    for_every_estimator,
    for_every_tree,
    is_classifier,
    numbers,
    words,
)
from treewright.models.model_file import model_bytes


@for_every_estimator
@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_T01_a_hole_in_the_target_is_counted_and_placed(kind, hole):
    X, _ = numbers(6)
    target = pd.Series([1.0, 0.0, hole, 1.0, hole, 0.0], name="income", dtype=object)
    with pytest.raises(ValueError, match=r"`income`.*2 missing values.*first in row 2"):
        kind().fit(X, target)


@for_every_estimator
def test_T02_infinities_are_the_extreme_values(kind):
    X = np.array([[-np.inf], [-1.0], [0.0], [1.0], [np.inf], [np.inf]] * 4)
    y = np.array([0, 1, 1, 0, 1, 1] * 4)
    model = kind().fit(X, y)
    assert np.isfinite(model.tree_.threshold).all()
    assert np.isfinite(model.tree_.cut).all()
    if kind not in (tw.ID3Classifier, tw.C45Classifier):  # they do not split down to single rows
        np.testing.assert_array_equal(model.predict(X), y)


@for_every_estimator
def test_T03_a_column_without_a_value_is_never_used(kind):
    X, y = numbers()
    X[:, 2] = np.nan
    with pytest.warns(UserWarning, match="column `x2` without any value cannot be used"):
        model = kind().fit(X, y)
    assert 2 not in model.tree_.feature
    assert model.feature_importances_[2] == 0
    later = X.copy()
    later[:, 2] = 1.0
    np.testing.assert_array_equal(model.predict(later), model.predict(X))


@for_every_tree
@pytest.mark.parametrize("missing", POLICIES)
def test_T04_a_first_hole_at_predict_follows_the_policy(kind, missing):
    X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [14.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = kind(missing=missing).fit(X, y)
    answer = model.predict([[np.nan]])[0]
    shares = model.tree_.value[0] / model.tree_.value[0].sum()
    if is_classifier(kind):
        assert answer == 1  # the heavier side, or the node itself: both say 1
        proba = model.predict_proba([[np.nan]])[0]
        expected = shares if missing in ("fractional", "stop") else [0.0, 1.0]
        np.testing.assert_allclose(proba, expected)
    else:
        assert answer == pytest.approx(5 / 8 if missing in ("fractional", "stop") else 1.0)


@for_every_classifier
def test_T05_every_mark_of_missing_is_missing_and_words_stay_words(kind):
    marks = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked]
    column = [*marks, "nan", "None", "red", "red", "blue"]
    table = tw.table_from({"color": column})
    assert table["color"].n_missing == len(marks)
    assert set(table["color"].levels) == {"nan", "None", "red", "blue"}
    model = kind().fit({"color": column}, [0, 1] * 5)
    plain = kind().fit({"color": [None] * 5 + column[5:]}, [0, 1] * 5)
    assert model_bytes(model) == model_bytes(plain)


@for_every_estimator
def test_T06_constant_columns_give_one_leaf(kind):
    X = {"number": [3.0] * 8, "word": ["same"] * 8}
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    model = kind().fit(X, y)
    assert model.get_n_leaves() == 1
    np.testing.assert_array_equal(model.feature_importances_, [0, 0])
    if is_classifier(kind):
        np.testing.assert_allclose(model.predict_proba(X)[0], [0.25, 0.75])
    else:
        assert model.predict(X)[0] == 0.75


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.TreeClassifier, tw.CARTRegressor])
@pytest.mark.parametrize(
    "values",
    [
        [-1.7e308, 1.7e308],
        [1.7e308, 1.79e308],
        [np.nextafter(1.0, 0), 1.0],
        [-1.7976931348623157e308, 1.7976931348623157e308],
    ],
)
def test_T07_thresholds_of_huge_values_are_finite_and_separate(kind, values):
    low, high = values
    X = np.array([[low], [high], [low], [high]])
    y = np.array([0, 1, 0, 1])
    model = kind().fit(X, y)
    threshold = model.tree_.threshold[0]
    assert math.isfinite(threshold)
    assert low <= threshold < high
    np.testing.assert_array_equal(model.predict(X), y)


def test_T08_the_smallest_numbers_are_distinct_values():
    X = np.array([[0.0], [5e-324], [1e-310], [-1e-310]])
    y = np.array([0, 1, 2, 3])
    model = tw.CARTClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    code = (
        "import numpy as np, treewright as tw\n"
        "tw.CARTClassifier().fit([[0.0], [1.0]], [0, 1])\n"
        "assert float(np.float64(5e-324)) > 0 and np.float64(1e-310) / 2 > 0\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-7), (1.0, 1 + 1e-12)])
def test_T09_doubles_are_not_cut_to_singles(low, high):
    X, y = np.array([[low], [high]] * 3), np.array([0, 1] * 3)
    model = tw.CARTClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    singles = X.astype(np.float32)
    np.testing.assert_array_equal(model.predict(singles), model.predict(singles.astype(np.float64)))


@for_every_estimator
def test_T10_rows_of_weight_zero_are_rows_left_out(kind):
    table, y = words(80)
    weights = np.ones(80)
    weights[::3] = 0
    table["color"][0] = "only with weight zero"
    kept = np.flatnonzero(weights)
    fewer = {name: [column[row] for row in kept] for name, column in table.items()}
    one = kind().fit(table, y, sample_weight=weights)
    other = kind().fit(fewer, y[kept])
    assert model_bytes(one) == model_bytes(other)


@for_every_classifier
def test_T10_a_class_with_weight_zero_stays_a_class(kind):
    X, y = numbers(30)
    y[3] = 7
    weights = np.where(y == 7, 0.0, 1.0)
    model = kind().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.classes_, [0, 1, 7])
    assert model.predict_proba(X).shape == (30, 3)
    assert not model.predict_proba(X)[:, 2].any()


@for_every_estimator
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


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.TreeClassifier, tw.CARTRegressor])
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_T10_the_scale_of_weights_does_not_matter(kind, scale):
    X, y = numbers(100)
    weights = np.random.default_rng(1).random(100)
    one = kind().fit(X, y, sample_weight=weights).tree_
    other = kind().fit(X, y, sample_weight=weights * scale).tree_
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_array_equal(one.threshold, other.threshold)
    np.testing.assert_array_equal(one.first_child, other.first_child)


def test_T10_c45_warns_of_weights_too_small_for_its_limits():
    X, y = numbers(100)
    with pytest.warns(UserWarning, match="multiply the weights by 1000"):
        tw.C45Classifier().fit(X, y, sample_weight=np.full(100, 0.001))


@for_every_classifier
def test_T11_contradictions_end_in_one_leaf_with_exact_shares(kind):
    X = np.ones((10_000, 2))
    y = np.arange(10_000) % 4 == 0
    model = kind().fit(X, y)
    assert model.get_n_leaves() == 1
    np.testing.assert_array_equal(model.predict_proba(X[:1]), [[0.75, 0.25]])


def test_T11_xor_is_one_leaf_with_min_gain_0_and_solved_without():
    X = {"a": ["0", "0", "1", "1"] * 5, "b": ["0", "1", "0", "1"] * 5}
    y = np.array([0, 1, 1, 0] * 5)
    for kind in (tw.ID3Classifier, tw.CARTClassifier, tw.TreeClassifier):
        assert kind(min_gain=0).fit(X, y).get_n_leaves() == 1
        np.testing.assert_array_equal(kind(min_gain=None).fit(X, y).predict(X), y)
    assert tw.C45Classifier().fit(X, y).get_n_leaves() == 1


@for_every_classifier
@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_T12_one_class_gives_certainty(kind, n_rows):
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    model = kind().fit(X, ["only"] * n_rows)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((n_rows, 1)))
    assert model.predict(X).tolist() == ["only"] * n_rows


@for_every_estimator
def test_T12_two_rows_fit(kind):
    model = kind().fit([[0.0], [1.0]], [0, 1])
    assert len(model.predict([[0.5], [2.0]])) == 2


@for_every_classifier
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a", "b", "a"]),
        np.array([True, False, True, False]),
        np.array([3, -1, 3, -1], dtype=np.int8),
        np.array([2**40, 1, 2**40, 1]),
        np.array([2**63, 1, 2**63, 1], dtype=np.uint64),
        np.array([1.0, 0.0, 1.0, 0.0]),
        np.array(["b", "a", "b", "a"], dtype=object),
    ],
)
def test_T13_classes_are_sorted_and_keep_their_type(kind, labels):
    X = [[0.0], [1.0], [0.0], [1.0]]
    model = kind().fit(X, labels)
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
    with pytest.raises(ValueError, match="1d"):
        kind().fit(X, np.zeros((4, 2)))
    with pytest.warns(UserWarning, match="column-vector"):
        kind().fit(X, np.array([[0], [1], [0], [1]]))


def test_no_estimator_prints_warnings_on_ordinary_tables():
    X, y = numbers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ESTIMATORS:
            kind().fit(X, y).predict(X)
        for kind in CLASSIFIERS:
            kind().fit(*words()).predict(words()[0])
