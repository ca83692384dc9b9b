"""Shares of the classes that were answered, against how often these were right."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.evaluation.calibration import calibration_of_predictions


def test_it_is_worked_out_from_the_largest_share_of_each_row():
    X, y = tw.load_sample("iris")
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, folds=5)
    share = np.zeros(len(y))
    is_right = np.zeros(len(y))
    for judgment in found.judgments:
        share[judgment.split.test] = judgment.shares.max(axis=1)
        is_right[judgment.split.test] = judgment.predicted == found.rows.codes[judgment.split.test]
    predictions = calibration_of_predictions(found, n_bins=1)
    assert predictions.predicted[0] == pytest.approx(share.mean())
    assert predictions.observed[0] == pytest.approx(is_right.mean())
    assert predictions.observed[0] == pytest.approx(found.mean("accuracy"))


def test_numbers_have_no_shares():
    X = np.arange(20.0).reshape(-1, 1)
    with pytest.raises(ParameterError, match="numbers were predicted"):
        calibration_of_predictions(tw.evaluate(tw.CARTRegressor(), X, X[:, 0], folds=2))


def test_numbers_of_bins_are_checked_and_no_class_is_named():
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), *tw.load_sample("iris"), folds=2)
    with pytest.raises(ParameterError, match="n_bins=0"):
        calibration_of_predictions(found, n_bins=0)
    predictions = calibration_of_predictions(found)
    assert predictions.to_dict()["class"] is None
    assert str(predictions).startswith("share of the predicted class")


@pytest.mark.parametrize("n_bins", [7, 10, 20, 49])
def test_a_share_on_any_edge_falls_into_the_bin_above_it(n_bins):
    X = np.repeat(np.arange(n_bins + 1.0), n_bins)[:, None]
    y = np.concatenate([np.arange(n_bins) < n for n in range(n_bins + 1)]).astype(int)
    model = tw.CARTClassifier(min_samples_leaf=n_bins).fit(X, y)
    found = tw.evaluate_fitted(model, X, y)
    edges = found.judgments[0].shares[::n_bins, 1]
    assert edges.tolist() == [n / n_bins for n in range(n_bins + 1)]
    weights = tw.calibration(found, n_bins=n_bins).weight
    assert weights.tolist() == [n_bins] * (n_bins - 1) + [2 * n_bins]
