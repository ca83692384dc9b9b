"""What every estimator shares: parameters declared once, and new rows read as in `fit`."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError, nearest
from treewright.models.cautions import warn_user
from treewright.models.threads import n_threads
from treewright.param import Param

ROWS_WORTH_THREADS = 10_000  # below this a prediction takes less time than threads need to wake


class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that takes tables of numbers, words and holes as they are."""

    params: ClassVar[tuple[Param, ...]] = ()

    # Parameters that every estimator has; the signatures set them.
    categorical_features: Any
    unseen: str
    n_jobs: int | None

    # Set by fit.
    schema_: Schema
    n_features_in_: int
    notes_: tuple[str, ...]
    target_name_: str | None  # of the column that is predicted; None where y had no name

    def _check_params(self) -> None:
        """Raise unless every parameter is allowed."""
        for param in self.params:
            param.check(getattr(self, param.name))

    def _take_on_columns(self, schema: Schema) -> None:
        """Know from now on which columns tables must have."""
        self.schema_ = schema
        self.n_features_in_ = schema.n_columns
        self.__dict__.pop("feature_names_in_", None)
        if schema.has_names:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _take_on(self, learned: Any) -> None:
        """Become fitted, attribute by attribute."""
        raise NotImplementedError

    def _become(self, learned: Any) -> None:
        """Become fitted in one step: an interrupt finds the whole of the old fit or of the new."""
        fresh = object.__new__(type(self))
        fresh.__dict__.update(self.__dict__)
        fresh._take_on(learned)
        self.__dict__ = fresh.__dict__

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has come to its end."""

    def _check_is_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )

    def _unseen_policy(self) -> str:
        """What a fitted model does with a level that training never met."""
        return self.unseen

    def _encoded(self, X: Any) -> NDArray[Any] | Table:
        """The rows of X as the model knows its columns; a fitting float array as it is."""
        self._check_is_fitted()
        schema = self.schema_
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind == "f"
            and X.itemsize in (4, 8)
            and X.dtype.isnative
            and X.shape[1] == self.n_features_in_
            and len(X)
            and schema.is_plain
        ):
            if schema.has_names:
                self._warn_of_names(has_names=False)
            return X
        table = table_from(X)
        if table.has_names != schema.has_names:
            self._warn_of_names(has_names=table.has_names)
        name = type(self).__name__
        schema.check_columns(table, model=name)
        if not isinstance(self.categorical_features, str | None):  # nominal by the user's word
            table = table_from(table, categorical_features=self.categorical_features)
        return schema.encode(table, self._unseen_policy(), model=name)  # type: ignore[arg-type]

    def _warn_of_names(self, *, has_names: bool) -> None:
        here, there = ("has", "without") if has_names else ("does not have valid", "with")
        warn_user(
            f"X {here} feature names, but {type(self).__name__} was fitted {there} feature names"
        )

    def _n_predict_threads(self, n_rows: int) -> int:
        if n_rows < ROWS_WORTH_THREADS:
            return 1
        return n_threads(self.n_jobs, worth_it=True)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; an unknown one is an error that names the nearest."""
        known = self._get_param_names()
        for name in params:
            if name not in known:
                raise ParameterError(
                    f"no parameter `{name}` in {type(self).__name__}",
                    hint=nearest(name, known, "parameters"),
                )
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags
