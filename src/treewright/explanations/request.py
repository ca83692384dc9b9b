"""What may be asked about a row, checked against the tree that answers it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import inf, isnan
from numbers import Real
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.explanations.goals import (
    Float64Array,
    Goal,
    NumberWithin,
    OtherClass,
    OtherNumber,
    usual_tolerance,
)
from treewright.explanations.words import label
from treewright.param import Param
from treewright.tree.predict import predicted_classes
from treewright.tree.tree import Tree

PARAMS = (
    Param(
        "immutable",
        object,
        None,
        "columns that a change leaves alone",
        accepts=lambda value: isinstance(value, Iterable),
        accepts_text="the name of a column, or a list of names",
    ),
    Param(
        "directions",
        object,
        None,
        "the only way that a change of a column may go",
        accepts=lambda value: isinstance(value, Mapping),
        accepts_text='a mapping such as {"age": "up"}',
    ),
    Param(
        "wanted",
        object,
        None,
        "the answer that a change is to lead to",
        accepts=lambda value: not isinstance(value, np.ndarray),
        accepts_text='a class, "up", "down", or a pair such as (100, 200)',
    ),
    Param("tolerance", float, None, "same answer, if no further apart", low=0, optional=True),
    Param("n_neighbours", int, 3, "how many of the nearest training rows", low=0),
)


@dataclass(frozen=True)
class Request:
    """What is asked about a row beside the way it takes."""

    immutable: Collection[str] | str = ()  # columns that a change leaves alone
    directions: Mapping[str, str] = field(default_factory=dict)  # column -> "up" or "down"
    wanted: Any = None  # the answer that a change is to lead to; None: any other
    tolerance: float | None = None  # numbers no further apart count as the same answer
    n_neighbours: int = 3

    def __post_init__(self) -> None:
        for param in PARAMS:
            param.check(getattr(self, param.name))


def tolerance_for(tree: Tree, request: Request) -> float | None:
    """How far numbers may be apart and count as one answer; None for classes."""
    if tree.classes is not None:
        if request.tolerance is not None:
            raise ParameterError(
                f"tolerance={request.tolerance!r} is about numbers, and this tree answers with "
                "classes",
                hint="leave it out: classes are the same or they are not",
            )
        return None
    return usual_tolerance(tree) if request.tolerance is None else float(request.tolerance)


def goal_of_change(tree: Tree, values: Float64Array, request: Request) -> Goal:
    """What a change is to lead to, from the row's own class shares or number."""
    if tree.classes is None:
        return _wanted_number(tree, float(values[0]), request)
    answer = int(predicted_classes(tree, values[np.newaxis])[0])
    if request.wanted is None:
        return OtherClass.than(tree, answer)
    if request.wanted not in tree.classes:
        known = {str(name).lower(): name for name in tree.classes}
        near = get_close_matches(str(request.wanted).lower(), known, n=1)
        names = ", ".join(map(str, tree.classes[:20]))
        raise ParameterError(
            f"wanted={request.wanted!r} is not a class of the model",
            hint=f"did you mean {known[near[0]]!r}?" if near else f"classes are: {names}",
        )
    wanted = tree.classes.index(request.wanted)
    if wanted == answer:
        raise ParameterError(
            f"wanted={request.wanted!r} is the row's answer already", hint="want another class"
        )
    return OtherClass.than(tree, answer, wanted)


def _wanted_number(tree: Tree, answer: float, request: Request) -> Goal:
    tolerance = tolerance_for(tree, request)
    assert tolerance is not None
    if request.wanted is None:
        return OtherNumber.than(tree, answer, tolerance)
    if request.wanted in ("up", "down"):
        low, high = (answer, inf) if request.wanted == "up" else (-inf, answer)
        return NumberWithin(low, high, OtherNumber.than(tree, answer, tolerance))
    low, high = _bounds(request.wanted)
    if low <= answer <= high:
        raise ParameterError(
            f"the row's answer, {label(answer)}, is within wanted={request.wanted!r} already",
            hint="want other numbers",
        )
    return NumberWithin(low, high, OtherNumber.than(tree, answer, 0.0))


def _bounds(wanted: Any) -> tuple[float, float]:
    """From and to, both included; None leaves a side open."""
    if isinstance(wanted, tuple | list) and len(wanted) == 2:
        low = -inf if wanted[0] is None else wanted[0]
        high = inf if wanted[1] is None else wanted[1]
        if isinstance(low, Real) and isinstance(high, Real) and not isnan(low) and low <= high:
            return float(low), float(high)
    raise ParameterError(
        f"wanted={wanted!r} says nothing about the numbers that this tree answers with",
        hint='write "up", "down", or a pair such as (100, 200) or (100, None)',
    )
