"""Numeric columns into intervals, as a step of a pipeline."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import Column, NumericColumn
from treewright.data.cut_points import (
    IntervalTable,
    equal_frequency_cuts,
    equal_width_cuts,
    given_cuts,
    interval_column,
    kmeans_cuts,
)
from treewright.data.mdl import mdl_cuts
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.target import encode_classes
from treewright.data.weights import check_weights
from treewright.documents.printed import Printed
from treewright.errors import DataError, ParameterError, UnknownColumnError, nearest
from treewright.estimators import params as shared
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.training import columns_without_a_value, listed_columns, warn_user
from treewright.plain_text import plain
from treewright.preprocessing.base import TableTransformer, as_in_training
from treewright.preprocessing.fitted import FittedCuts
from treewright.worksheets.cut_sheet import CutColumn, CutRows, CutSheet

# Strategies that use only the values of a column.
BY_VALUES = {
    "equal_width": equal_width_cuts,
    "equal_frequency": equal_frequency_cuts,
    "kmeans": kmeans_cuts,
}


def are_cut_points(value: object) -> bool:
    """A dict from column to cuts, or a list of cuts."""
    return isinstance(value, Mapping | Sequence | np.ndarray) and not isinstance(value, str | bytes)


class Discretizer(TableTransformer[FittedCuts]):
    """Cut numeric columns into intervals; other columns pass as they are.

    The result is a `Table` of ordered nominal columns whose levels say where they were cut.
    Read as a NumPy array it holds the number of each interval; `set_output` gives data frames.

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

    state_type = FittedCuts
    strategy: str = param(
        "mdl",
        'Where to cut numeric columns: "mdl" cuts where the classes change and the cut pays for '
        'its own description (Fayyad and Irani, 1993; needs `y`); "equal_width"; '
        '"equal_frequency"; "kmeans", half-way between the best clusters; "given" uses '
        "`cut_points`.",
        choices=("mdl", "equal_width", "equal_frequency", "kmeans", "given"),
    )
    n_bins: int = shared.N_BINS.but(
        help='Maximum number of intervals per column; "mdl" and "given" find their own number.'
    )
    cut_points: Any = param(
        None,
        'Cut points for strategy="given": a dict from column name or position to rising cuts '
        "(other columns pass), or one list of cuts for every numeric column.",
        optional=True,
        accepts=are_cut_points,
        accepts_text="a dict from column to rising cuts, or one list of cuts",
    )

    cut_points_: dict[str, Floats] = set_by_fit()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every numeric column."""
        self.check_params()
        if self.strategy == "given" and self.cut_points is None:
            raise ParameterError(
                'strategy="given" needs cut_points=', hint="the other strategies find their own"
            )
        if self.strategy != "given" and self.cut_points is not None:
            raise ParameterError(
                f'strategy="{self.strategy}" finds its own cuts, but there are cut_points=',
                hint='strategy="given" uses them',
            )
        table = table_from(X)
        weights = check_weights(sample_weight, table.n_rows)
        cuts = self._cuts(table, y, weights)
        empty = columns_without_a_value(table)
        if empty:
            warn_user(f"{listed_columns(empty)} without any value cannot be cut")
        schema = Schema.of(table).with_cuts(cuts, table)
        self._state = FittedCuts(schema=schema, cut_points=cuts)
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
                raise UnknownColumnError(
                    f"cut_points names `{name}`, which is not a column of the table",
                    hint=nearest(str(name), table.names, "columns"),
                )
            if not isinstance(table[name], NumericColumn):
                raise ParameterError(f"cut_points names `{name}`, which is not a numeric column")
            cuts[name] = given_cuts(of_column, column=name)
        return cuts

    def transform(self, X: Any) -> Any:
        """The table with its numeric columns as intervals; a frame if `set_output` says so."""
        state = self.state_
        table = self._columns_as_fitted(X, state)
        columns: list[Column] = []
        for given, spec in zip(table.columns, state.schema.columns, strict=True):
            cuts = state.cut_points.get(spec.name)
            column = as_in_training(given, spec)
            if cuts is None or not isinstance(column, NumericColumn):
                columns.append(column)
            else:
                columns.append(interval_column(column, cuts, spec.printed))
        return self._in_container(IntervalTable.of_columns(columns, like=table), X)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        """How the cuts were found, from the training rows."""
        if X is None:
            raise ParameterError(
                "the worksheet needs the training rows", hint="give X and y of the fit"
            )
        table = self._columns_as_fitted(X, self.state_)
        target = None
        if y is not None:
            target = encode_classes(y, n_rows=table.n_rows)
        elif self.strategy == "mdl":
            raise ParameterError(
                "the worksheet of MDL needs rows and classes", hint="give X and y of the fit"
            )
        weights = check_weights(sample_weight, table.n_rows)
        if not same_cuts(self._cuts(table, y, weights), self.cut_points_):
            raise DataError(
                "these are not the training rows", hint="give X, y and sample_weight of the fit"
            )
        columns = [
            CutColumn(column, self.cut_points_[column.name], spec.printed)
            for column, spec in zip(table.columns, self.schema_.columns, strict=True)
            if isinstance(column, NumericColumn) and column.name in self.cut_points_
        ]
        rows = CutRows(
            columns,
            weights,
            None if target is None else target.codes,
            () if target is None else tuple(plain(str(one)) for one in target.classes.tolist()),
        )
        return CutSheet(rows, self.strategy, self.n_bins)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "mdl"
        return tags


def same_cuts(ones: Mapping[str, Floats], others: Mapping[str, Floats]) -> bool:
    """Whether the same columns have the same cuts."""
    return ones.keys() == others.keys() and all(
        np.array_equal(cuts, others[name]) for name, cuts in ones.items()
    )
