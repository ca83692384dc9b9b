"""Class labels, notes and learned values of a model file, as JSON and back.

Reading is strict: every type is checked, and only values that could have been written are read.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.persistence.params import value_from_json, value_to_json
from treewright.tree.as_json import tree_from_json, tree_to_json
from treewright.tree.tree import Tree

LABEL_TYPES: dict[str, tuple[type, ...]] = {  # what labels of each type are in Python
    "str": (str,),
    "object": (str,),
    "bool": (bool,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (float,) for bits in (16, 32, 64)},
}


def notes_from_json(notes: object) -> tuple[str, ...]:
    """Notes on how the data was prepared."""
    if type(notes) is not list or not all(type(note) is str for note in notes):
        raise ModelFileError("model: `notes` is not a list of strings")
    return tuple(notes)


def target_from_json(name: object) -> str | None:
    """The name of the column that is predicted, if it has one."""
    if name is not None and type(name) is not str:
        raise ModelFileError("model: `target` is not a name")
    return name


def class_type(classes: NDArray[Any]) -> str:
    """The NumPy name of the type of class labels, without the length of strings."""
    return "str" if classes.dtype.kind in "UT" else classes.dtype.name


def classes_of(classes: tuple[Any, ...] | None, name: object) -> NDArray[Any] | None:
    """The class labels in the type that they had in training."""
    if classes is None and name is None:
        return None
    if type(name) is not str or name not in LABEL_TYPES or classes is None:
        raise ModelFileError(f"model: `class_type` is {name!r}")
    labels = list(classes)
    if not all(type(label) in LABEL_TYPES[name] for label in labels):
        raise ModelFileError(f"model: the classes are not of type {name}")
    try:
        typed = np.array(labels, dtype=name)
    except (OverflowError, ValueError):
        typed = np.zeros(0)
    if typed.tolist() != labels:
        raise ModelFileError(f"model: a class does not fit into {name}")
    return typed


def _read_plain(value: Any) -> Any:
    return value_from_json(value, "learned")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: how to recognize one, and how a file stores it."""

    words: str
    is_one: Callable[[Any], bool]
    is_array: bool = False  # stored as raw arrays
    to_json: Callable[[Any], Any] = value_to_json
    from_json: Callable[[Any], Any] = _read_plain


def word_of(*choices: str) -> Kind:
    """One of some words."""
    return Kind(
        f"one of {', '.join(choices)}", lambda value: type(value) is str and value in choices
    )


def floats(n_axes: int, *, finite: bool = True) -> Kind:
    """An array of doubles."""

    def is_one(value: Any) -> bool:
        fits = _is_array(value, n_axes) and value.dtype == np.float64
        return fits and (not finite or bool(np.isfinite(value).all()))

    return Kind(f"{'finite ' if finite else ''}numbers with {n_axes} axes", is_one, is_array=True)


def ints(n_axes: int, dtype: str = "int64") -> Kind:
    """An array of whole numbers of one type."""
    return Kind(
        f"{dtype} with {n_axes} axes",
        lambda value: _is_array(value, n_axes) and value.dtype == np.dtype(dtype),
        is_array=True,
    )


def optional(kind: Kind) -> Kind:
    """A value of a kind, or None. An array that is None is left out of the file."""

    def to_json(value: Any) -> Any:
        return None if value is None else kind.to_json(value)

    def from_json(value: Any) -> Any:
        return None if value is None else kind.from_json(value)

    return Kind(
        f"{kind.words}, or nothing",
        lambda value: value is None or kind.is_one(value),
        kind.is_array,
        to_json,
        from_json,
    )


def _is_array(value: Any, n_axes: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == n_axes


def _is_values(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_values(one) for one in value)
    return value is None or type(value) in (bool, int, float, str)


def _as_tuples(value: Any) -> Any:
    if type(value) is list:
        return tuple(_as_tuples(one) for one in value)
    return _read_plain(value)


WHOLE = Kind("a whole number, not negative", lambda value: type(value) is int and value >= 0)
NUMBER = Kind("a finite number", lambda value: type(value) is float and math.isfinite(value))
FLAG = Kind("true or false", lambda value: type(value) is bool)
WORD = Kind("a text", lambda value: type(value) is str)
WORDS = Kind(
    "texts",
    lambda value: type(value) is tuple and all(type(word) is str for word in value),
    from_json=lambda value: tuple(value) if type(value) is list else value,
)
VALUES = Kind(
    "tuples of texts, numbers and nothing",
    lambda value: type(value) is tuple and _is_values(value),
    from_json=_as_tuples,
)
TREE = Kind(
    "a tree",
    lambda value: isinstance(value, Tree),
    to_json=tree_to_json,
    from_json=tree_from_json,
)

Arrays = dict[str, NDArray[Any]]
