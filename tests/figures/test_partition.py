"""The figure of a plane shows regions, borders and rows, and says what it leaves out."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from figures.text_boxes import off_paper, shapes_of, text_boxes, touching
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.figures.territory import Patch, borders
from treewright.pictures.shapes import Circle, Path

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "{{7*7}}", "שלום", "🌳" * 30, " "]


def moons(**options):
    X, y = tw.load_sample("two_moons")
    return tw.CARTClassifier(**options).fit(X, y), X, y


def iris():
    X, y = tw.load_sample("iris")
    return tw.CARTClassifier().fit(X, y), X, y


def a_mixed_table(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.normal(size=n_rows)
    colors = rng.choice(["red", "green", "blue"], size=n_rows)
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, size=n_rows)
    X = {"size": sizes, "color": colors, "day": days}
    y = (sizes > 0) ^ (colors == "red") ^ (days > np.datetime64("2021-01-01"))
    return X, np.where(y, "yes", "no")


def words(picture):
    return " ".join(box.text for box in text_boxes(picture.drawing))


# ---------------------------------------------------------------------------- regions


def test_the_data_of_a_figure_are_its_regions():
    model, X, y = moons(max_depth=1)
    data = tw.figures.partition(model, X, y).data
    assert (data["x"], data["y"], data["fixed"]) == ("x0", "x1", {})
    low, high = data["regions"]
    threshold = model.tree_.threshold[0]
    assert low["x"] == high["x"] == (None, None)
    assert (low["y"], high["y"]) == ((None, threshold), (threshold, None))
    assert low["prediction"] == 1
    assert high["probabilities"][0] == pytest.approx(model.tree_.probabilities[2, 0])


def test_regions_tell_levels_dates_and_numbers():
    X, y = a_mixed_table()
    model = tw.CARTClassifier().fit(X, y)
    data = tw.figures.partition(model, X, y, columns=("color", "day")).data
    levels = {level for region in data["regions"] for level in region["x"]}
    assert levels == {"red", "green", "blue"}
    ends = {end for region in data["regions"] for end in region["y"] if end is not None}
    assert ends
    assert all(isinstance(end, np.datetime64) for end in ends)
    assert isinstance(data["fixed"]["size"], float)


def test_by_default_the_columns_are_those_that_matter_most():
    model, X, y = iris()
    data = tw.figures.partition(model, X, y).data
    assert (data["x"], data["y"]) == ("petal length", "petal width")


def test_fixed_values_change_the_regions():
    X, y = a_mixed_table(200)
    model = tw.CARTClassifier().fit(X, y)
    early = tw.figures.partition(
        model, X, y, columns=("size", "color"), fixed={"day": np.datetime64("2020-02-01")}
    )
    late = tw.figures.partition(
        model, X, y, columns=("size", "color"), fixed={"day": np.datetime64("2022-02-01")}
    )
    assert early.data["regions"] != late.data["regions"]
    assert "Fixed: day = 2020-02-01." in words(early)


def test_without_rows_other_columns_are_missing():
    model, _, _ = iris()
    picture = tw.figures.partition(model, columns=("petal length", "sepal length"))
    assert picture.data["fixed"]["petal width"] is None
    assert not shapes_of(picture.drawing, Circle)


def test_a_leaf_is_one_region():
    X, y = tw.load_sample("iris")
    picture = tw.figures.partition(tw.CARTClassifier(min_samples_leaf=100).fit(X, y), X, y)
    assert len(picture.data["regions"]) == 1
    assert shapes_of(picture.drawing, Circle)


def test_numbers_are_answered_by_their_means():
    X, _ = tw.load_sample("iris")
    widths = X["petal width"].values
    model = tw.CARTRegressor(max_leaf_nodes=5).fit(X.drop("petal width"), widths)
    regions = tw.figures.partition(model, X.drop("petal width"), widths).data["regions"]
    assert {region["prediction"] for region in regions} <= {*model.tree_.value[:, 0].tolist()}


# ---------------------------------------------------------------------------- borders

boxes = st.lists(st.integers(0, 3), min_size=16, max_size=16)


@given(boxes)
def test_borders_run_just_where_the_class_changes(predictions):
    grid = np.array(predictions).reshape(4, 4)
    patches = [Patch(i, j, i + 1, j + 1, int(grid[i, j]), "") for i in range(4) for j in range(4)]
    found = {tuple(float(at) for at in border) for border in borders(patches)}
    upright = {
        (i + 1.0, float(j), i + 1.0, j + 1.0)
        for i in range(3)
        for j in range(4)
        if grid[i, j] != grid[i + 1, j]
    }
    flat = {
        (float(i), j + 1.0, i + 1.0, j + 1.0)
        for i in range(4)
        for j in range(3)
        if grid[i, j] != grid[i, j + 1]
    }
    assert found == upright | flat


def test_a_border_beside_two_neighbors_is_parted_between_them():
    tall = Patch(0, 0, 1, 4, 0, "")
    neighbors = [Patch(1, 0, 2, 3, 1, ""), Patch(1, 3, 2, 4, 0, "")]
    assert list(borders([tall, *neighbors])) == [(1, 0, 1, 3), (1, 3, 2, 3)]


# ---------------------------------------------------------------------------- rows


def test_few_rows_have_a_dot_each():
    model, X, y = moons()
    assert len(shapes_of(tw.figures.partition(model, X, y).drawing, Circle)) == len(X)


def test_many_rows_are_gathered_and_said_to_be():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = X[:, 0] > X[:, 1]
    picture = tw.figures.partition(tw.CARTClassifier(max_depth=4).fit(X, y), X, y)
    assert len(shapes_of(picture.drawing, Circle)) <= 2 * 18 * 18
    assert "The area of a pie is the number of rows nearby" in words(picture)
    assert len(picture.to_svg()) < 100_000


def test_rows_without_a_value_are_counted():
    X, y = a_mixed_table()
    X["size"][:3] = np.nan
    model = tw.CARTClassifier().fit(X, y)
    picture = tw.figures.partition(model, X, y, columns=("size", "day"))
    assert "3 rows not on this plane." in words(picture)


def test_dots_of_rows_that_belong_to_another_leaf_are_hollow():
    model, X, y = iris()
    picture = tw.figures.partition(model, X, y, columns=("sepal length", "petal width"))
    assert "Hollow dots" in words(picture)
    whole = tw.figures.partition(model, X, y)
    hollow = {dot.fill for dot in shapes_of(whole.drawing, Circle)}
    assert "#4477aa" in hollow


def test_rows_need_no_target():
    model, X, _ = moons()
    assert len(shapes_of(tw.figures.partition(model, X).drawing, Circle)) == len(X)


# ---------------------------------------------------------------------------- texts and sizes


@pytest.mark.parametrize("columns", [("size", "color"), ("color", "day"), ("day", "size")])
def test_texts_never_touch(columns):
    X, y = a_mixed_table()
    drawing = tw.figures.partition(tw.C45Classifier().fit(X, y), X, y, columns=columns).drawing
    assert touching(drawing) == []
    assert off_paper(drawing) == []


def test_hostile_names_are_text():
    rng = np.random.default_rng(0)
    levels = rng.choice(HOSTILE, size=100)
    X = {HOSTILE[0]: levels, HOSTILE[1]: rng.normal(size=100), HOSTILE[4]: rng.normal(size=100)}
    y = np.where(levels < "a", HOSTILE[0], HOSTILE[3])
    picture = tw.figures.partition(
        tw.CARTClassifier().fit(X, y), X, y, columns=(HOSTILE[0], HOSTILE[1]), title=HOSTILE[1]
    )
    assert touching(picture.drawing) == []
    svg = picture.to_svg()
    assert "<img" not in svg
    assert "</script" not in svg


def test_of_many_levels_the_most_frequent_are_shown():
    rng = np.random.default_rng(0)
    X = {
        "level": [f"v{at:03}" for at in rng.geometric(0.01, 3000) % 300],
        "n": rng.normal(size=3000),
    }
    y = rng.normal(size=3000)
    model = tw.CARTRegressor(max_depth=3).fit(X, y)
    picture = tw.figures.partition(model, X, y, columns=("level", "n"))
    assert "24 of " in words(picture)
    assert touching(picture.drawing) == []


def test_a_large_tree_is_drawn_in_few_paths():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    model = tw.CARTClassifier().fit(X, rng.integers(0, 3, size=4000))
    picture = tw.figures.partition(model, X)
    assert len(picture.data["regions"]) > 1000
    assert len(shapes_of(picture.drawing, Path)) < 100


# ---------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize("unseen", ["missing", "majority", "error"])
def test_a_level_that_training_never_met_is_not_drawn_as_missing(unseen):
    X, y = tw.load_sample("tennis")
    model = tw.CARTClassifier(handle_unknown=unseen).fit(X, y)
    draw = partial(tw.figures.partition, model, X, y, columns=("humidity", "wind"))
    with pytest.raises(ParameterError, match=r"`outlook` has no category 'Suny'.*\n.*mean 'Sunny'"):
        draw(fixed={"outlook": "Suny"})
    with pytest.raises(ParameterError, match=r"categories are: .*Overcast"):
        draw(fixed={"outlook": "cold"})
    with pytest.raises(ParameterError, match="did you mean 'Sunny'"):
        tw.figures.growth(model, X, y, columns=("humidity", "wind"), fixed={"outlook": "Suny"})
    assert draw(fixed={"outlook": "Sunny"}).data["fixed"]["outlook"] == "Sunny"
    assert draw(fixed={"outlook": None}).data["fixed"]["outlook"] is None


def test_mistakes_are_named():
    model, X, y = iris()
    with pytest.raises(UnknownColumnError, match="petal width"):
        tw.figures.partition(model, X, y, columns=("petal width", "petal widht"))
    with pytest.raises(UnknownColumnError, match="sepal length"):
        tw.figures.partition(model, X, y, fixed={"sepal lenght": 5})
    with pytest.raises(ParameterError, match="two different columns"):
        tw.figures.partition(model, X, y, columns=("petal width", "petal width"))
    with pytest.raises(ParameterError, match="cannot be fixed"):
        tw.figures.partition(model, X, y, fixed={"petal width": 1})
    with pytest.raises(DataError, match="y was given without X"):
        tw.figures.partition(model, y=y)
    with pytest.raises(DataError, match="rows"):
        tw.figures.partition(model, X, y[:-1])


def test_a_plane_needs_two_columns():
    model = tw.CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="two columns"):
        tw.figures.partition(model)


@pytest.mark.parametrize(
    "odd",
    [
        np.full(30, np.nan),
        np.full(30, 7.0),
        np.array(["x"] * 30),
        np.arange(30) * 1e306,
        np.where(np.arange(30) % 3, np.arange(30), np.inf),
        np.arange(30).astype("timedelta64[m]"),
    ],
    ids=["missing", "constant", "one level", "huge", "infinite", "durations"],
)
@pytest.mark.filterwarnings("ignore:column")
def test_odd_columns_have_an_axis(odd):
    X = {"odd": odd, "plain": np.sin(np.arange(30))}
    y = np.arange(30) % 2
    for model in (tw.C45Classifier(), tw.CARTRegressor()):
        picture = tw.figures.partition(model.fit(X, y), X, y, columns=("odd", "plain"))
        assert "nan" not in picture.to_svg()
        assert touching(picture.drawing) == []


@pytest.mark.filterwarnings("ignore:column")
def test_a_column_without_levels_has_no_axis():
    X = {"empty": np.array([None] * 4, dtype=object), "plain": [1.0, 2.0, 3.0, 4.0]}
    model = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="no value in training"):
        tw.figures.partition(model, X, columns=("empty", "plain"))


def test_rules_have_no_plane():
    X, y = tw.load_sample("iris")
    with pytest.raises(ParameterError, match="predicts by rules"):
        tw.figures.partition(tw.C45Rules().fit(X, y), X, y)


def test_rare_classes_of_very_many_share_a_color_and_an_entry():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = [f"class {at:02}" for at in (rng.geometric(0.15, size=600) % 20).tolist()]
    model = tw.CARTClassifier(max_leaf_nodes=30).fit(X, y)
    picture = tw.figures.partition(model, X, y)
    assert "12 other classes" in words(picture)
    assert touching(picture.drawing) == []


def test_a_tree_written_by_hand_has_a_plane():
    tree = tw.tree_from("x <= 3: a\nx > 3\n|  y <= 2: b\n|  y > 2: a\n")
    regions = tw.figures.partition(tree).data["regions"]
    assert [region["prediction"] for region in regions] == ["a", "b", "a"]
