"""Pies of many rows: none leaves its cell, and areas and pieces are as the numbers."""

from math import cos, hypot, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.figures.axes import Frame
from treewright.figures.row_points import Pie, Pies, wedge
from treewright.figures.scales import Linear
from treewright.pictures.shapes import Circle, Path

FRAME = Frame(10.0, 20.0, 300.0, 200.0, Linear(0, 6), Linear(0, 4))
cells = st.tuples(st.integers(0, 5), st.integers(0, 3))
parts = st.lists(st.tuples(st.sampled_from(["#000001", "#000002"]), st.integers(1, 99)), min_size=1)


@given(st.dictionaries(cells, st.tuples(st.floats(0, 1), st.floats(0, 1), parts), min_size=1))
def test_a_pie_stays_in_its_cell(found):
    pies = [Pie((i, j), i + right, j + up, own) for (i, j), (right, up, own) in found.items()]
    rims = [shape for shape in Pies(pies, 6, 4).shapes(FRAME) if isinstance(shape, Circle)]
    assert len(rims) == len(pies)
    for pie, rim in zip(pies, rims, strict=True):
        left, bottom = FRAME.left + 50 * pie.cell[0], FRAME.bottom - 50 * pie.cell[1]
        assert left - 1e-9 <= rim.x - rim.radius
        assert rim.x + rim.radius <= left + 50 + 1e-9
        assert bottom - 50 - 1e-9 <= rim.y - rim.radius
        assert rim.y + rim.radius <= bottom + 1e-9


def test_areas_are_as_the_numbers_of_rows():
    pies = [Pie((0, 0), 0.5, 0.5, [("#000001", 100)]), Pie((1, 0), 1.5, 0.5, [("#000001", 400)])]
    small, large = Pies(pies, 6, 4).shapes(FRAME)
    assert large.radius == pytest.approx(2 * small.radius)


def test_a_pie_has_a_piece_for_each_class():
    pie = Pie((0, 0), 0.5, 0.5, [("#000001", 3), ("#000002", 1)])
    *pieces, rim = Pies([pie], 6, 4).shapes(FRAME)
    assert [piece.fill for piece in pieces] == ["#000001", "#000002"]
    assert isinstance(rim, Circle)
    assert all(isinstance(piece, Path) for piece in pieces)


@given(st.floats(0, 2 * pi), st.floats(0.01, 2 * pi))
def test_the_rim_of_a_piece_is_round(start, turn):
    begin, _, *curves, close = wedge((0.0, 0.0), 10.0, start, start + turn)
    assert (begin, close) == (("M", 0.0, 0.0), ("Z",))
    x, y = 10 * sin(start), -10 * cos(start)
    for _, x1, y1, x2, y2, to_x, to_y in curves:
        middle = [
            (a + 3 * b + 3 * c + d) / 8 for a, b, c, d in ((x, x1, x2, to_x), (y, y1, y2, to_y))
        ]
        assert hypot(*middle) == pytest.approx(10, rel=1e-3)
        assert hypot(to_x, to_y) == pytest.approx(10)
        x, y = to_x, to_y
    assert (x, y) == pytest.approx((10 * sin(start + turn), -10 * cos(start + turn)))
