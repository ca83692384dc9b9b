"""Which rules somebody means: by place, by name, by what they answer."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError

Indices = NDArray[np.intp]

MOST_OFFERED = 10  # names in a hint


def chosen_places(key: Any, numbers: Indices) -> Indices:
    """The places that a slice, places, names or a mask stand for, in a set of these rules."""
    every = np.arange(len(numbers))
    if isinstance(key, slice):
        return every[key]
    asked = np.asarray(key)
    if asked.size == 0:
        return every[:0]
    if asked.ndim != 1 or asked.dtype.kind not in "biuUO":
        raise ParameterError(
            f"rules cannot be chosen by {key!r}",
            hint='use a place, a name such as "R1", a slice, places, names or a mask',
        )
    if asked.dtype.kind in "UO":
        return np.array([place_of(name, numbers) for name in asked.tolist()], dtype=np.intp)
    chosen: Indices = every[asked]
    return chosen


def place_of(name: Any, numbers: Indices) -> int:
    """The place of the rule of this name."""
    places = {f"R{number + 1}": place for place, number in enumerate(numbers.tolist())}
    if not isinstance(name, str) or name not in places:
        raise ParameterError(
            f"there is no rule {name!r} in a set of {len(places)}", hint=offer(name, places)
        )
    return places[name]


def check_answer(answer: Any, known: Sequence[Any], noun: str) -> None:
    """An error if the rules cannot answer so."""
    if known and not any(bool(label == answer) for label in known):
        raise ParameterError(f"the rules know no {noun} {answer!r}", hint=offer(answer, known))


def offer(value: Any, known: Iterable[Any]) -> str:
    """A hint at what was meant: the nearest number or text, or all there is."""
    by_text = {str(label): label for label in known}
    if not by_text:
        return "the set is empty"
    labels = list(by_text.values())
    if isinstance(value, int | float) and all(isinstance(label, float) for label in labels):
        return f"the nearest is {min(labels, key=lambda label: abs(label - value))!r}"
    lower = {text.lower(): label for text, label in by_text.items()}
    near = get_close_matches(str(value).lower(), lower, n=1)
    if near:
        return f"did you mean {lower[near[0]]!r}?"
    shown = ", ".join(map(repr, labels[:MOST_OFFERED]))
    return f"there are: {shown}" + (" ..." if len(labels) > MOST_OFFERED else "")
