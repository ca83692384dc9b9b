"""Curves of gradient descents: their numbers, and that nothing touches."""

from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.errors import ParameterError
from treewright.figures.descent_figure import MOST_POINTS, descent


def some_rows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    return X, X @ [1.0, 2.0, 3.0] + generator.normal(size=60)


def test_several_descents_stand_in_one_figure():
    X, y = some_rows()
    models = {
        "plain": tw.GradientDescentRegressor(momentum=0),
        "rows one by one": tw.GradientDescentRegressor(method="stochastic"),
    }
    fitted = {name: model.fit(X, y) for name, model in models.items()}

    picture = descent(fitted)

    assert list(picture.data) == list(models)
    for name, curve in picture.data.items():
        assert curve["costs"] == fitted[name].trace_.costs.tolist()
        assert curve["n_steps"] == fitted[name].n_iter_
        assert min(curve["above_least"]) >= 0
    ElementTree.fromstring(picture.to_svg())
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


def test_a_long_descent_is_thinned_but_keeps_its_ends():
    X, y = some_rows()
    model = tw.GradientDescentRegressor(momentum=0, learning_rate=1e-3, max_iter=2000)
    with pytest.warns(UserWarning, match="did not converge"):
        curve = descent(model.fit(X, y)).data[""]

    assert len(curve["steps"]) <= MOST_POINTS + 1
    assert (curve["steps"][0], curve["steps"][-1]) == (0, 2000)


def test_a_descent_that_is_at_its_goal_from_the_start_is_a_figure_too():
    picture = descent(tw.GradientDescentRegressor().fit([[1.0], [2.0]], [0.0, 0.0]))

    assert picture.data[""]["costs"] == [0.0]
    ElementTree.fromstring(picture.to_svg())


def test_what_has_no_descent_is_refused():
    X, y = some_rows()
    with pytest.raises(ParameterError, match="has no descent"):
        descent(tw.CARTRegressor(prune=None).fit(X, y))
    with pytest.raises(ParameterError, match="no model"):
        descent({})
