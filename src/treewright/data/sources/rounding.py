"""Limits of 64-bit floats: long integers, and small numbers where these are flushed to 0."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import warn_user

EXACT = 2.0**53  # 2^53 + 1 is rounded to it
ROUNDED = (
    f"whole numbers beyond 2^53 = {int(EXACT)} are rounded, so different numbers can become equal"
)
SMALLEST = 5e-324  # above 0


def any_beyond(numbers: NDArray[Any]) -> bool:
    """Whether some number is too large to have a neighbor one further."""
    if not numbers.size:
        return False
    largest = max(np.fmax.reduce(numbers, axis=None), -np.fmin.reduce(numbers, axis=None))
    return bool(largest >= EXACT)


def is_long_id(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Where numbers are beyond 2^53, and of more digits than the fifteen that a float always keeps.

    3e16 is large but not long, and neither are times in nanoseconds that are full seconds.
    """
    is_long: NDArray[np.bool_] = np.abs(numbers) >= EXACT
    large = numbers[is_long]
    unit = 10.0 ** (np.floor(np.log10(np.abs(large))) - 14)
    is_long[is_long] = np.rint(large / unit) * unit != large
    return is_long


def warn_of_rounding(numbers: NDArray[Any], names: Sequence[str]) -> None:
    """Name the columns of whole numbers, now floats, of which some have lost their last digits."""
    if not any_beyond(numbers):
        return
    is_large = is_long_id(numbers.reshape(len(numbers), -1))
    if not is_large.any():
        return
    at = int(is_large.any(axis=0).argmax())
    n_more = int(np.count_nonzero(is_large.any(axis=0))) - 1
    more = f" and {n_more} more column{'s' if n_more > 1 else ''}" if n_more else ""
    where = f"column `{names[at]}`, row {int(is_large[:, at].argmax())}{more}"
    warn_user(f"{where}: {ROUNDED}; make ids strings to keep every digit")


def warn_of_rounded_target(
    numbers: NDArray[Any], cells: NDArray[Any], name: str, *, remedy: str
) -> None:
    """The same for a target, whose cells are whole numbers of 64 bits or Python objects."""
    if cells.dtype.kind not in "iuO" or not any_beyond(numbers):
        return
    if cells.dtype.kind == "O":
        numbers = np.where([is_whole(cell) for cell in cells.tolist()], numbers, 0.0)
    is_large = is_long_id(numbers)
    if is_large.any():
        where = f"target `{name}`, row {int(is_large.argmax())}"
        warn_user(f"{where}: {ROUNDED}; {remedy} to keep every digit")


def warn_of_rounded_cells(
    numbers: NDArray[Any], cells: Iterable[Any], names: Sequence[str]
) -> None:
    """The same for cells row by row, of which some were floats before."""
    if any_beyond(numbers):
        whole = np.reshape([is_whole(cell) for cell in cells], numbers.shape)
        warn_of_rounding(np.where(whole, numbers, 0.0), names)


def is_whole(cell: Any) -> bool:
    return isinstance(cell, int | np.integer)


def warn_of_rounded_text(numbers: NDArray[Any], name: str) -> None:
    """The same for a column of text that looks like ids: whole numbers of at most 64 bits."""
    if any_beyond(numbers):
        known = numbers[~np.isnan(numbers)]
        if np.abs(known).max() < 2.0**64 and (known == np.floor(known)).all():
            warn_of_rounding(numbers, [name])


def warn_if_small_numbers_vanish() -> None:
    """Say so where the processor takes numbers below 2.2e-308 for 0.

    A library built by -ffast-math may have switched it so for the whole thread. Kernels calculate
    by the standard all the same; what Python and NumPy do between them does not.
    """
    if SMALLEST * 1.0 == 0.0:
        warn_user(
            "another library has set this thread to flush numbers below 2.2e-308 to 0 (it was "
            "built with -ffast-math, or asked for it): such numbers count as equal"
        )
