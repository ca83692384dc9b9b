"""A model tree as lines of text: the splits, then the equations of the leaves."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from treewright.estimators.rows import one_row, row_for_tree
from treewright.model_trees.node_models import unit_remark
from treewright.plain_text import plain, weight_text
from treewright.tree.as_text import MOST_LEVELS, branches_below, indent
from treewright.tree.layout import LEAF
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.model_trees.reading import ModelTreeReading
    from treewright.pictures.picture import Picture


MOST_LINES = 60  # of a summary
FEW_LEVELS = 3  # categories of a set in a summary or a box
WIDTH = 100  # a longer equation has a line for each term


def model_text(
    model: "ModelTreeReading", decimals: int | None = None, max_levels: int | None = None
) -> str:
    """The whole tree and its equations, with at most `max_levels` names of categories in a list."""
    return "\n".join(text_lines(model, decimals, max_levels))


def summary_text(model: "ModelTreeReading") -> str:
    """The size of the tree, then its first lines."""
    tree = model.tree_
    n_leaves = tree.n_leaves
    size = f"{n_leaves} equation{'' if n_leaves == 1 else 's'}, depth {tree.depth}"
    lines = list(islice(text_lines(model, max_levels=FEW_LEVELS), MOST_LINES + 1))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = ["... export_text() shows all"]
    return "\n".join([f"{type(model).__name__}: {size}", *lines])


def text_lines(
    model: "ModelTreeReading", decimals: int | None = None, max_levels: int | None = None
) -> Iterator[str]:
    """The lines of the tree, an empty one, and those of the equations."""
    numbers = leaf_numbers(model.tree_)
    yield from tree_lines(model.tree_, numbers, decimals, max_levels)
    if len(numbers) > 1:
        yield ""
    for leaf, number in numbers.items():
        yield from equation_lines(model, leaf, f"model {number}: ", decimals, max_levels)
    if remark := unit_remark(model.state_.schema):
        yield f"# {remark}"


def leaf_numbers(tree: Tree) -> dict[int, int]:
    """The leaves from left to right, each with the number of its model from 1 on."""
    numbers: dict[int, int] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        if tree.kind[node] == LEAF:
            numbers[node] = len(numbers) + 1
        else:
            first = int(tree.first_child[node])
            stack += [first + 1, first]
    return numbers


def tree_lines(
    tree: Tree,
    numbers: dict[int, int],
    decimals: int | None = None,
    max_levels: int | None = MOST_LEVELS,
) -> Iterator[str]:
    """One line for each branch; a leaf names its model and the weight of its rows."""
    stack = [] if tree.kind[0] == LEAF else branches_below(tree, 0, 0, decimals, max_levels)
    while stack:
        node, depth, condition = stack.pop()
        line = indent(depth) + condition
        if node in numbers:
            line += f": model {numbers[node]} ({weight_text(float(tree.weight[node]))})"
        else:
            stack += branches_below(tree, node, depth + 1, decimals, max_levels)
        yield line


def equation_lines(
    model: "ModelTreeReading",
    node: int,
    lead: str,
    decimals: int | None = None,
    max_levels: int | None = MOST_LEVELS,
) -> Iterator[str]:
    """The equation of a node, in one line if it fits."""
    equation, coding = model.equation(node), model.state_.coding
    parts = equation.parts(coding, decimals, max_levels=max_levels)
    start = f"{lead}{plain(model.state_.target_word)} = {parts[0]}"
    in_one = " ".join([start, *parts[1:]])
    if len(in_one) <= WIDTH:
        yield in_one
        return
    yield start
    for part in parts[1:]:
        yield f"    {part}"


TERMS_IN_BOX = 3  # of an equation


def draw_models(model: "ModelTreeReading", **options: Any) -> "Picture":
    """The picture of the tree, with the beginning of each leaf's equation in its box."""
    from treewright.pictures.tree_picture import tree_picture  # slow to load; text needs none

    coding = model.state_.coding
    remarks: dict[int, tuple[str, ...]] = {}
    for leaf, number in leaf_numbers(model.tree_).items():
        first, *terms = model.equation(leaf).parts(coding, max_levels=FEW_LEVELS)
        lines = [f"model {number}: {first}", *terms[:TERMS_IN_BOX]]
        n_more = len(terms) - TERMS_IN_BOX
        if n_more > 0:
            lines.append(f"… {n_more} more term{'' if n_more == 1 else 's'}")
        remarks[leaf] = tuple(lines)
    if options.get("row") is not None:
        row = model.encode_rows(one_row(options["row"], model.state_.schema))
        options["row"] = row_for_tree(model.tree_, row)
    remarks |= options.pop("remarks", None) or {}
    if options.get("target") is None:
        options["target"] = model.state_.target_name
    return tree_picture(model.tree_, remarks=remarks, **options)
