"""The serializer: an estimator's name, its parameters and its fitted state become bytes.

Small states are readable JSON text; states with large arrays are stored in a container. Nothing in
a file is executed, and no file refers to another, so untrusted files can be opened safely.
"""

from typing import Any, Protocol, Self

from treewright.errors import ModelFileError
from treewright.persistence.container import container_bytes, is_container, read_container
from treewright.persistence.file_text import document, model_in
from treewright.persistence.values import Arrays, estimator_named, params_from_json, params_to_json
from treewright.registry import ESTIMATORS, is_listed


class State(Protocol):
    """A fitted state as a file sees it."""

    in_text_file: bool

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """JSON values, and large arrays by name."""

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        """The state with these parts."""


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


def model_from_parts(data: Any, arrays: Arrays, *, is_text: bool) -> Any:
    """The fitted estimator in a file."""
    if type(data) is not dict:
        raise ModelFileError("model: not an object with keys")
    for key in ("estimator", "params"):
        if key not in data:
            raise ModelFileError(f"model: `{key}` is missing")
    kind = estimator_named(data["estimator"])
    if kind.state_type.in_text_file is not is_text:
        raise ModelFileError(f"model: {kind.__name__} is not stored in a file of this format")
    params = params_from_json(data["params"], kind)
    rest = {key: value for key, value in data.items() if key not in ("estimator", "params")}
    return kind.from_state(params, kind.state_type.from_parts(rest, arrays))
