"""One base for every estimator: check the parameters, read the rows, learn, replace the state.

    fit(X, y, sample_weight)
        the parameters are checked
        X, y and the weights become `TrainingRows`
        `learn(rows)` returns the frozen state        <- what an estimator supplies
        the state is replaced by one assignment

An interrupted fit leaves the estimator as it was. A prediction reads `state_` once, so a refit in
another thread never mixes two fits.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self, dataclass_transform

from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from treewright.data.scan import Scan
from treewright.data.target import own_name
from treewright.errors import DataTypeError, ModelFileError, ParameterError, nearest
from treewright.estimators.declaration import declare_params, leading_param, set_by_fit
from treewright.estimators.reading import OtherModel as OtherModel
from treewright.estimators.reading import Readable, State
from treewright.estimators.training import (
    Target,
    TrainingRows,
    read_training_rows,
    warn_of_raw_dates,
    warn_of_useless_columns,
)
from treewright.files import write_file
from treewright.param import Param
from treewright.persistence.model_file import model_bytes, state_bytes, state_from_bytes
from treewright.result import text_html

IN_PICKLES = "_state_bytes"  # the key of the fitted state
IN_OLD_PICKLES = ("_fitted_text", "_fitted_bytes")


@dataclass_transform(
    kw_only_default=True,
    eq_default=False,
    # Not `param`: of a field specifier, type checkers see only a default given by keyword.
    field_specifiers=(leading_param, set_by_fit),
)
class Model(Readable[State], BaseEstimator):  # type: ignore[misc]
    """A model of a table, with the scikit-learn interface."""

    params: ClassVar[tuple[Param, ...]] = ()  # written by `declare_params`
    encode_target: ClassVar[Callable[..., Target]]
    keeps_empty_classes: ClassVar[bool] = False  # whether a class of weight 0 stays a class
    takes_scans: ClassVar[bool] = False  # whether it learns from rows that come in blocks

    n_features_in_: int  # set by fit, which replaces the state as a whole

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare_params(cls)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Integer weights count identical rows; if any weight is not an
            integer, only their ratios matter. A row of weight 0 is ignored.
        """
        rows = self.rows_to_fit(X, y, sample_weight)
        return self.fitted_to(rows, self.learn(rows), y)

    def fit_with(
        self,
        learn: Callable[[TrainingRows], State],
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """As `fit`, with what `learn` learns of the rows."""
        rows = self.rows_to_fit(X, y, sample_weight)
        return self.fitted_to(rows, learn(rows), y)

    def rows_to_fit(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows, after a check of the parameters."""
        self.check_params()
        rows = self.training_rows(X, y, sample_weight)
        warn_of_useless_columns(rows.table)
        return rows

    def fitted_to(self, rows: TrainingRows, state: State, y: Any) -> Self:
        """The estimator with the state that was learned."""
        self._state = replace(state, target_name=rows.target_name or own_name(y))
        warn_of_raw_dates(self)
        return self

    @classmethod
    def param_named(cls, name: str) -> Param:
        """The declaration of a parameter."""
        return next(param for param in cls.params if param.name == name)

    def check_params(self) -> None:
        """Raise unless every parameter is allowed."""
        for param in self.params:
            param.check(getattr(self, param.name))

    def training_rows(self, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
        """The rows of the fit, with the weights from the parameters of the model."""
        return self.weighted_rows(self._read_rows(X, y, sample_weight))

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows given to `fit`, without those of weight 0."""
        if isinstance(X, Scan) and not self.takes_scans:
            raise DataTypeError(
                f"{type(self).__name__} cannot be trained from a scan",
                hint="read the rows into memory: fit(*scan.read())",
            )
        return read_training_rows(
            X,
            y,
            sample_weight,
            encode=type(self).encode_target,
            categorical_features=self.categorical_features,
        )

    def weighted_rows(self, rows: TrainingRows) -> TrainingRows:
        """The rows with the weights from the estimator's own parameters."""
        return rows if self.keeps_empty_classes else rows.without_empty_classes()

    def learn(self, rows: TrainingRows) -> State:
        """The fitted state for these rows."""
        raise NotImplementedError

    @property
    def state_(self) -> State:
        """All that `fit` learned, as one frozen value."""
        state: State | None = self.__dict__.get("_state")
        if state is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return state

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: State) -> Self:
        """A fitted estimator with these parameters."""
        model = cls(**params)
        model._state = state
        return model

    def with_state(self, state: State) -> Self:
        """A copy of the estimator that is fitted to another state."""
        copy: Self = clone(self)
        copy._state = state
        return copy

    def name_target(self, name: str | None) -> Self:
        """Set the name of the predicted column, if `y` has no name."""
        self._state = replace(self.state_, target_name=name)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name[-1] == "_" and name[:-1] in self.state_type.__dataclass_fields__:
            raise AttributeError(
                f"`{name}` is learned by fit and cannot be set; "
                "with_state() makes a model with another state"
            )
        super().__setattr__(name, value)

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in self.__dict__

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `treewright.load` reads."""
        write_file(path, model_bytes(self))

    def _html_repr(self) -> str:
        """The output of a notebook, unless scikit-learn is set to show text."""
        diagram: str = super()._html_repr()
        return diagram + self._fitted_html() if self.__sklearn_is_fitted__() else diagram

    def _fitted_html(self) -> str:
        """The output of a notebook below the diagram of scikit-learn."""
        return text_html(self.summary())

    def summary(self) -> str:
        """A short description of the fitted model."""
        return f"{type(self).__name__} of {self.state_.n_features_in} columns"

    def __getstate__(self) -> dict[str, Any]:
        """Parameters as they are, the fitted state as the bytes of a model file."""
        own = dict(self.__dict__)
        state = own.pop("_state", None)
        if state is not None:
            own[IN_PICKLES] = state_bytes(state)
        return own

    def __setstate__(self, own: dict[str, Any]) -> None:
        if any(key in own for key in IN_OLD_PICKLES):
            raise ModelFileError(
                f"this pickle of a {type(self).__name__} is from an older version of treewright",
                hint="load the model in that version, write it with save() and use treewright.load",
            )
        own = dict(own)
        content = own.pop(IN_PICKLES, None)
        self.__dict__.update(own)
        if content is not None:
            self._state = state_from_bytes(content, self.state_type)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags
