"""tw.draw: the picture of a model, its files and its errors."""

import sys

import pytest

import builders
import treewright as tw
from machine import imported
from treewright.errors import MissingExtraError, ParameterError
from treewright.pictures.colors import PATH
from treewright.verbs.draw import Picture, draw


def tennis():
    X, y = tw.load_sample("tennis")
    return tw.ID3Classifier().fit(X, y)


RAINY = {"outlook": "Rain", "temperature": "Hot", "humidity": "High", "wind": "Weak"}


def test_a_small_tree_is_shown_whole_and_a_notebook_shows_the_svg():
    picture = draw(tennis())
    assert picture.summary == "8 of 8 nodes"
    assert picture._repr_svg_() == picture.to_svg()
    assert picture.to_svg().startswith("<svg ")
    for word in ("outlook", "Sunny", "humidity", "14 rows"):
        assert f">{word}</text>" in picture.to_svg()


def test_a_model_draws_itself():
    assert tennis().draw(max_depth=1) == draw(tennis(), max_depth=1)


def test_the_way_of_a_row_is_marked():
    plain, marked = draw(tennis()).to_svg(), draw(tennis(), row=RAINY).to_svg()
    assert PATH not in plain
    assert marked.count(f'stroke="{PATH}" ') == 5  # three boxes and two edges
    X, _ = tw.load_sample("tennis")
    for row in (X[:1], {"outlook": "Rain"}, ["Rain", "Hot", "High", "Weak"]):
        assert PATH in draw(tennis(), row=row).to_svg()


def test_a_row_deep_in_a_large_tree_is_unfolded():
    tree = builders.a_chain(200)

    def n_shown(picture):
        return int(picture.summary.partition(" of ")[0])

    folded = draw(tree, max_nodes=10)
    followed = draw(tree, max_nodes=10, row={"x": 150.0})
    assert n_shown(folded) <= 10 < 150 < n_shown(followed)


def test_pictures_are_saved_by_the_ending_of_the_name(tmp_path):
    picture = draw(tennis())
    picture.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == picture.to_svg()
    with pytest.raises(ParameterError, match=r"'\.gif'"):
        picture.save(tmp_path / "tree.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["tree.svg"]


def test_a_png_has_the_size_of_the_picture_times_the_scale(tmp_path):
    imported("resvg_py")
    picture = draw(tennis())
    png = picture.to_png(scale=2)
    assert png.startswith(b"\x89PNG")
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert (width, height) == pytest.approx(
        (2 * picture.drawing.width, 2 * picture.drawing.height), abs=2
    )
    picture.save(tmp_path / "tree.png")
    assert (tmp_path / "tree.png").read_bytes() == png


def test_without_resvg_a_png_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match="resvg_py") as caught:
        draw(tennis()).to_png()
    assert "treewright[png]" in caught.value.hint


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_depth": -1},
        {"max_nodes": 0},
        {"max_nodes": None},
        {"max_nodes": 2.5},
        {"min_share": 1.5},
        {"min_share": float("nan")},
        {"min_share": "all"},
        {"decimals": True},
        {"direction": "up"},
        {"row": [RAINY, RAINY]},
    ],
    ids=str,
)
def test_wrong_settings_are_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        draw(tennis(), **wrong)


def test_only_trees_are_drawn():
    with pytest.raises(ParameterError, match="is not a model of treewright"):
        draw("tree")


def test_a_single_leaf_and_numbers_are_drawn():
    assert isinstance(
        draw(builders.build(builders.leaf(1, 2), builders.numeric_schema("x"), ("a", "b"))), Picture
    )
    assert "histograms" in draw(builders.a_number_tree()).to_svg()


def test_boxes_show_how_stable_their_splits_are():
    X, y = tw.load_sample("iris")
    model = tw.C45Classifier().fit(X, y)
    found = tw.stability(model, X, y, n=50)
    picture = model.draw(stability=found)
    for split in found:
        for remark in split.remarks:
            assert f">{remark}</text>" in picture.to_svg()
            assert remark in picture.to_html()
    assert "chosen again" not in model.draw().to_svg()
    assert draw(model.tree_, stability=found).to_svg() == picture.to_svg()


def test_stability_finds_its_nodes_where_columns_were_cut_in_advance():
    X = {"size": [float(at) for at in range(40)], "color": ["red", "blue"] * 20}
    y = ["a"] * 10 + ["b"] * 10 + ["a", "b"] * 10
    model = tw.ID3Classifier(discretize="equal_width", n_bins=4).fit(X, y)
    found = tw.stability(model, X, y, n=20)
    drawn = draw(model, stability=found).to_svg()
    assert drawn.count("chosen again") == len(found)


def test_the_stability_of_another_tree_is_refused():
    X, y = tw.load_sample("iris")
    found = tw.stability(tw.C45Classifier().fit(X, y), X, y, n=5)
    with pytest.raises(ParameterError, match="another tree"):
        draw(tennis(), stability=found)
    with pytest.raises(ParameterError, match="another tree"):
        draw(tw.CARTClassifier(prune=None).fit(X, y), stability=found)
    with pytest.raises(ParameterError, match="not a stability"):
        draw(tennis(), stability=200)
