"""Whether the rows given are those that a tree was grown on."""

import numpy as np

from treewright.errors import DataError
from treewright.tree.conditions import number_text
from treewright.tree.tree import Tree
from treewright.worksheets.work import Group

CLOSE = 1e-9  # of the weight: counts that differ by less are equal


def check_agreement(tree: Tree, node: int, group: Group) -> None:
    """Raise unless the rows at a node are what the tree has counted there."""
    difference = difference_at(tree, node, group)
    if difference:
        where = " and ".join(view.condition for view in tree.node(node).path[1:]) or "root"
        raise DataError(
            f"these are not the rows that the model was fitted to: at node {node} ({where}) "
            f"{difference}",
            hint="give the X, y and sample_weight of fit, rows and columns as they were",
        )


def difference_at(tree: Tree, node: int, group: Group) -> str:
    """In what the rows given differ from those of growth; "" if in nothing."""
    if tree.n_rows[0] == 0:  # a tree written by hand has counted nothing
        return ""
    n_rows = int(tree.n_rows[node])
    if group.n_rows != n_rows:
        return f"it has counted {n_rows} rows, here are {group.n_rows}"
    if n_rows == 0:
        return ""
    weight = float(tree.weight[node])
    if not np.isclose(group.weight, weight, rtol=CLOSE, atol=0):
        return f"its rows weigh {number_text(weight)}, these {number_text(group.weight)}"
    value = tree.value[node]
    if tree.classes is not None:
        off = ~np.isclose(group.counts, value, rtol=0, atol=CLOSE * weight)
        for number in np.flatnonzero(off)[:1]:
            had, has = number_text(float(value[number])), number_text(group.counts[number])
            return f"it has counted {had} of class `{tree.classes[number]}`, here are {has}"
        return ""
    centre = group.mean if np.isnan(group.median) else group.median
    if abs(centre - value[0]) > CLOSE * max(abs(value[0]), np.sqrt(group.impurity), 1e-300):
        return f"its rows answer {number_text(float(value[0]))}, these {number_text(centre)}"
    return ""
