"""Colors: readable in both themes, different for color-blind readers, and none of them red."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from builders import leaf, threshold
from treewright.documents.theme import DARK, LIGHT
from treewright.errors import ParameterError
from treewright.pictures.colors import (
    FAINT_INK,
    INK,
    PALETTE,
    PAPER,
    REST,
    class_colors,
    contrast,
    linear,
    mixed,
    oklab,
    on_dark,
    rgb,
)
from treewright.pictures.node_box import MOST_NUMBER_TINT, MOST_TINT, NUMBERS

READABLE = 4.5  # contrast of text by WCAG 2.2, level AA
# How light looks to readers with protanopia and deuteranopia (Machado and others, 2009).
VISIONS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def seen(color, vision):
    light = [linear(part / 255) for part in rgb(color)]
    found = [sum(a * b for a, b in zip(row, light, strict=True)) for row in VISIONS[vision]]
    shown = (round(255 * min(max(part, 0.0), 1.0) ** (1 / 2.2)) for part in found)
    return oklab("#" + "".join(f"{part:02x}" for part in shown))


@pytest.mark.parametrize("vision", VISIONS)
def test_no_two_classes_look_alike(vision):
    for one, other in combinations(PALETTE, 2):
        assert math.dist(seen(one, vision), seen(other, vision)) > 0.06, (one, other)


def test_no_class_is_red():
    for color in PALETTE:
        _, green_red, blue_yellow = oklab(color)
        assert not -30 < math.degrees(math.atan2(blue_yellow, green_red)) < 45, color


def test_text_is_readable_on_every_box_in_both_themes():
    tints = [mixed(color, MOST_TINT) for color in (*PALETTE, REST)]
    for tint in (PAPER, mixed(NUMBERS, MOST_NUMBER_TINT), *tints):
        for ink in (INK, FAINT_INK):
            assert contrast(ink, tint) >= READABLE, tint
            assert contrast(on_dark(ink), on_dark(tint)) >= READABLE, tint


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_words_of_every_kind_are_readable_on_paper_and_panel(theme):
    assert {*LIGHT} == {*DARK}
    for name in ("text", "faint", "accent", "refused"):
        for ground in ("paper", "panel"):
            assert contrast(theme[name], theme[ground]) >= READABLE, name


@given(st.integers(0, 0xFFFFFF))
def test_every_color_has_a_dark_one_and_paper_and_ink_change_places(number):
    color = f"#{number:06x}"
    dark = on_dark(color)
    assert len(dark) == 7
    assert all(0 <= part <= 255 for part in rgb(dark))
    lightness, *hue = oklab(color)
    if math.hypot(*hue) < 0.05:
        assert (oklab(dark)[0] > 0.65) == (lightness < 0.6) or 0.5 < lightness < 0.65


def a_tree(classes=("no", "yes", "perhaps")):
    schema = builders.numeric_schema("x")
    root = threshold(0, 1.0, leaf(3, 0, 1), leaf(1, 2, 1))
    return builders.build(root, schema, classes)


def test_colors_are_given_by_class_or_in_order():
    assert class_colors(a_tree(), {"yes": "teal"}).of_class[1] == "#3f9f8d"
    assert class_colors(a_tree(), ["#123", "#456789", "red"]).of_class[0] == "#112233"
    # A class keeps a color of its own where another was given its usual one.
    chosen = class_colors(a_tree(), {"yes": PALETTE[0]}).of_class
    assert len({*chosen}) == 3


@pytest.mark.parametrize(
    ("colors", "words"),
    [
        ({"yess": "teal"}, "did you mean `yes`"),
        ({"yes": "tael"}, "did you mean `teal`"),
        ({"yes": "#12"}, "use #rrggbb"),
        (["teal"], "one color for each class"),
        ("teal", "use a dict"),
    ],
)
def test_what_is_no_color_of_a_class_is_refused_with_a_hint(colors, words):
    with pytest.raises(ParameterError) as caught:
        class_colors(a_tree(), colors)
    assert words in caught.value.hint
