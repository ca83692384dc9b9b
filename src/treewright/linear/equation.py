"""A linear model as people write it: price = 3.2 + 2.1 area - 0.5 [colour = red]."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.plain_text import plain

MOST_TERMS = 30  # of a line; the largest are shown


def equation_text(
    left: str,
    intercept: float,
    coefficients: NDArray[np.float64],
    names: Sequence[str],
    digits: int = 4,
) -> str:
    """One line; terms of coefficient 0 are left out, and the smallest of very many.

    >>> equation_text("y", 3.25, np.array([2.0, -0.5, 0.0]), ["x", "c = a", "z"])
    'y = 3.25 + 2 x - 0.5 [c = a]'
    """
    parts = [f"{intercept:.{digits}g}"]
    shown = np.flatnonzero(coefficients)
    n_left_out = max(0, len(shown) - MOST_TERMS)
    if n_left_out:
        largest = np.argsort(-np.abs(coefficients[shown]), kind="stable")[:MOST_TERMS]
        shown = np.sort(shown[largest])
    for at in shown.tolist():
        sign = "-" if coefficients[at] < 0 else "+"
        parts.append(f"{sign} {abs(coefficients[at]):.{digits}g} {as_factor(plain(names[at]))}")
    if n_left_out:
        parts.append(f"... ({n_left_out} more terms)")
    return f"{plain(left)} = {' '.join(parts)}"


def as_factor(name: str) -> str:
    """A name beside a number: in brackets where it is more than a word."""
    return f"[{name}]" if " " in name else name
