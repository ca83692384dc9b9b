"""Text that a spreadsheet would run is made harmless, other text is left alone."""

from hypothesis import given
from hypothesis import strategies as st

from treewright.plain_text import RISKY_STARTS, escape_formula


@given(st.text())
def test_nothing_that_comes_out_begins_like_a_formula(text):
    assert not escape_formula(text).startswith(RISKY_STARTS)
    assert escape_formula(text) in (text, "'" + text)


@given(st.text().filter(lambda text: not text.startswith(RISKY_STARTS)))
def test_plain_text_stays_as_it_is(text):
    assert escape_formula(text) == text
