"""Drawings on matplotlib axes: the same picture as the SVG, on axes of any size."""

from io import BytesIO, StringIO
from itertools import combinations

import numpy as np
import pytest

import builders
from builders import leaf, threshold
from exports.export_models import EXPORT_MODELS, fitted
from machine import imported
from treewright.errors import ParameterError
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Circle, Drawing, Group, Path, Rectangle, Text
from treewright.pictures.svg import to_svg
from treewright.verbs.draw import draw

matplotlib = imported("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (after the choice of a backend without a screen)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    pyplot.close("all")


def pixels(figure, dpi=96):
    figure.set_dpi(dpi)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def on_new_axes(*shapes, width=100, height=50):
    return Picture(Drawing(width, height, shapes, "shapes"), "shapes").to_axes()


def text_areas(axes):
    """Left, top, right and bottom of each text, in pixels of the drawing."""
    pixels(axes.figure)
    areas = [text.get_window_extent() for text in axes.texts]
    return [(box.x0, -box.y1, box.x1, -box.y0) for box in areas]


def test_new_axes_have_the_size_of_the_drawing():
    assert pixels(on_new_axes(width=240, height=130).figure).shape == (130, 240, 3)


def test_what_is_not_axes_is_refused():
    picture = draw(builders.a_tennis_tree())
    for other in (5, "axes", pyplot.subplots(2)[1], pyplot.figure()):
        with pytest.raises(ParameterError, match="ax is a"):
            picture.to_axes(other)


def test_shapes_stand_where_the_svg_has_them():
    resvg = imported("resvg_py")
    image = imported("PIL.Image")
    shapes = (
        Rectangle(10, 5, 30, 20, fill="#4477aa", stroke="#22272e", stroke_width=3),
        Rectangle(12, 7, 10, 10, corner=4, fill="#ffffff"),
        Group((Circle(0, 0, 8, fill="#ee6677", opacity=0.5),), shift=(70, 20)),
        Path((("M", 5, 40), ("H", 60), ("C", 70, 40, 70, 30, 90, 30), ("V", 45)), stroke="#228833"),
        Path((("M", 50, 10), ("L", 60, 10), ("L", 55, 18), ("Z",)), fill="#ccbb44"),
        Path((("M", 5, 46), ("H", 60)), stroke="#000000", stroke_width=2, dashes=(8, 4)),
    )
    drawing = Drawing(100, 50, shapes, "shapes")
    png = bytes(resvg.svg_to_bytes(svg_string=to_svg(drawing), zoom=4))
    expected = np.asarray(image.open(BytesIO(png)).convert("RGB")).astype(int)
    found = pixels(Picture(drawing, "shapes").to_axes().figure, dpi=4 * 96)
    assert found.shape == expected.shape
    assert (np.abs(found - expected).max(axis=2) > 100).mean() < 0.005  # rims differ by a hair


@pytest.mark.parametrize("scale", [0.5, 1, 3])
def test_letters_and_lines_grow_with_the_axes(scale):
    drawing = Drawing(200, 100, (Text(100, 50, "words", size=20),), "words")
    figure = pyplot.figure(figsize=(scale * 200 / 96, scale * 100 / 96))
    axes = Picture(drawing, "words").to_axes(figure.add_axes((0, 0, 1, 1)))
    assert axes.figure is figure
    ((left, top, right, bottom),) = text_areas(axes)
    assert (left + right) / 2 == pytest.approx(scale * 100, abs=1)
    assert right - left == pytest.approx(scale * 62, rel=0.1)
    assert 12 * scale < bottom - top < 24 * scale


@pytest.mark.parametrize(("anchor", "rotation"), [("start", 0), ("end", 0), ("start", -90)])
def test_texts_begin_end_and_turn_as_in_the_svg(anchor, rotation):
    axes = on_new_axes(Text(50, 40, "ab", anchor=anchor, rotation=rotation))
    ((left, top, right, bottom),) = text_areas(axes)
    base = -axes.transData.transform((50, 40))[1]
    if rotation:  # upwards, with the base line at the right and room for descenders
        assert right == pytest.approx(52, abs=2)
        assert bottom == pytest.approx(base, abs=2)
        assert bottom - top > right - left
    else:
        assert (left if anchor == "start" else right) == pytest.approx(50, abs=2)


@pytest.mark.parametrize("name", [*EXPORT_MODELS][::4])
def test_texts_of_a_tree_do_not_overlap_as_matplotlib_draws_them(name):
    areas = text_areas(draw(fitted(name)).to_axes())
    for one, other in combinations(areas, 2):
        apart = one[2] <= other[0] + 0.5 or other[2] <= one[0] + 0.5
        assert apart or one[3] <= other[1] + 1.5 or other[3] <= one[1] + 1.5


def test_dollars_in_names_are_no_formulas():
    name = r"$\frac{a}{$"
    schema = builders.numeric_schema(name)
    tree = builders.build(threshold(0, 1.5, leaf(3, 0), leaf(1, 2)), schema, (name, "$x$"))
    axes = draw(tree).to_axes()
    pixels(axes.figure)
    assert {name, "$x$"} <= {text.get_text() for text in axes.texts}


def test_marks_for_the_eye_only_are_left_out_of_texts():
    (text,) = on_new_axes(Text(1, 2, "\u2068שלום\u2069, b")).texts
    assert text.get_text() == "שלום, b"


def test_all_texts_stay_text_in_files_of_vectors(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    axes = on_new_axes(Text(50, 20, "plain"), Text(50, 40, "on a line", halo="#ffffff"))
    file = StringIO()
    axes.figure.savefig(file, format="svg")
    assert ">plain</text>" in file.getvalue()
    assert ">on a line</text>" in file.getvalue()


def test_a_rim_hides_the_line_behind_a_text():
    line = Path((("M", 0, 26), ("H", 100)), stroke="#ff0000", stroke_width=2)
    with_rim = on_new_axes(line, Text(50, 30, "word", size=20, halo="#ffffff"))
    without = on_new_axes(line, Text(50, 30, "word", size=20))
    red = [np.all(pixels(axes.figure) == [255, 0, 0], axis=2).sum() for axes in (with_rim, without)]
    assert 0 < red[0] < red[1]


def test_shapes_that_come_later_lie_on_top_of_texts():
    axes = on_new_axes(Text(50, 30, "hidden", size=30), Rectangle(0, 0, 100, 50, fill="#ff0000"))
    assert (pixels(axes.figure) == [255, 0, 0]).all()


def test_axes_show_the_last_drawing_alone():
    axes = pyplot.figure().subplots()
    axes.plot([1, 2, 3])
    for word in ("first", "second"):
        Picture(Drawing(100, 50, (Text(50, 30, word),), word), word).to_axes(axes)
    assert [text.get_text() for text in axes.texts] == ["second"]
    assert not axes.lines


def test_an_empty_path_draws_nothing():
    assert (pixels(on_new_axes(Path((), stroke="#000000")).figure) == 255).all()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    from treewright import optional
    from treewright.errors import MissingExtraError

    def absent(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(optional, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r"treewright\[plot\]"):
        on_new_axes()
