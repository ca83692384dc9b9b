"""Thresholds as they are printed: with as few digits as possible.

A printed threshold must send every training row where the model sends it, and two different
thresholds must look different. Six significant digits nearly always do. Where they do not, the
number is rounded the other way, then to seven digits, and so on; all 17 digits always do.

The model itself keeps the exact threshold. What is kept here is for printing only: which number is
printed in place of a threshold. A threshold that is not listed is printed exactly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright._kernels.learners import MOST_NEIGHBORED, NUMERIC_KIND, threshold_neighbors
from treewright.arrays import Floats, distinct
from treewright.plain_text import LEAST_DIGITS

Steps = NDArray[np.int64]
Columns = NDArray[np.integer]

ALL_DIGITS = 17  # enough to distinguish any two floats
SMALLEST_SHORT = 1e-300  # smaller ones are printed exactly: some libraries turn them into 0
FARTHEST = 1e-5  # of its size, that a printed number may be from the threshold
LARGEST_PLAIN, SMALLEST_PLAIN = 1e15, 1e-4  # beyond these sizes numbers have an exponent
MOST_BY_ARITHMETIC = 9  # digits that a product and a quotient round as decimal text is rounded
NEAR_A_TIE = 1e-4
LOG_10 = 2.302585092994046
POWERS = np.array([float(10**power) for power in range(23)])  # all of them exact
MOST_DECIMALS = 21


@dataclass(frozen=True, slots=True, eq=False)
class PrintedThresholds:
    """The thresholds of one column that are not printed exactly, and what is printed for each."""

    at: Floats  # rising
    shown: Floats

    def text(self, threshold: float) -> str:
        """A threshold as it is printed."""
        place = int(np.searchsorted(self.at, threshold))
        is_listed = place < len(self.at) and self.at[place] == threshold
        return exact_text(float(self.shown[place]) if is_listed else threshold)

    def lists(self, threshold: float) -> bool:
        """Whether another number is printed for the threshold."""
        return bool(np.isin(threshold, self.at))

    def to_json(self) -> dict[str, list[Any]]:
        """The same as plain lists."""
        return {"threshold": self.at.tolist(), "printed": self.shown.tolist()}


NONE_PRINTED = PrintedThresholds(np.zeros(0), np.zeros(0))


class PrintSearch:
    """A search for what to print for the thresholds of several columns.

    The first `n_short` of the thresholds given may be printed short, the others are not.
    """

    def __init__(self, at: Floats, column: Columns, n_short: int | None = None) -> None:
        in_full = np.arange(len(at)) >= (len(at) if n_short is None else n_short)
        order = np.lexsort((in_full, at, column))
        order = order[np.abs(at[order]) >= SMALLEST_SHORT]
        at, column, in_full = at[order], column[order], in_full[order]
        is_new = np.ones(len(at), dtype=np.bool_)
        is_new[1:] = (at[1:] != at[:-1]) | (column[1:] != column[:-1])
        self.at, self.column = at[is_new], column[is_new]
        # Step 0 rounds to the least digits, 1 the other way, 2 to one digit more, and so on.
        self.step = np.zeros(len(self.at), dtype=np.int64)
        self.shown = self.at.copy()
        self._round(~in_full[is_new])
        self._keep_order()

    @property
    def is_exact(self) -> bool:
        """Whether all thresholds are printed exactly as it is."""
        return bool((self.shown == self.at).all())

    def use_for(self, numbers: Mapping[int, NDArray[Any]], n_threads: int = 1) -> None:
        """Add digits until each number is on the same side of a threshold and of what is printed.

        The numbers are given by column, those of a row at the same place.
        """
        short = np.flatnonzero(self.shown != self.at)  # the others stay as they are
        wanted = [one for one in distinct(self.column[short]).tolist() if one in numbers]
        own = [short[self.column[short] == one] for one in wanted]
        below, above = np.full(len(self.at), -np.inf), np.full(len(self.at), np.inf)
        found = neighbors([self.at[at] for at in own], [numbers[one] for one in wanted], n_threads)
        for at, (lower, upper) in zip(own, found, strict=True):
            below[at], above[at] = lower, upper
        while self._next_step((self.shown < below) | (self.shown >= above)):
            self._keep_order()

    def _keep_order(self) -> None:
        """Add digits until the printed numbers of a column rise as its thresholds do."""
        same_column = self.column[1:] == self.column[:-1]
        while True:
            falls = (self.shown[1:] <= self.shown[:-1]) & same_column
            if not falls.any():
                return
            is_wrong = np.append(False, falls) | np.append(falls, False)
            # Rounding the other way helps beside an exact number only; otherwise it takes digits.
            is_exact = self.shown == self.at
            beside_exact = np.append(False, is_exact[:-1]) | np.append(is_exact[1:], False)
            self._next_step(is_wrong, digits=~beside_exact)

    def _next_step(
        self, chosen: NDArray[np.bool_], digits: NDArray[np.bool_] | None = None
    ) -> bool:
        """Round the chosen thresholds in the next way, or to more `digits`; whether any were."""
        chosen = chosen & (self.shown != self.at)
        self.step[chosen] += 1
        if digits is not None:
            self.step[chosen & digits & (self.step % 2 == 1)] += 1
        return self._round(chosen)

    def _round(self, chosen: NDArray[np.bool_]) -> bool:
        if not chosen.any():
            return False
        self.shown[chosen] = rounded(self.at[chosen], self.step[chosen])
        return True

    def found(self) -> dict[int, PrintedThresholds]:
        """By column, what is printed for those thresholds that are not printed exactly."""
        short = self.shown != self.at
        column, at, shown = self.column[short], self.at[short], self.shown[short]
        return {
            one: PrintedThresholds(at[column == one], shown[column == one])
            for one in distinct(column).tolist()
        }


def neighbors(
    thresholds: Sequence[Floats], columns: Sequence[NDArray[Any]], n_threads: int = 1
) -> list[tuple[Floats, Floats]]:
    """For each threshold of a column, rising: the largest number not above it, the smallest above.

    >>> neighbors([np.array([2.5, 9.0])], [np.array([3.0, 1.0, 2.0, np.nan])])
    [(array([2., 3.]), array([ 3., inf]))]
    """
    found = [(np.empty(len(at)), np.empty(len(at))) for at in thresholds]
    few = [at for at, own in enumerate(thresholds) if len(own) <= MOST_NEIGHBORED]
    if few:
        threshold_neighbors(
            [(NUMERIC_KIND, columns[at], 0) for at in few],
            len(columns[0]),
            [np.ascontiguousarray(thresholds[at]) for at in few],
            [found[at][0] for at in few],
            [found[at][1] for at in few],
            n_threads,
        )
    for at, own in enumerate(thresholds):
        if len(own) > MOST_NEIGHBORED:
            numbers = np.asarray(columns[at], dtype=np.float64)
            rising = np.concatenate([[-np.inf], np.sort(numbers[~np.isnan(numbers)]), [np.inf]])
            place = np.searchsorted(rising[1:-1], own, "right")
            found[at] = rising[place], rising[place + 1]
    return found


def rounded(numbers: Floats, step: Steps) -> Floats:
    """The numbers in few digits: to the nearest at even steps, the other way at odd ones."""
    size = np.abs(numbers)
    is_plain = (size >= 1) & (size < LARGEST_PLAIN)
    exponent = portable.log(np.where(size > 0, size, 1.0)) / LOG_10
    power = np.floor(exponent).astype(np.int64)
    is_near_power = np.abs(exponent - np.rint(exponent)) <= 1e-9
    for at in np.flatnonzero(is_near_power).tolist():  # a logarithm may round across it
        power[at] = Decimal(float(size[at]) or 1.0).adjusted()
    digits = np.where(is_plain, np.maximum(LEAST_DIGITS, power + 3), LEAST_DIGITS) + step // 2
    decimals = digits - 1 - power
    quick = (digits <= MOST_BY_ARITHMETIC) & (decimals >= 0) & (decimals < len(POWERS))
    scale = POWERS[np.where(quick, decimals, 0)]
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = numbers * scale
        whole = np.rint(scaled)
        is_far = np.abs(np.abs(scaled - whole) - 0.5) > NEAR_A_TIE
        is_exact = np.abs(scaled - whole) < NEAR_A_TIE
        whole += np.where(step % 2 == 1, np.where(scaled > whole, 1.0, -1.0), 0.0)
        found: Floats = whole / scale  # both exact, so this is the float nearest to the decimal
    quick &= is_far & ~is_exact & ~is_near_power
    for at in np.flatnonzero(~quick).tolist():
        found[at] = rounded_text(float(numbers[at]), int(digits[at]), other_way=bool(step[at] % 2))
    return found


def digits_of(number: float) -> int:
    """The fewest digits that a number is printed with."""
    size = abs(number)
    if not 1 <= size < LARGEST_PLAIN:
        return LEAST_DIGITS
    return max(LEAST_DIGITS, floor(float(np.log10(size))) + 3)


def rounded_text(number: float, digits: int, *, other_way: bool) -> float:
    """A number rounded to so many digits, using its text."""
    text = f"{number:.{digits - 1}e}"
    nearest = float(text)
    if not other_way or nearest == number or digits >= ALL_DIGITS:
        return nearest
    mantissa, _, power = text.partition("e")
    whole = int(mantissa.replace(".", "")) + (1 if nearest < number else -1)
    other = float(f"{whole}e{int(power) - digits + 1}")
    return other if np.isfinite(other) else nearest


def text_among(number: float, rising: Floats) -> str:
    """A number in the fewest digits that part these values, rising, as the number itself does.

    >>> text_among(0.15000000000000002, np.array([0.1, 0.2]))
    '0.15'
    """
    place = int(np.searchsorted(rising, number, "right"))
    below = rising[place - 1] if place else -np.inf
    above = rising[place] if place < len(rising) else np.inf
    digits = digits_of(number)
    for step in count():  # as `rounded` does for many numbers at once
        shown = rounded_text(number, digits + step // 2, other_way=step % 2 == 1)
        if shown == number or below <= shown < above:
            return exact_text(shown)
    raise AssertionError("17 digits are exact")


def decimals_apart(numbers: Iterable[float], decimals: int) -> int | None:
    """The fewest decimals, at least so many, that keep different numbers apart; None: no number do.

    >>> decimals_apart([0.123, 0.124, 2.5], 1), decimals_apart([1.25, 3.5], 1)
    (3, 1)
    """
    different = np.unique(np.fromiter(numbers, dtype=np.float64))
    size = np.abs(different)
    if ((size >= LARGEST_PLAIN) | ((size < SMALLEST_PLAIN) & (size > 0))).any():
        return None if len(different) > 1 else decimals  # these have an exponent, not decimals
    listed = different.tolist()
    for enough in range(decimals, MOST_DECIMALS):
        if len({f"{number:.{enough}f}" for number in listed}) == len(listed):
            return enough
    return None


def exact_text(number: float) -> str:
    """The shortest text that reads back as the same number: 0.8, 0.30000000000000004, 1e+16.

    >>> exact_text(3.0), exact_text(1.0000000000000002)
    ('3', '1.0000000000000002')
    """
    text = repr(float(number)).removesuffix(".0")
    return "0" if text == "-0" else text
