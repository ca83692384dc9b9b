"""The picture of a tree, as `treewright.draw` returns it."""

import numpy as np

from treewright.data.table import Table
from treewright.errors import ParameterError, check_type, check_whole
from treewright.pictures.colors import Colors, colors_by_class
from treewright.pictures.distributions import Distributions
from treewright.pictures.folded import fold
from treewright.pictures.html_page import TreePage, values_of_row
from treewright.pictures.node_box import Remarks, Style
from treewright.pictures.node_text import shown_name
from treewright.pictures.picture import Picture
from treewright.pictures.tree_drawing import draw_tree
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree
from treewright.worksheets.stability import Stability


def tree_picture(
    tree: Tree,
    *,
    row: Table | None = None,
    fitted: Tree | None = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    direction: str = "auto",
    decimals: int | None = None,
    stability: Stability | None = None,
    remarks: Remarks | None = None,
    target: str | None = None,
    colors: Colors | None = None,
    splits: Distributions | None = None,
) -> Picture:
    """The picture; `row` is one encoded row, `fitted` the tree that `stability` is about."""
    check_limits(max_depth, min_share, max_nodes, decimals)
    check_colors(tree, colors)
    path = () if row is None else tree.path_of(row, 0)
    folded = fold(
        tree, max_depth=max_depth, min_share=min_share, max_nodes=max_nodes, keep=path[:-1]
    )
    lines = dict(remarks or {})
    if stability is not None:
        lines |= remarks_of(stability, tree, fitted or tree)
    if splits is not None and not np.array_equal(splits.tree.kind, tree.kind):
        splits = None  # of a column that was cut before the fit, rows have no numbers
    style = Style(decimals, lines, target or "", colors, splits)
    drawing = draw_tree(folded, direction=direction, path=path, style=style)
    n_shown = sum(not place.group for place in folded.shown)
    values = None if row is None else values_of_row(row)
    about = f"Decision tree for {shown_name(target)}" if target else "Decision tree"
    title = f"{about}: {leaves_text(tree)}, depth {tree.depth}"
    page = TreePage(folded, drawing, title, direction, values, style)
    return Picture(drawing, f"{n_shown} of {tree.n_nodes:,} nodes", page=page.html)


def check_colors(tree: Tree, colors: Colors | None) -> None:
    """Raise unless `colors` are colors of the tree's classes."""
    if colors is None:
        return
    if tree.classes is None:
        raise ParameterError(
            "colors are for classes, and this tree predicts numbers", hint="leave colors out"
        )
    colors_by_class(tree.classes, colors)


def check_limits(
    max_depth: int | None, min_share: float, max_nodes: int, decimals: int | None
) -> None:
    """Raise unless the limits of a picture make sense."""
    check_whole("max_nodes", max_nodes)
    for name, value in (("max_depth", max_depth), ("decimals", decimals)):
        if value is not None:
            check_whole(name, value, 0)
    is_number = isinstance(min_share, int | float) and not isinstance(min_share, bool)
    if not is_number or not 0 <= min_share <= 1:
        raise ParameterError(f"min_share is {min_share!r}", hint="use a number from 0 to 1")


def remarks_of(stability: Stability, tree: Tree, fitted: Tree) -> dict[int, tuple[str, ...]]:
    """The lines in the boxes of `tree` on the stability of its splits."""
    check_type(stability, Stability, "a stability", "tw.stability(model, X, y)")
    # The drawn tree may have more leaves, but its splits are those of the fitted one.
    node_of = {order: node for node, order in enumerate(tree.split_order.tolist()) if order >= 0}
    remarks = {}
    for split in stability:
        known = split.node < fitted.n_nodes and fitted.feature[split.node] >= 0
        if not known or fitted.node(split.node).column.name != split.column:  # type: ignore[union-attr]
            raise ParameterError(
                f"stability is of another tree: its node {split.node} splits by {split.column}",
                hint="draw the model that was given to tw.stability",
            )
        remarks[node_of[int(fitted.split_order[split.node])]] = split.remarks
    return remarks
