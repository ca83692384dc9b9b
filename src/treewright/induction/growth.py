"""grow_tree: a table and a target become a tree."""

import math

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import learners as grower
from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.errors import DataError, ParameterError
from treewright.induction.settings import GrowthSettings
from treewright.tree.tree import Tree

MAX_CLASSES = 65_535
CLASSIFICATION_ONLY = ("significance", "error_confidence", "costs", "class_factor")


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
    _check(target, settings)
    weights, scale = _moderate(weights)
    total = float(target.n_rows if weights is None else weights.sum())
    custom = settings.criterion if callable(settings.criterion) else None
    arrays = grower.grow_tree(
        native_columns(table),
        target.codes if isinstance(target, ClassTarget) else target.values,
        weights,
        0 if classes is None else len(classes),
        settings.native(total),
        None if custom is None else lambda stats: float(custom(stats)),
        1 if custom is not None else n_threads,
        in_order,
    )
    if scale != 1.0:
        arrays["weight"] = arrays["weight"] * scale
        if classes is not None:
            arrays["value"] = arrays["value"] * scale
    return Tree.from_arrays(
        arrays,
        schema=Schema.of(table, target.format),
        classes=classes,
        class_factor=settings.factor_in_leaves,
        costs=settings.costs,
        unseen=settings.handle_unknown,
    )


def sorted_columns(table: Table, n_threads: int = 1) -> grower.SortedColumns:
    """The columns of a table sorted: the first step of growth."""
    return grower.sort_columns(native_columns(table), table.n_rows, n_threads)


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


def _check(target: ClassTarget | NumericTarget, settings: GrowthSettings) -> None:
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


def _moderate(weights: Floats | None) -> tuple[Floats | None, float]:
    """Weights divided by a power of two so that their squares stay in range, and that power."""
    if weights is None:
        return None, 1.0
    largest = float(weights.max())
    if 1e-60 < largest < 1e60:
        return np.ascontiguousarray(weights), 1.0
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    return np.ascontiguousarray(weights / scale), scale
