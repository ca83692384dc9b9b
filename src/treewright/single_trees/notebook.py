"""What a notebook shows of a fitted model: scikit-learn's own diagram, and the tree below it."""

from typing import TYPE_CHECKING

from treewright.documents.as_html import figure_html
from treewright.result import text_html
from treewright.tree.as_text import draw_trees_by
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.single_trees.base import TreeEstimator


def fitted_html(model: "TreeEstimator") -> str:
    """The picture of the tree; of a model that predicts by rules, its rules."""
    return text_html(model.export_text()) if model.predicts_by_rules else drawn(model)


def drawn(model: "TreeEstimator | Tree") -> str:
    """As much of the tree as fits; where the notebook is narrower, it can be moved sideways."""
    from treewright.pictures.fitting import fitting_figure, fitting_picture, fitting_tree

    picture = fitting_tree(model) if isinstance(model, Tree) else fitting_picture(model.draw)
    return figure_html(fitting_figure(picture, "The tree"))


draw_trees_by(drawn)
