"""A tree keeps its last mean beyond the training rows, a line goes on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from figures.text_boxes import off_paper, shapes_of, text_boxes, touching
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.pictures.shapes import Circle, Path

TREE_COLOR = "#d58a0e"


def prices(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    year = np.sort(rng.uniform(1957, 2015, size=n_rows))
    return {"year": year, "price": 10 ** (8 - 0.16 * (year - 1957) + rng.normal(0, 0.2, n_rows))}


def words(picture):
    return " ".join(box.text for box in text_boxes(picture.drawing))


def test_beyond_the_training_rows_the_tree_has_one_answer():
    data = tw.figures.regression_fit(prices(), "year", "price", until=2000, log=True).data
    beyond = ~np.array(data["is_training"])
    last = np.flatnonzero(~beyond)[-1]
    assert {*np.array(data["tree"])[beyond].tolist()} == {data["tree"][last]}
    assert len({*np.array(data["line"])[beyond].tolist()}) == beyond.sum()


def test_of_a_falling_price_the_line_is_nearer():
    errors = tw.figures.regression_fit(prices(), "year", "price", until=2000, log=True).data[
        "errors"
    ]
    assert errors["tree"]["training"] < errors["line"]["training"]
    assert errors["tree"]["beyond"] > 3 * errors["line"]["beyond"]


def test_answers_are_those_of_a_tree_fitted_to_the_logarithms():
    table = prices()
    data = tw.figures.regression_fit(
        table,
        "year",
        "price",
        until=2000,
        log=True,
        model=tw.CARTRegressor(prune=None, max_depth=3),
    ).data
    is_training = table["year"] < 2000
    rows = table["year"][:, np.newaxis]
    tree = tw.CARTRegressor(prune=None, max_depth=3).fit(
        rows[is_training], np.log(table["price"])[is_training]
    )
    assert data["tree"] == pytest.approx(np.exp(tree.predict(rows)).tolist())
    slope, intercept = np.polyfit(
        table["year"][is_training], np.log(table["price"])[is_training], 1
    )
    assert data["line"] == pytest.approx(np.exp(slope * table["year"] + intercept).tolist())


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 6))
def test_the_steps_are_exact(seed, max_depth):
    rng = np.random.default_rng(seed)
    table = {"x": rng.normal(size=40), "y": rng.normal(size=40)}
    picture = tw.figures.regression_fit(
        table, "x", "y", until=0.5, model=tw.CARTRegressor(prune=None, max_depth=max_depth)
    )
    path = next(
        path
        for path in shapes_of(picture.drawing, Path)
        if path.stroke == TREE_COLOR and path.steps[-1][0] == "H" and len(path.steps) > 2
    )
    n_leaves = len({*picture.data["tree"]})
    assert len(path.steps) == 1 + 2 * n_leaves


def test_the_first_two_thirds_are_training_rows_unless_said_otherwise():
    table = {"x": np.arange(30.0), "y": np.arange(30.0)}
    assert sum(tw.figures.regression_fit(table, "x", "y").data["is_training"]) == 20


def test_a_table_may_be_a_file(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("year,price\n" + "\n".join(f"{1990 + at},{100 - at}" for at in range(20)))
    by_path = tw.figures.regression_fit(path, "year", "price", until=2000)
    by_name = tw.figures.regression_fit(str(path), "year", "price", until=2000)
    assert by_path.data == by_name.data
    assert sum(by_path.data["is_training"]) == 10


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        tw.figures.regression_fit(tmp_path / "no such.csv", "year", "price")
    with pytest.raises(ParameterError, match="a folder without Parquet files"):
        tw.figures.regression_fit(str(tmp_path), "year", "price")


def test_time_may_be_dates():
    days = np.datetime64("2020-01-01") + np.arange(100)
    table = {"day": days, "load": np.sin(np.arange(100) / 9)}
    picture = tw.figures.regression_fit(table, "day", "load", until="2020-03-01")
    assert sum(picture.data["is_training"]) == 60
    assert "From 2020-03-01 on" in words(picture)
    assert "2020-02" in words(picture)


def test_rows_without_a_value_are_left_out():
    table = prices(30)
    table["price"][[2, 5]] = np.nan
    picture = tw.figures.regression_fit(table, "year", "price")
    assert len(picture.data["x"]) == 28
    assert "2 rows with missing values left out." in words(picture)


def test_numbers_whose_squares_are_infinite_are_left_out():
    table = prices(30)
    table["year"][-1], table["price"][3] = 1e200, np.inf
    picture = tw.figures.regression_fit(table, "year", "price")
    assert len(picture.data["x"]) == 28
    assert np.isfinite(picture.data["line"]).all()


def test_very_many_rows_share_dots():
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=50_000), "y": rng.normal(size=50_000)}
    picture = tw.figures.regression_fit(
        table, "x", "y", model=tw.CARTRegressor(prune=None, max_depth=3)
    )
    assert len(shapes_of(picture.drawing, Circle)) <= 2 * 400 + 2
    assert len(picture.to_svg()) < 200_000


@pytest.mark.parametrize("log", [True, False])
def test_texts_never_touch(log):
    drawing = tw.figures.regression_fit(
        prices(), "year", "price", until=2000, log=log, title="<b>RAM</b> " * 30
    ).drawing
    assert touching(drawing) == []
    assert off_paper(drawing) == []


def test_mistakes_are_named():
    table = {"x": [1.0, 2.0, 3.0], "y": [1.0, 0.0, 2.0], "name": ["a", "b", "c"]}
    with pytest.raises(UnknownColumnError, match="name"):
        tw.figures.regression_fit(table, "nam", "y")
    with pytest.raises(DataError, match="nominal"):
        tw.figures.regression_fit(table, "name", "y")
    with pytest.raises(DataError, match="not positive"):
        tw.figures.regression_fit(table, "x", "y", log=True)
    with pytest.raises(DataError, match="fewer than two training rows"):
        tw.figures.regression_fit(table, "x", "y", until=0)
    with pytest.raises(ParameterError, match="a number"):
        tw.figures.regression_fit(table, "x", "y", until="late")
    with pytest.raises(ParameterError, match="regressor"):
        tw.figures.regression_fit(table, "x", "y", until=3, model=tw.CARTClassifier(prune=None))
