"""What a notebook shows of a fitted model: scikit-learn's own diagram, and the tree below it."""

from html import escape
from typing import TYPE_CHECKING

from treewright.tree.as_text import draw_trees_by
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.single_trees.base import TreeEstimator

FRAME = '<div style="overflow-x: auto">{}</div>'


def fitted_html(model: "TreeEstimator") -> str:
    """The picture of the tree; of a model that predicts by rules, its rules."""
    return f"<pre>{escape(model.export_text())}</pre>" if model.predicts_by_rules else drawn(model)


def drawn(model: "TreeEstimator | Tree") -> str:
    """The picture; where it is wider than the notebook it can be moved sideways."""
    from treewright.pictures.tree_picture import tree_picture

    picture = tree_picture(model) if isinstance(model, Tree) else model.draw()
    return FRAME.format(picture.to_svg())


draw_trees_by(drawn)
