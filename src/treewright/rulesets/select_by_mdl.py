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

from treewright._kernels import portable
from treewright._kernels.row_sets import Words
from treewright.arrays import Floats
from treewright.rulesets.learning import Change
from treewright.rulesets.row_masks import RowMasks, packed

HALF = 0.5
MIN_SAVING = 1e-6  # bits; less is rounding


def log2_factorial(number: Floats) -> Floats:
    """log2(number!) of any number that is not negative, because weights need not be whole."""
    found: Floats = portable.log_gamma(number + 1.0) / portable.LOG_2
    return found


class Choices:
    """log2 of binomial coefficients, from a table if numbers are whole."""

    def __init__(self, most: int, *, are_whole: bool) -> None:
        self._table = log2_factorial(np.arange(most + 1.0)) if are_whole else None

    def log2_choose(self, total: Floats, chosen: Floats) -> Floats:
        all_ways, of_chosen, of_others = self._factorial(np.stack([total, chosen, total - chosen]))
        ways: Floats = np.maximum(all_ways - of_chosen - of_others, 0.0)
        return ways

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
        self.covered = self._weights(np.bitwise_or.reduce(covers)[np.newaxis], rows.everything)[
            :, 0
        ]
        self.by_none = np.zeros((2, len(covers)))
        self.by_one = self._weights(covers & packed(self.n_times == 1), rows.everything)

    def best_change(self) -> tuple[int, float]:
        """The rule to add or drop that saves the most bits, and how many it saves."""
        sign = np.where(self.chosen, -1, 1)
        change = np.where(self.chosen, -self.by_one, self.by_none)
        # A rule whose rows all have other rules changes no exceptions; most are such at first.
        matters = change.any(axis=0)
        found = self._exceptions(self.covered[:, np.newaxis] + with_no_change(change[:, matters]))
        exceptions = np.full(len(sign) + 1, found[-1])
        exceptions[:-1][matters] = found[:-1]
        theory_bits = self.theory_bits + with_no_change(sign * self.rule_bits)
        fewer_same_more = log2_factorial(self.chosen.sum() + np.array([-1.0, 0.0, 1.0]))
        order_bits = fewer_same_more[with_no_change(sign).astype(np.intp) + 1]
        bits = exceptions + HALF * (theory_bits - order_bits)
        best = int(bits[:-1].argmin())
        return best, float(bits[-1]) - float(bits[best])

    def bits(self) -> float:
        """The length of the whole description."""
        exceptions = self._exceptions(self.covered[:, np.newaxis])
        order_bits = log2_factorial(np.array([self.chosen.sum() + 0.0]))
        return float((exceptions + HALF * (self.theory_bits - order_bits))[0])

    def change(self, rule: int) -> None:
        """Drop a rule, or add it if it is not chosen."""
        adds = not self.chosen[rule]
        sign = 1 if adds else -1
        own = np.flatnonzero(self.rows.mask(self.covers[rule]))
        # Rows move between "by none", "by one" and "by more", always by one step.
        lower = self.n_times[own] - (0 if adds else 1)
        self.n_times[own] += sign
        self.chosen[rule] = adds
        self.theory_bits += sign * float(self.rule_bits[rule])
        first = self._weights_of_moved(own[lower == 0])
        second = self._weights_of_moved(own[lower == 1])
        self.covered += sign * first[:, rule]
        self.by_none -= sign * first
        self.by_one += sign * (first - second)

    def _weights_of_moved(self, moved: NDArray[np.intp]) -> Floats:
        """(2, n_rules): the weight of these rows that each rule covers."""
        if not len(moved):
            return np.zeros((2, len(self.covers)))
        is_moved = np.zeros(self.rows.n_rows, dtype=np.bool_)
        is_moved[moved] = True
        return self._weights(self.covers, packed(is_moved))

    def _weights(self, sets: Words, within: Words) -> Floats:
        """(2, n): the weight of each set of rows in `within`, of the class and of others."""
        return self.rows.shared_weight(
            sets, np.stack([within & self.of_class, within & ~self.of_class])
        )

    def _exceptions(self, covered: Floats) -> Floats:
        """The bits of false positives and false negatives, for each column of covered weights."""
        right, wrong = np.clip(covered[0], 0.0, self.in_class), np.maximum(covered[1], 0.0)
        others = np.maximum(self.total - right - wrong, self.in_class - right)  # rounding
        left_out = self.in_class - right
        covered_and_not = np.stack([right + wrong, others]), np.stack([wrong, left_out])
        among_covered, among_others = self.choices.log2_choose(*covered_and_not)
        exceptions: Floats = among_covered + among_others
        return exceptions


def with_no_change(changes: Floats) -> Floats:
    """The effect of each change, and at the end that of none."""
    return np.concatenate([changes, np.zeros((*changes.shape[:-1], 1))], axis=-1)


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
