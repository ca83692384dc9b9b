"""Imputation of missing values, as a step of a pipeline."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.fill_statistics import Fill, fill_of, fills_by_class
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.target import ClassTarget, encode_classes
from treewright.data.weights import check_weights
from treewright.documents.printed import Printed
from treewright.errors import DataError, ParameterError
from treewright.estimators import params as shared
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.training import MANY_CLASSES, listed_columns, warn_user
from treewright.preprocessing.base import TableTransformer, as_in_training
from treewright.preprocessing.constant_fills import constant_fills
from treewright.preprocessing.fitted import MARK, FittedImputer
from treewright.worksheets.fill_sheet import FillColumn, FillRows, FillSheet


def is_fill(value: object) -> bool:
    """A value to fill with, or a dict from column to value."""
    return isinstance(value, Mapping | str | int | float | np.generic)


class Imputer(TableTransformer[FittedImputer]):
    """Replace missing values by estimates from the training rows.

    The result is a `Table` with the same columns and no missing values; `set_output` gives data
    frames. A column without any value stays as it is, with a warning.

    Attributes
    ----------
    fill_values_
        The value that replaces missing ones, by column.
    class_fill_values_
        With `by_class`: the same for each class, by column, then by class.
    indicators_
        Columns that have an indicator.

    Examples
    --------
    >>> import treewright as tw
    >>> people = {"age": [20.0, None, 70.0, 30.0], "town": ["Ulm", "Ulm", None, "Rom"]}
    >>> tw.Imputer(strategy="median").fit_transform(people)
    Table of 4 rows and 2 columns
      age  town
       20  Ulm
       30  Ulm
       70  Ulm
       30  Rom
    """

    state_type = FittedImputer

    strategy: str = param(
        "mean",
        'What to put in the place of missing values: "mean" and "median" fill numbers by these '
        "(infinities are left out of a mean), ordered categories by their median, other "
        'categories by the most frequent one. "mode" fills all by the most frequent value, the '
        'first in order if several are. "constant" uses `fill_value`.',
        choices=("mean", "median", "mode", "constant"),
    )
    fill_value: Any = param(
        None,
        'Value for strategy="constant": one for all columns that can hold it, or a dict from '
        "column to value (columns that it does not name keep their missing values). None uses 0 "
        'for numbers and "missing" for categories.',
        optional=True,
        accepts=is_fill,
        accepts_text="a number, a word, or a dict from column to value",
    )
    by_class: bool = param(
        False,
        "Whether training rows are filled by the values of the rows of their own class. New rows, "
        "whose class is not known, are filled by the values of all rows, and so are training rows "
        "of a class without any value. It acts in `fit_transform` alone, which pipelines call.",
    )
    add_indicator: bool = param(
        False,
        "Whether each column with missing values in `fit` gets an indicator column: 1 where the "
        "value is missing and 0 elsewhere.",
    )
    categorical_features: Any = shared.CATEGORICAL_FEATURES

    fill_values_: dict[str, Fill] = set_by_fit()
    class_fill_values_: dict[str, dict[Any, Fill]] = set_by_fit()
    indicators_: tuple[str, ...] = set_by_fit()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the value that replaces missing values in each column; `by_class` needs `y`.

        A row of weight 2 counts as two rows; a row of weight 0 is ignored.
        """
        self._find_fills(X, y, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The training rows without missing values; with `by_class`, filled by their own class."""
        table, target = self._find_fills(X, y, sample_weight)
        state = self.state_
        if target is None:
            columns = [state.filled(column) for column in table.columns]
        else:
            columns = [state.filled_by_class(column, target) for column in table.columns]
        return self._in_container(state.with_marks(table, columns), X)

    def _find_fills(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, ClassTarget | None]:
        self._check_settings()
        table = table_from(X, categorical_features=self.categorical_features)
        target = encode_classes(y, n_rows=table.n_rows) if self.by_class else None
        if target is not None and target.n_classes > max(MANY_CLASSES, table.n_rows / 10):
            warn_user(
                f"by_class: the target has {target.n_classes} classes in {table.n_rows} rows, "
                "so each class has very few rows"
            )
        weights = check_weights(sample_weight, table.n_rows)
        if weights is None:
            weights = np.ones(table.n_rows)
        fills = self._fills(table, weights)
        by_class = {} if target is None else self._fills_by_class(table, weights, target)
        counts = weights > 0
        with_missing = [c.name for c in table.columns if (np.asarray(c.is_missing) & counts).any()]
        indicators = tuple(with_missing) if self.add_indicator else ()
        check_marks(indicators, table)
        self._warn_of_unfilled([name for name in with_missing if name not in fills])
        self._state = FittedImputer(
            schema=Schema.of(table),
            fill_values=fills,
            class_fill_values=by_class,
            indicators=indicators,
        )
        return table, target

    def _warn_of_unfilled(self, names: list[str]) -> None:
        if names and self.strategy != "constant":
            warn_user(f"{listed_columns(names)} without any value cannot be filled")
        elif names and not isinstance(self.fill_value, Mapping):
            warn_user(
                f"{listed_columns(names)} cannot hold fill_value={self.fill_value!r}: missing "
                "values stay"
            )

    def _check_settings(self) -> None:
        self.check_params()
        if self.fill_value is not None and self.strategy != "constant":
            raise ParameterError(
                f'fill_value={self.fill_value!r} is for strategy="constant", '
                f'not for "{self.strategy}"',
                hint="leave one of them out",
            )
        if self.by_class and self.strategy == "constant":
            raise ParameterError("a constant is the same for every class", hint="by_class=False")

    def _fills(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Fill]:
        if self.strategy == "constant":
            return constant_fills(table, self.fill_value)
        found = {c.name: fill_of(c, weights, self.strategy) for c in table.columns}
        return {name: fill for name, fill in found.items() if fill is not None}

    def _fills_by_class(
        self, table: Table, weights: NDArray[np.float64], target: ClassTarget
    ) -> dict[str, dict[Any, Fill]]:
        labels = target.classes.tolist()
        found = {}
        for column in table.columns:
            fills = fills_by_class(column, weights, self.strategy, target.codes, len(labels))
            pairs = zip(labels, fills, strict=True)
            found[column.name] = {label: fill for label, fill in pairs if fill is not None}
        return found

    def transform(self, X: Any) -> Any:
        """The table without missing values; a frame if `set_output` says so."""
        state = self.state_
        given = self._columns_as_fitted(X, state)
        pairs = zip(given.columns, state.schema.columns, strict=True)
        aligned = [as_in_training(column, spec) for column, spec in pairs]
        table = Table(aligned, given.n_rows, has_names=given.has_names)
        whole = state.with_marks(table, [state.filled(column) for column in aligned])
        return self._in_container(whole, X)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        """What fills each column, computed from the training rows."""
        state = self.state_
        if X is None:
            raise ParameterError(
                "the worksheet needs the training rows", hint="give X of the fit, and y if it had"
            )
        table = self._columns_as_fitted(X, state)
        weights = check_weights(sample_weight, table.n_rows)
        counted = np.ones(table.n_rows) if weights is None else weights
        target = encode_classes(y, n_rows=table.n_rows) if self.by_class else None
        by_class = {} if target is None else self._fills_by_class(table, counted, target)
        found = self._fills(table, counted), by_class
        if found != (state.fill_values, state.class_fill_values):
            raise DataError(
                "these are not the training rows: they give other fill values",
                hint="give X, y and sample_weight of the fit",
            )
        columns = tuple(
            FillColumn(column, state.fill_values.get(column.name), by_class.get(column.name, {}))
            for column in table.columns
        )
        has_weights = bool((counted != 1).any())
        codes, classes = (None, ()) if target is None else (target.codes, target.classes.tolist())
        rows = FillRows(columns, counted, has_weights, codes, tuple(classes))
        return FillSheet(rows, self.strategy)

    def _names_out(self, names: tuple[str, ...]) -> tuple[str, ...]:
        new_name = dict(zip(self.schema_.names, names, strict=True))
        return (*names, *(new_name[name] + MARK for name in self.indicators_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = bool(self.by_class)
        return tags


def check_marks(indicators: tuple[str, ...], table: Table) -> None:
    """Raise if an indicator would have the name of a column."""
    taken = [name + MARK for name in indicators if name + MARK in table.names]
    if taken:
        raise DataError(
            f"an indicator would have the name `{taken[0]}` of another column",
            hint="rename that column, or use add_indicator=False",
        )
