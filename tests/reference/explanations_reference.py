"""Reasons and changes by trying every row that a small tree could tell apart.

A tree knows a number only by the cuts it compares it with. So the cuts, the next number above each,
and the row's own value stand for all numbers; levels, a missing value and an unseen level stand for
themselves. What is predicted for all combinations is looked up, and nothing else is known here.
"""

import math
from itertools import combinations, product

import numpy as np

from treewright.data.column import UNSEEN, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.tree.layout import INTERVALS, THRESHOLD
from treewright.tree.predict import predict_values, predicted_classes
from treewright.tree.tree import Tree

NAN = math.nan


def predictions(tree: Tree, rows: list[tuple[float, ...]]) -> np.ndarray:
    """The class code, or the number, of every row."""
    columns = []
    for at, spec in enumerate(tree.schema.columns):
        values = np.array([row[at] for row in rows], dtype=np.float64)
        if spec.is_numeric:
            columns.append(NumericColumn(spec.name, values))
        else:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            columns.append(NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered"))
    values = predict_values(tree, Table(columns, len(rows)))
    return values[:, 0] if tree.classes is None else predicted_classes(tree, values)


def cuts_of(tree: Tree, column: int) -> list[float]:
    found = [
        float(tree.threshold[node])
        for node in range(tree.n_nodes)
        if tree.kind[node] == THRESHOLD and tree.feature[node] == column
    ]
    for node in range(tree.n_nodes):
        if tree.kind[node] == INTERVALS and tree.feature[node] == column:
            found += tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
    for surrogate, feature in enumerate(tree.surrogate_feature.tolist()):
        if feature == column and tree.surrogate_kind[surrogate] == THRESHOLD:
            found.append(float(tree.surrogate_threshold[surrogate]))
    return sorted(set(found))


def known_values(tree: Tree, column: int) -> list[float]:
    """Values that stand for all known ones."""
    spec = tree.schema.columns[column]
    if not spec.is_numeric:
        return [float(code) for code in range(len(spec.levels))]
    cuts = cuts_of(tree, column)
    return [*cuts, *(math.nextafter(cut, math.inf) for cut in cuts)]


def all_values(tree: Tree, column: int, own: float) -> list[float]:
    """Values that stand for everything a column may hold."""
    is_level = not tree.schema.columns[column].is_numeric
    unseen = [float(UNSEEN)] if is_level and tree.unseen == "majority" else []
    return [own, *known_values(tree, column), NAN, *unseen]


def is_other(tree: Tree, found: np.ndarray, own: float, tolerance: float) -> np.ndarray:
    return found != own if tree.classes is not None else np.abs(found - own) > tolerance


def is_sufficient(tree: Tree, row: tuple[float, ...], columns, tolerance: float = 0.0) -> bool:
    """Whether the row's values in these columns settle its prediction."""
    choices = [
        [value] if column in columns else all_values(tree, column, value)
        for column, value in enumerate(row)
    ]
    own = predictions(tree, [row])[0]
    return not is_other(tree, predictions(tree, list(product(*choices))), own, tolerance).any()


def smallest_reason(tree: Tree, row: tuple[float, ...], tolerance: float = 0.0) -> int:
    """The fewest columns that settle the prediction."""
    return next(
        size
        for size in range(len(row) + 1)
        if any(
            is_sufficient(tree, row, columns, tolerance)
            for columns in combinations(range(len(row)), size)
        )
    )


def cheapest_change(
    tree, row, *, spreads, immutable=(), directions=None, tolerance=0.0, wanted=None
):
    """(columns changed, size of the change) of the smallest change; None if there is none."""
    choices = [
        [value] if column in immutable else changes(tree, column, value, (directions or {}))
        for column, value in enumerate(row)
    ]
    rows = list(product(*choices))
    own = predictions(tree, [row])[0]
    found = predictions(tree, rows)
    others = is_other(tree, found, own, tolerance) if wanted is None else found == wanted
    prices = [price(tree, row, rows[at], spreads) for at in np.flatnonzero(others)]
    return min(prices, default=None)


def changes(tree: Tree, column: int, own: float, directions) -> list[float]:
    """What a column may hold after a change."""
    values = known_values(tree, column)
    way = directions.get(column)
    is_level = not tree.schema.columns[column].is_numeric
    if way and not math.isnan(own) and not (is_level and own == UNSEEN):
        values = [value for value in values if (value >= own if way == "up" else value <= own)]
    return [own, *values]


def price(tree: Tree, row, other, spreads) -> tuple[int, float]:
    n_changed, size = 0, 0.0
    for spec, old, new, spread in zip(tree.schema.columns, row, other, spreads, strict=True):
        if old == new or (math.isnan(old) and math.isnan(new)):
            continue
        n_changed += 1
        if math.isnan(old) or spec.kind == "nominal" or (old == UNSEEN and not spec.is_numeric):
            size += 1.0
        elif spec.kind == "ordered":
            size += abs(new - old) / (len(spec.levels) - 1)
        else:
            size += abs(new - old) / spread
    return n_changed, size
