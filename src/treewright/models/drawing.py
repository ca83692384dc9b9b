"""tw.draw: the picture of a model's tree."""

from typing import Any

from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.estimators.base import Model, OtherModel
from treewright.models.answering import answering_tree
from treewright.models.base import TreeEstimator
from treewright.models.explaining import encoded
from treewright.models.rows import one_row
from treewright.pictures.folded import fold
from treewright.pictures.html_page import TreePage, values_of_row
from treewright.pictures.node_box import Remarks
from treewright.pictures.picture import Picture
from treewright.pictures.tree_drawing import draw_tree
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree
from treewright.worksheets.stability import Stability


def draw(
    model: Model[Any] | Tree,
    *,
    row: Any = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    direction: str = "auto",
    decimals: int | None = None,
    stability: Stability | None = None,
    remarks: Remarks | None = None,
) -> Picture:
    """A picture of the tree: questions, answers, and how the training rows divide.

    Of a large tree the nodes with most training rows are shown; others are folded into the node
    above them, which then says how many they are.

    Parameters
    ----------
    model
        A fitted tree estimator, a model tree, or a `Tree`.
    row
        A row whose way through the tree is marked: a dict (what it leaves out is missing), a list
        of values, or a table of one row.
    max_depth
        Splits from the root to the lowest nodes shown; None for no limit.
    min_share
        Nodes with less than this share of the training weight stay folded, 0 to 1.
    max_nodes
        Most nodes in the picture; those on the way of `row` come on top.
    direction
        "down" or "right"; "auto" takes "right" for a tree too wide to be read downwards.
    decimals
        Decimals of thresholds and means; None for as many as they need.
    stability
        What `treewright.stability` found: boxes then show how often their column would be chosen
        again, and where 90 % of the thresholds lie.
    remarks
        Node -> further lines in its box, unless it is folded.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> draw(tw.ID3Classifier().fit(X, y))
    <Picture: 8 of 8 nodes, 420 x 349 pixels>
    """
    check_limits(max_depth, min_share, max_nodes, decimals)
    if isinstance(model, OtherModel) and hasattr(model, "draw"):
        picture: Picture = model.draw(
            row=row,
            max_depth=max_depth,
            min_share=min_share,
            max_nodes=max_nodes,
            direction=direction,
            decimals=decimals,
            stability=stability,
            remarks=remarks,
        )
        return picture
    tree = answering_tree(model)
    table = None if row is None else row_of(model, tree, row)
    path = () if table is None else tree.path_of(table, 0)
    folded = fold(
        tree, max_depth=max_depth, min_share=min_share, max_nodes=max_nodes, keep=path[:-1]
    )
    said = dict(remarks or {}) | ({} if stability is None else remarks_of(stability, model, tree))
    drawing = draw_tree(folded, direction=direction, decimals=decimals, path=path, remarks=said)
    n_shown = sum(not place.group for place in folded.shown)
    values = None if table is None else values_of_row(table)
    page = TreePage(folded, drawing, title_of(model, tree), direction, decimals, values, said)
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


def row_of(model: TreeEstimator | Tree, tree: Tree, row: Any) -> Table:
    """The row as the tree knows its columns."""
    table = encoded(model, tree, one_row(row, tree.schema))
    if len(table) != 1:
        raise ParameterError(f"row has {len(table)} rows", hint="give one row, such as X[:1]")
    return table


def remarks_of(
    stability: Stability, model: TreeEstimator | Tree, tree: Tree
) -> dict[int, tuple[str, ...]]:
    """What the boxes of `tree` say of the splits of the model."""
    if not isinstance(stability, Stability):
        raise ParameterError(
            f"stability is a {type(stability).__name__}",
            hint="give what tw.stability(model, X, y) returns",
        )
    fitted = model if isinstance(model, Tree) else model.state_.tree
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


def title_of(model: TreeEstimator | Tree, tree: Tree) -> str:
    name = "Decision tree" if isinstance(model, Tree) else type(model).__name__
    return f"{name}: {leaves_text(tree)}, depth {tree.depth}"
