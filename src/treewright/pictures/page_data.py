"""The data of the HTML page of a tree, as plain lists that become JSON.

Numbers are exact, so that the page predicts as the model does, to the last bit; a number that is
shown comes with its text. Class weights are sparse: most nodes of large trees have few classes.
"""

import re
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.data.schema import ColumnSpec
from treewright.pictures import folded, node_box, placement, svg
from treewright.pictures import tree_drawing as drawing
from treewright.pictures.colors import REST, class_colors, on_dark
from treewright.pictures.distributions import Distribution
from treewright.pictures.folded import Folded
from treewright.pictures.node_box import PLAIN, Style
from treewright.pictures.node_text import (
    class_name,
    isolated,
    mean_text,
    question,
    shown_level,
    shown_name,
)
from treewright.tree.conditions import bound_text, column_decimals, cut_texts, threshold_text
from treewright.tree.counts import has_weights
from treewright.tree.layout import BRANCHES, INTERVALS, OBLIQUE, SUBSET, THRESHOLD
from treewright.tree.predictions import TIE, class_shares
from treewright.tree.tree import Tree

LARGEST_EXACT = 2.0**53
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)  # as Python and JavaScript read it

Written = str | list[Any]  # a number as its text if that is exact, otherwise text and number


def page_data(folded: Folded, style: Style = PLAIN) -> dict[str, Any]:
    """The tree, and which nodes are open at first."""
    tree, decimals = folded.tree, style.decimals
    return {
        "columns": [column_record(spec) for spec in tree.schema.columns],
        "used": used_columns(tree),
        "unseen": tree.unseen,
        "kind": tree.kind.tolist(),
        "feature": tree.feature.tolist(),
        "firstChild": tree.first_child.tolist(),
        "nChildren": tree.n_children.tolist(),
        "missing": tree.missing_child.tolist(),
        "weight": short(tree.weight),
        "rows": None if np.array_equal(tree.weight, tree.n_rows) else tree.n_rows.tolist(),
        "cut": [threshold(tree, node, decimals) for node in range(tree.n_nodes)],
        "intervals": {node: cuts(tree, node, decimals) for node in of_kind(tree, INTERVALS)},
        "levels": {node: levels(tree, node) for node in of_kind(tree, BRANCHES, SUBSET)},
        "sums": {node: weighted_sum(tree, node, decimals) for node in of_kind(tree, OBLIQUE)},
        "surrogates": {
            node: [
                surrogate_record(tree, entry, decimals)
                for entry in range(tree.surrogate_start[node], tree.surrogate_start[node + 1])
            ]
            for node in np.flatnonzero(np.diff(tree.surrogate_start)).tolist()
        },
        "open": [place.node for place in folded.shown if place.children],
        "target": shown_name(style.target) if style.target else "",
        "hasWeights": bool(tree.n_rows[0]) and has_weights(tree),
        "splits": split_records(tree, style),
        **predictions(tree, style),
    }


def predictions(tree: Tree, style: Style) -> dict[str, Any]:
    return (
        number_predictions(tree, style) if tree.classes is None else class_predictions(tree, style)
    )


MOST_SPLITS = 1500  # with their distribution on the page, those with most rows


def split_records(tree: Tree, style: Style) -> dict[int, Any]:
    """The training rows at the splits that most of them pass; empty if they are not known."""
    if style.splits is None:
        return {}
    inner = np.flatnonzero(~tree.is_leaf)
    frequent = inner[np.argsort(-tree.weight[inner], kind="stable")[:MOST_SPLITS]]
    found = {node: style.splits.of(node) for node in sorted(frequent.tolist())}
    return {node: split_record(split) for node, split in found.items() if split is not None}


def split_record(split: Distribution) -> dict[str, Any]:
    """Bars of classes as pairs of class and weight; points in thousandths."""
    record: dict[str, Any] = {"cuts": [round(cut, 4) for cut in split.cuts]}
    if split.ends[0]:
        record["ends"] = list(split.ends)
    if len(split.bars):
        record["bars"] = [
            [[code, round(weight, 2)] for code, weight in enumerate(bar) if weight]
            for bar in split.bars.tolist()
        ]
    else:
        record["points"] = (1000 * split.points).round().astype(int).tolist()
    return record


def column_record(spec: ColumnSpec) -> dict[str, Any]:
    record: dict[str, Any] = {"name": shown_name(spec.name)}
    if not spec.is_numeric:
        return record | {"levels": [shown_level(level) for level in spec.levels]}
    if spec.unit:
        record["unit"] = spec.unit
    if spec.comparison.strict:
        record["strict"] = True
    if spec.yes_no:
        record["yesNo"] = True
    if spec.comparison.zero_is_missing:
        record["zeroIsMissing"] = True
    return record


def used_columns(tree: Tree) -> list[int]:
    """Columns that some split or surrogate uses, in the order of the table."""
    asked = [tree.feature[tree.feature >= 0], tree.term_feature, tree.surrogate_feature]
    used: list[int] = distinct(np.concatenate(asked)).tolist()
    return used


def of_kind(tree: Tree, *kinds: int) -> Iterable[int]:
    nodes: list[int] = np.flatnonzero(np.isin(tree.kind, kinds)).tolist()
    return nodes


# ---------------------------------------------------------------------------- splits


def threshold(tree: Tree, node: int, decimals: int | None) -> Written | int:
    """The cut of a node with one, 0 at others."""
    if tree.kind[node] != THRESHOLD:
        return 0
    return written(isolated(threshold_text(tree, node, decimals)), float(tree.threshold[node]))


