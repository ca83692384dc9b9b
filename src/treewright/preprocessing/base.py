"""The base of transformers from table to table."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils._set_output import _get_output_config

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import (
    ColumnSpec,
    all_missing,
    fit_numbers,
    levels_from_numbers,
    raise_level_type,
)
from treewright.data.sources import table_from
from treewright.data.sources.from_arrow import polars_frame
from treewright.data.table import Table
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.estimators.base import Model
from treewright.estimators.fitted import Fitted, warn_of_names

State = TypeVar("State", bound=Fitted)


class TableTransformer(TransformerMixin, Model[State]):  # type: ignore[misc]
    """A step of a pipeline that turns a table of any kind into a `Table`."""

    def _columns_as_fitted(self, X: Any, state: State) -> Table:
        """X as a table with the columns of the fit."""
        schema = state.schema
        table = table_from(X, categorical_features=getattr(self, "categorical_features", None))
        if table.has_names != schema.has_names:
            warn_of_names(type(self).__name__, has_names=table.has_names)
        schema.check_columns(table, model=type(self).__name__)
        return table

    def _in_container(self, table: Table, X: Any) -> Any:
        """The table, or the data frame chosen by `set_output`."""
        wanted = _get_output_config("transform", self)["dense"]
        if wanted == "pandas":
            frame = table.to_pandas()
            if hasattr(X, "iloc"):
                frame.index = X.index
            return frame
        return polars_frame(table) if wanted == "polars" else table

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns that `transform` returns."""
        names = self.state_.schema.names
        if input_features is not None:
            given = tuple(input_features)
            if len(given) != len(names):
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({len(names)}), got {len(given)}"
                )
            if self.schema_.has_names and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        return np.array(self._names_out(names), dtype=object)

    def _names_out(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the transformed columns."""
        return names

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        """The calculation behind the fit, from the training rows."""
        raise ParameterError(
            f"{type(self).__name__} has no worksheet", hint="its attributes show what it learned"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def as_in_training(column: Column, spec: ColumnSpec) -> Column:
    """A column as numbers or categories, as in training; new categories stay."""
    if isinstance(column, NominalColumn) and not column.levels:
        return all_missing(spec, len(column))
    if spec.is_numeric:
        return fit_numbers(column, spec)
    if isinstance(column, NumericColumn):
        column = levels_from_numbers(column, spec)
    if spec.levels and column.levels and column.level_type != spec.level_type:
        raise_level_type(column, spec)
    return column if column.name == spec.name else column.renamed(spec.name)
