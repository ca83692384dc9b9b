"""The picture of a tree, as `treewright.draw` gives it."""

from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.pictures.folded import fold
from treewright.pictures.html_page import TreePage, values_of_row
from treewright.pictures.node_box import Remarks
from treewright.pictures.picture import Picture
from treewright.pictures.tree_drawing import draw_tree
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree
from treewright.worksheets.stability import Stability


def tree_picture(
    tree: Tree,
    *,
    row: Table | None = None,
    name: str = "Decision tree",
    fitted: Tree | None = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    direction: str = "auto",
    decimals: int | None = None,
    stability: Stability | None = None,
    remarks: Remarks | None = None,
) -> Picture:
    """The picture; `row` is one row in the columns of the tree, `fitted` what growth left."""
    check_limits(max_depth, min_share, max_nodes, decimals)
    path = () if row is None else tree.path_of(row, 0)
    folded = fold(
        tree, max_depth=max_depth, min_share=min_share, max_nodes=max_nodes, keep=path[:-1]
    )
    said = dict(remarks or {})
    if stability is not None:
        said |= remarks_of(stability, tree, fitted or tree)
    drawing = draw_tree(folded, direction=direction, decimals=decimals, path=path, remarks=said)
    n_shown = sum(not place.group for place in folded.shown)
    values = None if row is None else values_of_row(row)
    title = f"{name}: {leaves_text(tree)}, depth {tree.depth}"
    page = TreePage(folded, drawing, title, direction, decimals, values, said)
    return Picture(drawing, f"{n_shown} of {tree.n_nodes:,} nodes", page=page.html)


def check_limits(
    max_depth: int | None, min_share: float, max_nodes: int, decimals: int | None
) -> None:
    """Raise unless the limits of a picture make sense."""
    for name, value, least in (
        ("max_depth", max_depth, 0),
        ("max_nodes", max_nodes, 1),
        ("decimals", decimals, 0),
    ):
        if value is None and name != "max_nodes":
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ParameterError(f"{name} is {value!r}", hint=f"use a whole number from {least} on")
    if isinstance(min_share, bool) or not isinstance(min_share, int | float):
        raise ParameterError(f"min_share is {min_share!r}", hint="use a number from 0 to 1")
    if not 0 <= min_share <= 1:
        raise ParameterError(f"min_share is {min_share}", hint="use a number from 0 to 1")


def remarks_of(stability: Stability, tree: Tree, fitted: Tree) -> dict[int, tuple[str, ...]]:
    """What the boxes of `tree` say of the splits of the fitted tree."""
    if not isinstance(stability, Stability):
        raise ParameterError(
            f"stability is a {type(stability).__name__}",
            hint="give what tw.stability(model, X, y) returns",
        )
    # The tree that is drawn may have further leaves; its splits are those of the fitted one.
    node_of = {order: node for node, order in enumerate(tree.split_order.tolist()) if order >= 0}
    remarks = {}
    for split in stability:
        known = split.node < fitted.n_nodes and fitted.feature[split.node] >= 0
        if not known or fitted.node(split.node).column.name != split.column:  # type: ignore[union-attr]
            raise ParameterError(
                f"stability is of another tree: its node {split.node} asks for {split.column}",
                hint="draw the model that was given to tw.stability",
            )
        remarks[node_of[int(fitted.split_order[split.node])]] = split.remarks
    return remarks
