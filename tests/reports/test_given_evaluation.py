"""An evaluation passed on to a report must be of its model and rows."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def judged(model, X, y, weights=None):
    return tw.evaluate(model, X, y, weights, folds=2)


def test_whatever_name_a_comparison_gave_it(iris):
    model = tw.CARTClassifier(prune=None)
    found = tw.compare({"small": model, "other": tw.ID3Classifier()}, *iris, folds=2)
    page = tw.report(model, *iris, evaluation=found.evaluations["small"])
    assert page.facts.evaluation is found.evaluations["small"]


def test_labels_are_the_same_in_any_kind_of_array(iris):
    X, y = iris
    found = judged(tw.CARTClassifier(prune=None), X, y)
    for labels in (y.tolist(), y.astype(object)):
        assert tw.report(tw.CARTClassifier(prune=None), X, labels, evaluation=found)


def test_other_rows_are_refused(iris):
    X, y = iris
    model, found = tw.CARTClassifier(prune=None), judged(tw.CARTClassifier(prune=None), X, y)
    with pytest.raises(DataError, match="150 rows, the table has 75"):
        tw.report(model, X[::2], y[::2], evaluation=found)
    with pytest.raises(DataError, match="another target, which differs in 100 of 150 rows"):
        tw.report(model, X, y[::-1], evaluation=found)
    with pytest.raises(DataError, match="rows of other weights"):
        tw.report(model, X, y, np.linspace(1, 2, 150), evaluation=found)


def test_other_models_are_refused(iris):
    X, y = iris
    with pytest.raises(DataError, match="a C45Classifier, the model is a CARTClassifier"):
        tw.report(tw.CARTClassifier(prune=None), X, y, evaluation=judged(tw.C45Classifier(), X, y))
    lengths = np.arange(150.0)
    with pytest.raises(DataError, match="a CARTRegressor, the model is a CARTClassifier"):
        tw.report(
            tw.CARTClassifier(prune=None),
            X,
            y,
            evaluation=judged(tw.CARTRegressor(prune=None), X, lengths),
        )


def test_something_else_is_refused(iris):
    with pytest.raises(ParameterError, match="evaluation is a float"):
        tw.report(tw.CARTClassifier(prune=None), *iris, evaluation=0.9)
