"""Measures of predicted classes agree with scikit-learn's, weights included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from treewright.evaluation.scores import (
    JudgedClasses,
    auc,
    class_measures,
    measures_by_class,
)


@st.composite
def judged_rows(draw, n_classes=3):
    n = draw(st.integers(8, 40))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    truth = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, n)])
    shares = generator.dirichlet(np.ones(n_classes), len(truth)).round(1) + 1e-3
    shares /= shares.sum(axis=1, keepdims=True)
    weights = generator.integers(1, 4, len(truth)) / 2
    return JudgedClasses(truth, shares.argmax(axis=1), shares, weights, n_classes)


@st.composite
def awkward_rows(draw):
    """Classes that no row has, rows of weight 0, shares of exactly 0 and 1, many ties."""
    n_classes, n_rows = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    code = st.integers(0, n_classes - 1)
    truth = np.array(draw(st.lists(code, min_size=n_rows, max_size=n_rows)))
    first = np.array(draw(st.lists(code, min_size=n_rows, max_size=n_rows)))
    other = np.array(draw(st.lists(code, min_size=n_rows, max_size=n_rows)))
    part = np.array(
        draw(st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=n_rows, max_size=n_rows))
    )
    shares = (
        np.eye(n_classes)[first] * (1 - part)[:, None] + np.eye(n_classes)[other] * part[:, None]
    )
    weights = np.array(
        draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n_rows, max_size=n_rows))
    )
    weights[0] = 1.0
    return JudgedClasses(truth, shares.argmax(axis=1), shares, weights, n_classes)


def area_by_pairs(is_class, score, weights):
    """The definition: every pair of a row of the class and one that is not."""
    won = pairs = 0.0
    for one in np.flatnonzero(is_class):
        for other in np.flatnonzero(~is_class):
            weight = weights[one] * weights[other]
            pairs += weight
            won += weight * ((score[one] > score[other]) + (score[one] == score[other]) / 2)
    return won / pairs if pairs else np.nan


@given(awkward_rows())
def test_measures_of_awkward_rows_follow_their_definitions(judged):
    truth, guess, shares, w = judged.truth, judged.predicted, judged.shares, judged.weights
    found = class_measures(judged)
    total = w.sum()
    right = (w * (truth == guess)).sum() / total
    by_chance = sum(
        (w * (truth == code)).sum() * (w * (guess == code)).sum() / total**2
        for code in range(judged.n_classes)
    )
    own = np.array([shares[row, code] for row, code in enumerate(truth)])
    squared = ((shares - np.eye(judged.n_classes)[truth]) ** 2).sum(axis=1)
    present = [code for code in range(judged.n_classes) if w[truth == code].sum() > 0]
    recall = [np.average(guess[truth == c] == c, weights=w[truth == c]) for c in present]
    areas = [area_by_pairs(truth == code, shares[:, code], w) for code in present]
    if judged.n_classes == 2:
        areas = [area_by_pairs(truth == 1, shares[:, 1], w)]
    assert found["accuracy"] == pytest.approx(right)
    assert found["balanced_accuracy"] == pytest.approx(np.mean(recall))
    assert found["brier"] == pytest.approx((w * squared).sum() / total, abs=1e-12)
    lost = -np.log(np.maximum(own, np.finfo(float).eps))
    assert found["log_loss"] == pytest.approx((w * lost).sum() / total, abs=1e-12)
    assert found["auc"] == pytest.approx(np.mean(areas), nan_ok=True)
    if by_chance < 1 - 1e-12:
        assert found["kappa"] == pytest.approx((right - by_chance) / (1 - by_chance))
    else:
        assert np.isnan(found["kappa"])


@given(awkward_rows())
def test_a_row_of_weight_zero_changes_no_measure(judged):
    kept = judged.weights > 0
    without = JudgedClasses(
        judged.truth[kept],
        judged.predicted[kept],
        judged.shares[kept],
        judged.weights[kept],
        judged.n_classes,
    )
    for name, value in class_measures(judged).items():
        assert value == pytest.approx(class_measures(without)[name], nan_ok=True), name
    for name, values in measures_by_class(judged.confusion()).items():
        np.testing.assert_array_equal(values, measures_by_class(without.confusion())[name], name)


@settings(max_examples=30)
@given(judged_rows())
def test_measures_of_all_classes_are_those_of_scikit_learn(judged):
    found = class_measures(judged)
    truth, guess, w = judged.truth, judged.predicted, judged.weights
    expected = {
        "accuracy": metrics.accuracy_score(truth, guess, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, guess, sample_weight=w),
        "kappa": metrics.cohen_kappa_score(truth, guess, sample_weight=w),
        "log_loss": metrics.log_loss(truth, judged.shares, sample_weight=w),
        "auc": metrics.roc_auc_score(
            truth, judged.shares, sample_weight=w, multi_class="ovr", average="macro"
        ),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@settings(max_examples=30)
@given(judged_rows(n_classes=2))
def test_the_brier_score_of_two_classes_is_twice_that_of_one(judged):
    one = metrics.brier_score_loss(judged.truth, judged.shares[:, 1], sample_weight=judged.weights)
    assert class_measures(judged)["brier"] == pytest.approx(2 * one)


@settings(max_examples=30)
@given(judged_rows())
def test_measures_by_class_are_those_of_scikit_learn(judged):
    found = measures_by_class(judged.confusion())
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        judged.truth,
        judged.predicted,
        sample_weight=judged.weights,
        labels=[0, 1, 2],
        zero_division=np.nan,
    )
    np.testing.assert_allclose(found["sensitivity"], recall)
    np.testing.assert_allclose(found["precision"], precision)
    np.testing.assert_allclose(found["f1"], f1)


def test_specificity_is_the_sensitivity_of_all_other_classes_together():
    table = np.array([[5.0, 1.0], [2.0, 8.0]])
    found = measures_by_class(table)
    assert found["specificity"].tolist() == found["sensitivity"][::-1].tolist()


@given(judged_rows())
def test_costs_of_one_for_each_error_are_the_error_rate(judged):
    found = class_measures(judged, 1 - np.eye(3))
    assert found["cost"] == pytest.approx(1 - found["accuracy"])


def test_rows_of_one_class_have_no_area_under_the_curve():
    assert np.isnan(auc(np.ones(3, dtype=bool), np.arange(3.0), np.ones(3)))
