"""How many digits a threshold is printed with.

A printed threshold must send every training row where the model sends it, and two different
thresholds must look different. Six significant digits nearly always do. Where they do not, more
digits are printed, one at a time, until they do. All of them (17) always do.

The model itself keeps the exact threshold. What is kept here is for printing only: of each
threshold that may be printed with fewer digits than it has, how many it needs. A threshold that is
not listed is printed exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Digits = NDArray[np.int64]
Columns = NDArray[np.integer]

LEAST_DIGITS = 6  # and at least two decimals
ALL_DIGITS = 17  # as many tell any two floats apart
LARGEST_PLAIN, SMALLEST_PLAIN = 1e15, 1e-4  # beyond these sizes numbers have an exponent
MOST_BY_ARITHMETIC = 9  # digits that a product and a quotient round as decimal text is rounded
NEAR_A_TIE = 1e-4
FEW_THRESHOLDS = 20
MOST_DECIMALS = 21
POWERS = 10.0 ** np.arange(23)  # all of them exact


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdDigits:
    """The thresholds of one column that need not be printed in full, and the digits they need."""

    at: Floats  # rising
    digits: Digits

    def of(self, threshold: float) -> int | None:
        """The digits that a threshold needs; None if it has to be printed in full."""
        place = int(np.searchsorted(self.at, threshold))
        is_listed = place < len(self.at) and self.at[place] == threshold
        return int(self.digits[place]) if is_listed else None

    def text(self, threshold: float) -> str:
        """A threshold as it is printed."""
        digits = self.of(threshold)
        return exact_text(threshold) if digits is None else digits_text(threshold, digits)

    def to_json(self) -> dict[str, list[Any]]:
        """The same as plain lists."""
        return {"threshold": self.at.tolist(), "digits": self.digits.tolist()}

    @classmethod
    def for_rows(cls, thresholds: ArrayLike, values: Floats) -> "ThresholdDigits":
        """The digits for thresholds that must part all these values as the exact numbers do."""
        at = np.asarray(thresholds, dtype=np.float64)
        search = DigitSearch(at, np.zeros(len(at), dtype=np.int64))
        search.use_for(0, values)
        return search.found().get(0, NO_DIGITS)


NO_DIGITS = ThresholdDigits(np.zeros(0), np.zeros(0, dtype=np.int64))


class DigitSearch:
    """Thresholds of several columns while their digits are being found; digits only grow.

    The first `n_short` of the thresholds given may be printed short, the others are not.
    """

    def __init__(self, at: Floats, column: Columns, n_short: int | None = None) -> None:
        in_full = np.arange(len(at)) >= (len(at) if n_short is None else n_short)
        order = np.lexsort((in_full, at, column))
        at, column, in_full = at[order], column[order], in_full[order]
        is_new = np.ones(len(at), dtype=np.bool_)
        is_new[1:] = (at[1:] != at[:-1]) | (column[1:] != column[:-1])
        self.place = np.empty(len(order), dtype=np.intp)  # of each threshold that was given
        self.place[order] = np.cumsum(is_new) - 1
        self.at, self.column = at[is_new], column[is_new]
        self.digits = np.where(in_full[is_new], ALL_DIGITS, least_digits(self.at))
        self.shown = self.at.copy()  # the numbers that would be printed
        self._round(self.digits < ALL_DIGITS)
        self._keep_order()

    @property
    def is_exact(self) -> bool:
        """Whether all thresholds are printed exactly as it is."""
        return bool((self.shown == self.at).all())

    def use_for(self, column: int, values: Floats) -> None:
        """Add digits until each value is on the same side of a threshold and of its text."""
        own = slice(*np.searchsorted(self.column, [column, column + 1]).tolist())
        rising = np.sort(self._close(values, own))
        is_wrong = np.zeros(len(self.at), dtype=np.bool_)
        while True:
            at, shown = self.at[own], self.shown[own]
            first = np.searchsorted(rising, np.minimum(at, shown), "right")
            last = np.searchsorted(rising, np.maximum(at, shown), "right")
            is_wrong[own] = last > first
            if not self._add_digits(is_wrong):
                return
            self._keep_order()

    def _close(self, values: Floats, own: slice) -> Floats:
        """The values that rounding may put on the other side of a threshold, and perhaps others."""
        at, shown = self.at[own], self.shown[own]
        inexact = np.flatnonzero(at != shown)
        if len(inexact) > FEW_THRESHOLDS:  # then sorting all values is faster
            return values[~np.isnan(values)]
        values = np.ascontiguousarray(values)
        # No rounding moves a number by more than this, whatever the number of digits.
        reach = np.abs(at) * 10.0 ** (1 - LEAST_DIGITS)
        low, high = at - reach, at + reach
        close = [values[(values >= low[one]) & (values <= high[one])] for one in inexact.tolist()]
        return np.concatenate([np.zeros(0), *close])

    def _keep_order(self) -> None:
        """Add digits until the printed numbers of a column rise as its thresholds do."""
        same_column = self.column[1:] == self.column[:-1]
        is_wrong = np.zeros(len(self.at), dtype=np.bool_)
        while True:
            falls = (self.shown[1:] <= self.shown[:-1]) & same_column
            is_wrong[1:] = falls
            is_wrong[:-1] |= falls
            if not self._add_digits(is_wrong):
                return
            is_wrong[:] = False

    def _add_digits(self, chosen: NDArray[np.bool_]) -> bool:
        """One more digit for the chosen thresholds; whether any could be given."""
        chosen = chosen & (self.shown != self.at)
        self.digits[chosen] += 1
        return self._round(chosen)

    def _round(self, chosen: NDArray[np.bool_]) -> bool:
        """Find what is read of the chosen thresholds; whether there are any."""
        if not chosen.any():
            return False
        self.shown[chosen] = rounded(self.at[chosen], self.digits[chosen])
        return True

    def found(self) -> dict[int, ThresholdDigits]:
        """By column, the digits of those thresholds that are printed shorter than they are."""
        short = self.shown != self.at
        column, at, digits = self.column[short], self.at[short], self.digits[short]
        return {
            one: ThresholdDigits(at[column == one], digits[column == one])
            for one in np.unique(column).tolist()
        }


def least_digits(numbers: Floats) -> Digits:
    """Six digits, or as many as two decimals need."""
    size = np.abs(numbers)
    is_plain = (size >= 1) & (size < LARGEST_PLAIN)
    exponent = np.floor(np.log10(np.where(is_plain, size, 1.0))).astype(np.int64)
    return np.where(is_plain, np.maximum(LEAST_DIGITS, exponent + 3), LEAST_DIGITS)


def rounded(numbers: Floats, digits: Digits) -> Floats:
    """The numbers that are read when these are printed with so many significant digits."""
    size = np.abs(numbers)
    exponent = np.log10(np.where(size > 0, size, 1.0))
    decimals = digits - 1 - np.floor(exponent).astype(np.int64)
    quick = (digits <= MOST_BY_ARITHMETIC) & (decimals >= 0) & (decimals < len(POWERS))
    scale = POWERS[np.where(quick, decimals, 0)]
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = numbers * scale
        whole = np.rint(scaled)
        found: Floats = whole / scale  # both exact, so this is the float nearest to the decimal
        quick &= np.abs(np.abs(scaled - whole) - 0.5) > NEAR_A_TIE
    quick &= np.abs(exponent - np.rint(exponent)) > 1e-9
    for at in np.flatnonzero(~quick).tolist():
        found[at] = float(f"{numbers[at]:.{digits[at] - 1}e}")
    return found


def digits_text(number: float, digits: int) -> str:
    """A number with so many significant digits, without zeros at the end: 0.8, 1250000, 1.25e-07.

    >>> digits_text(0.12345678, 7), digits_text(1234567.0, 6), digits_text(2.5e-7, 6)
    ('0.1234568', '1234570', '2.5e-07')
    """
    if not SMALLEST_PLAIN <= abs(number) < LARGEST_PLAIN:
        return f"{number:.{digits}g}"
    text = f"{Decimal(f'{number:.{digits - 1}e}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def text_among(number: float, rising: Floats) -> str:
    """A number in the fewest digits that part these values, rising, as the number itself does.

    >>> text_among(0.15000000000000002, np.array([0.1, 0.2]))
    '0.15'
    """
    at = int(np.searchsorted(rising, number, "right"))
    below = rising[at - 1] if at else -np.inf
    above = rising[at] if at < len(rising) else np.inf
    for digits in range(int(least_digits(np.array([number]))[0]), ALL_DIGITS):
        text = digits_text(number, digits)
        if below <= float(text) < above:
            return text
    return exact_text(number)


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
