"""Models whose table is scaled or imputed first, as learned from the training rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from treewright.data.column import Column, NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError, nearest
from treewright.estimators.base import Model
from treewright.preprocessing.imputer import Imputer

Transform = Callable[[Column], Column]
Learn = Callable[[Column, NDArray[np.float64]], Transform]  # from a column and row weights


class Preparation(Protocol):
    """A preprocessing step: learned from training rows, then applied to all."""

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any: ...

    def transform(self, X: Any) -> Any: ...


class ByColumn:
    """A preparation that looks at each column alone."""

    def __init__(self, learn: Learn) -> None:
        self.learn = learn

    def fit_transform(self, X: Table, y: Any = None, sample_weight: Any = None) -> Table:
        weights = np.ones(X.n_rows) if sample_weight is None else np.asarray(sample_weight)
        self.transforms = [self.learn(column, weights) for column in X.columns]
        return self.transform(X)

    def transform(self, X: Table) -> Table:
        columns = [
            transform(column) for transform, column in zip(self.transforms, X.columns, strict=True)
        ]
        return Table(columns, X.n_rows, has_names=X.has_names)


def has_shares(prepared: "PreparedModel") -> bool:
    return hasattr(getattr(prepared, "fitted_", prepared.model), "predict_proba")


class PreparedModel(BaseEstimator):  # type: ignore[misc]
    """A model with a preprocessing step that is learned from the training rows."""

    def __init__(self, model: Any, preparation: str) -> None:
        self.model = model
        self.preparation = preparation

    @property
    def categorical_features(self) -> Any:
        return getattr(self.model, "categorical_features", None)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PreparedModel":
        table = self._read(X)
        self.preparation_ = preparation_named(self.preparation)()
        prepared = self.preparation_.fit_transform(table, y, sample_weight)
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.fitted_ = clone(self.model).fit(self._for_model(prepared), y, **given)
        if hasattr(self.fitted_, "classes_"):
            self.classes_ = self.fitted_.classes_
        return self

    def _read(self, X: Any) -> Table:
        return table_from(X, categorical_features=self.categorical_features)

    def _prepared(self, X: Any) -> Any:
        return self._for_model(self.preparation_.transform(self._read(X)))

    def _for_model(self, prepared: Any) -> Any:
        """A table as the model takes it."""
        table = table_from(prepared)
        return table if isinstance(self.model, Model) else table.to_pandas()

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.fitted_.predict(self._prepared(X)))

    @available_if(has_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.fitted_.predict_proba(self._prepared(X)))

    def get_n_leaves(self) -> float:
        """Leaves of the tree; NaN for a model that is none."""
        is_tree = isinstance(self.model, Model) and hasattr(self.model, "get_n_leaves")
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


# How missing values are filled: from all training rows, or from those of the same class.
FILLINGS = ("mean", "median", "mode", "class mean", "class median", "class mode")


def with_holes_filled(filling: str) -> Preparation:
    """Impute by an `Imputer`: "class mean" fills training rows from their class."""
    preparation: Preparation = Imputer(
        strategy=filling.removeprefix("class "), by_class=filling.startswith("class ")
    )
    return preparation


PREPARATIONS: Mapping[str, Callable[[], Preparation]] = {
    "none": partial(ByColumn, as_it_is),
    "unit": partial(ByColumn, to_unit_range),
    "standard": partial(ByColumn, to_standard),
    **{filling: partial(with_holes_filled, filling) for filling in FILLINGS},
}


def preparation_named(name: str) -> Callable[[], Preparation]:
    if name not in PREPARATIONS:
        raise ParameterError(
            f"there is no preparation {name!r}",
            hint=nearest(str(name), PREPARATIONS, "preparations"),
        )
    return PREPARATIONS[name]
