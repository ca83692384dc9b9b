"""How a numeric column is compared with thresholds, in a model that was written elsewhere.

Every tree here asks `value <= threshold` of doubles. Other libraries ask `value < bound`, round the
value to float32 first, or take zero as missing. Each of these comparisons is the same as `<=` with
another threshold, exactly: so predictions, explanations and exports need to know nothing of them.
Only what people read shows the comparison as it was written.
"""

from dataclasses import dataclass
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ModelFileError, ParameterError

NEAR_ZERO = float(np.float32(1e-35))  # LightGBM: a number of at most this size is zero
BEYOND_FLOAT32 = 2.0**128  # where the float32 after the largest one would be


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the values of a column are compared; the default is `value <= threshold` of doubles."""

    strict: bool = False  # `value < bound`
    float32: bool = False  # the value is rounded to float32 first
    zero_is_missing: bool = False  # and so is whatever rounds to zero in LightGBM

    @property
    def signs(self) -> tuple[str, str]:
        """Between a value and the bound: on the first branch, on the second one."""
        return ("<", ">=") if self.strict else ("<=", ">")

    def threshold(self, bound: float) -> float:
        """The threshold that `<=` needs, to send every double where this comparison sends it.

        >>> Comparison(strict=True).threshold(2.5)
        2.4999999999999996
        """
        if not isfinite(bound):
            raise ParameterError(f"a value cannot be compared with {bound}")
        if self.float32:
            return _largest_double_of(_largest_float32(bound, strict=self.strict))
        return nextafter(bound, -inf) if self.strict else bound

    def bound(self, threshold: float) -> float:
        """The bound to show for a threshold.

        >>> Comparison(strict=True).bound(2.4999999999999996)
        2.5
        """
        if not self.float32:
            return nextafter(threshold, inf) if self.strict else threshold
        with np.errstate(over="ignore"):
            nearest = np.float32(threshold)
        return float(np.nextafter(nearest, np.float32(inf)) if self.strict else nearest)

    def fits(self, threshold: float) -> bool:
        """Whether some bound has this threshold."""
        bound = self.bound(threshold)
        return isfinite(bound) and self.threshold(bound) == threshold

    def without_zeros(self, values: Floats) -> Floats:
        """The values, with zeros as missing values if that is what they are."""
        if not self.zero_is_missing:
            return values
        return np.where(np.abs(values) <= NEAR_ZERO, np.nan, values)

    def to_json(self) -> dict[str, bool]:
        return {name: bool(getattr(self, name)) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Any, where: str) -> "Comparison":
        names = set(cls.__slots__)
        is_whole = type(data) is dict and set(data) == names
        if not is_whole or {type(value) for value in data.values()} != {bool}:
            raise ModelFileError(
                f"{where}: `comparison` is not an object with these keys, each true or false: "
                + ", ".join(sorted(names))
            )
        return cls(**data)


ORDINARY = Comparison()


def _largest_float32(bound: float, *, strict: bool) -> np.float32:
    """The largest float32 that is not above a bound; below it, if `strict`."""
    with np.errstate(over="ignore"):
        nearest = np.float32(bound)
    is_below = float(nearest) < bound if strict else float(nearest) <= bound
    return nearest if is_below else np.nextafter(nearest, np.float32(-inf))


def _largest_double_of(number: np.float32) -> float:
    """The largest double that rounds to a float32, or to one below it."""
    after = np.nextafter(number, np.float32(inf))
    low = float(number) if np.isfinite(number) else -BEYOND_FLOAT32
    high = float(after) if np.isfinite(after) else BEYOND_FLOAT32
    middle = (low + high) / 2  # exact; it rounds to the one of the two whose last bit is 0
    with np.errstate(over="ignore"):
        return middle if np.float32(middle) <= number else nextafter(middle, -inf)
