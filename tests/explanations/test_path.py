"""Evidence: its intervals against what statisticians print."""

import numpy as np
import pytest
from scipy import stats

import treewright as tw
from treewright.intervals import share_interval


def test_the_interval_of_a_share_is_wilsons():
    # 3 of 3 and 2 of 5, as tables of Wilson's score interval have them.
    found = np.transpose(share_interval([1.0, 0.4], [3.0, 5.0]))
    np.testing.assert_allclose(found, [[0.4385, 1.0], [0.1176, 0.7693]], atol=5e-5)


@pytest.mark.parametrize(("n_right", "n_rows"), [(0, 7), (1, 2), (9, 14), (50, 50), (13, 999)])
def test_evidence_of_classes_has_the_interval_that_scipy_has(n_right, n_rows):
    y = np.array(["yes"] * n_right + ["no"] * (n_rows - n_right))
    model = tw.CARTClassifier(prune=None, max_depth=1).fit(np.zeros((n_rows, 1)), y)
    evidence = model.explain([0.0]).path[0]
    n_predicted = evidence.counts[model.explain([0.0]).prediction]
    expected = stats.binomtest(int(n_predicted), n_rows).proportion_ci(method="wilson")
    assert evidence.interval == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert evidence.support == n_predicted / n_rows


def test_evidence_of_means_has_students_interval():
    y = np.array([1.0, 2.0, 4.0, 8.0, 9.0, 12.0])
    model = tw.CARTRegressor(prune=None, max_depth=1).fit([[0], [0], [0], [1], [1], [1]], y)
    for evidence, rows in zip(model.explain([0.0]).path, (y, y[:3]), strict=True):
        middle, error = rows.mean(), stats.sem(rows)
        expected = stats.t.interval(0.95, len(rows) - 1, loc=middle, scale=error)
        assert evidence.interval == pytest.approx(expected, rel=1e-9)


def test_a_weight_counts_as_so_many_rows():
    X, y = [[0.0], [0.0], [1.0], [1.0]], [1.0, 3.0, 10.0, 14.0]
    weight = [2, 3, 4, 1]
    weighted = tw.CARTRegressor(prune=None).fit(X, y, sample_weight=weight)
    repeated = tw.CARTRegressor(prune=None).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for one, other in zip(weighted.explain([1.0]).path, repeated.explain([1.0]).path, strict=True):
        assert one.interval == pytest.approx(other.interval)


def test_a_single_row_has_no_interval_of_its_mean():
    model = tw.CARTRegressor(prune=None).fit([[0.0], [1.0], [1.0]], [1.0, 5.0, 5.0])
    assert model.explain([0.0]).path[-1].interval is None
    assert str(model.explain([0.0])).endswith("x0 = no: 1 row, 1")


def test_smoothing_changes_the_prediction_and_not_the_evidence():
    X, y = tw.load_sample("tennis")
    model = tw.C45Classifier(laplace=True).fit(X, y)
    found = model.explain(X[0:1])
    assert found.path[-1].support == 1
    assert found.probabilities[found.prediction] < 1
