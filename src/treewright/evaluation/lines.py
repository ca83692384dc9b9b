"""Numbers and tables as lines for a terminal."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

DIGITS = 5  # of a number from 10 on; smaller ones have four decimals


def shown(number: float) -> str:
    """A number with four decimals, or with five digits.

    >>> shown(0.98765432), shown(12.345678), shown(4979.0445), shown(-2345678.9)
    ('0.9877', '12.346', '4979.0', '-2345679')
    """
    if math.isnan(number):
        return "not defined"
    n_before = len(str(int(abs(number)))) if math.isfinite(number) else 1
    return f"{number:.{min(max(DIGITS - n_before, 0), 4)}f}"


def with_spread(mean: float, spread: float) -> str:
    return shown(mean) if math.isnan(spread) else f"{shown(mean)} ± {shown(spread)}"


def between(low: float, high: float) -> str:
    """An interval; nothing where there is none.

    >>> between(0.5, 1.0), between(float("nan"), float("nan"))
    ('0.5000 to 1.0000', '')
    """
    return "" if math.isnan(low) else f"{shown(low)} to {shown(high)}"


def lined_up(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns: the first to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def plain_number(number: float) -> float | None:
    """A float; None for what JSON has no number for.

    >>> plain_number(np.float64(0.5)), plain_number(float("nan"))
    (0.5, None)
    """
    return float(number) if np.isfinite(number) else None


def plain_label(label: Any) -> Any:
    """A label without NumPy's wrapping."""
    return label.item() if isinstance(label, np.generic) else label
