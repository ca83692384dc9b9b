"""The version space, computed from all rows at once.

Conjunctions have one most specific hypothesis, S. Every consistent hypothesis is S without some of
its conditions, and for every negative row it has a condition that the row does not meet. So S and
the negative rows nearest to it describe the whole version space (Hirsh 1992), even if the general
boundary has too many hypotheses to list.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.concepts.language import ANY

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_COUNTED = 20  # conditions of S up to which hypotheses are counted


def specific_of(positives: Codes) -> Codes:
    """The most specific hypothesis that covers all rows; there must be at least one.

    >>> specific_of(np.array([[0, 1, 2], [0, 2, 2]])).tolist()
    [0, -1, 2]
    """
    first = positives[0]
    shared = (positives == first).all(axis=0) & (first >= 0)
    return np.where(shared, first, ANY)


def covered(hypothesis: Codes, rows: Codes) -> Mask:
    """Which rows the hypothesis covers."""
    found: Mask = ((rows == hypothesis) | (hypothesis == ANY)).all(axis=1)
    return found


def emptied_by(rows: Codes, is_positive: Mask) -> int | None:
    """The first row after which no hypothesis is consistent; None if one is.

    >>> emptied_by(np.array([[0, 0], [1, 1], [0, 1]]), np.array([True, True, False]))
    2
    """

    def conflict(n_rows: int) -> bool:
        positive = is_positive[:n_rows]
        if not positive.any() or positive.all():
            return False
        specific = specific_of(rows[:n_rows][positive])
        return bool(covered(specific, rows[:n_rows][~positive]).any())

    if not conflict(len(rows)):
        return None
    low, high = 0, len(rows)  # no conflict after `low` rows, a conflict after `high`
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if conflict(middle) else (middle, high)
    return high - 1


@dataclass(frozen=True, slots=True)
class Conflict:
    """Positive rows whose least generalization covers a negative row."""

    positives: tuple[int, ...]
    least: Codes
    negative: int


def conflict_among(rows: Codes, is_positive: Mask) -> Conflict:
    """A few positive rows that no conjunction separates from a negative one; they must exist."""
    positive, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    specific = specific_of(rows[positive])
    negative = negatives[np.argmax(covered(specific, rows[negatives]))]
    chosen, least = [int(positive[0])], specific_of(rows[positive[:1]])
    while (wrong := (least != ANY) & (least != rows[negative])).any():
        drops = (rows[np.ix_(positive, wrong)] != least[wrong]).sum(axis=1)
        chosen.append(int(positive[np.argmax(drops)]))
        least = specific_of(rows[chosen])
    return Conflict(tuple(sorted(chosen)), least, int(negative))


def near_misses(specific: Codes, negatives: Codes) -> Mask:
    """(n_misses, n_columns): which conditions of S the negative rows meet.

    Rows that meet only a part of what another row meets are left out.
    """
    required = np.flatnonzero(specific != ANY)
    words = as_words(negatives[:, required] == specific[required])
    distinct = np.unique(words.view(np.dtype((np.void, 8 * words.shape[1]))).ravel())
    packed = distinct.view(np.uint8).reshape(-1, 8 * words.shape[1])  # undo `as_words`
    found = np.unpackbits(packed, axis=1, count=len(required)).astype(bool)
    largest = maximal(found[np.argsort(-found.sum(axis=1), kind="stable")])
    misses = np.zeros((len(largest), len(specific)), dtype=bool)
    misses[:, required] = largest
    return misses


def maximal(masks: Mask) -> Mask:
    """The masks that are not part of another; the largest come first."""
    words = as_words(masks)
    kept = np.empty_like(words)
    chosen: list[int] = []
    for at, word in enumerate(words):
        if not ((word & ~kept[: len(chosen)]) == 0).all(axis=1).any():
            kept[len(chosen)] = word
            chosen.append(at)
    return masks[chosen]


def as_words(masks: Mask) -> NDArray[np.uint64]:
    """(n_masks, n_words): 64 columns in a word."""
    n_words = max(1, -(-masks.shape[1] // 64))
    packed = np.zeros((len(masks), 8 * n_words), dtype=np.uint8)
    packed[:, : -(-masks.shape[1] // 8)] = np.packbits(masks, axis=1)
    return packed.view(np.uint64)


def general_boundary(specific: Codes, misses: Mask, most: int) -> Codes | None:
    """The most general consistent hypotheses; None if an intermediate set exceeds `most`.

    Each has just enough of the conditions of S to exclude every near miss.
    """
    found: list[frozenset[int]] = [frozenset()]
    required = frozenset(np.flatnonzero(specific != ANY).tolist())
    for miss in misses:
        lacking = required - frozenset(np.flatnonzero(miss).tolist())
        hit = [one for one in found if one & lacking]
        wider = {one | {column} for one in found if not one & lacking for column in lacking}
        found = hit + [one for one in wider if not any(other <= one for other in hit)]
        if len(found) > most:
            return None
    general = np.full((len(found), len(specific)), ANY, dtype=np.int64)
    for at, columns in enumerate(sorted(found, key=sorted)):
        general[at, list(columns)] = specific[list(columns)]
    return general


class Counted:
    """The consistent hypotheses, counted: all of them, and those that cover a row."""

    def __init__(self, specific: Codes, misses: Mask) -> None:
        self.specific = specific
        self.columns = np.flatnonzero(specific != ANY)
        if not self.is_possible(specific):
            raise ValueError(f"S has {len(self.columns)} conditions, more than {MOST_COUNTED}")
        n_bits = len(self.columns)
        self.bit = 1 << np.arange(n_bits, dtype=np.int64)
        refuted = np.zeros(1 << n_bits, dtype=bool)
        refuted[misses[:, self.columns] @ self.bit] = True
        for at in range(n_bits):  # part of what a near miss meets covers it too
            halves = refuted.reshape(-1, 2, 1 << at)
            halves[:, 0] |= halves[:, 1]
        self.is_left = ~refuted
        # Hypotheses with a subset of these conditions.
        self.n_within = self.is_left.astype(np.int64)
        for at in range(n_bits):
            halves_of_counts = self.n_within.reshape(-1, 2, 1 << at)
            halves_of_counts[:, 1] += halves_of_counts[:, 0]

    @staticmethod
    def is_possible(specific: Codes) -> bool:
        """Whether S has few enough conditions to count their subsets."""
        return int(np.count_nonzero(specific != ANY)) <= MOST_COUNTED

    @property
    def total(self) -> int:
        """Number of consistent hypotheses."""
        return int(self.n_within[-1])

    def hypotheses(self) -> Codes:
        """All of them, the most specific first."""
        kept = np.flatnonzero(self.is_left)
        asks = (kept[:, np.newaxis] & self.bit) > 0
        order = np.argsort(-asks.sum(axis=1), kind="stable")
        found = np.full((len(kept), len(self.specific)), ANY, dtype=np.int64)
        found[:, self.columns] = np.where(asks[order], self.specific[self.columns], ANY)
        return found

    def covering(self, rows: Codes) -> Codes:
        """How many of them cover each row."""
        shared = (rows == self.specific)[:, self.columns]
        counts: Codes = self.n_within[shared @ self.bit]
        return counts


def can_be_covered(specific: Codes, misses: Mask, rows: Codes) -> Mask:
    """Which rows some consistent hypothesis covers: no near miss meets all that they meet."""
    shared = (rows == specific) & (specific != ANY)
    possible = np.ones(len(rows), dtype=bool)
    for miss in misses:
        possible &= (shared & ~miss).any(axis=1)
    return possible
