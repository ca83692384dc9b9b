"""grow_tree: a table and a target become a tree."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import learners as grower
from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.stored_table import folder_of, room_in_folder
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.errors import DataError, ParameterError
from treewright.induction.settings import GrowthSettings
from treewright.tree.tree import Tree

TreeArrays = dict[str, NDArray[Any]]  # of a grown tree, by name
MAX_CLASSES = 65_535
NO_LIMIT = 2**62  # levels of a tree
CLASSIFICATION_ONLY = ("significance", "error_confidence", "costs", "class_factor")


@dataclass(frozen=True, slots=True, eq=False)
class HeldNode:
    """A node of a tree that grows on a held table."""

    rows: NDArray[np.int64]
    weights: Floats | None  # None: those of the table
    path: tuple[int, ...] = ()  # the numbers of the children on the way from the root
    used: tuple[int, ...] = ()  # columns that must not split it


def grow_tree(  # noqa: PLR0913 -- what a tree is made of
    table: Table,
    target: ClassTarget | NumericTarget,
    weights: Floats | None,
    settings: GrowthSettings,
    n_threads: int = 1,
    in_order: grower.SortedColumns | None = None,
) -> Tree:
    """Grow a tree on all rows; weights are positive, None counts every row once.

    `in_order` is the result of `sorted_columns` for the same table, to grow several trees on it.
    """
    classes = target.classes if isinstance(target, ClassTarget) else None
    check_target(target, settings)
    weights, scale = moderate(weights)
    total = float(target.n_rows if weights is None else weights.sum())
    custom = settings.criterion if callable(settings.criterion) else None
    with room_in_folder():
        arrays = grower.grow_tree(
            native_columns(table),
            target.codes if isinstance(target, ClassTarget) else target.values,
            weights,
            0 if classes is None else len(classes),
            settings.native(total),
            None if custom is None else lambda stats: float(custom(stats)),
            1 if custom is not None else n_threads,
            in_order,
            folder_of(table),
        )
    rescale(arrays, scale, is_classification=classes is not None)
    return tree_of(arrays, Schema.of(table, target.format), classes, settings)


def rescale(arrays: TreeArrays, scale: float, *, is_classification: bool) -> None:
    """Give the weights of nodes in units of those that `moderate` was given."""
    if scale != 1.0:
        arrays["weight"] = arrays["weight"] * scale
        if is_classification:
            arrays["value"] = arrays["value"] * scale


def tree_of(
    arrays: TreeArrays, schema: Schema, classes: NDArray[Any] | None, settings: GrowthSettings
) -> Tree:
    """The tree that was grown by these settings."""
    return Tree.from_arrays(
        arrays,
        schema=schema,
        classes=classes,
        class_factor=settings.factor_in_leaves,
        costs=settings.costs,
        unseen=settings.handle_unknown,
    )


class HeldTable:
    """A table that is held sorted while a tree is grown on it node by node.

    Nodes are given by their rows (with weights, if those differ from the table's), the numbers of
    the children on the way from the root, and the columns that must not split them.
    """

    def __init__(
        self,
        table: Table,
        target: ClassTarget | NumericTarget,
        weights: Floats | None,
        settings: GrowthSettings,
        n_threads: int,
    ) -> None:
        check_target(target, settings)
        weights, self.scale = moderate(weights)
        custom = settings.criterion if callable(settings.criterion) else None
        self.n_threads = 1 if custom is not None else n_threads
        self.classes = target.classes if isinstance(target, ClassTarget) else None
        self.settings = settings
        self.schema = Schema.of(table, target.format)
        total = float(target.n_rows if weights is None else weights.sum())
        self.kernel = grower.HeldTable(
            native_columns(table),
            target.codes if isinstance(target, ClassTarget) else target.values,
            weights,
            0 if self.classes is None else len(self.classes),
            settings.native(total),
            None if custom is None else lambda stats: float(custom(stats)),
            n_threads,
        )

    def best_splits(self, node: HeldNode) -> list[dict[str, Any]]:
        """The best split of each column, and sums over its sides."""
        return self.kernel.best_splits(node.rows, self._weights(node), self.n_threads)

    def measure(self, node: HeldNode, given: grower.GivenSplit) -> dict[str, Any]:
        """The sums over the sides of a split; ValueError if a branch would have no rows."""
        return self.kernel.measure(node.rows, self._weights(node), given)

    def leaf(self, node: HeldNode) -> Tree:
        """The node as a tree of its own."""
        place = (node.rows, self._weights(node), node.path, node.used)
        return self._tree(self.kernel.leaf(*place, self.n_threads))

    def split(self, node: HeldNode, given: grower.GivenSplit) -> Tree:
        """The tree of the node and its children."""
        place = (node.rows, self._weights(node), node.path, node.used)
        return self._tree(self.kernel.split(*place, given, self.n_threads))

    def grow(self, node: HeldNode, n_levels: int | None) -> Tree:
        """The tree that the settings grow from the node."""
        place = (node.rows, self._weights(node), node.path, node.used)
        most = NO_LIMIT if n_levels is None else n_levels
        return self._tree(self.kernel.grow(*place, most, self.n_threads))

    def _weights(self, node: HeldNode) -> Floats | None:
        weights = node.weights
        return weights if weights is None or self.scale == 1.0 else weights / self.scale

    def _tree(self, arrays: TreeArrays) -> Tree:
        rescale(arrays, self.scale, is_classification=self.classes is not None)
        return tree_of(arrays, self.schema, self.classes, self.settings)


def sorted_columns(table: Table, n_threads: int = 1) -> grower.SortedColumns:
    """The columns of a table sorted: the first step of growth."""
    with room_in_folder():
        return grower.sort_columns(native_columns(table), table.n_rows, n_threads, folder_of(table))


def native_columns(table: Table) -> list[tuple[int, NDArray[np.generic], int]]:
    """The columns of a table for the compiled growers: kind, values, number of categories."""
    found: list[tuple[int, NDArray[np.generic], int]] = []
    for column in table.columns:
        if isinstance(column, NumericColumn):
            found.append((grower.NUMERIC_KIND, column.values, 0))
        else:
            kind = grower.ORDERED_KIND if column.ordered else grower.NOMINAL_KIND
            found.append((kind, column.codes, len(column.levels)))
    return found


def check_target(target: ClassTarget | NumericTarget, settings: GrowthSettings) -> None:
    """Raise unless the settings can grow a tree for the target."""
    if isinstance(target, ClassTarget):
        if target.n_classes > MAX_CLASSES:
            raise DataError(
                f"{target.n_classes} classes in `{target.name}`, "
                f"at most {MAX_CLASSES} are possible",
                hint="is the target a number or an identifier?",
            )
        return
    for name in CLASSIFICATION_ONLY:
        if getattr(settings, name) is not None:
            raise ParameterError(f"{name} needs classes, but the target is a number")
    if settings.numeric == "intervals" and settings.max_intervals is None:
        raise ParameterError(
            "max_intervals=None lets the classes choose the cut points, but the target is a number",
            hint="give max_intervals=, the most intervals of a split",
        )
    if settings.criterion == "poisson" and (target.values < 0).any():
        row = int(np.argmax(target.values < 0))
        raise DataError(
            f"criterion='poisson' needs counts, but `{target.name}` "
            f"is {target.values[row]:g} in row {row}"
        )


def moderate(weights: Floats | None) -> tuple[Floats | None, float]:
    """Weights divided by a power of two so that their squares stay in range, and that power."""
    if weights is None:
        return None, 1.0
    largest = float(weights.max())
    if 1e-60 < largest < 1e60:
        return np.ascontiguousarray(weights), 1.0
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    return np.ascontiguousarray(weights / scale), scale
