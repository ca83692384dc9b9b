"""What a tree was grown from: rows, target, weights, settings."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.induction.settings import GrowthSettings
from treewright.plain_text import number_text
from treewright.tree.tree import Tree
from treewright.worksheets.work import Group

Positions = NDArray[np.intp]

WIDEST_SPAN = 65_000  # integers in a smaller range are coded without sorting


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """Rows, and the part of their weight that is here."""

    rows: Positions
    weights: Floats

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    def where(self, chosen: NDArray[np.bool_]) -> "Share":
        return Share(self.rows[chosen], self.weights[chosen])

    def times(self, factor: float) -> "Share":
        return Share(self.rows, self.weights * factor)

    def joined_with(self, other: "Share") -> "Share":
        return Share(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.weights, other.weights])
        )


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """A column as positions among its distinct values."""

    values: Floats  # ascending; of a nominal column the category codes
    codes: NDArray[Any]  # of each row; len(values) if missing


@dataclass(frozen=True, eq=False)
class Training:
    """The training rows in the columns of the tree, and the settings of growth."""

    table: Table
    codes: NDArray[np.int32] | None  # class of each row
    values: Floats | None  # target of each row, for regression
    n_classes: int  # 0 for regression
    weights: Floats
    settings: GrowthSettings
    notes: tuple[str, ...] = ()  # about rows that were left out, for the reader
    schema: Schema | None = None  # of the tree; it says how thresholds are printed
    _coded: dict[int, CodedColumn] = field(default_factory=dict, repr=False)

    @cached_property
    def weight(self) -> float:
        """Of all rows."""
        return float(self.weights.sum())

    @property
    def all_rows(self) -> Share:
        return Share(np.arange(self.table.n_rows), self.weights)

    def coded(self, feature: int) -> CodedColumn:
        """A column by its distinct values, computed once."""
        if feature not in self._coded:
            self._coded[feature] = coded_column(self.table.columns[feature])
        return self._coded[feature]

    def numbers(self, feature: int) -> Floats:
        """A column as numbers: its values or category codes, NaN if missing."""
        column = self.coded(feature)
        numbers: Floats = np.append(column.values, np.nan)[column.codes]
        return numbers

    def spec(self, feature: int) -> ColumnSpec:
        """The column in the schema of the tree."""
        if self.schema is None:
            return ColumnSpec.of(self.table.columns[feature])
        return self.schema.columns[feature]

    def is_nominal(self, feature: int) -> bool:
        """Whether a column is split by categories, not by a threshold."""
        column = self.table.columns[feature]
        return isinstance(column, NominalColumn) and not column.ordered


def coded_column(column: Column) -> CodedColumn:
    """A column as positions among its distinct values."""
    if isinstance(column, NumericColumn):
        return _coded_numbers(np.asarray(column.values, dtype=np.float64))
    n_levels = len(column.levels)
    codes = np.where(column.codes < 0, n_levels, column.codes).astype(_least_type(n_levels))
    return CodedColumn(np.arange(n_levels, dtype=np.float64), codes)


def _coded_numbers(numbers: Floats) -> CodedColumn:
    known = ~np.isnan(numbers)
    present = numbers if known.all() else numbers[known]
    values, of_present = _ranked(present)
    codes = np.full(len(numbers), len(values), dtype=_least_type(len(values)))
    codes[known] = of_present
    return CodedColumn(values, codes)


def _ranked(numbers: Floats) -> tuple[Floats, NDArray[Any]]:
    """The distinct numbers, and the position of each number among them."""
    if len(numbers) == 0:
        return numbers, np.zeros(0, dtype=np.intp)
    low, high = float(numbers.min()), float(numbers.max())
    if not high - low < WIDEST_SPAN or (numbers != np.floor(numbers)).any():
        return np.unique(numbers, return_inverse=True)
    steps = (numbers - low).astype(np.uint16)
    is_present = np.bincount(steps) > 0
    position = np.cumsum(is_present, dtype=np.uint16) - np.uint16(1)
    return np.asarray(np.flatnonzero(is_present) + low), position[steps]


def _least_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type for codes up to `largest`: tables may be huge."""
    return np.uint8 if largest < 2**8 else np.uint16 if largest < 2**16 else np.uint32


CLOSE = 1e-9  # of the weight: counts that differ by less are equal


def check_agreement(tree: Tree, node: int, group: Group) -> None:
    """Raise unless the rows at a node are those that the tree counted there."""
    difference = difference_at(tree, node, group)
    if difference:
        where = " and ".join(view.condition for view in tree.node(node).path[1:]) or "root"
        raise DataError(
            f"these are not the rows that the model was fitted to: at node {node} ({where}) "
            f"{difference}",
            hint="give the X, y and sample_weight of fit, rows and columns as they were",
        )


def difference_at(tree: Tree, node: int, group: Group) -> str:
    """How the given rows differ from the training rows at a node; "" if they do not."""
    if tree.n_rows[0] == 0:  # a tree written by hand has no counts
        return ""
    n_rows = int(tree.n_rows[node])
    if group.n_rows != n_rows:
        return f"the tree counted {n_rows} rows, but {group.n_rows} are given"
    if n_rows == 0:
        return ""
    weight = float(tree.weight[node])
    if not np.isclose(group.weight, weight, rtol=CLOSE, atol=0):
        was, given = number_text(weight), number_text(group.weight)
        return f"the tree counted a weight of {was}, but {given} is given"
    value = tree.value[node]
    if tree.classes is not None:
        off = ~np.isclose(group.counts, value, rtol=0, atol=CLOSE * weight)
        for number in np.flatnonzero(off)[:1]:
            was, given = number_text(float(value[number])), number_text(group.counts[number])
            return (
                f"the tree counted {was} of class `{tree.classes[number]}`, but {given} are given"
            )
        return ""
    center = group.mean if np.isnan(group.median) else group.median
    if abs(center - value[0]) > CLOSE * max(abs(value[0]), np.sqrt(group.impurity), 1e-300):
        was, given = number_text(float(value[0])), number_text(center)
        return f"the tree predicts {was}, but these rows {given}"
    return ""
