"""The calculations of a split, written out: remainder, gain, and what follows from it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from treewright import measures
from treewright.documents.math import (
    Call,
    Fraction,
    Letter,
    Log2,
    Math,
    Name,
    Number,
    Product,
    Square,
    Sum,
    SumOver,
    Term,
)
from treewright.documents.page import Formula
from treewright.induction.settings import GrowthSettings
from treewright.worksheets.digits import Digits
from treewright.worksheets.impurity_formulas import (
    ENTROPY,
    ClassMeasure,
    Entropy,
    Gini,
    NumberMeasure,
    abridged,
    entropy_formula,
    measure_of,
)
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_BRANCHES_WORKED_OUT = 6  # whose impurity is written out
BELOW_ZERO = -1e-12  # below this a gain is negative, not rounded: costs can cause it


class Formulas:
    """The formulas of a worksheet."""

    def __init__(self, settings: GrowthSettings, digits: Digits) -> None:
        self.settings = settings
        self.digits = digits
        self.measure = measure_of(settings, digits)

    @property
    def is_chi_square(self) -> bool:
        return self.settings.criterion == "chi2"

    @property
    def is_altered(self) -> bool:
        """Whether the criterion counts classes with other weights than the table shows."""
        factor = self.settings.class_factor
        return factor is not None and bool((factor != 1).any())

    def impurity(self, group: Group) -> Formula | None:
        """The impurity of a node step by step; None if there is nothing to show."""
        if group.n_rows == 0 or self.is_chi_square:
            return None
        return self.measure.formula(group)

    def definitions(self) -> Iterator[Formula]:
        """The definitions used."""
        if self.is_chi_square:
            found, expected = Letter("n", "ib"), Letter("e", "ib")
            each = Fraction(Square(Sum.less(found, expected)), expected)
            yield Formula(Name("chi-square"), (SumOver(each, "ib"),))
            return
        measure = self.measure.definition()
        if measure is not None:
            yield measure
        gain, share = Name("gain"), Fraction(Letter("w", "b"), Letter("w"))
        if isinstance(self.measure, NumberMeasure):
            total = Name(self.measure.total)
            left = SumOver(Call(total, (Name("branch b"),)), "b")
            difference = Sum.less(Call(total, (Name("node"),)), left)
            yield Formula(gain, (Fraction(difference, Letter("w")),))
        elif measure is not None:
            symbol = measure.left
            assert isinstance(symbol, Name)
            part = Product((share, Call(symbol, (Name("branch b"),))))
            yield Formula(gain, (Sum.less(Call(symbol, (Name("node"),)), SumOver(part, "b")),))
        if self.settings.criterion == "gain_ratio":
            bits = SumOver(Product((share, Log2(share))), "b")
            information = Name("split information")
            yield Formula(information, (Sum((Term(bits, is_added=False),)),))
            yield Formula(Name("gain ratio"), (Fraction(gain, information),))

    def of_column(self, work: NodeWork, found: CandidateWork) -> Iterator[Formula]:
        """All formulas from the branches to the score."""
        if self.is_chi_square:
            yield self.chi_square(found)
            return
        if isinstance(self.measure, NumberMeasure):
            yield from self._gain_by_sums(self.measure, work, found)
            return
        if found.known_share < 1:
            yield from self._known_rows(self.measure, found)
        yield from self.branches(self.measure, found.branches)
        yield self._remainder(self.measure, found)
        yield self._gain(self.measure, work, found)
        if self.settings.criterion == "gain_ratio":
            yield self.split_information(found)
            yield self.gain_ratio(found, found.gain, found.split_information, found.score)

    def branches(self, measure: ClassMeasure, branches: tuple[Group, ...]) -> Iterator[Formula]:
        """The impurity of each mixed branch; equal branches only once."""
        seen: set[tuple[float, ...]] = set()
        for branch in branches:
            counts = tuple(sorted(branch.counts))
            formula = None if counts in seen else measure.formula(branch)
            seen.add(counts)
            if formula is not None:
                yield formula
            if len(seen) == MOST_BRANCHES_WORKED_OUT:
                return

    def _known_rows(self, measure: ClassMeasure, found: CandidateWork) -> Iterator[Formula]:
        """The impurity of the rows whose value is known."""
        counts = np.sum([branch.counts for branch in found.branches], axis=0)
        weight = sum(branch.weight for branch in found.branches)
        known = replace(
            found.branches[0], counts=tuple(counts.tolist()), weight=weight, impurity=found.before
        )
        formula = measure.formula(known)
        if formula is not None:
            yield formula

    def _remainder(self, measure: ClassMeasure, found: CandidateWork) -> Formula:
        parts = remainder_terms(
            [measure.weight(branch) for branch in found.branches],
            [branch.impurity for branch in found.branches],
            self.digits,
        )
        return Formula(Name("remainder"), (abridged(parts), self.digits.number(found.remainder)))

    def _gain(self, measure: ClassMeasure, work: NodeWork, found: CandidateWork) -> Formula:
        number = self.digits.number
        gain: Math = Sum.less(number(found.before), number(found.remainder))
        if found.known_share * (found.before - found.remainder) < BELOW_ZERO:
            gain = Call(Name("max"), (Number("0"), gain))
        if found.known_share < 1:
            whole = measure.weight(work.group)
            seen = sum(map(measure.weight, found.branches))
            gain = Product((self.digits.share(seen, whole), gain))
        if found.correction:  # C4.5: bits per row that identify the threshold
            weight = Number(self.digits.weight(work.group.weight))
            price = Fraction(Log2(Number(str(found.n_allowed))), weight)
            terms = gain.terms if isinstance(gain, Sum) else (Term(gain),)
            gain = Sum((*terms, Term(price, is_added=False)))
        return Formula(_of("gain", found), (gain, number(found.gain)))

    def _gain_by_sums(
        self, measure: NumberMeasure, work: NodeWork, found: CandidateWork
    ) -> Iterator[Formula]:
        number = self.digits.number
        seen = sum(branch.weight for branch in found.branches)
        left, before = found.remainder * seen, found.before * seen
        knows_all = found.known_share == 1
        if not knows_all:
            yield from self._known_numbers(measure, found, seen)
        terms = self._totals(found)
        yield Formula(Name(f"{measure.total} left"), (abridged(terms), number(left)))
        if knows_all:
            weight = Number(self.digits.weight(work.group.weight))
            gain: Math = Fraction(Sum.less(number(before), number(left)), weight)
        else:
            each = Fraction(number(left), Number(self.digits.weight(seen)))
            yield Formula(Name("remainder"), (each, number(found.remainder)))
            difference = Sum.less(number(found.before), number(found.remainder))
            gain = Product((self.digits.share(seen, work.group.weight), difference))
        yield Formula(_of("gain", found), (gain, number(found.gain)))

    def _totals(self, found: CandidateWork) -> list[Term]:
        return [Term(self.digits.number(one.impurity * one.weight)) for one in found.branches]

    def _known_numbers(
        self, measure: NumberMeasure, found: CandidateWork, seen: float
    ) -> Iterator[Formula]:
        """The impurity of the rows whose value is known; for the variance with its sums."""
        number, weight = self.digits.number, Number(self.digits.weight(seen))
        total = number(found.before * seen)
        if measure.name == "variance":
            filled = [branch for branch in found.branches if branch.weight > 0]
            sizes = [Number(self.digits.weight(branch.weight)) for branch in filled]
            means = [branch.mean for branch in filled]
            mean = float(np.average(means, weights=[branch.weight for branch in filled]))
            added = [
                Term(Product((size, number(abs(one)))), is_added=one >= 0)
                for size, one in zip(sizes, means, strict=True)
            ]
            apart = [
                Term(Product((size, Square(self._difference(one, mean)))))
                for size, one in zip(sizes, means, strict=True)
            ]
            yield Formula(_known("mean"), (Fraction(abridged(added), weight), number(mean)))
            inside = abridged(self._totals(found)).terms
            yield Formula(_known(measure.total), (Sum((*inside, *abridged(apart).terms)), total))
        by_weight = Fraction(Name(measure.total), Name("weight"))
        steps = (by_weight, Fraction(total, weight), number(found.before))
        yield Formula(_known(measure.name), steps)

    def _difference(self, first: float, second: float) -> Sum:
        """One number minus another, without two signs in a row."""
        number = self.digits.number
        return Sum(
            (
                Term(number(abs(first)), is_added=first >= 0),
                Term(number(abs(second)), is_added=second < 0),
            )
        )

    def split_information(self, found: CandidateWork) -> Formula:
        """The entropy of the branches themselves."""
        weights = [branch.weight for branch in found.branches]
        if found.known_share < 1:
            weights.append(found.missing_weight)
        return self._plain_split_information(weights)

    def gain_ratio(
        self, found: CandidateWork, gain: float, information: float, ratio: float
    ) -> Formula:
        """The gain per bit of split information."""
        number = self.digits.number
        if information <= 0:
            return Formula(_of("gain ratio", found), (Number("0"),))
        quotient = Fraction(number(gain), number(information))
        return Formula(_of("gain ratio", found), (quotient, number(ratio)))

    def chi_square(self, found: CandidateWork) -> Formula:
        """Squared differences from the expected counts, divided by these."""
        table = np.array([branch.counts for branch in found.branches])
        if self.settings.class_factor is not None and self.is_chi_square:
            table = table * self.settings.class_factor
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        cells = [
            (float(count), float(mean))
            for count, mean in zip(table.ravel(), expected.ravel(), strict=True)
            if mean > 0
        ]
        number, weight = self.digits.number, self.digits.weight
        terms = [
            Term(Fraction(Square(Sum.less(Number(weight(count)), number(mean))), number(mean)))
            for count, mean in cells
        ]
        values = [Term(number((count - mean) ** 2 / mean)) for count, mean in cells]
        result = found.score if self.is_chi_square else measures.chi_square(table)
        steps = (abridged(terms), abridged(values), number(result))
        return Formula(_of("chi-square", found), steps)

    def more(self, name: str, found: CandidateWork) -> Iterator[Formula]:
        """An additional measure of a split, over the rows whose value is known."""
        table = np.array([branch.counts for branch in found.branches])
        match name:
            case "chi_square":
                yield self.chi_square(found)
            case "information_gain" | "gini_gain":
                yield from self._other_gain(name, found)
            case "split_information" | "gain_ratio":
                yield self._plain_split_information(table.sum(axis=1).tolist())
        if name == "gain_ratio":
            yield self.gain_ratio(
                found,
                measures.information_gain(table),
                measures.split_information(table),
                measures.gain_ratio(table),
            )

    def more_of_node(self, name: str, group: Group) -> Formula | None:
        """The impurity of a node by an additional measure."""
        if name not in OTHER_GAINS:
            return None
        kind, function, _ = OTHER_GAINS[name]
        return kind(_PLAIN, self.digits).formula(replace(group, impurity=function(group.counts)))

    def _other_gain(self, name: str, found: CandidateWork) -> Iterator[Formula]:
        kind, function, words = OTHER_GAINS[name]
        branches = tuple(replace(one, impurity=function(one.counts)) for one in found.branches)
        yield from self.branches(kind(_PLAIN, self.digits), branches)
        before = function(np.sum([one.counts for one in branches], axis=0))
        weights = [one.weight for one in branches]
        impurities = [one.impurity for one in branches]
        parts = abridged(remainder_terms(weights, impurities, self.digits)).terms
        left = float(np.average(impurities, weights=weights))
        difference = Sum(
            (Term(self.digits.number(before)), *(Term(part.of, is_added=False) for part in parts))
        )
        yield Formula(_of(words, found), (difference, self.digits.number(before - left)))

    def _plain_split_information(self, weights: list[float]) -> Formula:
        listed = Entropy(_PLAIN, self.digits).listed(weights)
        left = (Name("split information"), Call(ENTROPY, listed))
        return entropy_formula(left, weights, self.digits)

    def average_gain(self, work: NodeWork) -> Formula | None:
        """C4.5: the mean gain of the columns that enter it."""
        gains = [found.gain for found in work.candidates if found.column in work.averaged]
        if work.average_gain is None or not gains:
            return None
        total = abridged([Term(self.digits.number(gain)) for gain in gains])
        mean = Fraction(total, Number(str(len(gains))))
        return Formula(Name("average gain"), (mean, self.digits.number(work.average_gain)))


_PLAIN = GrowthSettings()
OTHER_GAINS: dict[str, tuple[type[ClassMeasure], Callable[..., float], str]] = {
    "information_gain": (Entropy, measures.entropy, "information gain"),
    "gini_gain": (Gini, measures.gini, "Gini gain"),
}


def remainder_terms(weights: list[float], impurities: list[float], digits: Digits) -> list[Term]:
    """The share of each branch times its impurity."""
    whole = sum(weights)
    return [
        Term(Product((digits.share(weight, whole), digits.number(impurity))))
        for weight, impurity in zip(weights, impurities, strict=True)
    ]


def _of(name: str, found: CandidateWork) -> Call:
    return Call(Name(name), (Name(found.column),))


def _known(name: str) -> Call:
    return Call(Name(name), (Name("known rows"),))
