"""The impurity of a group of rows, written out term by term."""

from collections.abc import Sequence
from math import log2

from treewright.documents.math import (
    Call,
    Dots,
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
from treewright.worksheets.work import Group

MOST_TERMS = 12  # of a sum written out
SHOWN_OF_MANY = 6  # terms shown of a longer sum

ENTROPY, GINI = Name("entropy", "H"), Name("Gini", "G")


def abridged(terms: Sequence[Term]) -> Sum:
    """A sum; of very many terms only the first."""
    if len(terms) <= MOST_TERMS:
        return Sum(tuple(terms))
    return Sum((*terms[:SHOWN_OF_MANY], Term(Dots(), terms[0].is_added)))


def entropy_formula(left: tuple[Math, ...], weights: Sequence[float], digits: Digits) -> Formula:
    """`left` = - p log2 p ... = terms = result; `left` may have several names."""
    whole = sum(weights)
    parts = _in_order([weight for weight in weights if weight > 0])
    written = [digits.share(part, whole) for part in parts]
    values = [-(part / whole) * log2(part / whole) for part in parts]
    terms = [Term(Product((share, Log2(share))), is_added=False) for share in written]
    steps: list[Math] = [abridged(terms)]
    if len(parts) > 1:
        steps.append(abridged([Term(digits.number(value)) for value in values]))
    return Formula(left[0], (*left[1:], *steps, digits.number(sum(values))))


def _in_order(parts: list[float]) -> list[float]:
    """In their order, or the largest first if not all are shown."""
    return parts if len(parts) <= MOST_TERMS else sorted(parts, reverse=True)


class ClassMeasure:
    """What measures of class weights share."""

    name = "impurity"

    def __init__(self, settings: GrowthSettings, digits: Digits) -> None:
        self.settings = settings
        self.digits = digits

    def counts(self, group: Group) -> list[float]:
        """Class weights as the criterion counts them: times the factors of altered priors."""
        factor = self.settings.class_factor
        if factor is None:
            return list(group.counts)
        return [count * float(one) for count, one in zip(group.counts, factor, strict=True)]

    def weight(self, group: Group) -> float:
        return sum(self.counts(group))

    def formula(self, group: Group) -> Formula | None:
        """The impurity of a group step by step; None if there is nothing to show."""
        return None

    def definition(self) -> Formula | None:
        return None

    def listed(self, counts: Sequence[float]) -> tuple[Math, ...]:
        """The class weights as arguments."""
        ordered = _in_order(list(counts))
        are_many = len(ordered) > MOST_TERMS
        shown = ordered[:SHOWN_OF_MANY] if are_many else ordered
        listed = [Number(self.digits.weight(count)) for count in shown]
        return (*listed, Dots()) if are_many else tuple(listed)


class Entropy(ClassMeasure):
    """Entropy in bits."""

    name = "entropy"

    def formula(self, group: Group) -> Formula | None:
        counts = self.counts(group)
        if sum(count > 0 for count in counts) < 2:
            return None
        return entropy_formula((Call(ENTROPY, self.listed(counts)),), counts, self.digits)

    def definition(self) -> Formula:
        share = Letter("p", "i")
        each = Product((share, Log2(share)))
        return Formula(ENTROPY, (Sum((Term(SumOver(each, "i"), is_added=False),)),))


class Gini(ClassMeasure):
    """The probability that two rows differ in class."""

    name = "Gini"

    def formula(self, group: Group) -> Formula | None:
        counts = self.counts(group)
        whole = sum(counts)
        parts = _in_order([count for count in counts if count > 0])
        if len(parts) < 2:
            return None
        squares = [Term(Square(self.digits.share(part, whole)), is_added=False) for part in parts]
        values = [(part / whole) ** 2 for part in parts]
        taken = [Term(self.digits.number(value), is_added=False) for value in values]
        one = Term(Number("1"))
        return Formula(
            Call(GINI, self.listed(counts)),
            (
                Sum((one, *abridged(squares).terms)),
                Sum((one, *abridged(taken).terms)),
                self.digits.number(group.impurity),
            ),
        )

    def definition(self) -> Formula:
        return Formula(GINI, (Sum.less(Number("1"), SumOver(Square(Letter("p", "i")), "i")),))


class CostGini(ClassMeasure):
    """Expected cost of guessing a row's class by drawing another row."""

    name = "Gini with costs"

    def formula(self, group: Group) -> Formula | None:
        counts = self.counts(group)
        costs = self.settings.costs
        whole = sum(counts)
        if costs is None or sum(count > 0 for count in counts) < 2:
            return None
        pairs = [
            (float(costs[i, j]), counts[i], counts[j])
            for i in range(len(counts))
            for j in range(len(counts))
            if i != j and costs[i, j] > 0 and counts[i] > 0 and counts[j] > 0
        ]
        share = self.digits.share
        terms = [
            Term(Product((Number(self.digits.weight(cost)), share(a, whole), share(b, whole))))
            for cost, a, b in pairs
        ]
        return Formula(
            Call(GINI, self.listed(counts)),
            (abridged(terms), self.digits.number(group.impurity)),
        )

    def definition(self) -> Formula:
        each = Product((Letter("c", "ij"), Letter("p", "i"), Letter("p", "j")))
        return Formula(GINI, (SumOver(each, "ij"),))


class NumberMeasure:
    """A measure of numeric targets: a sum over the rows, and the same per unit of weight."""

    def __init__(self, name: str, total: str, digits: Digits) -> None:
        self.name = name
        self.total = total
        self.digits = digits

    def weight(self, group: Group) -> float:
        return group.weight

    def formula(self, group: Group) -> Formula | None:
        total = self.digits.number(group.impurity * group.weight)
        weight = Number(self.digits.weight(group.weight))
        by_weight = Fraction(Name(self.total), Name("weight"))
        result = self.digits.number(group.impurity)
        return Formula(Name(self.name), (by_weight, Fraction(total, weight), result))

    def definition(self) -> Formula | None:
        if self.name != "variance":
            return None
        squares = SumOver(Square(Sum.less(Letter("y", "i"), Name("mean"))), "i")
        return Formula(Name(self.total), (squares,))


def measure_of(settings: GrowthSettings, digits: Digits) -> ClassMeasure | NumberMeasure:
    """The measure of a tree's criterion."""
    match settings.criterion:
        case "information_gain" | "entropy" | "gain_ratio":
            return Entropy(settings, digits)
        case "cost_gini" if settings.costs is not None:
            return CostGini(settings, digits)
        case "gini" | "cost_gini" | "chi2":
            return Gini(settings, digits)
        case "squared_error":
            return NumberMeasure("variance", "sum of squares", digits)
        case "absolute_error":
            return NumberMeasure("absolute error", "sum of distances", digits)
        case "poisson":
            return NumberMeasure("deviance", "sum of deviances", digits)
        case _:
            return ClassMeasure(settings, digits)
