"""Drop the pieces of a rule that it does better without."""

from collections.abc import Callable

import numpy as np

from treewright.rulesets.row_masks import Part, RowMasks, Words

ROUNDING = 1e-12

# From the weight that a rule covers and its errors to how bad it is: less is better.
Badness = Callable[[float, float], float]


def generalized(
    parts: list[Part], answer: int, rows: RowMasks, badness: Badness, *, until_worse: bool
) -> list[Part]:
    """The rule without the pieces whose loss makes it no worse (or: that make it better).

    Of all pieces the one goes that leaves the best rule, the first of equals, as long as the rule
    does not get worse (`until_worse`), or as long as it gets better.
    """
    if not parts:
        return []
    parts = list(parts)
    masks = np.stack([rows.of_part(part) for part in parts])
    wrong = rows.everything & ~rows.of_class[answer]
    while parts:
        covered = np.concatenate([all_but_one(masks), [np.bitwise_and.reduce(masks)]])
        covered &= rows.everything  # all but the only piece: every row, and no bit beyond
        weights, errors = rows.weight(covered).tolist(), rows.weight(covered & wrong).tolist()
        *scores, now = map(badness, weights, errors)
        best = scores.index(min(scores))
        gain = now - scores[best]
        if gain < -ROUNDING or (gain <= ROUNDING and not until_worse):
            break
        del parts[best]
        masks = np.delete(masks, best, axis=0)
    return parts


def all_but_one(masks: Words) -> Words:
    """(n, n_words): the rows in all sets but the first, in all but the second ..."""
    found = np.full_like(masks, ~np.uint64(0))
    np.bitwise_and.accumulate(masks[:-1], axis=0, out=found[1:])
    after = np.bitwise_and.accumulate(masks[:0:-1], axis=0)[::-1]
    found[:-1] &= after
    return found
