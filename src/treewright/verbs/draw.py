"""tw.draw: the picture of a model's tree."""

from typing import Any

from treewright.errors import ParameterError, kind_of
from treewright.estimators.reading import Readable
from treewright.estimators.rows import row_for_tree
from treewright.pictures.colors import Colors
from treewright.pictures.distributions import Distributions
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
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    row: Any = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    direction: Direction = "auto",
    decimals: int | None = None,
    stability: Stability | None = None,
    remarks: Remarks | None = None,
    target: str | None = None,
    colors: Colors | None = None,
) -> Picture:
    """Draw the tree of a model: splits, predictions and class distributions.

    For a large tree, only the nodes with the most training rows are shown. The others are folded
    into the node above them, which shows how many there are.

    Parameters
    ----------
    model
        A fitted tree estimator, a model tree, or a `Tree`.
    X, y, sample_weight
        The training rows. With them, each split shows their distribution over its column: bars by
        class, or points if the target is a number.
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
    target
        The name of the target; None uses the name of `y` in `fit`.
    colors
        Colors of the classes: `{"yes": "#228833"}` for some, or a list in the order of the
        classes. A color is `#rrggbb` or a name such as "teal".

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> draw(tw.ID3Classifier().fit(X, y))
    <Picture: 8 of 8 nodes, 420 x 349 pixels>
    >>> draw(tw.ID3Classifier().fit(X, y), X, y, colors={"Yes": "teal", "No": "amber"})
    <Picture: 8 of 8 nodes, 486 x 421 pixels>
    """
    options: dict[str, Any] = {
        "max_depth": max_depth,
        "min_share": min_share,
        "max_nodes": max_nodes,
        "direction": direction,
        "decimals": decimals,
        "stability": stability,
        "remarks": remarks,
        "target": target,
        "colors": colors,
    }
    if X is not None or y is not None:
        options["splits"] = split_distributions(model, X, y, sample_weight)
    if isinstance(model, Readable) and hasattr(model, "draw"):
        picture: Picture = model.draw(row=row, **options)
        return picture
    tree = tree_of(model)  # a Tree, or an error that says what to draw instead
    return tree_picture(tree, row=None if row is None else row_for_tree(tree, row), **options)


def split_distributions(model: object, X: Any, y: Any, sample_weight: Any) -> Distributions:
    """The training rows at the splits of a tree estimator."""
    from treewright.single_trees.base import TreeEstimator  # loads scikit-learn
    from treewright.verbs.fitted_rows import training_of

    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"{kind_of(model)} is drawn without training rows",
            hint="leave X and y out, or draw a fitted tree estimator",
        )
    return Distributions(model.tree_, training_of(model, X, y, sample_weight))
