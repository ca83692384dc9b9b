"""Numeric columns into intervals, as a step of a pipeline."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._set_output import _get_output_config

from treewright.data.column import Column, NumericColumn
from treewright.data.cut_points import (
    Floats,
    equal_frequency_cuts,
    equal_width_cuts,
    given_cuts,
    kmeans_cuts,
    mdl_cuts,
)
from treewright.data.intervals import IntervalTable, interval_column
from treewright.data.schema import Schema, fit_column
from treewright.data.sources import table_from
from treewright.data.sources.to_polars import polars_frame
from treewright.data.table import Table
from treewright.data.target import check_weights, encode_classes
from treewright.errors import ParameterError, UnknownColumnError
from treewright.param import Param

# Strategies that look at the values of a column alone.
BY_VALUES = {
    "equal_width": equal_width_cuts,
    "equal_frequency": equal_frequency_cuts,
    "kmeans": kmeans_cuts,
}


def _are_cut_points(value: object) -> bool:
    return isinstance(value, Mapping | Sequence | np.ndarray) and not isinstance(value, str | bytes)


class Discretizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut numeric columns into intervals; other columns pass as they are.

    The result is a `Table` of ordered nominal columns whose levels say where they were cut.
    Read as a NumPy array it holds the number of each interval; `set_output` gives data frames.

    Parameters
    ----------
    strategy
        "mdl" cuts where the classes change and the cut pays for its own description (Fayyad
        and Irani, 1993; needs `y`); "equal_width"; "equal_frequency"; "kmeans", half-way
        between the best clusters; "given" uses `cut_points`.
    n_bins
        Intervals per column, at most; "mdl" and "given" find their own number.
    cut_points
        For "given": a dict from column name or position to rising cuts (other columns pass),
        or one list of cuts for every numeric column.

    Attributes
    ----------
    cut_points_
        The cuts of each numeric column that was cut, by name.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> cutter = tw.Discretizer().fit(X, y)
    >>> cutter.cut_points_["petal width"].tolist()
    [0.8, 1.75]
    >>> cutter.transform(X)["petal width"].levels
    ('(-inf, 0.8]', '(0.8, 1.75]', '(1.75, inf)')
    """

    params: ClassVar[tuple[Param, ...]] = (
        Param(
            "strategy",
            str,
            "mdl",
            "where numeric columns are cut",
            choices=("mdl", "equal_width", "equal_frequency", "kmeans", "given"),
        ),
        Param("n_bins", int, 5, "most intervals of a column", low=2),
        Param(
            "cut_points",
            object,
            None,
            'cuts of each column, for strategy="given"',
            optional=True,
            accepts=_are_cut_points,
            accepts_text="a dict from column to rising cuts, or one list of cuts",
        ),
    )

    cut_points_: dict[str, Floats]
    schema_: Schema
    n_features_in_: int

    def __init__(self, *, strategy: str = "mdl", n_bins: int = 5, cut_points: Any = None) -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.cut_points = cut_points

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every numeric column."""
        for param in self.params:
            param.check(getattr(self, param.name))
        if (self.strategy == "given") != (self.cut_points is not None):
            raise ParameterError(
                f'strategy="{self.strategy}" and cut_points={self.cut_points!r} do not fit',
                hint='strategy="given" uses cut_points, the others find their own',
            )
        table = table_from(X)
        weights = check_weights(sample_weight, table.n_rows)
        cuts = self._cuts(table, y, weights)
        self.cut_points_ = cuts
        self.schema_ = Schema.of(table)
        self.n_features_in_ = table.n_columns
        self.__dict__.pop("feature_names_in_", None)
        if table.has_names:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        return self

    def _cuts(self, table: Table, y: Any, weights: Floats | None) -> dict[str, Floats]:
        numeric = [column for column in table.columns if isinstance(column, NumericColumn)]
        if self.strategy == "given":
            return self._given(table, numeric)
        if self.strategy == "mdl":
            codes = encode_classes(y, n_rows=table.n_rows).codes
            return {column.name: mdl_cuts(column.values, codes, weights) for column in numeric}
        cuts_of = BY_VALUES[self.strategy]
        return {column.name: cuts_of(column.values, weights, self.n_bins) for column in numeric}

    def _given(self, table: Table, numeric: list[NumericColumn]) -> dict[str, Floats]:
        if not isinstance(self.cut_points, Mapping):
            return {
                column.name: given_cuts(self.cut_points, column=column.name) for column in numeric
            }
        cuts = {}
        for key, of_column in self.cut_points.items():
            name = table.names[key] if isinstance(key, int) and key < table.n_columns else key
            if name not in table.names:
                raise UnknownColumnError.among(str(name), table.names, source="cut_points")
            if not isinstance(table[name], NumericColumn):
                raise ParameterError(f"cut_points names `{name}`, which is not a numeric column")
            cuts[name] = given_cuts(of_column, column=name)
        return cuts

    def transform(self, X: Any) -> Any:
        """The table with its numeric columns as intervals; a frame if `set_output` says so."""
        self._check_is_fitted()
        table = table_from(X)
        if table.has_names != self.schema_.has_names:
            self._warn_of_names(has_names=table.has_names)
        self.schema_.check_columns(table, model=type(self).__name__)
        columns: list[Column] = []
        for column, spec in zip(table.columns, self.schema_.columns, strict=True):
            cuts = self.cut_points_.get(spec.name)
            fitting = column if cuts is None else fit_column(column, spec, "missing", [])
            if cuts is None or not isinstance(fitting, NumericColumn):
                columns.append(column)
            else:
                columns.append(interval_column(fitting, cuts))
        return self._in_container(IntervalTable.of_columns(columns, like=table), X)

    def _in_container(self, table: Table, X: Any) -> Any:
        """The table, or the data frame that the user has asked for by `set_output`."""
        wanted = _get_output_config("transform", self)["dense"]
        if wanted == "pandas":
            frame = table.to_pandas()
            if hasattr(X, "iloc"):
                frame.index = X.index
            return frame
        return polars_frame(table) if wanted == "polars" else table

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns, which stay as they are."""
        self._check_is_fitted()
        names = self.schema_.names
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
        return np.array(names, dtype=object)

    def _check_is_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )

    def __sklearn_is_fitted__(self) -> bool:
        return "cut_points_" in self.__dict__

    def _warn_of_names(self, *, has_names: bool) -> None:
        here, there = ("has", "without") if has_names else ("does not have valid", "with")
        warnings.warn(
            f"X {here} feature names, but {type(self).__name__} was fitted {there} feature names",
            UserWarning,
            stacklevel=3,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.strategy == "mdl"
        tags.transformer_tags.preserves_dtype = []
        return tags
