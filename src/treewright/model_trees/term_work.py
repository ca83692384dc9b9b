"""Which terms of a model are worth their place, worked out for people to follow."""

from dataclasses import dataclass

import numpy as np

from treewright.linear.least_squares import CrossProducts
from treewright.model_trees.coding import Float64Array

LARGEST_COEFFICIENT = 1.5  # standardised; above it columns tell the same twice
PERFECT = 1e-14  # squares below this share are rounding


@dataclass(frozen=True, slots=True)
class DropWork:
    """One look at the terms that are left: which one may go, and what that would come to."""

    place: int  # of the term among all
    coefficient: float  # standardised
    before: float  # the criterion with the term; NaN where only the coefficient counts
    after: float  # and without
    goes: bool


def error_factor(weight: float, n_parameters: float, penalty: float) -> float:
    """How much larger than on its own rows the error of a model is expected to be."""
    if weight <= n_parameters:
        return 10.0
    return (weight + penalty * n_parameters) / (weight - n_parameters)


@dataclass(frozen=True, slots=True, eq=False)
class TermChoice:
    """The terms of one node: columns of numbers, and what is known of sets of them."""

    products: CrossProducts
    penalty: float

    @classmethod
    def of(
        cls, terms: Float64Array, y: Float64Array, weights: Float64Array, penalty: float
    ) -> "TermChoice":
        return cls(CrossProducts.of(terms, y, weights), penalty)

    @property
    def weight(self) -> float:
        return self.products.total_weight

    def standardised(self, chosen: list[int]) -> Float64Array:
        """Coefficients as if all columns and the target had the deviation one."""
        products = self.products
        fit = products.fit(chosen)
        scales = products.scales[chosen] / np.sqrt(products.target_squares)
        return np.asarray(fit.coefficients[chosen] * scales)

    def squares(self, chosen: list[int]) -> float:
        """Share of the target's squares that is left."""
        if not chosen:
            return 1.0
        moments = self.products.moments[chosen] / np.sqrt(self.products.target_squares)
        return max(1.0 - float(self.standardised(chosen) @ moments), PERFECT)

    def worth(self) -> list[int]:
        """The terms to begin with: those that earlier ones do not determine."""
        if self.products.target_squares == 0:
            return []
        return np.flatnonzero(self.products.fit().used).tolist()

    def drops(self, rule: str) -> tuple[list[DropWork], list[int]]:
        """Each look at the terms in turn, and the terms that stay."""
        if rule == "akaike":
            return self._by_akaike()
        return self._by_error() if rule == "adjusted_error" else ([], self.worth())

    def _by_akaike(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.worth(), []
        while chosen:
            sizes = np.abs(self.standardised(chosen))
            largest = int(sizes.argmax())
            if sizes[largest] <= LARGEST_COEFFICIENT:
                break
            works.append(DropWork(chosen[largest], sizes[largest], np.nan, np.nan, goes=True))
            del chosen[largest]
        unit = self.squares(chosen) / max(self.weight - len(chosen) - 1, np.finfo(float).tiny)
        while chosen:
            sizes = np.abs(self.standardised(chosen))
            smallest = int(sizes.argmin())
            rest = chosen[:smallest] + chosen[smallest + 1 :]
            before = self.squares(chosen) / unit + 2 * (len(chosen) + 1)
            after = self.squares(rest) / unit + 2 * (len(rest) + 1)
            goes = after < before
            works.append(DropWork(chosen[smallest], sizes[smallest], before, after, goes=goes))
            if not goes:
                break
            chosen = rest
        return works, chosen

    def _expected(self, chosen: list[int]) -> float:
        deviation = np.sqrt(self.products.target_squares)
        factor = error_factor(self.weight, len(chosen) + 1, self.penalty)
        return float(deviation * np.sqrt(self.squares(chosen)) * factor)

    def _by_error(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.worth(), []
        while chosen:
            rests = [chosen[:place] + chosen[place + 1 :] for place in range(len(chosen))]
            least = int(np.argmin([self.squares(rest) for rest in rests]))
            before, after = self._expected(chosen), self._expected(rests[least])
            size = float(np.abs(self.standardised(chosen))[least])
            goes = after <= before
            works.append(DropWork(chosen[least], size, before, after, goes=goes))
            if not goes:
                break
            chosen = rests[least]
        return works, chosen
