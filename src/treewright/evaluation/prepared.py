"""Models whose table is scaled or filled first, by what the training rows of a split say."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError

Transform = Callable[[Column], Column]
Learn = Callable[[Column, NDArray[np.float64]], Transform]  # from a column and row weights


class PreparedModel(BaseEstimator):  # type: ignore[misc]
    """A tree that sees its columns after a preparation learnt from the training rows."""

    def __init__(self, model: Any, preparation: str) -> None:
        self.model = model
        self.preparation = preparation

    @property
    def categorical_features(self) -> Any:
        return self.model.categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PreparedModel":
        table = table_from(X, categorical_features=self.categorical_features)
        learn = preparation_named(self.preparation)
        weights = np.ones(table.n_rows) if sample_weight is None else np.asarray(sample_weight)
        self.transforms_ = [learn(column, weights) for column in table.columns]
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.fitted_ = clone(self.model).fit(self._prepared(table), y, **given)
        if hasattr(self.fitted_, "classes_"):
            self.classes_ = self.fitted_.classes_
        return self

    def _prepared(self, X: Any) -> Table:
        table = table_from(X, categorical_features=self.categorical_features)
        columns = [
            transform(column)
            for transform, column in zip(self.transforms_, table.columns, strict=True)
        ]
        return Table(columns, table.n_rows, has_names=table.has_names)

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.fitted_.predict(self._prepared(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.fitted_.predict_proba(self._prepared(X)))

    def get_n_leaves(self) -> int:
        return int(self.fitted_.get_n_leaves())

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()


def as_it_is(column: Column, weights: NDArray[np.float64]) -> Transform:
    """No preparation."""
    return lambda given: given


def to_unit_range(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Numbers moved and stretched so that the training rows lie between 0 and 1."""
    if not isinstance(column, NumericColumn):
        return lambda given: given
    known = known_values(column)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return shifted(low, high - low)


def to_standard(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Numbers less their mean, divided by their standard deviation."""
    if not isinstance(column, NumericColumn):
        return lambda given: given
    values = np.asarray(column.values, dtype=np.float64)
    is_known = np.isfinite(values) & (weights > 0)
    if not is_known.any():
        return lambda given: given
    mean = float(np.average(values[is_known], weights=weights[is_known]))
    spread = np.average((values[is_known] - mean) ** 2, weights=weights[is_known])
    return shifted(mean, float(np.sqrt(spread)))


def shifted(less: float, divided_by: float) -> Transform:
    scale = divided_by if divided_by > 0 else 1.0

    def transform(column: Column) -> Column:
        assert isinstance(column, NumericColumn)
        values = np.asarray(column.values, dtype=np.float64)
        return replace(column, values=(values - less) / scale)

    return transform


def with_holes_filled(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Missing numbers become the mean of the training rows, missing levels their mode."""
    if isinstance(column, NumericColumn):
        values = np.asarray(column.values, dtype=np.float64)
        known = ~np.isnan(values) & (weights > 0)
        mean = float(np.average(values[known], weights=weights[known])) if known.any() else 0.0

        def fill_numbers(given: Column) -> Column:
            assert isinstance(given, NumericColumn)
            numbers = np.asarray(given.values, dtype=np.float64)
            return replace(given, values=np.where(np.isnan(numbers), mean, numbers))

        return fill_numbers
    known = column.codes >= 0
    if not known.any():
        return lambda given: given
    counts = np.bincount(column.codes[known], weights[known])
    mode = column.levels[int(np.argmax(counts))]

    def fill_levels(given: Column) -> Column:
        assert isinstance(given, NominalColumn)
        if mode not in given.levels:
            return given
        code = given.levels.index(mode)
        return replace(given, codes=np.where(given.codes < 0, code, given.codes).astype(np.int32))

    return fill_levels


def known_values(column: NumericColumn) -> NDArray[np.float64]:
    values = np.asarray(column.values, dtype=np.float64)
    return values[np.isfinite(values)]


PREPARATIONS: Mapping[str, Learn] = {
    "none": as_it_is,
    "unit": to_unit_range,
    "standard": to_standard,
    "filled": with_holes_filled,
}


def preparation_named(name: str) -> Learn:
    if name not in PREPARATIONS:
        raise ParameterError(
            f"preparation {name!r} is not known", hint=f"use one of {', '.join(PREPARATIONS)}"
        )
    return PREPARATIONS[name]
