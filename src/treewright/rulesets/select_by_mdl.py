"""Select the rules of one class by minimum description length (MDL).

A set of rules of one class is a theory of that class: rows that a rule covers belong to it, others
do not. To transmit the class of every row, one sends the rules, and then the exceptions among the
covered rows (false positives) and among the others (false negatives):

    bits = HALF * (bits of the rules - log2(number of rules!))
         + log2(covered choose false positives) + log2(others choose false negatives)

Rules count half, as in Quinlan's program, because they share more than the code assumes.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.rulesets.learning import Change
from treewright.rulesets.row_masks import RowMasks, Words, packed

HALF = 0.5
MIN_SAVING = 1e-6  # bits; less is rounding
LOG_2 = float(np.log(2.0))
STIRLING_FROM = 8  # the series is accurate enough for factorials from here on
HALF_LOG_TAU = 0.5 * float(np.log(2.0 * np.pi))


def log2_factorial(number: Floats) -> Floats:
    """log2(number!) of any number that is not negative, because weights need not be whole."""
    is_small = number < STIRLING_FROM
    product = np.ones_like(number)
    for step in range(1, STIRLING_FROM + 1):
        product = product * np.where(is_small, number + step, 1.0)
    # Stirling's series for (x - 1)!, accurate to 1e-10; small numbers are shifted and back.
    x = number + 1.0 + np.where(is_small, STIRLING_FROM, 0.0)
    inverse_square = (1.0 / x) ** 2
    series = (1 / 12 - inverse_square * (1 / 360 - inverse_square / 1260)) / x
    logarithm = (x - 0.5) * np.log(x) - x + HALF_LOG_TAU + series
    return (logarithm - np.log(product)) / LOG_2


class Choices:
    """log2 of binomial coefficients, from a table if numbers are whole."""

    def __init__(self, most: int, *, are_whole: bool) -> None:
        self._table = log2_factorial(np.arange(most + 1.0)) if are_whole else None

    def log2_choose(self, total: Floats, chosen: Floats) -> Floats:
        ways = self._factorial(total) - self._factorial(chosen) - self._factorial(total - chosen)
        return np.maximum(ways, 0.0)

    def _factorial(self, number: Floats) -> Floats:
        if self._table is None:
            return log2_factorial(number)
        found: Floats = self._table[number.astype(np.intp)]
        return found


class Theory:
    """The rules chosen for one class, at first all, and the effect of each change."""

    def __init__(self, covers: Words, of_class: Words, rows: RowMasks, rule_bits: Floats) -> None:
        self.covers, self.of_class, self.rows, self.rule_bits = covers, of_class, rows, rule_bits
        self.choices = Choices(rows.n_rows, are_whole=rows.counts_rows)
        self.total = float(rows.weight(rows.everything[np.newaxis])[0])
        self.in_class = float(rows.weight(of_class[np.newaxis])[0])
        self.chosen = np.ones(len(covers), dtype=np.bool_)
        self.theory_bits = float(rule_bits.sum())
        self.n_times = np.zeros(rows.n_rows, dtype=np.int32)  # chosen rules that cover each row
        for rule in covers:
            self.n_times += rows.mask(rule)
        # Weight that is covered, of the class and of others; then, for every rule, the weight it
        # covers that no chosen rule covers, and the weight that just one does.
        self.covered = self._weights(np.bitwise_or.reduce(covers)[np.newaxis])[:, 0]
        self.by_none = np.zeros((2, len(covers)))
        self.by_one = self._weights(covers & packed(self.n_times == 1))

    def best_change(self) -> tuple[int, float]:
        """The rule to add or drop that saves the most bits, and how many it saves."""
        sign = np.where(self.chosen, -1.0, 1.0)
        covered = self.covered[:, np.newaxis] + np.where(self.chosen, -self.by_one, self.by_none)
        theory_bits = self.theory_bits + sign * self.rule_bits
        bits = self._bits(covered, theory_bits, self.chosen.sum() + sign)
        best = int(bits.argmin())
        return best, self.bits() - float(bits[best])

    def bits(self) -> float:
        """The length of the whole description."""
        n_chosen, theory_bits = np.array([self.chosen.sum() + 0.0]), np.array([self.theory_bits])
        return float(self._bits(self.covered[:, np.newaxis], theory_bits, n_chosen)[0])

    def change(self, rule: int) -> None:
        """Drop a rule, or add it if it is not chosen."""
        adds = not self.chosen[rule]
        sign = 1 if adds else -1
        own = self.rows.mask(self.covers[rule])
        before = self.n_times
        self.n_times = before + sign * own
        self.chosen[rule] = adds
        self.theory_bits += sign * float(self.rule_bits[rule])
        # Rows move between "by none", "by one" and "by more", always by one step.
        lower = np.minimum(before, self.n_times)
        first = self._weights_of_moved(own & (lower == 0))
        second = self._weights_of_moved(own & (lower == 1))
        self.covered += sign * first[:, rule]
        self.by_none -= sign * first
        self.by_one += sign * (first - second)

    def _weights_of_moved(self, moved: NDArray[np.bool_]) -> Floats:
        """(2, n_rules): the weight of these rows that each rule covers."""
        bits = packed(moved)
        touched = np.flatnonzero(bits)  # other words need not be read
        return self._weights(self.covers[:, touched] & bits[touched], touched)

    def _weights(self, sets: Words, words: NDArray[np.intp] | None = None) -> Floats:
        """(2, n): the weight of each set of rows, of the class and of others."""
        of_class = self.of_class if words is None else self.of_class[words]
        return np.stack(
            [self.rows.weight(sets & of_class, words), self.rows.weight(sets & ~of_class, words)]
        )

    def _bits(self, covered: Floats, theory_bits: Floats, n_rules: Floats) -> Floats:
        """The length of the whole description, for each column of covered weights."""
        right, wrong = np.clip(covered[0], 0.0, self.in_class), np.maximum(covered[1], 0.0)
        others = np.maximum(self.total - right - wrong, self.in_class - right)  # rounding
        left_out = self.in_class - right
        log2_choose = self.choices.log2_choose
        exceptions = log2_choose(right + wrong, wrong) + log2_choose(others, left_out)
        bits: Floats = exceptions + HALF * (theory_bits - log2_factorial(n_rules))
        return bits


def selected_rules(
    covers: Words, of_class: Words, rows: RowMasks, rule_bits: Floats
) -> NDArray[np.intp]:
    """The rules of one class that describe it in few bits, found greedily.

    Beginning with all rules, the change (dropping a rule, or adding one again) that saves the most
    bits is made, the first of equals, until none saves any. `covers` (n_rules, n_words) and
    `of_class` are sets of rows, `rule_bits` is the length of each rule.
    """
    theory = Theory(covers, of_class, rows, rule_bits)
    for _ in improve(theory):
        pass
    return np.flatnonzero(theory.chosen)


def improve(theory: Theory) -> Iterator[Change]:
    """Make the changes that save bits, one after the other."""
    while True:
        rule, saved = theory.best_change()
        if not saved > MIN_SAVING:  # also if it is NaN
            return
        yield Change(rule, not theory.chosen[rule], saved)
        theory.change(rule)
