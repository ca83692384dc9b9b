"""The trees of an ensemble, packed: they predict together, and each is unpacked when looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    BinnedTable,
    BlockPlan,
    BlockTable,
    LeafPrediction,
    PackedTrees,
    bytes_of_table,
)
from treewright._kernels.predictor import RowArrays
from treewright._kernels.shared_work import elsewhere
from treewright.arrays import Floats, distinct
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.stored_table import mapped_array
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.induction.growth import native_columns
from treewright.param import Parameterized
from treewright.tree.layout import LEAF
from treewright.tree.predict import kernel_rows, schema_levels
from treewright.tree.short_thresholds import FEW_ROWS, plain_thresholds, yes_no_columns
from treewright.tree.tree import Tree

# Rows that fit the schema, or the table that the trees were grown on.
EnsembleRows = Table | NDArray[Any] | BinnedTable


class PackedTreeSequence(Sequence[Tree]):
    """Trees that were grown on bins, as ordinary ones.

    Predictions are added up in the order of the trees: exactly those of the single trees, one by
    one, whatever the number of threads. `first` and `last` choose trees as a slice
    does.
    """

    def __init__(
        self, packed: PackedTrees, schema: Schema, classes: NDArray[Any] | None, unseen: str
    ) -> None:
        self.packed = packed
        self.schema = schema
        self.classes = classes
        self.unseen = unseen

    def __len__(self) -> int:
        return self.packed.n_trees

    @overload
    def __getitem__(self, at: int) -> Tree: ...
    @overload
    def __getitem__(self, at: slice) -> "list[Tree]": ...
    def __getitem__(self, at: int | slice) -> "Tree | list[Tree]":
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"tree {at} of {len(self)}")
        arrays = self.packed.tree(at % len(self))
        return Tree.from_arrays(
            arrays, schema=self.schema, classes=self.classes, unseen=self.unseen
        )

    def __repr__(self) -> str:
        return f"<{len(self):,} trees, {self.n_nodes:,} nodes>"

    @property
    def n_nodes(self) -> int:
        """Nodes of all trees."""
        return self.packed.n_nodes

    @property
    def nbytes(self) -> int:
        """Bytes that the trees and the bins of their columns take."""
        return self.packed.nbytes

    def add_values(
        self,
        rows: EnsembleRows,
        out: Floats,
        n_threads: int = 1,
        *,
        first: int = 0,
        last: int | None = None,
        in_float32: bool = False,
    ) -> None:
        """Add to `out` (n_rows, n_outputs) the values of the leaves that rows end at.

        Tree i adds to output number i % n_outputs. What is in `out` before comes first. With
        `in_float32`, sums are rounded to float32 after each tree.
        """
        end = len(self) if last is None else last
        value = LeafPrediction.value
        self.packed.add_values(_given(rows), out, n_threads, value, first, end, in_float32)

    def mean_values(self, rows: EnsembleRows, n_threads: int = 1) -> Floats:
        """(n_rows,): the mean prediction of the trees."""
        out = np.zeros((_n_rows(rows), 1))
        self.add_values(rows, out, n_threads)
        return out[:, 0] / len(self)

    def mean_shares(self, rows: EnsembleRows, n_threads: int = 1, *, hard: bool = False) -> Floats:
        """(n_rows, n_classes): the mean of the class shares, or the shares of votes if `hard`.

        A tree votes for the largest class of a leaf, the first of equals.
        """
        out = np.zeros((_n_rows(rows), self.packed.n_values))
        prediction = LeafPrediction.vote if hard else LeafPrediction.shares
        self.packed.add_values(_given(rows), out, n_threads, prediction, 0, len(self))
        out /= len(self)
        return out

    def leaves(self, rows: EnsembleRows, n_threads: int = 1) -> NDArray[np.int32]:
        """(n_rows, n_trees): the node of each tree that a row ends at."""
        out = np.empty((_n_rows(rows), len(self)), dtype=np.int32)
        self.packed.leaves(_given(rows), out, n_threads, 0, len(self))
        return out

    def explain_row(
        self,
        row: Table | NDArray[Any],
        shown: LeafPrediction,
        outputs: tuple[int, int],
        n_threads: int,
    ) -> tuple[float, Floats] | None:
        """Base value and Shapley values (n_columns,) of one row, added up over the trees.

        `outputs` are the number of the output that is explained, and how many there are. None if
        the trees have to be asked one by one.
        """
        output, n_outputs = outputs
        found: tuple[float, Floats] | None = self.packed.explain_row(  # type: ignore[assignment]
            kernel_rows(row), n_threads, shown, n_outputs, output
        )
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All trees and the bins of their columns as flat arrays, for a file."""
        arrays: dict[str, NDArray[Any]] = self.packed.arrays()
        return arrays

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        schema: Schema,
        classes: NDArray[Any] | None,
        unseen: str,
    ) -> "PackedTreeSequence":
        """The trees that gave these arrays; a ValueError says what no trees could have given.

        `classes` are given where leaves hold weights of classes.
        """
        n_values = 1 if classes is None else len(classes)
        packed = PackedTrees.from_arrays(
            dict(arrays), n_values, classes is not None, schema_levels(schema)
        )
        return cls(packed, schema, classes, unseen)


