"""The serializer: an estimator's name, its parameters and its fitted state become bytes.

Small states are readable JSON text; states with large arrays are stored in a container. Nothing in
a file is executed, and no file refers to another, so untrusted files can be opened safely. Reading
imports neither scikit-learn nor pandas.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol, Self

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ModelFileError, ParameterError
from treewright.persistence.container import container_bytes, is_container, read_container
from treewright.persistence.file_text import document, model_in
from treewright.persistence.params import (
    estimator_name,
    params_from_json,
    params_to_json,
    prediction_settings,
)
from treewright.persistence.values import Arrays
from treewright.registry import (
    CLASSIFICATION,
    ESTIMATORS,
    estimator_type,
    is_listed,
    state_type,
)


class State(Protocol):
    """A fitted state as a file sees it."""

    in_text_file: bool

    @property
    def classes(self) -> NDArray[Any] | None: ...

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """JSON values, and large arrays by name."""

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        """The state with these parts."""

    def predict(self, X: Any, settings: Any) -> NDArray[Any]: ...

    def predict_proba(self, X: Any, settings: Any) -> Floats: ...


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model as its file holds it: what was learned, and the parameters.

    It predicts the same as the estimator, but does not need scikit-learn. Only the parameters that
    predictions read are checked; `tw.load` checks them all.
    """

    model_name: str  # of the estimator
    state: Any = field(repr=False)  # all that `fit` learned: `state.classes`, `state.schema`, ...
    settings: Any = field(repr=False)  # the parameters as attributes
    params: Any = field(repr=False)  # the parameters as in the file, not checked

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row of X."""
        found: NDArray[Any] = self.state.predict(X, self.settings)
        return found

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, in the order of `state.classes`."""
        if self.state.classes is None:
            raise ParameterError(f"{self.model_name} predicts no classes", hint="use predict")
        found: Floats = self.state.predict_proba(X, self.settings)
        return found

    def as_estimator(self) -> Any:
        """The fitted estimator, which needs scikit-learn."""
        kind: Any = estimator_type(self.model_name)
        return kind.from_state(params_from_json(self.params, self.model_name), self.state)


def model_bytes(model: Any) -> bytes:
    """The content of a model file; the same for any number of threads."""
    kind = type(model)
    if not is_listed(kind):
        raise ModelFileError(
            f"a model file cannot hold a {kind.__module__}.{kind.__qualname__}",
            hint=f"it can hold {', '.join(ESTIMATORS)}",
        )
    return _bytes_of({"estimator": kind.__name__, "params": params_to_json(model)}, model.state_)


def state_bytes(state: State) -> bytes:
    """A fitted state without parameters, for pickles."""
    return _bytes_of({}, state)


def _bytes_of(head: dict[str, Any], state: State) -> bytes:
    entry, arrays = state.to_parts()
    if state.in_text_file:
        return document(head | entry)
    return container_bytes(head | entry, arrays)


def state_from_bytes(content: bytes, state_type: Any) -> Any:
    """The state that `state_bytes` wrote."""
    entry, arrays = parts_in(content)
    return state_type.from_parts(entry, arrays)


def parts_in(content: bytes) -> tuple[Any, Arrays]:
    """The JSON values and the arrays of a file of either format."""
    if not is_container(content):
        return model_in(content), {}
    found = read_container(content)
    return found.model, found.arrays


def saved_from_parts(data: Any, arrays: Arrays, *, is_text: bool) -> SavedModel:
    """The model that a file holds."""
    if type(data) is not dict:
        raise ModelFileError("model: not an object with keys")
    for key in ("estimator", "params"):
        if key not in data:
            raise ModelFileError(f"model: `{key}` is missing")
    name = estimator_name(data["estimator"])
    kind = state_type(name)
    if kind.in_text_file is not is_text:
        raise ModelFileError(f"model: {name} is not stored in a file of this format")
    values = prediction_settings(data["params"], kind.prediction_params)
    rest = {key: value for key, value in data.items() if key not in ("estimator", "params")}
    state = kind.from_parts(rest, arrays)
    if (state.classes is not None) != (ESTIMATORS[name].task == CLASSIFICATION):
        raise ModelFileError(f"model: {name} and what it learned predict different things")
    settings = SimpleNamespace(**values, model_name=name)
    state.check_settings(settings)
    return SavedModel(name, state, settings, data["params"])
