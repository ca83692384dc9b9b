"""ShapValues: the contribution of each column of each row to the prediction."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.errors import ParameterError, nearest
from treewright.explanations.tree_sum import TreeSum
from treewright.optional import optional_module
from treewright.plain_text import aligned, plain, score_text
from treewright.result import Record, Result

Rows = Table | NDArray[Any]


@dataclass(frozen=True, slots=True, repr=False)
class ShapValues(Result):
    """Shapley values of rows: the base value plus the values of a row give its prediction.

    If the model predicts one number, the arrays have no last axis `n_outputs`.
    """

    values: Floats  # (n_rows, n_columns, n_outputs)
    base_values: Floats  # (n_rows, n_outputs): base value, the prediction when no column is known
    data: NDArray[Any]  # (n_rows, n_columns): the rows, as given
    codes: Floats  # (n_rows, n_columns): the rows as numbers, levels by their place
    feature_names: tuple[str, ...]
    output_names: tuple[Any, ...]
    scale: str  # what the numbers are: "probability", "prediction" ...
    interactions: Floats | None = None  # (n_rows, n_columns, n_columns, n_outputs)

    @property
    def predictions(self) -> Floats:
        """(n_rows, n_outputs): the predictions of the model."""
        predictions: Floats = self.base_values + self.values.sum(axis=1)
        return predictions

    @property
    def mean_sizes(self) -> Floats:
        """(n_columns, n_outputs): the mean size of the values of each column."""
        sizes: Floats = np.abs(self.values).mean(axis=0)
        return sizes

    def of(self, output: Any) -> "ShapValues":
        """The values for one output alone, such as a class."""
        if self.values.ndim == 2:
            raise ParameterError(
                f"the model has only one output, its {self.scale}",
                hint="use the values as they are",
            )
        if output not in self.output_names:
            known = [str(name) for name in self.output_names]
            raise ParameterError(
                f"no output `{output}`", hint=nearest(str(output), known, "outputs")
            )
        at = self.output_names.index(output)
        pairs = None if self.interactions is None else self.interactions[..., at]
        return replace(
            self,
            values=self.values[..., at],
            base_values=self.base_values[..., at],
            output_names=(output,),
            interactions=pairs,
        )

    def __getitem__(self, rows: slice | NDArray[Any]) -> "ShapValues":
        """The values of some rows: a slice, positions or a mask."""
        if not isinstance(rows, slice | np.ndarray):
            raise ParameterError(
                f"rows are {rows!r}", hint="take a slice, such as values[i : i + 1], or an array"
            )
        pairs = None if self.interactions is None else self.interactions[rows]
        return replace(
            self,
            values=self.values[rows],
            base_values=self.base_values[rows],
            data=self.data[rows],
            codes=self.codes[rows],
            interactions=pairs,
        )

    def to_shap(self) -> Any:
        """The values as a `shap.Explanation`, for the plots of the package `shap`."""
        shap = optional_module("shap", extra="shap", purpose="to_shap")
        several = self.values.ndim == 3
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.codes,
            display_data=self.data,
            feature_names=list(self.feature_names),
            output_names=[str(name) for name in self.output_names] if several else None,
        )

    def _facts(self) -> Record:
        return {
            "scale": self.scale,
            "columns": self.feature_names,
            "outputs": self.output_names,
            "base_values": self.base_values,
            "values": self.values,
            "rows": self.data,
        }

    def _records(self) -> list[dict[str, Any]]:
        """One row for each row and output: the base value, then what each column adds."""
        n_rows = len(self.values)
        values = self.values.reshape(n_rows, len(self.feature_names), -1)
        base_values = self.base_values.reshape(n_rows, -1)
        return [
            {
                "row": row,
                "output": output,
                "base value": base_values[row, at],
                **dict(zip(self.feature_names, values[row, :, at], strict=True)),
            }
            for row in range(n_rows)
            for at, output in enumerate(self.output_names)
        ]

    def to_text(self) -> str:
        """The mean size of the values of each column."""
        sizes = self.mean_sizes.reshape(len(self.feature_names), -1)
        names = [plain(str(name)) for name in self.output_names]
        head = ["column", *(names if self.values.ndim == 3 else ["mean size"])]
        lines = [
            [plain(name), *map(score_text, line)]
            for name, line in zip(self.feature_names, sizes.tolist(), strict=True)
        ]
        return "\n".join([repr(self), "mean size of the values:", *aligned([head, *lines])])

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        n_rows, n_columns = self.values.shape[:2]
        each = f" for {len(self.output_names)} outputs" if self.values.ndim == 3 else ""
        rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
        return f"<ShapValues of the {self.scale}: {rows}, {n_columns} columns{each}>"


def shapley(
    trees: TreeSum,
    given: Table,
    rows: Rows,
    others: Rows | None = None,
    *,
    interactions: bool = False,
    n_threads: int = 1,
) -> ShapValues:
    """The values of rows in the columns of the trees; `given` are the same rows as users know them.

    With `others`, rows that stand for columns that are not known, else by training weight.
    """
    if others is None:
        base, values = trees.by_weight(rows, n_threads)
    else:
        base = trees.values(others, n_threads).mean(axis=0)
        values = trees.against(rows, others, n_threads)
    pairs = shared_to_pairs(trees, rows, values, n_threads) if interactions else None
    return gathered(trees, given, rows, (base, values, pairs))


def shared_to_pairs(trees: TreeSum, rows: Rows, values: Floats, threads: int) -> Floats:
    """(n_rows, n_columns, n_columns, n_outputs): on the diagonal what a column adds by itself."""
    pairs = trees.pairs(rows, threads)
    columns = np.arange(pairs.shape[1])
    pairs[:, columns, columns] = values - pairs.sum(axis=2)
    return pairs


def gathered(
    trees: TreeSum,
    given: Table,
    rows: Rows,
    found: tuple[Floats, Floats, Floats | None],
) -> ShapValues:
    """All that belongs to the values; one output has no axis of its own."""
    base, values, pairs = found
    base_values = np.tile(base, (len(values), 1))
    if trees.n_outputs == 1:
        base_values, values = base_values[:, 0], values[..., 0]
        pairs = None if pairs is None else pairs[..., 0]
    return ShapValues(
        values,
        base_values,
        np.asarray(given),
        numbers_of(rows),
        tuple(str(name) for name in trees.schema.names),
        trees.outputs,
        trees.scale,
        pairs,
    )


def numbers_of(rows: Rows) -> Floats:
    """(n_rows, n_columns): numbers as they are, levels by their place, NaN where unknown."""
    if isinstance(rows, np.ndarray):
        return rows.astype(np.float64)
    numbers = np.empty(rows.shape)
    for at, column in enumerate(rows.columns):
        if isinstance(column, NumericColumn):
            numbers[:, at] = column.values
        else:
            numbers[:, at] = np.where(column.codes < 0, np.nan, column.codes)
    return numbers
