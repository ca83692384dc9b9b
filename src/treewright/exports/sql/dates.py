"""Dates: the model counts units since 1970 in doubles, an engine counts microseconds."""

import math
from datetime import datetime
from fractions import Fraction

import numpy as np

from treewright.errors import ExportError

NANOSECONDS = {
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}

FIRST_MICROSECOND = int(np.datetime64("0001-01-01", "us").astype(np.int64))
LAST_MICROSECOND = int(np.datetime64("9999-12-31T23:59:59.999999", "us").astype(np.int64))


def last_moment(bound: float, unit: str) -> datetime:
    """The last microsecond that the model does not count above the bound.

    The model counts in doubles: nanoseconds since 1970 are rounded, and so is the bound here.
    """
    size = NANOSECONDS[unit]
    microsecond = math.floor(Fraction(bound) * size / 1000)
    while as_count(microsecond + 1, size) <= bound:
        microsecond += 1
    while as_count(microsecond, size) > bound:
        microsecond -= 1
    if not FIRST_MICROSECOND <= microsecond <= LAST_MICROSECOND:
        raise ExportError(f"a date {bound!r} {unit} after 1970 lies outside the years 1 to 9999")
    return moment_of(microsecond)


def moment_of(microsecond: int) -> datetime:
    """The moment so many microseconds after 1970 began."""
    moment: datetime = np.datetime64(microsecond, "us").item()
    return moment


def as_count(microsecond: int, size: int) -> float:
    """A moment in units of so many nanoseconds, as the model has it."""
    return float(Fraction(microsecond * 1000, size))
