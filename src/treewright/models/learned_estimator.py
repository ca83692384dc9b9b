"""What every model shares that is no tree: becoming fitted, files, pickles.

`fit` checks the parameters, reads the rows, learns, and only then changes the estimator: an
interrupted fit leaves it as it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.target import own_name
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.models.cautions import warn_of_useless_columns
from treewright.models.kept_in_bytes import KeptInBytes
from treewright.models.learned_kinds import Kind
from treewright.models.training import Target, TrainingRows, read_training_rows


@dataclass(frozen=True, slots=True)
class Learned:
    """All that `fit` learns: what a model file holds beside the parameters."""

    schema: Schema
    values: Mapping[str, Any] = field(default_factory=dict)  # by the name of the attribute
    classes: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    target_name: str | None = None


class LearnedEstimator(KeptInBytes):
    """A model of a table, other than a tree, with the scikit-learn interface."""

    # Attributes beside the common ones that a fit sets, and what a file may hold for them.
    learns: ClassVar[Mapping[str, Kind]] = {}

    def _take_on(self, learned: Learned) -> None:
        """Become fitted: nothing of the estimator changes before this."""
        self._take_on_columns(learned.schema)
        self.notes_ = learned.notes
        self.target_name_ = learned.target_name
        for name in ("classes_", "n_classes_", *self.learns):
            self.__dict__.pop(name, None)
        self.__dict__.update(learned.values)
        if learned.classes is not None:
            self.classes_ = learned.classes
            self.n_classes_ = len(learned.classes)

    def _learned(self) -> Learned:
        """What `_take_on` took on."""
        self._check_is_fitted()
        values = {name: self.__dict__[name] for name in self.learns}
        classes = self.__dict__.get("classes_")
        return Learned(self.schema_, values, classes, self.notes_, self.target_name_)

    def _check_learned(self) -> None:
        """Raise a `ModelFileError` unless what a file brought fits together."""

    def __sklearn_is_fitted__(self) -> bool:
        return "schema_" in self.__dict__

    def summary(self) -> str:
        """What was learnt, in a few lines."""
        self._check_is_fitted()
        return f"{type(self).__name__} of {self.n_features_in_} columns"

    def explain(self, row: Any) -> Printed:
        """How the answer for one row comes about."""
        raise ParameterError(
            f"{type(self).__name__} has no explanation of one row",
            hint="summary() tells what it learnt",
        )

    def _worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        """The calculation behind the fit, from the rows of the fit where they are needed."""
        raise ParameterError(
            f"{type(self).__name__} has no worksheet", hint="summary() tells what it learnt"
        )

    def _file_bytes(self) -> bytes:
        from treewright.models.learned_file import learned_bytes

        return learned_bytes(self)

    def _state_bytes(self) -> bytes:
        from treewright.models.learned_file import fitted_bytes

        return fitted_bytes(self)

    def _take_on_bytes(self, content: bytes) -> None:
        from treewright.models.learned_file import take_on_fitted_bytes

        take_on_fitted_bytes(self, content)


class LearnedPredictor(LearnedEstimator):
    """Such a model that predicts a target."""

    _encode_target: ClassVar[Callable[..., Target]]
    keeps_empty_classes: ClassVar[bool] = False  # whether a class of weight 0 stays a class

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Whole numbers are counts of equal rows; if any weight is not
            whole, only their ratios matter. A row of weight 0 counts as absent.
        """
        self._check_params()
        rows = self._training_rows(X, y, sample_weight)
        warn_of_useless_columns(rows.table)
        self._become(replace(self._learn(rows), target_name=own_name(y)))
        return self

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows that count, as the model learns from them."""
        rows = read_training_rows(
            X,
            y,
            sample_weight,
            encode=type(self)._encode_target,
            categorical_features=self.categorical_features,
        )
        return rows if self.keeps_empty_classes else rows.without_empty_classes()

    def _learn(self, rows: TrainingRows) -> Learned:
        """What these rows teach."""
        raise NotImplementedError


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, which nobody can change any more."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
