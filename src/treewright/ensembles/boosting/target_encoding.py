"""Nominal columns of many categories, as the mean target of each category.

Sets of categories that are searched in each node fit the noise of rare categories. Here a category
is a number instead: the mean target of its rows, pulled toward the mean of all rows. A row that
trees grow on must not know its own target, so its number comes from the other nine tenths of the
rows (out of fold). New rows get the means of all rows.

A threshold of such a number is a set of categories, and this is what the finished trees ask for:
predictions, files, exports and explanations know nothing of the numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import GradientTreeSettings, PackedTrees
from treewright.arrays import Floats
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.model import BoostingModel
from treewright.ensembles.boosting.settings import AUTO
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.tree.predict import schema_levels

FEW_CATEGORIES = 20  # up to here, sets of categories serve better
MOST_ROWS = 20_000  # up to here, columns are encoded unless the parameter says otherwise
N_FOLDS = 10
FOLDS = 2  # of the random numbers of a fit: those of folds
MOST_NARROW = 255  # categories whose sets are bits; see `PackedTree` in the core
LEAF = 2**32 - 1  # the question of a leaf

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EncodedColumn:
    """Numbers that stand for the categories of a nominal column."""

    place: int  # in the encoded table
    origin: int  # in the table
    of_category: Floats  # NaN for categories without rows


@dataclass(frozen=True, slots=True)
class TargetEncoding:
    """What numbers stand for the categories of a table."""

    schema: Schema  # of the table
    columns: tuple[EncodedColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The nominal columns that are encoded."""
        found = dict.fromkeys(column.origin for column in self.columns)
        return tuple(self.schema.names[origin] for origin in found)

    def rows(self, held: TrainingRows) -> TrainingRows:
        """Rows to judge by, encoded as new rows."""
        table = held.table.read() if isinstance(held.table, ScannedTable) else held.table
        columns = table.columns
        values = [
            column.of_category[np.maximum(codes, 0)] + np.where(codes < 0, np.nan, 0.0)
            for column in self.columns
            for codes in [nominal(columns[column.origin]).codes]
        ]
        return replace(held, table=self.table(columns, values, held.n_rows))

    def table(self, columns: Sequence[Column], values: Sequence[Floats], n_rows: int) -> Table:
        """The columns with the numbers in place of categories; names are positions."""
        new: dict[int, Column] = dict(enumerate(columns))
        for column, numbers in zip(self.columns, values, strict=True):
            new[column.place] = NumericColumn("", numbers)
        return Table([new[at].renamed(str(at)) for at in range(len(new))], n_rows)

    def extend(self, settings: GradientTreeSettings) -> None:
        """What settings say of a column holds for all columns that encode it."""
        added = [column for column in self.columns if column.place >= self.schema.n_columns]
        if settings.monotone:
            settings.monotone = [*settings.monotone, *(0 for _ in added)]
        settings.interactions = [
            [*group, *(column.place for column in added if column.origin in group)]
            for group in settings.interactions
        ]

    def as_sets(self, trees: PackedTrees) -> PackedTrees:
        """The same trees, with sets of categories for thresholds of encoded columns."""
        arrays = trees.arrays()
        slots = Slots.of(arrays)
        encoded = np.full(int(slots.column.max(initial=0)) + 1, -1)
        for at, column in enumerate(self.columns):
            encoded[column.place : column.place + 1] = at  # nothing, if no tree asks it
        which = np.where(slots.is_inner, encoded[slots.column], -1)
        asked = np.flatnonzero(which >= 0)
        sets = [
            self.set_of(arrays, int(which[slot]), int(slots.question[slot]))
            for slot in asked.tolist()
        ]
        origins = np.array([column.origin for column in self.columns], dtype=np.int64)
        new = slots.with_sets(asked, origins[which[asked]], sets)
        return PackedTrees.from_arrays(
            {**arrays, **new, **self.bins(arrays)},
            1,
            False,  # noqa: FBT003 -- leaves hold values
            schema_levels(self.schema),
        )

    def set_of(self, arrays: dict[str, Any], which: int, question: int) -> NDArray[np.uint64]:
        """The categories that go left where a threshold was asked for."""
        column = self.columns[which]
        start = arrays["cut_start"]
        cuts = arrays["cuts"][start[column.place] : start[column.place + 1]]
        is_met = ~np.isnan(column.of_category)
        goes_left = is_met & (np.searchsorted(cuts, column.of_category) <= question & 255)
        if len(is_met) <= MOST_NARROW:
            bits = np.zeros((2, -(-len(is_met) // 64) * 64), dtype=np.uint8)
            bits[0, : len(is_met)], bits[1, : len(is_met)] = goes_left, is_met
            return np.packbits(bits, axis=1, bitorder="little").view("<u8").ravel()
        # Categories that go where missing values go need not be listed.
        missing_left = bool(question >> 8 & 1)
        listed = np.flatnonzero(is_met & (goes_left != missing_left)).astype(np.uint64)
        entries = listed << np.uint64(1) | np.uint64(not missing_left)
        pairs = np.append(entries, np.zeros(len(entries) % 2, np.uint64)).reshape(-1, 2)
        words = pairs[:, 0] | pairs[:, 1] << np.uint64(32)
        return np.append(np.uint64(len(listed)), words)

    def bins(self, arrays: dict[str, Any]) -> dict[str, NDArray[Any]]:
        """The bins of the table: those of its other columns, and one for each category."""
        n_columns = self.schema.n_columns
        origins = {column.origin for column in self.columns}
        cuts = np.split(arrays["cuts"], arrays["cut_start"][1:-1])[:n_columns]
        levels = np.split(arrays["levels"], arrays["level_start"][1:-1])[:n_columns]
        kinds = arrays["column_kind"][:n_columns].copy()
        for origin in origins:
            cuts[origin] = np.zeros(0)
            levels[origin] = np.arange(len(self.schema.columns[origin].levels), dtype=np.int32)
            kinds[origin] = 1
        return {
            "column_kind": kinds,
            "has_missing": arrays["has_missing"][:n_columns],
            "cut_start": starts(map(len, cuts)),
            "cuts": np.concatenate(cuts),
            "level_start": starts(map(len, levels)),
            "levels": np.concatenate(levels),
        }


@dataclass(frozen=True, slots=True)
class Slots:
    """The nodes of packed trees, and the numbers of sets between them."""

    start: Ints  # of each tree, and the end
    question: NDArray[np.uint32]
    child: NDArray[np.uint32]
    gain: NDArray[np.float32]
    is_inner: NDArray[np.bool_]
    is_set: NDArray[np.bool_]
    set_start: Ints
    set_words: NDArray[np.uint64]

    @classmethod
    def of(cls, arrays: dict[str, Any]) -> "Slots":
        """As the arrays of packed trees hold them."""
        start, question, child = arrays["slot_start"], arrays["question"], arrays["child"]
        asks = question != LEAF
        is_nominal = arrays["column_kind"] == 1
        tree = np.repeat(np.arange(len(start) - 1), np.diff(start))
        is_set = np.zeros(len(question), dtype=bool)
        # A set stands before the children of its node, so a node is known before its set is met.
        column = np.where(asks, question >> 9, 0)
        for slot in np.flatnonzero(asks & is_nominal[np.minimum(column, len(is_nominal) - 1)]):
            if not is_set[slot]:
                is_set[start[tree[slot]] + child[slot] - 1] = True
        return cls(
            start,
            question,
            child,
            arrays["gain"],
            asks & ~is_set,
            is_set,
            arrays["set_start"],
            arrays["set_words"],
        )

    @property
    def column(self) -> Ints:
        """The column that a node asks; 0 for others."""
        return np.where(self.is_inner, self.question >> 9, 0).astype(np.int64)

    def with_sets(
        self, asked: NDArray[np.intp], origin: Ints, sets: Sequence[NDArray[np.uint64]]
    ) -> dict[str, NDArray[Any]]:
        """The arrays after nodes were changed to ask for sets, which need slots of their own."""
        tree = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        children = self.child + self.start[tree]  # of inner nodes
        before = np.sort(children[asked])  # a new slot stands before these
        moved = np.arange(len(self.question)) + np.searchsorted(
            before, np.arange(len(self.question)), side="right"
        )
        n_slots = len(self.question) + len(asked)
        start = np.append(moved[self.start[:-1]], n_slots)
        question, child = np.zeros(n_slots, np.uint32), np.zeros(n_slots, np.uint32)
        gain = np.zeros(n_slots, np.float32)
        question[moved], child[moved], gain[moved] = self.question, self.child, self.gain
        inner = np.flatnonzero(self.is_inner)
        child[moved[inner]] = moved[children[inner]] - start[tree[inner]]
        missing_left = self.question[asked] & 256
        question[moved[asked]] = origin.astype(np.uint32) << np.uint32(9) | missing_left
        # The sets of a tree: those it had, then the new ones.
        n_old = np.diff(self.set_start)
        pieces = [[words] for words in np.split(self.set_words, self.set_start[1:-1])]
        ends = n_old.copy()
        for slot, words in zip(asked.tolist(), sets, strict=True):
            own = tree[slot]
            question[moved[children[slot]] - 1] = ends[own]
            ends[own] += len(words)
            pieces[own].append(words)
        return {
            "slot_start": start.astype(np.int64),
            "question": question,
            "child": child,
            "gain": gain,
            "set_start": starts(ends),
            "set_words": np.concatenate([np.zeros(0, np.uint64), *chain.from_iterable(pieces)]),
        }


def encoding_of(
    model: BoostingModel, rows: TrainingRows, seed: int
) -> tuple[TargetEncoding | None, TrainingRows]:
    """How nominal columns are encoded, if any is, and the rows to grow on."""
    origins = encoded_columns(model, rows)
    if not origins:
        return None, rows
    table = rows.table.read() if isinstance(rows.table, ScannedTable) else rows.table
    schema, columns = Schema.of(table), table.columns
    targets = targets_of(rows)
    weights = row_weights(rows)
    folds = np.random.default_rng((seed, FOLDS)).integers(N_FOLDS, size=rows.n_rows)
    encoded, values = [], []
    n_columns = schema.n_columns
    for origin in origins:
        for output, target in enumerate(targets):
            place = origin if output == 0 else n_columns
            n_columns += output > 0
            column = nominal(columns[origin])
            of_category, of_row = means(column, target, weights, folds, float(model.smoothing) / 2)
            encoded.append(EncodedColumn(place, origin, of_category))
            values.append(of_row)
    encoding = TargetEncoding(schema, tuple(encoded))
    return encoding, replace(rows, table=encoding.table(columns, values, rows.n_rows))


def encoded_columns(model: BoostingModel, rows: TrainingRows) -> list[int]:
    """The positions of columns to encode."""
    table, asked = rows.table, model.target_encoding
    if not asked or (asked == AUTO and (rows.n_rows > MOST_ROWS or model.warm_start)):
        return []
    found = [
        at
        for at, spec in enumerate(Schema.of(table).columns)
        if spec.kind == "nominal" and len(spec.levels) > FEW_CATEGORIES
    ]
    if found and asked != AUTO and model.warm_start:
        raise ParameterError(
            "target_encoding=True with warm_start=True: later rounds would need other numbers",
            hint="leave one of them out",
        )
    if found and rows.n_rows > MOST_ROWS and isinstance(table, ScannedTable) and not table.is_small:
        raise ParameterError(
            f"target_encoding=True needs the values of {rows.n_rows:,} rows of a scan in memory",
            hint="use target_encoding=False",
        )
    return found


def nominal(column: Column) -> NominalColumn:
    assert isinstance(column, NominalColumn)
    return column


def targets_of(rows: TrainingRows) -> list[Floats]:
    """What is averaged: the target in units of its largest value, or whether a class is met."""
    if not isinstance(rows.target, ClassTarget):
        y = rows.target.values
        largest = np.abs(y).max(initial=0.0)
        return [y / largest if largest > 0 else y]
    codes, n_classes = rows.target.codes, rows.target.n_classes
    asked = range(n_classes) if n_classes > 2 else [1]
    return [(codes == code).astype(np.float64) for code in asked]


def row_weights(rows: TrainingRows) -> Floats:
    """The weights in units of rows: counts as they are, others with a mean of 1."""
    if rows.weights is None:
        return np.ones(rows.n_rows)
    if rows.weights_are_counts:
        return rows.weights
    return rows.weights * (rows.n_rows / rows.total_weight)


def means(
    column: NominalColumn, target: Floats, weights: Floats, folds: Ints, smoothing: float
) -> tuple[Floats, Floats]:
    """The mean target of each category, and of each row's category in the other folds.

    So many rows with the mean of all rows are added to each category.
    """
    is_known = column.codes >= 0
    codes, n_levels = column.codes[is_known].astype(np.int64), len(column.levels)
    weight, total = weights[is_known], weights[is_known] * target[is_known]
    own = folds[is_known] * n_levels + codes  # of a fold and a category
    shape = N_FOLDS, n_levels
    weight_of = np.bincount(own, weight, N_FOLDS * n_levels).reshape(shape)
    total_of = np.bincount(own, total, N_FOLDS * n_levels).reshape(shape)
    prior = total_of.sum() / weight_of.sum() if len(codes) else 0.0

    def smoothed(total: Floats, weight: Floats) -> Floats:
        found: Floats = np.full(len(weight), prior)
        np.divide(total + smoothing * prior, weight + smoothing, found, where=weight > 0)
        return found

    of_category = smoothed(total_of.sum(axis=0), weight_of.sum(axis=0))
    of_category[~weight_of.any(axis=0)] = np.nan
    others = [
        smoothed(*(np.delete(sums, fold, 0).sum(axis=0) for sums in (total_of, weight_of)))
        for fold in range(N_FOLDS)
    ]
    of_row = np.full(len(column), np.nan)
    of_row[is_known] = np.concatenate(others)[own]
    return of_category, of_row


def starts(counts: Any) -> Ints:
    """Where each of some pieces begins, and the end of the last."""
    return np.concatenate([[0], np.cumsum(list(counts))]).astype(np.int64)
