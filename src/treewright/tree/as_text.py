"""The tree as indented lines, the way the classic programs print it."""

import re
from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from treewright.plain_text import plain, weight_text
from treewright.tree.conditions import conditions_of
from treewright.tree.counts import has_weights
from treewright.tree.layout import LEAF

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

INDENT = "|   "
COUNTS = re.compile(r"\(([^()/]+)(?:/([^()/]+))?\)$")  # (weight/errors) after a prediction
MOST_LINES = 1000  # of a tree that is printed; export_text gives them all
MOST_LEVELS = 12  # of a set in a tree that is printed; export_text names them all
IN_PARTS = "Rows with missing values count fractionally."
DEEPEST_INDENT = 40  # further down the depth is written as a number, or long chains fill the disk


def export_text(  # noqa: PLR0913 -- keywords: what to show
    tree: "Tree",
    *,
    max_depth: int | None = None,
    decimals: int | None = None,
    show_weights: bool = True,
    max_levels: int | None = None,
    trained: "Tree | None" = None,
) -> str:
    """The tree with one line per branch; a leaf shows its prediction and (weight/errors).

    Below `max_depth` nothing is shown: the node there is shown as a leaf, followed by dots.
    `decimals` rounds thresholds and means; without it they have about six digits. Thresholds have
    more digits where that is needed to tell them apart or to send every training row where the
    tree sends it. Of a set of more than `max_levels` levels only the first are named. `trained` is
    the tree with the class weights of training rows, where those of `tree` are shrunk.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> print(export_text(tw.ID3Classifier().fit(X, y).tree_, max_depth=1))
    outlook = Sunny: No (5/2) ...
    outlook = Overcast: Yes (4)
    outlook = Rain: Yes (5/2) ...
    """
    lines = text_lines(
        tree,
        max_depth=max_depth,
        decimals=decimals,
        show_weights=show_weights,
        max_levels=max_levels,
        trained=trained,
    )
    return "\n".join(lines)


def abridged_text(tree: "Tree") -> str:
    """The tree as text, of a large one only the beginning, and of a large set."""
    lines = list(islice(text_lines(tree, max_levels=MOST_LEVELS), MOST_LINES + 1))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... {tree.n_leaves} leaves in all: export_text() shows them"]
    explained = counts_explained(tree)
    return "\n".join([*lines, f"# {explained}"] if explained.endswith(IN_PARTS) else lines)


def counts_explained(tree: "Tree") -> str:
    """What the numbers in parentheses mean, by the first leaf that has two; "" if there are none.

    Parts of rows are explained by the first leaf that has some.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> counts_explained(tw.CARTClassifier(max_depth=2).fit(X, y).tree_)
    '(54/5): 54 training rows reach the leaf, and 5 of them are of another class.'
    """
    if tree.n_rows[0] == 0:
        return ""
    lines = text_lines(tree, max_levels=MOST_LEVELS)
    found = [one for one in map(COUNTS.search, lines) if one is not None]
    in_parts = [one for one in found if "." in one[1] and not has_weights(tree)]
    pairs = [one for one in in_parts or found if one[2]]
    if not pairs and not in_parts:
        return ""
    first = (pairs or in_parts)[0]
    weight, errors = first.groups()
    if has_weights(tree):
        return (
            f"{first[0]}: training rows of weight {weight} reach the leaf, and those of weight "
            f"{errors} are of another class."
        )
    verb = "is" if errors == "1" else "are"
    # Integer numbers of rows have fractional errors in a tree of a forest, whose leaves are shrunk.
    by = ", by shrunk shares," if "." in (errors or "") and not in_parts else ""
    others = f", and{by} {errors} of them {verb} of another class" if errors else ""
    parts = f" {IN_PARTS}" if in_parts else ""
    return f"{first[0]}: {weight} training rows reach the leaf{others}.{parts}"


def as_html(tree: "Tree") -> str:
    return f"<pre>{escape(abridged_text(tree))}</pre>"


# How a notebook shows a tree. Pictures are made by layers above this one, which set it when loaded.
_drawn_by: list[Callable[["Tree"], str]] = [as_html]


def draw_trees_by(drawn: Callable[["Tree"], str]) -> None:
    """Let notebooks show trees as `drawn` gives them, in HTML."""
    _drawn_by[0] = drawn


def notebook_html(tree: "Tree") -> str:
    return _drawn_by[0](tree)


def top_text(tree: "Tree", most_lines: int, *, max_levels: int | None = None) -> str:
    """All of the tree, or as many of its levels as fit; of a wide one the first lines."""
    text = export_text(tree, max_depth=1, max_levels=max_levels)
    for depth in range(2, tree.n_nodes):
        deeper = export_text(tree, max_depth=depth, max_levels=max_levels)
        if deeper == text or deeper.count("\n") >= most_lines:
            break
        text = deeper
    lines = text.split("\n")
    if len(lines) > most_lines:
        lines = [*lines[:most_lines], f"... {len(lines) - most_lines} more lines"]
    return "\n".join(lines)


