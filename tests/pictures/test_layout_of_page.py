"""The layout of the page, written in JavaScript, against that of the picture."""

import numpy as np
import pytest

from treewright.pictures.html_page import page_file
from treewright.pictures.layout import tidy_layout
from treewright.pictures.placement import row_ends

GAP, LEVEL_GAP = 14.0, 34.0
N_TREES = 150

LAID_OUT = """
(trees) => {
%s
  return trees.map(([children, widths, heights, gap, levelGap]) =>
    tidyLayout(children, widths, heights, gap, levelGap));
}
"""


def a_tree(rng, n_nodes):
    """Children lists in order of growth, widths and heights; some trees deep, others wide."""
    reach = rng.integers(1, 20)
    children = [[] for _ in range(n_nodes)]
    for node in range(1, n_nodes):
        children[rng.integers(max(0, node - reach), node)].append(node)
    widths, heights = rng.uniform(1, [[300], [120]], size=(2, n_nodes)).tolist()
    return children, widths, heights


@pytest.mark.full
def test_page_and_picture_place_the_same_trees_alike(browser):
    rng = np.random.default_rng(0)
    trees = [
        a_tree(rng, n_nodes) for n_nodes in (1, 2, 3, *rng.integers(4, 90, size=N_TREES), 3000)
    ]
    opened = browser.open("<!DOCTYPE html>")
    placed = opened.page.evaluate(
        LAID_OUT % page_file("layout.js"), [[*tree, GAP, LEVEL_GAP] for tree in trees]
    )
    for tree, on_page in zip(trees, placed, strict=True):
        in_picture = tidy_layout(*tree, gap=GAP, level_gap=LEVEL_GAP)
        assert on_page["x"] == pytest.approx(in_picture.x, abs=1e-6)
        assert on_page["y"] == pytest.approx(in_picture.y, abs=1e-6)
        assert on_page["width"] == pytest.approx(in_picture.width)
        assert on_page["height"] == pytest.approx(in_picture.height)
        assert on_page["rowEnd"] == pytest.approx(row_ends(in_picture), abs=1e-6)
