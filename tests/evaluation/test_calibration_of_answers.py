"""Shares of the classes that were answered, against how often these were right."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.evaluation.calibration import calibration_of_answers


def test_it_is_worked_out_from_the_largest_share_of_each_row():
    X, y = tw.load_sample("iris")
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, folds=5)
    share = np.zeros(len(y))
    is_right = np.zeros(len(y))
    for judgement in found.judgements:
        share[judgement.split.test] = judgement.shares.max(axis=1)
        is_right[judgement.split.test] = (
            judgement.predicted == found.rows.codes[judgement.split.test]
        )
    answers = calibration_of_answers(found, n_bins=1)
    assert answers.predicted[0] == pytest.approx(share.mean())
    assert answers.observed[0] == pytest.approx(is_right.mean())
    assert answers.observed[0] == pytest.approx(found.mean("accuracy"))


def test_numbers_have_no_shares():
    X = np.arange(20.0).reshape(-1, 1)
    with pytest.raises(ParameterError, match="numbers were predicted"):
        calibration_of_answers(tw.evaluate(tw.CARTRegressor(), X, X[:, 0], folds=2))
