"""Models whose table is scaled or filled first, by what the training rows of a split say."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError, nearest
from treewright.models.table_estimator import TableEstimator

Transform = Callable[[Column], Column]
Learn = Callable[[Column, NDArray[np.float64]], Transform]  # from a column and row weights


def has_shares(prepared: "PreparedModel") -> bool:
    return hasattr(getattr(prepared, "fitted_", prepared.model), "predict_proba")


class PreparedModel(BaseEstimator):  # type: ignore[misc]
    """A model that sees its columns after a preparation learnt from the training rows."""

    def __init__(self, model: Any, preparation: str) -> None:
        self.model = model
        self.preparation = preparation

    @property
    def categorical_features(self) -> Any:
        return getattr(self.model, "categorical_features", None)

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

    def _prepared(self, X: Any) -> Any:
        table = table_from(X, categorical_features=self.categorical_features)
        columns = [
            transform(column)
            for transform, column in zip(self.transforms_, table.columns, strict=True)
        ]
        prepared = Table(columns, table.n_rows, has_names=table.has_names)
        return prepared if isinstance(self.model, TableEstimator) else prepared.to_pandas()

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.fitted_.predict(self._prepared(X)))

    @available_if(has_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.fitted_.predict_proba(self._prepared(X)))

    def get_n_leaves(self) -> float:
        """Leaves of the tree; NaN for a model that is none."""
        is_tree = isinstance(self.model, TableEstimator)
        return float(self.fitted_.get_n_leaves()) if is_tree else float("nan")

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()


def as_it_is(column: Column, weights: NDArray[np.float64]) -> Transform:
    """No preparation."""
    return lambda given: given


def to_unit_range(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Numbers moved and stretched so that the training rows lie between 0 and 1."""
    if not isinstance(column, NumericColumn):
        return lambda given: given
    values = np.asarray(column.values, dtype=np.float64)
    known = values[np.isfinite(values) & (weights > 0)]
    if not len(known):
        return lambda given: given
    low, high = float(known.min()), float(known.max())
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


def with_means_filled_in(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Missing numbers become the mean of the training rows, missing levels their mode."""
    if not isinstance(column, NumericColumn):
        return with_modes_filled_in(column, weights)
    values = np.asarray(column.values, dtype=np.float64)
    known = np.isfinite(values) & (weights > 0)
    if not known.any():
        return lambda given: given
    return with_number(float(np.average(values[known], weights=weights[known])))


def with_modes_filled_in(column: Column, weights: NDArray[np.float64]) -> Transform:
    """Whatever is missing becomes the most frequent value; of equal ones, the first in order."""
    known = ~np.asarray(column.is_missing) & (weights > 0)
    if not known.any():
        return lambda given: given
    if isinstance(column, NumericColumn):
        values, place = np.unique(column.values[known], return_inverse=True)
        return with_number(float(values[np.argmax(np.bincount(place, weights[known]))]))
    counts = np.bincount(column.codes[known], weights[known])
    return with_level(column.levels[int(np.argmax(counts))])


def with_number(number: float) -> Transform:
    def transform(column: Column) -> Column:
        assert isinstance(column, NumericColumn)
        values = np.asarray(column.values, dtype=np.float64)
        return replace(column, values=np.where(np.isnan(values), number, values))

    return transform


def with_level(level: Any) -> Transform:
    def transform(column: Column) -> Column:
        assert isinstance(column, NominalColumn)
        if level not in column.levels:
            column = replace(column, levels=(*column.levels, level))
        code = column.levels.index(level)
        codes = np.where(column.codes < 0, code, column.codes)
        return replace(column, codes=codes.astype(np.int32))

    return transform


PREPARATIONS: Mapping[str, Learn] = {
    "none": as_it_is,
    "unit": to_unit_range,
    "standard": to_standard,
    "mean": with_means_filled_in,
    "mode": with_modes_filled_in,
}


def preparation_named(name: str) -> Learn:
    if name not in PREPARATIONS:
        raise ParameterError(
            f"there is no preparation {name!r}",
            hint=nearest(str(name), PREPARATIONS, "preparations"),
        )
    return PREPARATIONS[name]
