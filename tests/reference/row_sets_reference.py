"""Weights of sets of rows by their definition, in plain Python: exact sums."""

from fractions import Fraction

import numpy as np


def shared_weights(sets, within, weights):
    """(n_within, n_sets): the weight of the rows in both sets."""
    return np.array([[weight_of_set(one & other, weights) for one in sets] for other in within])


def weights_without_each(parts, everything, wrong, weights):
    """(2, n_parts + 1): the weight in all parts but one, then in all; below that in `wrong`."""
    left_out = [*range(len(parts)), None]
    sets = [everything.copy() for _ in left_out]
    for rows, without in zip(sets, left_out, strict=True):
        for at, part in enumerate(parts):
            if at != without:
                rows &= part
    return np.array(
        [
            [weight_of_set(rows, weights) for rows in sets],
            [weight_of_set(rows & wrong, weights) for rows in sets],
        ]
    )


def weight_of_set(rows, weights):
    """The weight of the rows of a set; without `weights`, their number."""
    mask = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8)).astype(bool)
    if weights is None:
        return float(mask.sum())
    exact = sum(map(Fraction, weights[mask].tolist()), start=Fraction(0))
    assert exact == float(exact)
    return float(exact)
