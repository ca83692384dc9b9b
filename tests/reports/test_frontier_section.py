"""The section on how many leaves are enough."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def found():
    X, y = tw.load_sample("iris")
    model = tw.ReadableTreeClassifier(distil=False)
    return tw.frontier(X, y, leaves=(2, 3), folds=2, model=model)


def test_the_section_has_the_scores_of_the_frontier(found):
    X, y = tw.load_sample("iris")
    page = tw.report(tw.C45Classifier(), X, y, frontier=found, folds=2)
    text = page.to_markdown()
    section = text[text.index("## How many leaves") : text.index("## Which columns matter")]
    assert f"**{found.smallest().max_leaf_nodes} leaves**" in section
    for point in found.points:
        assert f"{point.score:.4g}" in section
    assert "How many leaves" not in tw.report(tw.C45Classifier(), X, y, folds=2).to_markdown()


def test_a_frontier_of_something_else_is_refused(found):
    X, y = tw.load_sample("iris")
    with pytest.raises(DataError, match="150 rows, the table has 75"):
        tw.report(tw.C45Classifier(), X[::2], y[::2], frontier=found, folds=2)
    with pytest.raises(DataError, match="has log loss, but the model predicts numbers"):
        tw.report(tw.CARTRegressor(), X, np.arange(150.0), frontier=found, folds=2)
    with pytest.raises(ParameterError, match="a frontier"):
        tw.report(tw.C45Classifier(), X, y, frontier="yes", folds=2)
