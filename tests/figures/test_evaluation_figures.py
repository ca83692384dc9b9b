"""Figures of learning curves, calibration and missing values tell what the numbers tell."""

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.errors import ParameterError

HOSTILE = ["<b>&amp;", "a\nb", "x" * 200, "ü漢字"]


def assert_readable(picture):
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


@pytest.mark.parametrize("shares", [(1.0,), (0.2, 0.5, 1.0), (1.0, 0.01, 0.1)])
def test_a_learning_curve_is_drawn_in_the_order_of_rows(iris, shares):
    curve = tw.learning_curve(tw.CARTClassifier(prune=None), *iris, shares=shares, folds=3)
    picture = tw.figures.learning_curve(curve)
    assert picture.data["n_train"] == sorted(curve.n_train)
    assert sorted(picture.data["held_out"]) == sorted(one.mean for one in curve.held_out)
    assert "mean number of leaves" in picture.to_svg()
    assert_readable(picture)


def test_a_learning_curve_of_numbers_and_of_one_split_is_readable(iris):
    numbers = np.asarray(iris[0], dtype=float)
    model, wish = tw.CARTRegressor(prune=None, max_depth=2), {"hold_out": 0.3}
    curve = tw.learning_curve(model, numbers[:, :3], numbers[:, 3], **wish)
    picture = tw.figures.learning_curve(curve)
    assert "root mean squared error" in picture.to_svg()
    assert "95 % interval" in picture.to_svg()  # over the rows of the split
    curve = tw.learning_curve(model, numbers[:, :3], numbers[:, 3], measure="r2", **wish)
    assert "95 % interval" not in tw.figures.learning_curve(curve).to_svg()  # no mean over rows
    assert_readable(picture)


def test_calibration_shows_the_bins_that_have_rows(iris):
    found = tw.evaluate(tw.CARTClassifier(prune=None, max_depth=2), *iris)
    bins = tw.calibration(found, "versicolor")
    picture = tw.figures.calibration(bins)
    assert len(picture.data["predicted"]) == (bins.weight > 0).sum()
    assert picture.data["weight"].sum() == 150
    assert_readable(picture)
    assert "Calibration: virginica" in tw.figures.calibration(found).to_svg()


def test_the_map_of_missing_values_has_the_emptiest_column_on_top():
    X = {"a": [1.0, None, 3.0, 4.0], "b": [None, None, "u", "u"], "c": [1.0, 2.0, 3.0, 4.0]}
    found = tw.missing_map(X, ["x", "x", "y", "y"])
    picture = tw.figures.missing_map(found)
    assert picture.data["columns"] == ["b", "a"]
    assert picture.data["shares"].tolist() == [[0.5, 1.0, 0.0], [0.25, 0.5, 0.0]]
    assert "100 %" in picture.to_svg()
    assert_readable(picture)


@pytest.mark.parametrize("n_classes", [1, 2, 12, 80])
def test_maps_of_many_classes_and_columns_are_readable(n_classes):
    generator = np.random.default_rng(0)
    labels = np.arange(400) % n_classes
    X = {f"column {at}": np.where(generator.random(400) < 0.3, np.nan, 1.0) for at in range(40)}
    picture = tw.figures.missing_map(tw.missing_map(X, labels))
    assert len(picture.data["columns"]) == 30
    assert "10 columns with fewer missing values not shown" in picture.to_svg()
    assert_readable(picture)


def test_maps_without_holes_and_with_hostile_names_are_drawn():
    assert (
        "No value is missing"
        in tw.figures.missing_map(tw.missing_map({"a": [1.0, 2.0]}, ["x", "y"])).to_svg()
    )
    X = {name: [None, 1.0, 2.0, 3.0] for name in HOSTILE}
    picture = tw.figures.missing_map(tw.missing_map(X, HOSTILE))
    assert "<b>" not in picture.to_svg()
    assert_readable(picture)


@pytest.mark.parametrize("draw", ["learning_curve", "calibration", "missing_map"])
def test_other_things_are_refused(draw):
    with pytest.raises(ParameterError, match="a list is not"):
        getattr(tw.figures, draw)([1, 2])


def test_most_columns_are_at_least_one():
    found = tw.missing_map({"a": [None, 2.0]}, ["x", "y"])
    with pytest.raises(ParameterError, match="max_columns is 0"):
        tw.figures.missing_map(found, max_columns=0)
