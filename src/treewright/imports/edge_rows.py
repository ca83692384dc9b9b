"""Rows by which an imported model is compared with the original.

For every threshold there are values at it, just below and just above; every column is also missing,
zero and very large, and every category occurs, and one that is not known. One row tries such values
in all columns at once. Half of the rows go to leaves: each is inside the conditions of a path.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.comparison import NEAR_ZERO
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.exports.witnesses import unseen_level
from treewright.imports.foreign import ForeignModel, column_cuts

MOST_ROWS = 20_000
MOST_VISITS = 1_500_000  # rows times trees: a check may not take longer than the import
MOST_TRIED = 3_000  # values of a column
FEWEST_ROWS = 200
LARGE = 1e30  # finite as float32 too


def edge_rows(model: ForeignModel, *, unseen: bool) -> Floats:
    """(n_rows, n_columns): numbers, and positions of categories; NaN is missing.

    With `unseen`, the position after the last one is an unknown category.
    """
    rng = np.random.default_rng(0)
    cuts, _ = column_cuts(model.nodes, model.schema.n_columns)
    tried = [
        values_to_try(spec, own, unseen=unseen)
        for spec, own in zip(model.schema.columns, cuts, strict=True)
    ]
    most = max([len(one) for one in tried], default=0)
    n_rows = max(FEWEST_ROWS, most, min(MOST_ROWS, MOST_VISITS // model.nodes.n_trees))
    rows = np.empty((n_rows, len(tried)))
    for at, own in enumerate(tried):
        repeated = np.tile(own, n_rows // len(own) + 1)[:n_rows]
        rows[:, at] = rng.permutation(repeated)
    n_directed = min(n_rows - max(most, FEWEST_ROWS // 2), int((~model.nodes.is_inner).sum()))
    if n_directed > 0:
        # The rows that are replaced are repetitions: the others still try every value.
        more = np.array([rng.choice(own, size=n_directed) for own in tried]).reshape(
            len(tried), n_directed
        )
        rows = np.concatenate([rows[: n_rows - n_directed], more.T])
        for at, own in enumerate(tried):
            rows[: n_rows - n_directed, at] = rng.permutation(
                np.tile(own, (n_rows - n_directed) // len(own) + 1)[: n_rows - n_directed]
            )
        send_to_leaves(model, rows[n_rows - n_directed :], rng)
    return rows


def values_to_try(spec: ColumnSpec, cuts: Floats, *, unseen: bool) -> Floats:
    """What a column may hold in a row."""
    if not spec.is_numeric:
        n = len(spec.levels) + (unseen and unseen_level(spec) is not None)
        return np.append(np.arange(float(n)), np.nan)
    chosen = cuts
    if len(cuts) > MOST_TRIED // 3:
        chosen = cuts[np.linspace(0, len(cuts) - 1, MOST_TRIED // 3).astype(np.intp)]
    around = [np.nextafter(chosen, -np.inf), chosen, np.nextafter(chosen, np.inf)]
    if spec.comparison.float32:
        around.append(np.array([spec.comparison.bound(cut) for cut in chosen.tolist()]))
    others = [np.nan, 0.0, -LARGE, LARGE]
    if spec.comparison.zero_is_missing:
        others += [NEAR_ZERO, np.nextafter(NEAR_ZERO, 1.0), -NEAR_ZERO]
    return np.concatenate([*around, others])


def send_to_leaves(model: ForeignModel, rows: Floats, rng: np.random.Generator) -> None:
    """Change each row so that it ends at a leaf of its own, as far as the path allows."""
    nodes = model.nodes
    parent = np.full(nodes.n_nodes, -1)
    inner = np.flatnonzero(nodes.is_inner)
    parent[nodes.left[inner]] = parent[nodes.right[inner]] = inner
    leaves = rng.choice(np.flatnonzero(~nodes.is_inner), size=len(rows), replace=False)
    low = np.full(rows.shape, -np.inf)
    high = np.full(rows.shape, np.inf)
    at = leaves.copy()
    numbers = np.arange(len(rows))
    while True:
        above = parent[at]
        moving = above >= 0
        if not moving.any():
            break
        row, node, child = numbers[moving], above[moving], at[moving]
        goes_left = nodes.left[node] == child
        feature, by_set = nodes.feature[node], nodes.asks_set[node]
        cut = nodes.threshold[node]
        is_cut = goes_left & ~by_set
        np.minimum.at(high, (row[is_cut], feature[is_cut]), cut[is_cut])
        is_cut = ~goes_left & ~by_set
        np.maximum.at(low, (row[is_cut], feature[is_cut]), cut[is_cut])
        for one, asked, left in zip(
            row[by_set].tolist(), node[by_set].tolist(), goes_left[by_set].tolist(), strict=True
        ):
            send_by_set(model, rows, one, asked, left=left)
        at = np.where(moving, above, at)
    bounded = np.isfinite(low) | np.isfinite(high)
    inside = np.where(np.isfinite(high), high, np.nextafter(low, np.inf))
    rows[bounded] = inside[bounded]


def send_by_set(model: ForeignModel, rows: Floats, row: int, node: int, *, left: bool) -> None:
    """Give a row a category that goes to one side of a node."""
    nodes = model.nodes
    assert nodes.set_of is not None
    column, which = int(nodes.feature[node]), int(nodes.set_of[node])
    own = nodes.sets.left(which)
    if left and len(own):
        rows[row, column] = own[row % len(own)]
    elif not left:
        others = np.setdiff1d(np.arange(len(model.schema.columns[column].levels)), own)
        rows[row, column] = others[row % len(others)] if len(others) else np.nan


def as_table(schema: Schema, rows: Floats) -> Table | NDArray[Any]:
    """The rows as our models take them."""
    if schema.is_plain and not schema.has_names:
        return rows
    columns = [column_of(spec, rows[:, at]) for at, spec in enumerate(schema.columns)]
    return Table(columns, len(rows), has_names=schema.has_names)


def column_of(spec: ColumnSpec, values: Floats) -> Column:
    if spec.is_numeric:
        return NumericColumn(spec.name, values, spec.unit)
    codes = np.where(np.isnan(values), MISSING, values).astype(np.int32)
    unseen = unseen_level(spec)
    levels = spec.levels if unseen is None else (*spec.levels, unseen)
    return NominalColumn(spec.name, codes, levels)


def as_numbers(model: ForeignModel, rows: Floats) -> Floats:
    """The rows as the library takes them: categories by its own numbers."""
    found = rows.copy()
    for at, numbers in model.category_numbers.items():
        known = ~np.isnan(rows[:, at])
        after = numbers.max(initial=-1) + 1
        by_position = np.append(numbers, after).astype(np.float64)
        found[known, at] = by_position[rows[known, at].astype(np.int64)]
    return found