def _given(rows: EnsembleRows) -> BinnedTable | RowArrays:
    return rows if isinstance(rows, BinnedTable) else kernel_rows(rows)


def _n_rows(rows: EnsembleRows) -> int:
    return rows.n_rows if isinstance(rows, BinnedTable) else len(rows)


def binned(
    table: Table,
    weights: Floats | None,
    *,
    max_bins: int,
    n_threads: int,
    like: PackedTrees | None = None,
) -> BinnedTable:
    """Every column as bytes: numbers in at most `max_bins` bins of about equal weight.

    With `like`, in the bins of the table that these trees were grown on.
    """
    check_n_rows(table)
    if weights is not None:
        weights = np.ascontiguousarray(weights)
    if isinstance(table, ScannedTable) and not table.is_small:
        plan = like if like is not None else planned_bins(table, weights, max_bins, n_threads)
        return filled_table(table, plan, n_threads)
    return BinnedTable(native_columns(table), table.n_rows, weights, max_bins, n_threads, like)


def check_n_rows(table: Table) -> None:
    """Raise for more rows than trees on bins can have."""
    if table.n_rows > MOST_ROWS:
        raise DataError(
            f"{table.n_rows:,} rows: forests and boosted trees take at most {MOST_ROWS:,}",
            hint="train on some of the rows",
        )


MOST_ROWS = 2**30 - 1
ALL_VALUES = 2**62
LEAST_VALUES = 2**22  # that a pass collects


