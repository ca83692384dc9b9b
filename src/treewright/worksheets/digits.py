"""Numbers as a worksheet prints them; they are rounded here and nowhere else."""

from dataclasses import dataclass, replace

from treewright.documents.math import Fraction, Number
from treewright.errors import ParameterError

MOST_DECIMALS = 15  # a float has no more digits that mean anything
DIGITS_OF_A_FLOAT = 15  # that are exact
SHADE = 1e-15  # about what the order of summation may change
LEAST_OF_A_WEIGHT = 2
SMALLEST, LARGEST = 10.0, 1e12  # the first in units of the last decimal


@dataclass(frozen=True, slots=True)
class Digits:
    """How many decimals are shown; scientific notation for very large or small numbers."""

    decimals: int
    by_powers: bool = False

    def __post_init__(self) -> None:
        is_number = isinstance(self.decimals, int) and not isinstance(self.decimals, bool)
        if not is_number or not 0 <= self.decimals <= MOST_DECIMALS:
            raise ParameterError(
                f"decimals={self.decimals!r} is not possible",
                hint=f"give a whole number from 0 to {MOST_DECIMALS}",
            )

    def text(self, number: float) -> str:
        """A rounded number; "" for NaN.

        >>> Digits(4).text(0.24674), Digits(2).text(-0.001), Digits(4).text(float("nan"))
        ('0.2467', '0.00', '')
        >>> Digits(4).text(18692537110351.4414)
        '18692537110351.4'
        >>> Digits(2, by_powers=True).text(1.2345e-9)
        '1.23e-09'
        """
        if number != number:
            return ""
        if abs(number) >= 1e15 or (self.by_powers and number):
            return f"{number:.{self.decimals}e}"
        n_before = len(str(int(abs(number))))
        decimals = self.decimals
        if n_before > 1:  # no digits that a float does not have
            decimals = min(self.decimals, max(0, DIGITS_OF_A_FLOAT - n_before))
        settled = self._settled(number) if decimals == self.decimals else number
        text = f"{settled:.{decimals}f}"
        return text.removeprefix("-") if float(text) == 0 else text

    def _settled(self, number: float) -> float:
        """Slightly larger, so that two computations of one number are rounded to the same text.

        0.46875 may be computed as 0.46874999999999994, which would give 0.4687 instead of 0.4688.
        """
        return number * (1 + SHADE) if self.decimals < MOST_DECIMALS else number

    def weight(self, weight: float) -> str:
        """A number of rows or a sum of weights, without decimals if it is an integer.

        >>> Digits(4).weight(5.0), Digits(4).weight(10 / 3), Digits(0).weight(2.5)
        ('5', '3.3333', '2.5')
        """
        decimals = max(self.decimals, LEAST_OF_A_WEIGHT)
        if weight >= 1e15 or 0 < weight < 10.0**-decimals:
            return f"{weight:.3g}"
        text = f"{self._settled(weight):.{decimals}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def for_numbers_like(self, size: float) -> "Digits":
        """In scientific notation if numbers of this size are hard to read otherwise."""
        is_readable = size == 0 or SMALLEST * 10.0**-self.decimals <= abs(size) < LARGEST
        return replace(self, by_powers=not is_readable)

    def number(self, number: float) -> Number:
        """A number in a formula; zero is written 0."""
        return Number("0" if number == 0 else self.text(number))

    def share(self, part: float, whole: float) -> Fraction:
        """A share as a fraction: 5/14."""
        return Fraction(Number(self.weight(part)), Number(self.weight(whole)))
