"""Drawings as SVG: every shape is there, and every text stays text."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.pictures.shapes import (
    Circle,
    Drawing,
    Group,
    Path,
    Rectangle,
    Text,
    polyline,
)
from treewright.pictures.svg import to_svg

SVG = "{http://www.w3.org/2000/svg}"
lengths = st.floats(-1000, 1000)
texts = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cn", "Cc")), max_size=20)
NUMBERS_OF = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Z": 0}  # of each command of a path
steps = st.sampled_from([*NUMBERS_OF]).flatmap(
    lambda command: st.tuples(st.just(command), *[lengths] * NUMBERS_OF[command])
)
plain_shapes = (
    st.builds(Rectangle, lengths, lengths, lengths, lengths, corner=lengths)
    | st.builds(Circle, lengths, lengths, lengths)
    | st.builds(Path, st.lists(steps).map(tuple), dashes=st.lists(lengths, max_size=3).map(tuple))
    | st.builds(Text, lengths, lengths, texts, rotation=lengths, halo=st.sampled_from(["", "red"]))
)
shapes = st.recursive(
    plain_shapes,
    lambda inner: st.builds(
        Group,
        st.lists(inner, max_size=4).map(tuple),
        title=texts,
        shift=st.tuples(lengths, lengths),
    ),
    max_leaves=12,
)


def elements(*drawn):
    return ElementTree.fromstring(to_svg(Drawing(100, 50, drawn, "some shapes"), themed=False))


def flat(shape):
    return [shape, *(part for inner in getattr(shape, "shapes", ()) for part in flat(inner))]


@settings(max_examples=40)
@given(st.lists(shapes, max_size=5))
def test_every_shape_is_one_element_with_its_own_text(drawn):
    names = {Rectangle: "rect", Circle: "circle", Path: "path", Text: "text", Group: "g"}
    parts = [part for shape in drawn for part in flat(shape)]
    found = [at for at in [*elements(*drawn).iter()][2:] if at.tag != f"{SVG}title"]
    assert [at.tag.removeprefix(SVG) for at in found] == [names[type(part)] for part in parts]
    written = [at.text or "" for at in found if at.tag == f"{SVG}text"]
    assert written == [part.text for part in parts if isinstance(part, Text)]


def test_a_picture_has_a_size_white_paper_and_a_description():
    root = elements()
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == (
        "100",
        "50",
        "0 0 100 50",
    )
    assert root.get("aria-label") == "some shapes"
    assert root[0].get("fill") == "#ffffff"


@pytest.mark.parametrize(
    ("change", "attribute", "value"),
    [
        ({"anchor": "end"}, "text-anchor", "end"),
        ({"size": 14.0}, "font-size", "14"),
        ({"bold": True}, "font-weight", "bold"),
        ({"fill": "#ff0000"}, "fill", "#ff0000"),
        ({"rotation": -90.0}, "transform", "rotate(-90 1 2)"),
        ({"halo": "#ffffff"}, "stroke", "#ffffff"),
    ],
)
def test_a_text_says_only_how_it_differs(change, attribute, value):
    text = Text(1, 2, "words")
    assert elements(text)[1].attrib == {"x": "1", "y": "2"}
    assert elements(replace(text, **change))[1].get(attribute) == value


def test_paint_is_fill_stroke_dashes_and_opacity():
    line = Path(polyline([(0, 0), (3, 4)]), stroke="#000000", dashes=(4, 2), opacity=0.5)
    assert elements(line)[1].attrib == {
        "d": "M0 0L3 4",
        "fill": "none",
        "stroke": "#000000",
        "stroke-width": "1",
        "stroke-dasharray": "4 2",
        "opacity": "0.5",
    }


def test_a_group_has_a_tooltip_a_place_and_attributes():
    group = Group((Circle(0, 0, 1),), "<more>", (3, 4), {"class": "node"})
    (found,) = elements(group)[1:]
    assert found.attrib == {"class": "node", "transform": "translate(3 4)"}
    assert found[0].text == "<more>"
