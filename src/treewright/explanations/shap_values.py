"""ShapValues: what each column of each row adds to a model's answer."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError, nearest
from treewright.optional import optional_module


@dataclass(frozen=True, slots=True, repr=False)
class ShapValues:
    """Shapley values of rows: the base value and the values of a row add up to its answer.

    A model with one number as its answer has arrays without the last axis, `n_outputs`.
    """

    values: Floats  # (n_rows, n_columns, n_outputs)
    base_values: Floats  # (n_rows, n_outputs): the answer when no column is known
    data: NDArray[Any]  # (n_rows, n_columns): the rows, as given
    codes: Floats  # (n_rows, n_columns): the rows as numbers, levels by their place
    feature_names: tuple[str, ...]
    output_names: tuple[Any, ...]
    scale: str  # what the numbers are: "probability", "prediction" ...
    interactions: Floats | None = None  # (n_rows, n_columns, n_columns, n_outputs)

    @property
    def answers(self) -> Floats:
        """(n_rows, n_outputs): what the model answers."""
        answers: Floats = self.base_values + self.values.sum(axis=1)
        return answers

    @property
    def mean_sizes(self) -> Floats:
        """(n_columns, n_outputs): the mean size of the values of each column."""
        sizes: Floats = np.abs(self.values).mean(axis=0)
        return sizes

    def of(self, output: Any) -> "ShapValues":
        """The values for one output alone, such as a class."""
        if self.values.ndim == 2:
            raise ParameterError(
                f"the model has one answer, its {self.scale}", hint="use the values as they are"
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

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        n_rows, n_columns = self.values.shape[:2]
        each = f" for {len(self.output_names)} outputs" if self.values.ndim == 3 else ""
        rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
        return f"<ShapValues of the {self.scale}: {rows}, {n_columns} columns{each}>"
