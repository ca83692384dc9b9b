"""Dots of Shapley values: in order, in their bands, colored by the column's own values."""

from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.errors import ParameterError
from treewright.figures.column_figures import REACH, colors_of, shap_summary, swarm
from treewright.pictures.colors import REST


def values_of(n_rows=120, n_columns=4):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n_rows, n_columns))
    model = tw.CARTRegressor(prune=None, max_leaf_nodes=8).fit(X, 3 * X[:, 1] + X[:, 0])
    return tw.shap_values(model, X)


def test_columns_stand_by_the_mean_size_of_their_values():
    values = values_of()
    picture = shap_summary(values)
    assert picture.data["columns"][0] == "x1"
    assert picture.data["mean_sizes"].tolist() == sorted(values.mean_sizes, reverse=True)
    ElementTree.fromstring(picture.to_svg())
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


def test_there_is_a_dot_for_each_row_and_column():
    svg = shap_summary(values_of(50, 3)).to_svg()
    assert svg.count("<circle") == 150


def test_what_is_left_out_is_told():
    picture = shap_summary(values_of(120, 4), max_columns=2, max_rows=30)
    svg = picture.to_svg()
    assert svg.count("<circle") == 60
    assert "30 of 120 rows" in svg
    assert "2 other columns not shown" in svg
    assert len(picture.data["columns"]) == 4


def test_dots_of_one_place_part_and_stay_in_their_band():
    offsets = swarm(np.zeros(40), 1.0)
    assert len(set(offsets.tolist())) == 40
    assert np.abs(offsets).max() <= REACH + 1e-12
    assert swarm(np.array([0.0, 0.5]), 1.0).tolist() == [0.0, 0.0]


def test_colors_go_from_low_to_high_and_unknown_is_grey():
    low, high, unknown, middle = colors_of(np.array([1.0, 1e9, np.nan, 2.0]))
    assert low == "#4477aa"
    assert high == "#d58a0e"
    assert unknown == REST
    assert middle not in (low, high, unknown)
    assert colors_of(np.array([5.0, 5.0])) == ["#4477aa"] * 2


def test_one_row_is_drawn():
    assert "Shapley values of 1 row" in shap_summary(values_of()[:1]).summary


def test_what_makes_no_sense_is_refused():
    X, y = tw.load_sample("iris")
    values = tw.shap_values(tw.CARTClassifier(prune=None).fit(X, y), X)
    with pytest.raises(ParameterError, match="virginica"):
        shap_summary(values)
    with pytest.raises(ParameterError, match="not a set of Shapley values"):
        shap_summary(values.values)
    with pytest.raises(ParameterError, match="max_rows is 0"):
        shap_summary(values.of("setosa"), max_rows=0)
    with pytest.raises(ParameterError, match="no rows"):
        shap_summary(values.of("setosa")[:0])
