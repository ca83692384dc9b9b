"""tw.draw: the picture of a model's tree."""

from typing import Any

from treewright.estimators.reading import Readable
from treewright.estimators.rows import row_for_tree
from treewright.pictures.node_box import Remarks
from treewright.pictures.picture import Picture
from treewright.pictures.placement import Direction
from treewright.pictures.tree_picture import tree_picture
from treewright.protocols import FittedModel
from treewright.single_trees.as_tree import tree_of
from treewright.tree.tree import Tree
from treewright.worksheets.stability import Stability


def draw(
    model: FittedModel | Tree,
    *,
    row: Any = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    direction: Direction = "auto",
    decimals: int | None = None,
    stability: Stability | None = None,
    remarks: Remarks | None = None,
) -> Picture:
    """Draw the tree of a model: splits, predictions and class distributions.

    Of a large tree, the nodes with the most training rows are shown; the others are folded into
    the node above them, which says how many they are.

    Parameters
    ----------
    model
        A fitted tree estimator, a model tree, or a `Tree`.
    row
        A row whose path through the tree is highlighted: a dict (columns not named are missing), a
        list of values, or a table of one row.
    max_depth
        Splits from the root to the lowest nodes shown; None for no limit.
    min_share
        Nodes with less than this share of the training weight stay folded, 0 to 1.
    max_nodes
        Maximum number of nodes; those on the path of `row` are shown in addition.
    direction
        "down" or "right"; "auto" chooses "right" for a wide tree.
    decimals
        Decimals of thresholds and means; None for as many as needed.
    stability
        The result of `treewright.stability`: nodes then show how often their column is chosen
        again, and the range of 90 % of the thresholds.
    remarks
        Node -> additional lines in its box, unless it is folded.

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
    if isinstance(model, Readable) and hasattr(model, "draw"):
        picture: Picture = model.draw(row=row, **options)
        return picture
    tree = tree_of(model)  # a Tree, or an error that says what to draw instead
    return tree_picture(tree, row=None if row is None else row_for_tree(tree, row), **options)
