"""A plane of two columns: axes, values of the other columns, and training rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf, nextafter
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import UNSEEN, Column, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.estimators.rows import one_row, rows_for_tree
from treewright.explanations.boxes import Row
from treewright.explanations.conditions import value_text
from treewright.explanations.search import row_of
from treewright.exports.program import Program
from treewright.figures.scales import Bands, Linear, Times, linear_over
from treewright.pictures.node_text import shown_name
from treewright.single_trees.base import TreeEstimator
from treewright.tree.conditions import column_thresholds
from treewright.tree.counts import column_gains
from treewright.tree.layout import INTERVALS, THRESHOLD
from treewright.tree.reach import Reach
from treewright.tree.tree import Tree

Model = TreeEstimator | Tree
MOST_LEVELS = 24  # on an axis
MOST_NAMED = 6  # fixed columns in the note of a figure
BEYOND_CUTS = 0.3  # of the spread of a column's cuts: how far an axis without rows goes


@dataclass(frozen=True, slots=True)
class Side:
    """One axis of a plane."""

    column: int  # position in the schema
    spec: ColumnSpec
    scale: Linear | Times | Bands
    codes: tuple[int, ...] = ()  # the categories shown, of a nominal column

    def spans(self, reach: Reach) -> Iterator[tuple[float, float]]:
        """The parts of the axis with these values; neighboring categories are one part."""
        if self.spec.is_numeric:
            if reach.low <= reach.high:
                yield cut_below(self.spec, reach.low), reach.high
            return
        shown = [bool(reach.levels >> code & 1) for code in self.codes]
        start = None
        for at, is_in in enumerate([*shown, False]):
            if is_in and start is None:
                start = at
            elif not is_in and start is not None:
                yield start - 0.5, at - 0.5
                start = None

    def places(self, column: Column) -> NDArray[np.float64]:
        """The positions of the rows of an encoded column; NaN if they have none."""
        if isinstance(column, NumericColumn):
            return column.values.astype(np.float64)
        place_of = np.full(len(self.spec.levels) + 1, np.nan)
        place_of[[*self.codes]] = np.arange(len(self.codes))
        return place_of[np.where(column.codes < 0, len(self.spec.levels), column.codes)]


@dataclass(frozen=True, slots=True)
class Plane:
    """Two columns, and one fixed value for each other column."""

    x: Side
    y: Side
    row: Row
    rows: Table | None  # the training rows, encoded
    notes: tuple[str, ...]  # for the reader


def plane_of(
    model: Model, tree: Tree, X: Any, columns: Sequence[str] | None, fixed: Mapping[str, Any] | None
) -> Plane:
    """The plane of two columns, by default the two that matter most to the tree."""
    nominal = getattr(model, "categorical_features", None)
    rows = None if X is None else rows_for_tree(tree, X, nominal)
    if rows is not None and not len(rows):
        raise DataError("X has no rows", hint="leave it out, or give the training rows")
    names = tree.schema.names
    chosen = two_columns(tree, columns)
    others = [at for at in Program(tree).used_columns if at not in chosen]
    given = given_values(model, tree, fixed or {}, chosen)
    row = tuple(
        given[name] if name in given else typical(None if rows is None else rows.columns[at])
        for at, name in enumerate(names)
    )
    x, y = (side_of(tree, at, None if rows is None else rows.columns[at]) for at in chosen)
    notes = (fixed_note(tree, others, row), left_out_note(x), left_out_note(y))
    return Plane(x, y, row, rows, tuple(filter(None, notes)))


def two_columns(tree: Tree, columns: Sequence[str] | None) -> tuple[int, int]:
    """Positions of the named columns, by default those with the largest impurity decrease."""
    names = tree.schema.names
    if columns is None:
        if len(names) < 2:
            raise ParameterError("a plane needs two columns, but the model has one")
        taken = column_gains(tree)
        asked = np.isin(np.arange(len(names)), [*tree.feature, *tree.term_feature])
        first, second = sorted(np.lexsort((-taken, ~asked))[:2].tolist())
        return first, second
    if isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
        raise ParameterError(f"columns is {columns!r}", hint="name two different columns")
    for name in columns:
        if name not in names:
            raise UnknownColumnError.among(str(name), names, source="the model")
    return names.index(columns[0]), names.index(columns[1])


def given_values(
    model: Model, tree: Tree, fixed: Mapping[str, Any], chosen: tuple[int, int]
) -> dict[str, float]:
    """The values that the caller fixes, encoded."""
    names = tree.schema.names
    for name in fixed:
        if name not in names:
            raise UnknownColumnError.among(name, names, source="the model")
        if names.index(name) in chosen:
            raise ParameterError(f"`{name}` is an axis of the plane and cannot be fixed")
    if not fixed:
        return {}
    kept_apart = replace(tree, unseen="majority")  # unknown categories from missing values
    nominal = getattr(model, "categorical_features", None)
    row = row_of(rows_for_tree(kept_apart, one_row(dict(fixed), tree.schema), nominal))
    given = {name: row[names.index(name)] for name in fixed}
    for name, code in given.items():
        spec = tree.schema.columns[names.index(name)]
        if not spec.is_numeric and code == UNSEEN:
            raise_unknown_level(spec, fixed[name])
    return given


def raise_unknown_level(spec: ColumnSpec, level: Any) -> NoReturn:
    known = [str(one) for one in spec.levels]
    near = get_close_matches(str(level), known, n=1, cutoff=0.5)
    listed = ", ".join(known[:MOST_LEVELS]) + (" ..." if len(known) > MOST_LEVELS else "")
    raise ParameterError(
        f"`{spec.name}` has no category {level!r}",
        hint=f"did you mean {near[0]!r}?" if near else f"categories are: {listed}; None is missing",
    )


def typical(column: Column | None) -> float:
    """The lower median, or the most frequent category; missing without rows."""
    if column is None or column.is_missing.all():
        return float("nan")
    if isinstance(column, NumericColumn):
        known = np.sort(column.values[~column.is_missing])
        return float(known[(len(known) - 1) // 2])
    return float(np.argmax(column.counts()))


def side_of(tree: Tree, at: int, column: Column | None) -> Side:
    """The axis of a column: over its rows, or over the thresholds of the tree without rows."""
    spec = tree.schema.columns[at]
    if not spec.is_numeric:
        if not spec.levels:
            raise ParameterError(f"`{spec.name}` had no value in training, so it has no axis")
        counts = None if column is None or isinstance(column, NumericColumn) else column.counts()
        codes = shown_levels(spec, counts)
        return Side(at, spec, Bands(tuple(shown_name(spec.levels[code]) for code in codes)), codes)
    if isinstance(column, NumericColumn):
        scale = linear_over(column.values)
    else:
        scale = linear_over(cuts_of(tree, at), margin=BEYOND_CUTS)
    return Side(at, spec, Times(scale.low, scale.high, spec.unit) if spec.unit else scale)


def shown_levels(spec: ColumnSpec, counts: NDArray[np.int64] | None) -> tuple[int, ...]:
    """All categories; of very many the most frequent."""
    if len(spec.levels) <= MOST_LEVELS or counts is None:
        return tuple(range(min(len(spec.levels), MOST_LEVELS)))
    return tuple(sorted(np.argsort(-counts, kind="stable")[:MOST_LEVELS].tolist()))


def cuts_of(tree: Tree, column: int) -> list[float]:
    """All thresholds and cuts of the tree in a column."""
    asks = tree.feature == column
    found: list[float] = tree.threshold[asks & (tree.kind == THRESHOLD)].tolist()
    for node in np.flatnonzero(asks & (tree.kind == INTERVALS)).tolist():
        found += tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
    return found


def cut_below(spec: ColumnSpec, low: float) -> float:
    """The cut under a region that begins at `low`; times are whole counts."""
    return low - 1 if spec.unit else nextafter(low, -inf)


def fixed_note(tree: Tree, columns: Sequence[int], row: Row) -> str:
    """The values of the other columns that the tree uses."""
    specs = [tree.schema.columns[at] for at in columns[:MOST_NAMED]]
    named = [
        f"{shown_name(spec.name)} = {value_text(spec, row[at], column_thresholds(tree, at))}"
        for at, spec in zip(columns, specs, strict=False)
    ]
    if len(columns) > MOST_NAMED:
        named.append(f"and {len(columns) - MOST_NAMED} more columns")
    return f"Fixed: {', '.join(named)}." if named else ""


def left_out_note(side: Side) -> str:
    n_levels = len(side.spec.levels)
    if n_levels <= len(side.codes):
        return ""
    return f"{len(side.codes)} of {n_levels} categories of {shown_name(side.spec.name)} are shown."
