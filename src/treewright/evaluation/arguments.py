"""Arguments that several functions take, checked in one way."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from treewright.errors import ParameterError


def several(values: Any, name: str, example: str) -> tuple[Any, ...]:
    """The values of an argument that takes at least one; a word alone is none of them.

    >>> several([1, 2], "values", "[6, 3, 2]")
    (1, 2)
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(
            f"{name}={values!r} is not a list of values", hint=f"use {name}={example}"
        )
    found = tuple(values)
    if not found:
        raise ParameterError(f"{name} has no values to try", hint=f"use {name}={example}")
    return found


def is_whole(number: Any) -> bool:
    """Whether something is a whole number, and not True or False."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
