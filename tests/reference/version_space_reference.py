"""Version spaces by trying every hypothesis: slow, and plainly right.

A hypothesis is a tuple with a level code or None (any value) for each column; a row has level
codes, -1 where a value is missing. The hypothesis that covers nothing is left out.
"""

from itertools import product

import numpy as np


def covers(hypothesis, row):
    return all(
        asked is None or asked == value for asked, value in zip(hypothesis, row, strict=True)
    )


def all_hypotheses(n_levels):
    return list(product(*([None, *range(n)] for n in n_levels)))


def agreeing(n_levels, rows, is_positive):
    """All hypotheses that cover the positive rows and none of the others."""
    return [
        one
        for one in all_hypotheses(n_levels)
        if all(
            covers(one, row) == positive for row, positive in zip(rows, is_positive, strict=True)
        )
    ]


def is_more_general(one, other):
    """For hypotheses that cover something: `one` asks nothing that `other` does not ask."""
    return one != other and all(a in (None, b) for a, b in zip(one, other, strict=True))


def most_specific(hypotheses):
    return {h for h in hypotheses if not any(is_more_general(h, other) for other in hypotheses)}


def most_general(hypotheses):
    return {h for h in hypotheses if not any(is_more_general(other, h) for other in hypotheses)}


def emptied_by(n_levels, rows, is_positive):
    """The first row after which no hypothesis is left that covers something, if a positive row has
    been seen by then: before that, the one that covers nothing is still there.
    """
    for end in range(1, len(rows) + 1):
        if any(is_positive[:end]) and not agreeing(n_levels, rows[:end], is_positive[:end]):
            return end - 1
    return None


def shares(hypotheses, rows):
    return np.array([np.mean([covers(one, row) for one in hypotheses]) for row in rows])


def from_codes(codes):
    """Hypotheses of the package, -1 for any value, as those of this module."""
    return {tuple(None if code == -1 else code for code in one) for one in codes}