def planned_bins(
    table: ScannedTable, weights: Floats | None, max_bins: int, n_threads: int
) -> BlockPlan:
    """The bins of rows that come in blocks: those of all rows in memory.

    What is read of a block depends on that block alone, and results of blocks add up in any order.
    Usually the second pass over the blocks is the last. With a folder, a pass collects the values
    of only so many columns that they take at most 16 bytes per row, or 32 MiB.
    """
    largest = 1.0 if weights is None else float(weights.max())
    most_values = ALL_VALUES if table.folder is None else max(LEAST_VALUES, table.n_rows // 2)
    check_n_rows(table)
    start = PlanStart(table.sample(), table.n_rows, largest, max_bins, most_values)
    plan, counted = start.plan(n_threads), list[PassShare]()
    others = elsewhere.get() if len(table.survey.ends) > 1 else None  # a part is read by one
    is_complete = False
    while not is_complete:
        if others is None:
            read_blocks(plan, table, weights)
        else:
            edges = np.linspace(0, table.n_rows, others.n_workers() + 1).astype(np.intp).tolist()
            things = [
                (table[first:end], None if weights is None else weights[first:end])
                for first, end in pairwise(edges)
            ]
            asked = plan.asked()
            for share in others.spread(partial(pass_share, start, counted, asked), things):
                plan.add(share)
            if not asked:
                counted = [*counted, plan.take_out()]
                plan.add(counted[-1])
        is_complete = plan.end_pass()
    return plan


PassShare = list[tuple[bytes, bytes]]  # what a plan read in a pass, for another one
Asked = list[tuple[int, bytes]]  # which values of which columns a pass collects


@dataclass(frozen=True, slots=True)
class PlanStart:
    """What a plan begins with, wherever its blocks are read."""

    sample: Table
    n_rows: int
    largest_weight: float
    max_bins: int
    most_values: int  # that one pass collects

    def plan(self, n_threads: int) -> BlockPlan:
        columns, n_sampled = native_columns(self.sample), self.sample.n_rows
        return BlockPlan(
            columns,
            n_sampled,
            self.n_rows,
            self.largest_weight,
            self.max_bins,
            n_threads,
            self.most_values,
        )


def read_blocks(plan: BlockPlan, table: ScannedTable, weights: Floats | None) -> None:
    """Read all blocks of some rows."""
    for first, block in table.blocks():
        own = None if weights is None else weights[first : first + block.n_rows]
        plan.read(native_columns(block), block.n_rows, own)


def pass_share(
    start: PlanStart,
    counted: list[PassShare],
    asked: Asked,
    rows: tuple[ScannedTable, Floats | None],
) -> PassShare:
    """What some of the rows say in one pass, after the passes in which all rows were counted."""
    plan = start.plan(n_threads=1)
    for all_shares in counted:
        plan.add(all_shares)
        plan.end_pass()
    if asked:
        plan.ask(asked)
    read_blocks(plan, *rows)
    return plan.take_out()


def filled_table(table: ScannedTable, plan: BlockPlan | PackedTrees, n_threads: int) -> BinnedTable:
    """The bytes of rows that come in blocks, in these bins or in those of trees."""
    folder = table.folder
    sizes = bytes_of_table(table.n_rows, table.n_columns) if folder is not None else []
    room = [mapped_array(n_bytes, np.uint8, str(folder)) for n_bytes in sizes]
    filled = BlockTable(plan, table.n_rows, n_threads, room)
    for first, block in table.blocks():
        filled.read(native_columns(block), block.n_rows, first)
    return filled.finished()


class GrowingEnsemble(Parameterized, Protocol):
    """An ensemble as growth reads it: with `warm_start`, a fitted one keeps the trees it has."""

    n_estimators: Any
    warm_start: bool

    # Set by fit.
    schema_: Schema
    classes_: NDArray[Any]  # of classifiers
    trees_: Sequence[Tree]
    n_rows_: int

    def __sklearn_is_fitted__(self) -> bool: ...


def check_same_columns(
    model: GrowingEnsemble, schema: Schema, classes: NDArray[Any] | None
) -> None:
    """Raise if more trees were to grow on another kind of rows than those that a model has."""
    if schema != model.schema_ or not (classes is None or np.array_equal(classes, model.classes_)):
        raise DataError(
            "warm_start=True, but these rows have other columns, categories or classes than those "
            "that the trees were grown on",
            hint="give the same table, or use warm_start=False",
        )


MOST_ROWS_OF_BINS = 200_000  # a column has at most 255 bins, so that the search is cheap


def with_short_thresholds(
    trees: Sequence[Tree], schema: Schema, table: Table, n_threads: int = 1
) -> tuple[Sequence[Tree], Schema]:
    """Trees and schema that know how to print thresholds for the rows of the table.

    All trees share the schema. With very many rows there is no search, and thresholds are printed
    exactly.
    """
    is_packed = isinstance(trees, PackedTreeSequence)
    if table.n_rows > (MOST_ROWS_OF_BINS if is_packed else FEW_ROWS):
        return trees, schema
    by_name = thresholds_by_name(trees, schema)
    found = schema.with_cuts(by_name, table, n_threads)
    cuts = {schema.position(name): own for name, own in by_name.items()}
    found = found.with_yes_no(yes_no_columns(schema, table, cuts))
    if isinstance(trees, PackedTreeSequence):
        return PackedTreeSequence(trees.packed, found, trees.classes, trees.unseen), found
    return tuple(replace(tree, schema=found) for tree in trees), found


def thresholds_by_name(trees: Sequence[Tree], schema: Schema) -> dict[str, Floats]:
    """All thresholds that trees may ask of each column."""
    if isinstance(trees, PackedTreeSequence):
        cuts = zip(schema.names, trees.packed.cuts(), strict=True)
        return {name: own for name, own in cuts if len(own)}
    asked = [plain_thresholds(tree, tree.kind != LEAF, runners_up=True) for tree in trees]
    column = np.concatenate([columns for columns, _ in asked])
    threshold = np.concatenate([thresholds for _, thresholds in asked])
    return {schema.names[at]: threshold[column == at] for at in distinct(column).tolist()}
