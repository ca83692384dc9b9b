"""The class of a row whose probabilities are sums: the largest, or with costs the cheapest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treewright.exports.program import Program
from treewright.exports.sql.branches import Case, Expression
from treewright.exports.sql.dialects.base import Dialect
from treewright.tree.answers import TIE

Named = tuple[str, str]  # expression, name


@dataclass(frozen=True, slots=True)
class Choice:
    """Finds the class in two stages: what each class costs, and the bound that the best keeps."""

    program: Program
    dialect: Dialect
    prefix: str
    sums: Sequence[str]  # columns with the probabilities

    def stages(self) -> Iterator[list[Named]]:
        """The columns to compute before the class can be told."""
        bound = f"{self.prefix}bound"
        if self.program.tree.costs is None:
            largest = self.dialect.largest(self.sums)
            yield [(f"{largest} * {self.dialect.number(1 - TIE)}", bound)]
            return
        yield [(self.cost_of(at), name) for at, name in enumerate(self.costs)]
        low, high = self.dialect.smallest(self.costs), self.dialect.largest(self.costs)
        yield [(f"{low} + {self.dialect.number(TIE)} * {high}", bound)]

    @property
    def costs(self) -> list[str]:
        return [f"{self.prefix}cost_{at}" for at in range(len(self.sums))]

    def cost_of(self, predicted: int) -> str:
        """What a class is expected to cost, added up in the order of the true classes."""
        assert self.program.tree.costs is not None
        prices = self.program.tree.costs[:, predicted].tolist()
        terms = [
            f"{share} * {self.dialect.number(price)}"
            for share, price in zip(self.sums, prices, strict=True)
        ]
        return " + ".join(terms)

    def label(self) -> Expression:
        """The first class within the bound."""
        assert self.program.classes is not None
        has_costs = self.program.tree.costs is not None
        columns, sign = (self.costs, "<=") if has_costs else (self.sums, ">=")
        ways = [
            (f"{column} {sign} {self.prefix}bound", self.dialect.answer(label))
            for column, label in zip(columns, self.program.classes, strict=True)
        ]
        return Case("CASE", tuple(ways))
