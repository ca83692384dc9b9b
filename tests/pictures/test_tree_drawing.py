"""Pictures of trees: nothing overlaps, every name is escaped, large trees stay small pictures."""

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
from builders import leaf, threshold
from exports.export_models import EXPORT_MODELS, fitted
from pictures.svg_reading import NAMESPACE, read
from treewright.data.schema import ColumnSpec, Schema
from treewright.pictures.folded import fold
from treewright.pictures.node_box import Style
from treewright.pictures.svg import to_svg
from treewright.pictures.tree_drawing import draw_tree
from treewright.single_trees.as_tree import tree_of

EVIL = (
    "<script>alert(1)</script>",
    "\"><svg onload='x'>",
    "&amp;]]>",
    "שלום",
    "🦊漢字",
    "\u202e\x00",
)
names = st.text(max_size=40) | st.sampled_from(EVIL)


@st.composite
def trees_with_random_names(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    drawn = draw(st.lists(names, min_size=12, max_size=12, unique=True))
    levels = tuple(drawn[:6])
    columns = [ColumnSpec(f"{name}{at}", "numeric") for at, name in enumerate(drawn[6:9])]
    columns += [ColumnSpec(drawn[9] + "level", "nominal", levels)]
    columns += [ColumnSpec(drawn[10] + "order", "ordered", levels)]
    n_splits, is_classifier = draw(st.integers(0, 15)), draw(st.booleans())
    return builders.a_random_tree(
        rng, Schema(tuple(columns)), n_splits=n_splits, is_classifier=is_classifier
    )


def tree_svg(tree, *, max_nodes=60, direction="auto"):
    return to_svg(draw_tree(fold(tree, max_nodes=max_nodes), direction=direction))


def assert_nothing_overlaps(svg):
    page, boxes, texts = read(svg)
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other), (one, other)
    for one, other in combinations(texts, 2):
        assert not one.overlaps(other), (one, other)
    for text in texts:
        assert page.contains(text), text
        for box in boxes:
            assert not box.overlaps(text) or box.contains(text), (box, text)
    assert all(page.contains(box) for box in boxes)


@settings(max_examples=40)
@given(trees_with_random_names(), st.sampled_from(["down", "right", "auto"]))
def test_boxes_and_texts_never_overlap(tree, direction):
    assert_nothing_overlaps(tree_svg(tree, direction=direction))


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_every_kind_of_model_is_drawn_without_overlaps(name):
    svg = tree_svg(tree_of(fitted(name)))
    assert_nothing_overlaps(svg)
    assert len(svg) < 400_000


@pytest.mark.parametrize("name", EVIL)
def test_names_stay_text_whatever_they_are(name):
    schema = Schema((ColumnSpec(name, "numeric"),))
    tree = builders.build(threshold(0, 1.5, leaf(3, 0), leaf(1, 2)), schema, (name, "other"))
    root = ElementTree.fromstring(tree_svg(tree))
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    assert tags == {"svg", "style", "g", "rect", "path", "text", "title"}
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not any(key.startswith("on") or "href" in key for key in attributes)


def test_a_name_from_right_to_left_is_kept_apart_from_what_stands_beside_it():
    schema = Schema((ColumnSpec("level", "nominal", ("שלום", "b", "c")),))
    root = builders.subset(0, {0: 0, 1: 0, 2: 1}, leaf(1, 0), leaf(0, 1))
    tree = builders.build(root, schema, ("no", "yes"))
    texts = {text.what for text in read(tree_svg(tree))[2]}
    assert "\u2068שלום\u2069, b" in texts


def test_edges_are_as_wide_as_the_share_of_rows_that_goes_along():
    tree = builders.build(
        threshold(0, 1.5, leaf(9, 0), leaf(0, 1)), builders.numeric_schema("x"), ("no", "yes")
    )
    root = ElementTree.fromstring(tree_svg(tree))
    paths = root.findall(f".//{NAMESPACE}path")
    assert [float(path.get("stroke-width")) for path in paths] == pytest.approx([14.5, 2.5])


def test_a_folded_node_tells_how_many_nodes_it_hides():
    tree = builders.a_chain(100)
    texts = [text.what for text in read(tree_svg(tree, max_nodes=5))[2]]
    assert "… 196 nodes" in texts


def test_remarks_stand_in_the_boxes_of_nodes_that_are_not_folded():
    tree = builders.a_chain(5)
    remarks = {0: ("chosen in 83 %", "cut 1 to 2"), 1: ("a leaf",), 2: ("folded",)}
    svg = to_svg(draw_tree(fold(tree, max_depth=1), style=Style(remarks=remarks)))
    assert_nothing_overlaps(svg)
    texts = {text.what for text in read(svg)[2]}
    assert {"chosen in 83 %", "cut 1 to 2", "a leaf"} <= texts
    assert "folded" not in texts


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_tree_of_thousands_of_leaves_is_a_small_picture(direction):
    svg = tree_svg(builders.a_perfect_tree(13), direction=direction)
    assert len(svg) < 200_000
    assert_nothing_overlaps(svg)
