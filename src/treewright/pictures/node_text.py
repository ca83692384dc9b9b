"""The texts of a picture: questions, conditions, predictions and counts."""

import unicodedata
from typing import Any

from treewright.pictures.folded import Shown
from treewright.plain_text import named_class, plain, weight_text
from treewright.tree.conditions import (
    asks_yes_no,
    condition_text,
    cut_texts,
    level_text,
    levels_of_child,
    threshold_text,
)
from treewright.tree.counts import has_weights
from treewright.tree.layout import BRANCHES, INTERVALS, OBLIQUE, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
IN_PARTS = "rows with missing values count fractionally"
RIGHT_TO_LEFT = {"R", "AL", "AN"}


def question(tree: Tree, node: int, decimals: int | None = None) -> str:
    """The column of the split; for a weighted sum, the first condition."""
    if tree.kind[node] == OBLIQUE:
        return condition_text(tree, node, 0, decimals)
    return shown_name(tree.schema.columns[tree.feature[node]].name)


def branch_label(tree: Tree, place: Shown, parent: int, decimals: int | None = None) -> str:
    """The condition that leads to a place, without the column: `≤ 0.8`, `Sunny`."""
    if place.group:
        return f"{len(place.group)} others"
    kind, child = tree.kind[parent], place.branch
    if kind == OBLIQUE:
        return ("yes", "no", "missing")[child]
    if kind in (BRANCHES, SUBSET):
        levels = levels_of_child(tree, parent, child)
        if levels:
            return ", ".join(shown_level(level) for level in levels)
        return "otherwise" if tree.other_child[parent] == place.node else "missing"
    if asks_yes_no(tree, parent):
        return ("no", "yes", "missing")[child]
    if kind == THRESHOLD:
        at = isolated(threshold_text(tree, parent, decimals))
        below, above = shown_signs(tree, parent)
        return (f"{below} {at}", f"{above} {at}", "missing")[child]
    return interval_label(tree, parent, child, decimals)


def interval_label(tree: Tree, parent: int, child: int, decimals: int | None) -> str:
    assert tree.kind[parent] == INTERVALS
    bounds = [isolated(text) for text in cut_texts(tree, parent, decimals)]
    if child > len(bounds):
        return "missing"
    if not bounds:
        return "known"
    below, above = shown_signs(tree, parent)
    if child == 0:
        return f"{below} {bounds[0]}"
    if child == len(bounds):
        return f"{above} {bounds[-1]}"
    return f"{above} {bounds[child - 1]}, {below} {bounds[child]}"


def shown_signs(tree: Tree, node: int) -> tuple[str, str]:
    """`≤` and `>`, or `<` and `≥`, as the column is compared."""
    below, above = tree.schema.columns[tree.feature[node]].comparison.signs
    return below.replace("<=", "≤"), above.replace(">=", "≥")


def prediction(tree: Tree, node: int, decimals: int | None = None, target: str = "") -> str:
    """The class or number that the node predicts: `setosa`, `survived = 1`, `3.5`."""
    if tree.classes is None:
        return mean_text(tree, float(tree.value[node, 0]), decimals)
    return class_name(tree, int(tree.node_class[node]), target)


def mean_text(tree: Tree, mean: float, decimals: int | None = None) -> str:
    """A number of the target as the training table writes it: `$121,608`."""
    return isolated(tree.schema.target_format.value_text(mean, decimals))


def class_name(tree: Tree, code: int, target: str = "") -> str:
    """A class as a picture shows it, with the name of its target if it does not say enough."""
    assert tree.classes is not None
    return named_class(shown_name(tree.classes[code]), tree.classes, shown_name(target or " "))


def support(tree: Tree, node: int) -> str:
    """`14 rows`, or their weight if rows have weights; "" in a tree written by hand.

    Where weights are only the parts of rows with missing values, they are rounded to rows.
    """
    if tree.n_rows[0] == 0:
        return ""
    weight, n_rows = float(tree.weight[node]), int(tree.n_rows[node])
    if has_weights(tree) and abs(weight - n_rows) > 1e-9 * n_rows:
        return f"weight {thousands(weight_text(weight))}"
    if 0 < weight < 0.5:
        return "under 1 row"
    n_rows = n_rows if has_weights(tree) else round(weight)
    return f"{thousands(str(n_rows))} row{'s' if n_rows != 1 else ''}"


def exact_support(tree: Tree, node: int) -> str:
    """`71.64 rows: rows with missing values count fractionally`; "" where `support` is exact."""
    weight = float(tree.weight[node])
    if tree.n_rows[0] == 0 or has_weights(tree) or abs(weight - round(weight)) < 0.005:
        return ""
    return f"{thousands(weight_text(weight))} rows: {IN_PARTS}"


def certainty(tree: Tree, node: int) -> str:
    """`64 %`: the share of the predicted class; "" if there is no other."""
    if tree.classes is None:
        return ""
    share = float(tree.probabilities[node, tree.node_class[node]])
    if share == 1:
        return ""
    return f"{min(round(100 * share), 99)} %"


def evidence(tree: Tree, node: int) -> str:
    """`64 % of 14 rows`; `14 rows` if all are of one class, `no rows` if there are none."""
    share, rows = certainty(tree, node), support(tree, node)
    if rows and tree.weight[node] == 0:
        return "no rows"
    if not share or not rows:
        return share or rows
    return f"{share}, {rows}" if rows.startswith("weight") else f"{share} of {rows}"


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{thousands(str(count))} {noun if count == 1 else plural or noun + 's'}"


def thousands(digits: str) -> str:
    """Digits with thousands separators, from five digits on."""
    whole, point, rest = digits.partition(".")
    return (f"{int(whole):,}" if whole.isdigit() and len(whole) > 4 else whole) + point + rest


def shown_name(name: Any) -> str:
    """The name of a column, category or class as a picture shows it; a blank one in quotes."""
    text = plain(str(name))
    return isolated(text) if text.strip() else f'"{text}"'


def shown_level(level: Any) -> str:
    """A category as a picture shows it; `True` and `False` are yes and no."""
    return shown_name(level_text(level))


def isolated(name: str) -> str:
    """Isolate a right-to-left name, so that it does not reorder the text around it."""
    if name.isascii() or not any(unicodedata.bidirectional(at) in RIGHT_TO_LEFT for at in name):
        return name
    return f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
