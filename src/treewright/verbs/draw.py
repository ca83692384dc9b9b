"""tw.draw: the picture of a model's tree."""

from typing import Any

from treewright.estimators.base import Model
from treewright.estimators.rows import row_for_tree
from treewright.pictures.node_box import Remarks
from treewright.pictures.picture import Picture
from treewright.pictures.tree_picture import tree_picture
from treewright.single_trees.as_tree import tree_of
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
    options: dict[str, Any] = {
        "max_depth": max_depth,
        "min_share": min_share,
        "max_nodes": max_nodes,
        "direction": direction,
        "decimals": decimals,
        "stability": stability,
        "remarks": remarks,
    }
    if isinstance(model, Model) and hasattr(model, "draw"):
        picture: Picture = model.draw(row=row, **options)
        return picture
    tree = tree_of(model)  # a Tree, or an error that says what to draw instead
    return tree_picture(tree, row=None if row is None else row_for_tree(tree, row), **options)
