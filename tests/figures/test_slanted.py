"""Regions with slanted edges."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.figures.slanted import clipped


@pytest.fixture(scope="module")
def flowers():
    X, y = tw.load_sample("iris")
    return tw.ObliqueTreeClassifier(prune=None).fit(X, y), X, y


def is_inside(corners, point):
    """Whether a point is inside a convex polygon whose corners run against the clock."""
    return all(
        (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax) >= 0
        for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True)
    )


def area(corners):
    x, y = np.array(corners).T
    return 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))


def test_polygons_answer_as_the_model_and_fill_the_paper(flowers):
    model, X, y = flowers
    data = tw.figures.partition(model, X, y).data
    regions = data["regions"]
    corners = np.vstack([region["corners"] for region in regions])
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert sum(area(region["corners"]) for region in regions) == pytest.approx(np.prod(high - low))
    rng = np.random.default_rng(0)
    row = dict.fromkeys(X.names) | data["fixed"]
    for point in rng.uniform(low, high, size=(60, 2)):
        row |= {data["x"]: point[0], data["y"]: point[1]}
        (prediction,) = model.predict([row])
        inside = [one["prediction"] for one in regions if is_inside(one["corners"], point)]
        assert prediction in inside


def test_the_columns_of_sums_are_the_axes(flowers):
    model, X, y = flowers
    picture = tw.figures.partition(tw.prune(model, "mdl"), X, y)
    assert repr(picture) == "<Picture: 3 regions of petal length and petal width, 507 x 447 pixels>"
    assert [region["prediction"] for region in picture.data["regions"]] != []


def test_without_rows_it_is_said_what_to_give(flowers):
    model, _, _ = flowers
    with pytest.raises(ParameterError, match="two numeric columns"):
        tw.figures.partition(model)


def test_a_polygon_is_cut_along_a_line():
    square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    assert clipped(square, (1.0, 0.0), 5.0) == square
    assert clipped(square, (1.0, 0.0), -1.0) == ()
    assert clipped(square, (2.0, 0.0), 2.0) == ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0))
