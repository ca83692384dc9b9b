"""What a wrong prediction costs, in exact fractions: weights, priors and costs."""

from dataclasses import dataclass
from fractions import Fraction

from reference.problem import Problem, Rows, Weight, class_weights, weight_of


@dataclass(frozen=True)
class Prices:
    """How rows are counted. Without priors and costs a row counts its weight."""

    problem: Problem
    factors: tuple[Fraction, ...]  # prior / share of each class in training
    costs: tuple[tuple[Fraction, ...], ...]  # [true class][predicted class]

    @classmethod
    def of(cls, problem: Problem, priors=None, costs=None) -> "Prices":
        k = problem.n_classes
        totals = class_weights(problem, problem.all_rows)
        factors = [Fraction(1)] * k
        if priors is not None:
            whole = sum(map(Fraction, priors))
            shares = [Fraction(total) / problem.total_weight for total in totals]
            factors = [Fraction(p) / whole / s for p, s in zip(priors, shares, strict=True)]
        if costs is None:
            costs = [[int(i != j) for j in range(k)] for i in range(k)]
        matrix = tuple(tuple(Fraction(price) for price in row) for row in costs)
        return cls(problem, tuple(factors), matrix)

    def prediction(self, rows: Rows) -> int:
        """The class of least cost, the first on ties."""
        costs = [self.cost(rows, prediction) for prediction in range(self.problem.n_classes)]
        return costs.index(min(costs))

    def cost(self, rows: Rows, prediction: int) -> Fraction:
        """The price of one prediction for all these rows."""
        return self.cost_of(class_weights(self.problem, rows), prediction)

    def cost_of(self, weights: list[Weight], prediction: int) -> Fraction:
        """The same for rows of which only the weight of each class is known."""
        return sum(
            (w * f * c[prediction] for w, f, c in self._by_class(weights)), start=Fraction(0)
        )

    def largest_cost(self, rows: Rows) -> Fraction:
        """The price if every row got the prediction that is worst for it."""
        return self.largest_cost_of(class_weights(self.problem, rows))

    def largest_cost_of(self, weights: list[Weight]) -> Fraction:
        return sum((w * f * max(c) for w, f, c in self._by_class(weights)), start=Fraction(0))

    def _by_class(self, weights: list[Weight]):
        return zip(weights, self.factors, self.costs, strict=True)

    @property
    def scale(self) -> Fraction:
        """Makes all training rows together count what they weigh."""
        rows = self.problem.all_rows
        return Fraction(weight_of(rows)) / self.largest_cost(rows)

    def count(self, rows: Rows) -> Fraction:
        """n: how many rows these count as."""
        return self.largest_cost(rows) * self.scale

    def errors(self, rows: Rows, prediction: int) -> Fraction:
        """e: how many of them are wrong."""
        return self.cost(rows, prediction) * self.scale

    def counted(self, rows: Rows, predicting: Rows | None = None) -> tuple[Fraction, Fraction]:
        """n and e of rows that are predicted by the class of others, or of themselves."""
        prediction = self.prediction(rows if predicting is None else predicting)
        return self.count(rows), self.errors(rows, prediction)
