"""A threshold between two sums, with as few digits as there is room for."""

import math

MARGIN = 0.25  # of the gap stays free on each side, so that no row lies right beside the line


def threshold_between(below: float, above: float) -> float:
    """The shortest number in the middle half of the gap; `below` <= it < `above`.

    >>> threshold_between(88.0, 94.0), threshold_between(90.5, 91.5)
    (90.0, 91.0)
    >>> threshold_between(0.1234, 0.1299)
    0.127
    """
    gap = above - below
    middle = below + gap / 2
    if math.isfinite(gap):
        for digits in range(1, 17):
            candidate = float(f"{middle:.{digits}g}")
            if below + MARGIN * gap <= candidate <= above - MARGIN * gap:
                return candidate
    return middle if below <= middle < above else below
