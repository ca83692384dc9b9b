"""Widths of texts without a font."""

from hypothesis import given
from hypothesis import strategies as st

from treewright.pictures.text_width import fitted, fitted_in_middle, text_width


@given(st.text(max_size=60), st.floats(20, 400), st.booleans())
def test_a_fitted_text_is_never_wider_than_its_room(text, width, bold):
    shown = fitted(text, width, 12, bold=bold)
    assert text_width(shown, 12, bold=bold) <= width + 1e-9
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))


@given(st.text(max_size=60), st.floats(20, 400), st.booleans())
def test_a_text_cut_in_the_middle_keeps_both_ends_and_fits(text, width, bold):
    shown = fitted_in_middle(text, width, 12, bold=bold)
    assert text_width(shown, 12, bold=bold) <= width + 1e-9
    front, _, back = shown.partition("…")
    assert shown == text or "…" in text or (text.startswith(front) and text.endswith(back))


@given(st.text(max_size=60))
def test_a_text_with_room_enough_is_left_as_it_is(text):
    assert fitted(text, text_width(text, 12) + 1e-6, 12) == text


def test_wide_letters_are_wider_and_combining_marks_take_no_room():
    assert text_width("漢字", 10) == 20
    assert text_width("🦊", 10) > 10
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("W", 10, bold=True) > text_width("W", 10) > text_width("i", 10)
