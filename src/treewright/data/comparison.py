"""How a numeric column is compared with thresholds, in a model from another library.

Our trees test `value <= threshold` on doubles. Other libraries test `value < bound`, or round the
value to float32 first. Either is exactly the same as `<=` with another threshold, so predictions,
explanations and exports do not need to know; only printed conditions show the original comparison.

Some libraries also treat zero as missing. That is no threshold: it is applied when rows are read.
"""

from dataclasses import dataclass
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ModelFileError, ParameterError

NEAR_ZERO = float(np.float32(1e-35))  # LightGBM treats numbers up to this size as zero
BEYOND_FLOAT32 = 2.0**128  # where the float32 after the largest one would be


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the values of a column are compared; the default is `value <= threshold` of doubles."""

    strict: bool = False  # `value < bound`
    float32: bool = False  # the value is rounded to float32 first
    zero_is_missing: bool = False  # zero, or closer to it than NEAR_ZERO

    @property
    def signs(self) -> tuple[str, str]:
        """The comparison signs of the first and the second branch."""
        return ("<", ">=") if self.strict else ("<=", ">")

    def threshold(self, bound: float) -> float:
        """The threshold for `<=` that sends every double the same way as this comparison.

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
        """The values, with zeros replaced by missing values if `zero_is_missing`."""
        if not self.zero_is_missing:
            return values
        return np.where(np.abs(values) <= NEAR_ZERO, np.nan, values)

    def to_json(self) -> dict[str, bool]:
        return {name: bool(getattr(self, name)) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Any, where: str) -> "Comparison":
        names = set(cls.__slots__)
        has_keys = type(data) is dict and set(data) == names
        if not has_keys or {type(value) for value in data.values()} != {bool}:
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
    with np.errstate(over="ignore"):
        after = np.nextafter(number, np.float32(inf))
    low = float(number) if np.isfinite(number) else -BEYOND_FLOAT32
    high = float(after) if np.isfinite(after) else BEYOND_FLOAT32
    middle = (low + high) / 2  # exact; it rounds to the one of the two whose last bit is 0
    with np.errstate(over="ignore"):
        return middle if np.float32(middle) <= number else nextafter(middle, -inf)
