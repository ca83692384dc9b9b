"""Long lists are broken into lines, and nothing is lost."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from treewright.exports.languages.language import WIDTH, filled, wrapped

items = st.lists(st.integers().map(str), min_size=1)


@given(items)
def test_all_items_stand_there_in_their_order(items):
    text = "".join(wrapped("f(", items, ")")).replace(" ", "")
    assert text.removeprefix("f(").removesuffix(")").removesuffix(",").split(",") == items


@given(items)
def test_a_list_that_fits_stays_on_one_line(items):
    lines = wrapped("f(", items, ")")
    assert (len(lines) == 1) == (len(f"f({', '.join(items)})") <= WIDTH)


@given(items)
def test_lines_are_filled_but_not_overfilled(items):
    lines = filled(items)
    assert all(len(line) <= WIDTH or line.count(",") == 1 for line in lines)
    for line, after in pairwise(lines):
        assert len(line) + 1 + len(after.split()[0]) > WIDTH


def test_the_comma_of_a_single_item_is_not_doubled():
    long = "x" * WIDTH
    assert wrapped("(", [long], ",)") == ["(", f"    {long},", ")"]
    assert wrapped("f(", [long], ");", last_comma=False) == ["f(", f"    {long}", ");"]
