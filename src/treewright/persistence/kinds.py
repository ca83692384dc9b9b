"""What may stand in a model file for an attribute that a fit learns."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.persistence.values import value_from_json, value_to_json
from treewright.tree.as_json import tree_from_json, tree_to_json
from treewright.tree.tree import Tree


def _read_plain(value: Any) -> Any:
    return value_from_json(value, "learned")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: how to know one, and how a file holds it."""

    words: str
    is_one: Callable[[Any], bool]
    is_array: bool = False  # arrays lie in the file as they do in memory
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
    """A value of a kind, or None. Of arrays, None is an attribute that the file leaves out."""

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


def _is_words(value: Any) -> bool:
    return type(value) is tuple and all(type(word) is str for word in value)


def _as_words(value: Any) -> Any:
    return tuple(value) if type(value) is list else value


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
WORDS = Kind("texts", _is_words, from_json=_as_words)
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
