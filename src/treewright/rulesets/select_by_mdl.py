"""Which rules of one class to keep: those whose description, with its exceptions, is shortest.

A set of rules of one class is a theory of that class: rows that a rule covers belong to it, others
do not. To send the class of every row one sends the rules, and then the exceptions among the
covered rows (false positives) and among the others (false negatives):

    bits = HALF * (bits of the rules - log2(number of rules!))
         + log2(covered choose false positives) + log2(others choose false negatives)

Rules are sent at half price, as Quinlan does: they repeat each other more than the code assumes.
"""

import numpy as np
from numpy.typing import NDArray

from treewright.rulesets.evaluate import Float64Array
from treewright.rulesets.row_masks import RowMasks, Words, packed

HALF = 0.5
LEAST_SAVING = 1e-6  # bits: less is rounding
LOG_2 = float(np.log(2.0))
HALF_LOG_TAU = 0.5 * float(np.log(2.0 * np.pi))


def log2_factorial(number: Float64Array) -> Float64Array:
    """log2(number!), for any real number that is not negative: weights need not be whole."""
    shifted = number + 8.0
    product = np.ones_like(number)
    for step in range(1, 8):
        product = product * (number + step)
    # Stirling's series, exact to 1e-10 from 8 on; then back by seven factors.
    series = 1 / (12 * shifted) - 1 / (360 * shifted**3) + 1 / (1260 * shifted**5)
    logarithm = (shifted - 0.5) * np.log(shifted) - shifted + HALF_LOG_TAU + series
    return (logarithm - np.log(product)) / LOG_2


def log2_choose(total: Float64Array, chosen: Float64Array) -> Float64Array:
    """log2 of the number of ways to choose so many of all."""
    ways = log2_factorial(total) - log2_factorial(chosen) - log2_factorial(total - chosen)
    return np.maximum(ways, 0.0)


class Theory:
    """Rules chosen from those of one class, and what adding or dropping each would change."""

    def __init__(
        self, covers: Words, of_class: Words, rows: RowMasks, rule_bits: Float64Array
    ) -> None:
        self.covers, self.of_class, self.rows, self.rule_bits = covers, of_class, rows, rule_bits
        self.total = float(rows.weight(rows.everything[np.newaxis])[0])
        self.in_class = float(rows.weight(of_class[np.newaxis])[0])
        self.chosen = np.zeros(len(covers), dtype=np.bool_)
        self.n_times = np.zeros(rows.n_rows, dtype=np.int64)  # chosen rules that cover each row
        self.right = self.wrong = 0.0  # weight that is covered, of the class and of others
        self.new_right = rows.weight(covers & of_class)  # what each rule covers as the only one
        self.new_wrong = rows.weight(covers & ~of_class)
        self.theory_bits = 0.0
        nothing = np.zeros(1)
        self.bits = float(self._bits(nothing, nothing, nothing, nothing)[0])

    def best_change(self) -> tuple[int, float]:
        """The rule to add or to drop that saves most bits, and how many it saves."""
        lost_right, lost_wrong = self._covered_by_one_rule_only()
        right = self.right + np.where(self.chosen, -lost_right, self.new_right)
        wrong = self.wrong + np.where(self.chosen, -lost_wrong, self.new_wrong)
        sign = np.where(self.chosen, -1.0, 1.0)
        theory_bits = self.theory_bits + sign * self.rule_bits
        bits = self._bits(right, wrong, theory_bits, self.chosen.sum() + sign)
        best = int(bits.argmin())
        return best, self.bits - float(bits[best])

    def change(self, rule: int) -> None:
        """Add a rule, or drop it if it was chosen."""
        adds = not self.chosen[rule]
        covered = self.rows.mask(self.covers[rule])
        was_covered = self.n_times > 0
        self.n_times += covered if adds else -covered.astype(np.int64)
        changed = packed(was_covered != (self.n_times > 0))
        sign = 1.0 if adds else -1.0
        self.chosen[rule] = adds
        self.theory_bits += sign * float(self.rule_bits[rule])
        ours, others = (changed & self.of_class)[np.newaxis], (changed & ~self.of_class)[np.newaxis]
        self.right += sign * float(self.rows.weight(ours)[0])
        self.wrong += sign * float(self.rows.weight(others)[0])
        touched = np.flatnonzero(changed)  # the other words of all rules stay unread
        some = self.covers[:, touched]
        self.new_right -= sign * self.rows.weight(some & ours[0, touched], touched)
        self.new_wrong -= sign * self.rows.weight(some & others[0, touched], touched)
        n_chosen = np.array([float(self.chosen.sum())])
        theory = np.array([self.theory_bits])
        self.bits = float(
            self._bits(np.array([self.right]), np.array([self.wrong]), theory, n_chosen)[0]
        )

    def _covered_by_one_rule_only(self) -> tuple[Float64Array, Float64Array]:
        """Per chosen rule: what only it covers, of the class and of others; 0 for the rest."""
        once = packed(self.n_times == 1)
        right, wrong = np.zeros(len(self.chosen)), np.zeros(len(self.chosen))
        some = self.covers[self.chosen] & once
        right[self.chosen] = self.rows.weight(some & self.of_class)
        wrong[self.chosen] = self.rows.weight(some & ~self.of_class)
        return right, wrong

    def _bits(
        self,
        right: Float64Array,
        wrong: Float64Array,
        theory_bits: Float64Array,
        n_rules: Float64Array,
    ) -> Float64Array:
        """The length of the whole description."""
        right, wrong = np.clip(right, 0.0, self.in_class), np.maximum(wrong, 0.0)
        covered = right + wrong
        others = np.maximum(self.total - covered, self.in_class - right)
        exceptions = log2_choose(covered, wrong) + log2_choose(others, self.in_class - right)
        bits: Float64Array = exceptions + HALF * (theory_bits - log2_factorial(n_rules))
        return bits


def selected_rules(
    covers: Words, of_class: Words, rows: RowMasks, rule_bits: Float64Array
) -> NDArray[np.intp]:
    """The rules of one class that describe it in fewest bits, found greedily.

    Beginning without rules, the one change (a rule added, or one dropped) is made that saves most
    bits, the first of equals, until none saves any. `covers` (n_rules, n_words) and `of_class`
    are sets of rows, `rule_bits` what it takes to send each rule.
    """
    theory = Theory(covers, of_class, rows, rule_bits)
    while True:
        rule, saved = theory.best_change()
        if saved <= LEAST_SAVING:
            return np.flatnonzero(theory.chosen)
        theory.change(rule)
