"""The picture of a model tree: as of any tree, with the models named at the leaves."""

from typing import TYPE_CHECKING, Any

from treewright.model_trees.as_text import leaf_numbers
from treewright.models.drawing import draw
from treewright.models.rows import one_row
from treewright.pictures.picture import Picture

if TYPE_CHECKING:
    from treewright.model_trees.m5 import M5Regressor

MOST_TERMS = 3  # of an equation in a box
MOST_LEVELS = 3  # of a column in a term


def draw_models(model: "M5Regressor", **options: Any) -> Picture:
    """The picture of the tree, with the beginning of each leaf's equation in its box."""
    coding = model.state_.coding
    remarks: dict[int, tuple[str, ...]] = {}
    for leaf, number in leaf_numbers(model.tree_).items():
        first, *terms = model.equation(leaf).parts(coding, max_levels=MOST_LEVELS)
        lines = [f"model {number}: {first}", *terms[:MOST_TERMS]]
        n_more = len(terms) - MOST_TERMS
        if n_more > 0:
            lines.append(f"… {n_more} more term{'' if n_more == 1 else 's'}")
        remarks[leaf] = tuple(lines)
    if options.get("row") is not None:
        options["row"] = model._encoded(one_row(options["row"], model.state_.schema))
    remarks |= options.pop("remarks", None) or {}
    return draw(model.tree_, remarks=remarks, **options)
