"""Measures of predicted classes agree with scikit-learn's, weights included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from treewright.evaluation.class_scores import (
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


@given(judged_rows())
def test_measures_of_all_classes_are_those_of_scikit_learn(judged):
    found = class_measures(judged)
    truth, guess, w = judged.truth, judged.predicted, judged.weights
    expected = {
        "accuracy": metrics.accuracy_score(truth, guess, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, guess, sample_weight=w),
        "kappa": metrics.cohen_kappa_score(truth, guess, sample_weight=w),
        "log_loss": metrics.log_loss(truth, judged.shares, sample_weight=w),
        "auc": np.mean(
            [
                metrics.roc_auc_score(truth == code, judged.shares[:, code], sample_weight=w)
                for code in range(3)
            ]
        ),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@given(judged_rows(n_classes=2))
def test_the_brier_score_of_two_classes_is_twice_that_of_one(judged):
    one = metrics.brier_score_loss(judged.truth, judged.shares[:, 1], sample_weight=judged.weights)
    assert class_measures(judged)["brier"] == pytest.approx(2 * one)


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