def folded_text(
    tree: "Tree",
    most_lines: int,
    *,
    max_levels: int | None = None,
    trained: "Tree | None" = None,
) -> str:
    """The tree in at most so many lines: parts with few rows are folded, and their leaves counted.

    A split of more branches than that has them all.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> print(folded_text(tw.CARTClassifier(prune=None).fit(X, y).tree_, 4))
    petal length <= 2.45: setosa (50)
    petal length > 2.45
    |   petal width <= 1.75: versicolor (54/5) ... 5 leaves
    |   petal width > 1.75: virginica (46/1) ... 3 leaves
    """
    if tree.kind[0] == LEAF:
        return export_text(tree, trained=trained)
    is_open = nodes_to_open(tree, most_lines)
    n_leaves = leaves_below(tree)
    lines = []
    stack = branches_below(tree, 0, 0, None, max_levels)
    while stack:
        node, depth, condition = stack.pop()
        line = indent(depth) + condition
        if tree.kind[node] == LEAF:
            line += prediction_text(tree, node, trained=trained)
        elif is_open[node]:
            stack += branches_below(tree, node, depth + 1, None, max_levels)
        else:
            shown = prediction_text(tree, node, trained=trained)
            line += f"{shown} ... {n_leaves[node]:,} leaves"
        lines.append(line)
    return "\n".join(lines)


def nodes_to_open(tree: "Tree", most_lines: int) -> list[bool]:
    """Which nodes to show with their branches: those with the most rows, as long as all fit."""
    is_open = [False] * tree.n_nodes
    is_open[0] = True
    n_lines = int(tree.n_children[0])
    queue = [(-float(tree.weight[node]), node) for node in children_of(tree, 0)]
    heapify(queue)
    while queue:
        _, node = heappop(queue)
        n_children = int(tree.n_children[node])
        if n_children == 0 or n_lines + n_children > most_lines:
            continue
        is_open[node] = True
        n_lines += n_children
        for child in children_of(tree, node):
            heappush(queue, (-float(tree.weight[child]), child))
    return is_open


def children_of(tree: "Tree", node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def leaves_below(tree: "Tree") -> list[int]:
    """The number of leaves below and at each node."""
    n_leaves = [int(kind == LEAF) for kind in tree.kind.tolist()]
    parent: list[int] = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        n_leaves[parent[node]] += n_leaves[node]
    return n_leaves


def text_lines(  # noqa: PLR0913 -- as export_text
    tree: "Tree",
    *,
    max_depth: int | None = None,
    decimals: int | None = None,
    show_weights: bool = True,
    max_levels: int | None = None,
    trained: "Tree | None" = None,
) -> Iterator[str]:
    """The lines of `export_text`, one after the other."""

    def prediction(node: int) -> str:
        return prediction_text(tree, node, decimals, show_weights=show_weights, trained=trained)

    if tree.kind[0] == LEAF or max_depth == 0:
        yield prediction(0) + ("" if tree.kind[0] == LEAF else " ...")
        return
    stack = branches_below(tree, 0, 0, decimals, max_levels)
    while stack:
        node, depth, condition = stack.pop()
        line = indent(depth) + condition
        if tree.kind[node] == LEAF:
            line += prediction(node)
        elif max_depth is not None and depth + 1 >= max_depth:
            line += prediction(node) + " ..."
        else:
            stack += branches_below(tree, node, depth + 1, decimals, max_levels)
        yield line


def branches_below(
    tree: "Tree", node: int, depth: int, decimals: int | None, max_levels: int | None
) -> list[tuple[int, int, str]]:
    """(child, depth, condition) of each branch, for a stack: the first is taken off first."""
    first_child = int(tree.first_child[node])
    conditions = conditions_of(tree, node, decimals, max_levels=max_levels)
    return [
        (first_child + child, depth, conditions[child])
        for child in range(len(conditions) - 1, -1, -1)
    ]


def indent(depth: int) -> str:
    return INDENT * depth if depth <= DEEPEST_INDENT else f"[{depth}] "


def prediction_text(
    tree: "Tree",
    node: int,
    decimals: int | None = None,
    *,
    show_weights: bool = True,
    trained: "Tree | None" = None,
) -> str:
    """`: Yes (14/5)`: the prediction, the training weight, and the weight of other classes in it.

    A tree that was written by hand has no training rows, and shows none. Weights of classes are
    those of `trained`, if given.
    """
    weight = float(tree.weight[node])
    if tree.classes is None:
        mean = float(tree.value[node, 0])
        prediction, errors = tree.schema.target_format.value_text(mean, decimals), 0.0
    else:
        best = int(tree.node_class[node])
        prediction = plain(str(tree.classes[best]))
        errors = weight - float((trained or tree).value[node, best])
    if not show_weights or tree.n_rows[0] == 0:
        return f": {prediction}"
    # An empty node repeats its parent's class weights; fractions of rows leave a rest of rounding.
    if weight == 0 or errors <= 1e-9 * weight:
        return f": {prediction} ({weight_text(weight)})"
    return f": {prediction} ({weight_text(weight)}/{weight_text(errors)})"