def cuts(tree: Tree, node: int, decimals: int | None) -> list[Written]:
    own = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
    texts = map(isolated, cut_texts(tree, node, decimals))
    return [written(text, cut) for text, cut in zip(texts, own, strict=True)]


def written(text: str, number: float) -> Written:
    """The text if it reads back as the number, otherwise both.

    >>> written("0.5", 0.5), written("0.333333", 1 / 3)
    ('0.5', ['0.333333', 0.3333333333333333])
    """
    is_exact = NUMBER.fullmatch(text) is not None and float(text) == number
    return text if is_exact else [text, number]


def levels(tree: Tree, node: int) -> list[Any]:
    """Codes, the child of each, and the child of all other categories, -1 if there is none."""
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    other = int(tree.other_child[node])
    return [
        tree.level_code[entries].tolist(),
        tree.level_child[entries].tolist(),
        other - int(tree.first_child[node]) if other >= 0 else -1,
    ]


def weighted_sum(tree: Tree, node: int, decimals: int | None) -> dict[str, Any]:
    terms = slice(tree.term_start[node], tree.term_start[node + 1])
    return {
        "columns": tree.term_feature[terms].tolist(),
        "weights": tree.term_weight[terms].tolist(),
        "cut": float(tree.threshold[node]),
        "text": question(tree, node, decimals),
    }


def surrogate_record(tree: Tree, entry: int, decimals: int | None) -> dict[str, Any]:
    column = int(tree.surrogate_feature[entry])
    if tree.surrogate_kind[entry] == THRESHOLD:
        at = float(tree.surrogate_threshold[entry])
        enough = column_decimals(tree, column, decimals)
        text = isolated(bound_text(tree.schema.columns[column], at, enough))
        flip = int(tree.surrogate_flip[entry])
        return {"column": column, "cut": at, "flip": flip, "text": text}
    own = slice(tree.surrogate_level_start[entry], tree.surrogate_level_start[entry + 1])
    return {
        "column": column,
        "codes": tree.surrogate_level_code[own].tolist(),
        "children": tree.surrogate_level_child[own].tolist(),
    }


# ---------------------------------------------------------------------------- predictions


def number_predictions(tree: Tree, style: Style) -> dict[str, Any]:
    means, form = tree.value[:, 0].tolist(), tree.schema.target_format
    marks = ("before", "after", "decimal", "thousands")
    written_as = {"targetFormat": {mark: getattr(form, mark) for mark in marks}}
    return {
        **({} if form.is_plain_number else written_as),
        "classes": None,
        "mean": [written(mean_text(tree, mean, style.decimals), mean) for mean in means],
        "legend": drawing.number_legend_text(tree, style),
    }


def class_predictions(tree: Tree, style: Style) -> dict[str, Any]:
    """Class weights; or shares where the page could not compute the same from weights."""
    assert tree.classes is not None
    colors = class_colors(tree, style.colors)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        weighted = tree.value * tree.class_factor
        plain_shares = weighted / np.cumsum(weighted, axis=1)[:, -1:]
    shares = class_shares(tree.value, tree.class_factor)
    as_shares = not np.array_equal(plain_shares, shares)
    values = shares if as_shares else tree.value
    nodes, classes = np.nonzero(values)
    return {
        "classes": [shown_name(name) for name in tree.classes],
        "namedClasses": [class_name(tree, code, style.target) for code in range(tree.n_values)],
        "colors": [[color, on_dark(color)] for color in colors.of_class],
        "named": list(colors.named),
        "nRest": colors.n_rest,
        "restColor": [REST, on_dark(REST)],
        "costs": None if tree.costs is None else tree.costs.tolist(),
        "tie": TIE,
        "valuesAreShares": as_shares,
        "classFactor": tree.class_factor.tolist(),
        "shareCount": np.bincount(nodes, minlength=tree.n_nodes).tolist(),
        "shareClass": classes.tolist(),
        "shareWeight": short(values[nodes, classes]),
    }


def short(numbers: NDArray[np.float64]) -> list[float | int]:
    """Whole numbers as integers."""
    return [
        int(number) if number.is_integer() and abs(number) < LARGEST_EXACT else number
        for number in numbers.tolist()
    ]


LOOK: dict[ModuleType, tuple[str, ...]] = {
    svg: ("FONT",),
    folded: ("MOST_BRANCHES", "FADING"),
    node_box: (
        "TITLE_SIZE",
        "NOTE_SIZE",
        "TITLE_LINE",
        "NOTE_LINE",
        "WIDEST_TITLE",
        "WIDEST_LABEL",
        "NARROWEST",
        "PADDING",
        "BAR_HEIGHT",
        "HISTOGRAM_HEIGHT",
        "SPLIT_WIDTH",
        "SPLIT_HEIGHT",
        "ENDS_LINE",
        "ENDS_SIZE",
        "POINT",
        "BAR_GAP",
        "N_BINS",
        "THINNEST_BAR",
        "LEAST_TINT",
        "MOST_TINT",
        "MOST_NUMBER_TINT",
    ),
    placement: (
        "WIDEST_DOWN",
        "LABEL_LINE",
        "LABEL_GAP",
        "LABEL_END",
        "CLEAR",
        "SHEET",
        "ROW_GAP",
        "GAP",
        "LEVEL_GAP_DOWN",
        "LEVEL_GAP_RIGHT",
    ),
    drawing: ("WIDEST_EDGE", "THINNEST_EDGE", "MARKED_LINE"),
}


def page_look() -> dict[str, Any]:
    """Name -> size or color, under the names that the modules of the picture use."""
    return {name: getattr(module, name) for module, names in LOOK.items() for name in names}
