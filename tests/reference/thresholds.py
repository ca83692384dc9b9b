"""Where a threshold lies between two neighboring values."""

import math
import sys

LARGEST = sys.float_info.max


def midpoint(lower: float, upper: float) -> float:
    """A finite t with lower <= t < upper, in the middle where arithmetic allows.

    The lowest number stands for minus infinity too: no threshold parts them.
    """
    if lower <= -LARGEST and math.isinf(upper):
        return 0.0
    if lower <= -LARGEST:
        return -LARGEST
    if math.isinf(upper):
        return LARGEST
    half = (upper - lower) / 2
    middle = lower + half if math.isfinite(half) else lower / 2 + upper / 2
    return middle if lower <= middle < upper else lower


def largest_value_up_to(values: list[float], threshold: float, gap: float) -> float:
    """C4.5 shows a threshold that occurs in the data; a millionth of the gap is rounding."""
    slack = 1e-6 * gap if math.isfinite(gap) else 0.0
    return max(value for value in values if value <= threshold + slack)


def is_gap_of_j48(lower: float, upper: float) -> bool:
    """J48 does not cut between values closer than 1e-5."""
    return lower + 1e-5 < upper
