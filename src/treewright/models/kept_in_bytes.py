"""Estimators whose fitted state is the bytes of a container: files, pickles, notebooks."""

import os
from abc import abstractmethod
from collections.abc import Collection
from html import escape
from typing import Any, ClassVar

from treewright.atomic_file import write_file
from treewright.models.table_estimator import TableEstimator

SET_BY_FIT = (
    "schema_",
    "n_features_in_",
    "feature_names_in_",
    "notes_",
    "classes_",
    "n_classes_",
    "target_name_",
)
IN_PICKLES = "_fitted_bytes"  # the key of the fitted state


class KeptInBytes(TableEstimator):
    """An estimator that is saved and pickled as the bytes of a model file."""

    # Attributes beside the common ones that a fit sets.
    learns: ClassVar[Collection[str]] = ()

    @abstractmethod
    def _file_bytes(self) -> bytes:
        """The content of the model's file."""

    @abstractmethod
    def _state_bytes(self) -> bytes:
        """What a fit learnt alone, without the parameters."""

    @abstractmethod
    def _take_on_bytes(self, content: bytes) -> None:
        """Become fitted as the model was that gave these `_state_bytes`."""

    @abstractmethod
    def summary(self) -> str:
        """What was learnt, in a few lines."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `treewright.load` reads."""
        write_file(path, self._file_bytes())

    def _html_repr(self) -> str:
        """What a notebook shows, unless scikit-learn is set to show text."""
        diagram: str = super()._html_repr()
        if not self.__sklearn_is_fitted__():
            return diagram
        return f"{diagram}<pre>{escape(self.summary())}</pre>"

    def __getstate__(self) -> dict[str, Any]:
        """Parameters as they are, the fitted state as the bytes of a model file."""
        state = dict(self.__dict__)
        if self.__sklearn_is_fitted__():
            content = self._state_bytes()
            for name in (*SET_BY_FIT, *self.learns):
                state.pop(name, None)
            state[IN_PICKLES] = content
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        content = state.pop(IN_PICKLES, None)
        self.__dict__.update(state)
        if content is not None:
            self._take_on_bytes(content)
