"""What a notebook shows of a fitted model: scikit-learn's own diagram, and the tree below it."""

from html import escape
from typing import TYPE_CHECKING

from treewright.tree.notebook import draw_trees_by
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.models.base import TreeEstimator

FRAME = '<div style="overflow-x: auto">{}</div>'


def fitted_html(model: "TreeEstimator") -> str:
    """The picture of the tree; of a model that predicts by rules, its rules."""
    return f"<pre>{escape(model.export_text())}</pre>" if model.answers_by_rules else drawn(model)


def drawn(model: "TreeEstimator | Tree") -> str:
    """The picture; where it is wider than the notebook it can be moved sideways."""
    from treewright.models.drawing import draw

    return FRAME.format(draw(model).to_svg())


draw_trees_by(drawn)
