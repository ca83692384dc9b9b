"""In a figure no text lies on another or leaves the paper, whatever the numbers and names are."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.text_boxes import off_paper, shapes_of, text_boxes, touching
from treewright.figures.chart import Inset, Panel, figure, wrapped
from treewright.figures.marks import Band, Bars, Label, Line, Points, Rule, Steps
from treewright.figures.scales import Bands, Linear, Logarithmic, linear_over
from treewright.pictures.shapes import Circle, Path, Rectangle
from treewright.pictures.text_width import text_width

words = st.text(st.sampled_from("abcdefghij MWil<&>\"'é漢🌳ع"), min_size=1, max_size=40)
sizes = st.floats(60, 600)
linear_scales = st.tuples(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9)).map(
    lambda ends: linear_over([ends[0], ends[0] + max(ends[1], abs(ends[0]) * 1e-4)])
)
logarithmic_scales = st.tuples(st.floats(1e-9, 1e9), st.floats(1.1, 1e9)).map(
    lambda ends: Logarithmic(ends[0], ends[0] * ends[1])
)
band_scales = st.lists(words, min_size=1, max_size=40).map(lambda names: Bands(tuple(names)))
scales = linear_scales | logarithmic_scales | band_scales
panels = st.builds(
    Panel,
    marks=st.just(()),
    x=scales,
    y=scales,
    title=words | st.just(""),
    x_title=words | st.just(""),
    y_title=words | st.just(""),
    width=sizes,
    height=sizes,
    grid=st.sampled_from(["", "x", "y", "xy"]),
    is_boxed=st.booleans(),
)


def a_panel(*marks, x=None, y=None, **options):
    return Panel(marks=marks, x=x or Linear(0, 10), y=y or Linear(0, 10), **options)


def a_figure(*rows, **options):
    return figure(rows, summary="a figure", data={}, **options)


@given(st.lists(st.lists(panels, min_size=1, max_size=3), min_size=1, max_size=3), words, words)
def test_texts_never_touch(rows, title, note):
    drawing = a_figure(*rows, title=title, note=note).drawing
    assert touching(drawing) == []
    assert off_paper(drawing) == []


@given(st.lists(words, min_size=1, max_size=30, unique=True), sizes)
def test_a_legend_breaks_into_lines(names, width):
    lines = [Line((0, 1), (0, 1), "#4477aa", name) for name in names]
    drawing = a_figure([a_panel(*lines, width=width)]).drawing
    assert touching(drawing) == []
    assert off_paper(drawing) == []


def test_a_name_stands_once_in_the_legend():
    line = Line((0, 1), (0, 1), "#4477aa", "the same")
    drawing = a_figure([a_panel(line), a_panel(line)]).drawing
    assert [box.text for box in text_boxes(drawing)].count("the same") == 1


def test_plot_areas_stand_in_line():
    narrow = a_panel(y=Linear(0, 1), is_boxed=True, width=100.0)
    broad = a_panel(y=Linear(0, 1e6), is_boxed=True, width=100.0)
    frames = shapes_of(a_figure([narrow, broad], [broad, narrow]).drawing, Rectangle)
    assert len({frame.x for frame in frames}) == 2
    assert len({frame.y for frame in frames}) == 2


def test_a_line_has_a_gap_where_a_number_is_missing():
    line = Line((0, 1, 2, 3), (1, float("nan"), 2, 3), "#123456")
    paths = list(shapes_of(a_figure([a_panel(line)]).drawing, Path))
    assert len([path for path in paths if path.stroke == "#123456"]) == 2


def test_points_stand_where_their_numbers_say():
    panel = a_panel(Points((0, 5, 10), (0, 5, 10), "#123456"), width=100.0, height=50.0)
    first, middle, last = shapes_of(a_figure([panel]).drawing, Circle)
    assert last.x - first.x == pytest.approx(100)
    assert first.y - last.y == pytest.approx(50)  # y goes upwards
    assert (middle.x, middle.y) == pytest.approx(((first.x + last.x) / 2, (first.y + last.y) / 2))


def test_what_is_beyond_a_scale_stands_at_its_end():
    panel = a_panel(Points((-99, 99), (5, 5), "#123456"), width=100.0)
    first, last = shapes_of(a_figure([panel]).drawing, Circle)
    assert last.x - first.x == pytest.approx(100)


def test_a_step_line_keeps_its_heights_between_the_edges():
    panel = a_panel(Steps((0, 4, 10), (2, 8), "#123456"), width=100.0, height=100.0)
    (path,) = [p for p in shapes_of(a_figure([panel]).drawing, Path) if p.stroke == "#123456"]
    commands = [step[0] for step in path.steps]
    assert commands == ["M", "V", "H", "V", "H"]
    (_, left, low), _, (_, jump), (_, high), (_, right) = path.steps
    assert (jump - left, right - left, low - high) == pytest.approx((40, 100, 60))


def test_bars_of_groups_stand_side_by_side():
    names = Bands(("a", "b"))
    bars = [Bars((4, 8), color, n_groups=2, group=at) for at, color in enumerate("xy")]
    found = shapes_of(a_figure([a_panel(*bars, x=names)]).drawing, Rectangle)
    edges = sorted((bar.x, bar.x + bar.width) for bar in found)
    assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(edges))
    assert found[1].height == pytest.approx(2 * found[0].height)


def test_a_lying_bar_is_as_long_as_its_value():
    panel = a_panel(Bars((5, 10), "#123456", is_horizontal=True), y=Bands(("a", "b")), width=200.0)
    short, long = shapes_of(a_figure([panel]).drawing, Rectangle)
    assert (short.width, long.width) == pytest.approx((100, 200))
    assert long.y < short.y  # bands go upwards as numbers do


def test_a_rule_beyond_the_scale_is_left_out():
    inside, outside = Rule("#123456", x=5.0), Rule("#123456", x=50.0)
    for rule, count in ((inside, 1), (outside, 0)):
        paths = shapes_of(a_figure([a_panel(rule)]).drawing, Path)
        assert len([path for path in paths if path.stroke == "#123456"]) == count


@given(st.floats(-5, 15), st.floats(-5, 15))
def test_a_remark_stays_in_the_plot_area(x, y):
    panel = a_panel(Label(x, y, "words at a point"), is_boxed=True)
    drawing = a_figure([panel]).drawing
    (frame,) = shapes_of(drawing, Rectangle)
    (box,) = [box for box in text_boxes(drawing) if box.text == "words at a point"]
    assert frame.x <= box.left + 1e-9
    assert box.right <= frame.x + frame.width + 1e-9
    assert frame.y <= box.top
    assert box.bottom <= frame.y + frame.height


def test_every_mark_has_a_sample_in_the_legend():
    marks = [
        Line((0, 1), (0, 1), "#000001", "line"),
        Steps((0, 1), (1,), "#000002", "steps"),
        Band((0, 1), (0, 1), (1, 2), "#000003", "band"),
        Bars((1,), "#000004", "bars"),
        Points((1,), (1,), "#000005", "points"),
        Rule("#000006", "rule", x=1.0),
    ]
    drawing = a_figure([a_panel(*marks)]).drawing
    shown = {box.text for box in text_boxes(drawing)}
    assert {"line", "steps", "band", "bars", "points", "rule"} <= shown


def test_a_figure_may_stand_in_another():
    inner = a_figure([a_panel(title="inner", width=100.0)]).drawing
    outer = a_figure([a_panel(title="left"), Inset(inner, "a drawing")]).drawing
    shown = {box.text for box in text_boxes(outer)}
    assert {"inner", "left", "a drawing"} <= shown
    assert touching(outer) == []


@given(st.text(), st.floats(30, 400))
def test_wrapped_lines_fit(text, width):
    assert all(text_width(line, 11) <= width for line in wrapped(text, width, 11))


def test_wrapped_text_keeps_its_words():
    text = "title, note and legend stand one below the other"
    assert " ".join(wrapped(text, 90, 11)) == text
