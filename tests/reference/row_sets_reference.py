"""Weights of sets of rows by their definition, in plain Python: the order of the sums is fixed.

The rows of a byte are added one by one. Up to 16 words of eight bytes are a block: the first bytes
of all its words are added, the second bytes and so on, then these eight sums in pairs. More words
are halved, and the sums of the halves added.
"""

import numpy as np

BLOCK = 16


def shared_weights(sets, within, weights):
    """(n_within, n_sets): the weight of the rows in both sets, without the words of no row."""
    kept = np.flatnonzero(np.bitwise_or.reduce(within, axis=0))
    return np.array(
        [[weight_of_set((one & other)[kept], kept, weights) for one in sets] for other in within]
    )


def weights_without_each(parts, everything, wrong, weights):
    """(2, n_parts + 1): the weight in all parts but one, then in all; below that in `wrong`."""
    left_out = [*range(len(parts)), None]
    sets = [everything.copy() for _ in left_out]
    for rows, without in zip(sets, left_out, strict=True):
        for at, part in enumerate(parts):
            if at != without:
                rows &= part
    words = np.arange(len(everything))
    return np.array(
        [
            [weight_of_set(rows, words, weights) for rows in sets],
            [weight_of_set(rows & wrong, words, weights) for rows in sets],
        ]
    )


def weight_of_set(rows, words, weights):
    """The weight of the rows in these words; without `weights`, their number."""
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8)).reshape(-1, 8, 8)
    if weights is None:
        return float(bits.sum())
    # A row that is not in the set adds 0, which changes no digit.
    of_rows = weights.reshape(-1, 8, 8)[words] * bits
    return paired([[added(byte) for byte in word] for word in of_rows.tolist()])


def paired(words):
    """The sum of words, each a list of the weights of its eight bytes."""
    if len(words) > BLOCK:
        middle = len(words) // 2
        return paired(words[:middle]) + paired(words[middle:])
    a, b, c, d, e, f, g, h = (added(word[byte] for word in words) for byte in range(8))
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def added(numbers):
    """One after the other; `sum` of newer Pythons is more exact than that."""
    total = 0.0
    for number in numbers:
        total += number
    return total
