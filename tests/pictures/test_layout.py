"""Trees laid out: nothing overlaps, parents stand above the middle, mirror trees mirror."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.pictures.layout import tidy_layout
from watched import SLOWER

GAP, LEVEL_GAP = 5.0, 20.0
sizes = st.floats(1, 300)


@st.composite
def sized_trees(draw, most=60):
    """Children lists of a random tree in order of growth, and widths and heights."""
    n_nodes = draw(st.integers(1, most))
    children = [[] for _ in range(n_nodes)]
    for node in range(1, n_nodes):
        parent = draw(st.integers(max(0, node - draw(st.integers(1, 12))), node - 1))
        children[parent].append(node)
    widths = draw(st.lists(sizes, min_size=n_nodes, max_size=n_nodes))
    heights = draw(st.lists(sizes, min_size=n_nodes, max_size=n_nodes))
    return children, widths, heights


def laid_out(children, widths, heights):
    return tidy_layout(children, widths, heights, gap=GAP, level_gap=LEVEL_GAP)


@given(sized_trees())
def test_no_two_nodes_come_nearer_than_the_gap(tree):
    _, widths, heights = tree
    layout = laid_out(*tree)
    rows = {}
    for box in sorted(zip(layout.y, layout.x, widths, heights, strict=True)):
        rows.setdefault(box[0], []).append(box)
    for row in rows.values():
        for (_, left, width, _), (_, next_left, _, _) in pairwise(row):
            assert next_left - (left + width) >= GAP - 1e-6
    for (top, row), next_top in zip(rows.items(), [*rows][1:], strict=False):
        assert next_top - (top + max(height for *_, height in row)) >= LEVEL_GAP - 1e-6


@given(sized_trees())
def test_a_parent_stands_above_the_middle_of_its_children_and_above_all_of_them(tree):
    children, widths, heights = tree
    layout = laid_out(*tree)
    for node, below in enumerate(children):
        if below:
            ends = layout.x[below[0]] + layout.x[below[-1]] + widths[below[-1]]
            assert layout.x[node] + widths[node] / 2 == pytest.approx(ends / 2, abs=1e-6)
        for child in below:
            assert layout.y[child] >= layout.y[node] + heights[node]
        lefts = [layout.x[child] for child in below]
        assert lefts == sorted(lefts)


@given(sized_trees())
def test_the_picture_is_as_large_as_its_nodes_reach(tree):
    _, widths, heights = tree
    layout = laid_out(*tree)
    assert min(layout.x) == 0
    assert min(layout.y) == 0
    assert layout.width == max(x + width for x, width in zip(layout.x, widths, strict=True))
    reach = max(y + height for y, height in zip(layout.y, heights, strict=True))
    assert layout.height == pytest.approx(reach)


def test_small_subtrees_between_large_ones_share_the_room():
    #       0
    #   1 2 3 4      1 and 4 have wide children, 2 and 3 stand evenly between them
    children = [[1, 2, 3, 4], [5], [], [], [6], [], []]
    layout = laid_out(children, [10, 10, 10, 10, 10, 200, 200], [10] * 7)
    steps = [layout.x[node + 1] - layout.x[node] for node in (1, 2, 3)]
    assert steps == pytest.approx([205 / 3] * 3)


def test_a_chain_of_a_hundred_thousand_nodes_and_a_full_tree_take_well_under_some_seconds():
    n_nodes = 100_000
    chain = [[node + 1] for node in range(n_nodes - 1)] + [[]]
    comb = [[node + 1, node + 2] if node % 2 == 0 else [] for node in range(n_nodes - 2)]
    full = [
        [child for child in (2 * node + 1, 2 * node + 2) if child < n_nodes]
        for node in range(n_nodes)
    ]
    for children in (chain, [*comb, [], []][: n_nodes - 1], full):
        before = time.perf_counter()
        laid_out(children, [10] * len(children), [10] * len(children))
        assert time.perf_counter() - before < 10 * SLOWER
