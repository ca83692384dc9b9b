"""Calculations written out: impurity term by term, remainder, gain, gain ratio."""

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.documents.page import Formula
from treewright.induction.settings import GrowthSettings
from treewright.tree.conditions import plain, weight_text
from treewright.tree.escaping import latex
from treewright.worksheets.work import CandidateWork, Group

MOST_TERMS = 12  # of a sum written out

NAMES = {
    "information_gain": "entropy",
    "entropy": "entropy",
    "gain_ratio": "entropy",
    "gini": "Gini",
    "chi2": "Gini",
    "cost_gini": "Gini with costs",
    "squared_error": "variance",
    "absolute_error": "absolute error",
    "poisson": "deviance",
}


@dataclass(frozen=True, slots=True, eq=False)
class Formulas:
    """How the numbers of a worksheet come about."""

    settings: GrowthSettings
    decimals: int

    @property
    def name(self) -> str:
        """What the measure of impurity is called."""
        criterion = self.settings.criterion
        return NAMES[criterion] if isinstance(criterion, str) else "impurity"

    @property
    def is_altered(self) -> bool:
        """Whether classes count by other weights than the table shows."""
        factor = self.settings.class_factor
        return factor is not None and bool((factor != 1).any())

    def impurity(self, group: Group) -> Formula | None:
        """Entropy or Gini term by term, the variance from the sum of squares; None if unwritten."""
        result = self._number(group.impurity)
        if self.name == "variance":
            squares = self._number(group.impurity * group.weight)
            weight, mean = weight_text(group.weight), self._number(group.mean)
            return Formula(
                rf"\text{{variance}} = \frac{{1}}{{{weight}}} \sum (y - {mean})^2"
                rf" = \frac{{{squares}}}{{{weight}}} = {result}",
                f"variance = sum of squares / weight = {squares} / {weight} = {result}",
            )
        counts = [count for count in group.counts if count > 0]
        if not counts or len(counts) > MOST_TERMS or self.is_altered:
            return None
        if self.name not in ("entropy", "Gini"):
            return None
        whole = weight_text(sum(counts))
        parts = [weight_text(count) for count in counts]
        listed = ", ".join(map(weight_text, group.counts))
        if self.name == "entropy":
            tex = " ".join(
                rf"- \tfrac{{{part}}}{{{whole}}} \log_2 \tfrac{{{part}}}{{{whole}}}"
                for part in parts
            )
            text = " ".join(f"- {part}/{whole} log2({part}/{whole})" for part in parts)
            return Formula(
                rf"H({listed}) = {tex} = {result}", f"entropy({listed}) = {text} = {result}"
            )
        tex = "1 " + " ".join(rf"- \left(\tfrac{{{part}}}{{{whole}}}\right)^2" for part in parts)
        text = "1 " + " ".join(f"- ({part}/{whole})^2" for part in parts)
        return Formula(rf"G({listed}) = {tex} = {result}", f"Gini({listed}) = {text} = {result}")

    def gain(self, node: Group, found: CandidateWork) -> Iterator[Formula]:
        """Remainder, gain and what follows from it."""
        if self.settings.criterion == "chi2":
            return
        yield self._remainder(found)
        yield self._gain(node, found)
        if self.settings.criterion == "gain_ratio":
            yield from self._ratio(found)

    def _remainder(self, found: CandidateWork) -> Formula:
        result = self._number(found.remainder)
        branches = found.branches
        if self.is_altered or len(branches) > MOST_TERMS:
            return Formula(rf"\text{{remainder}} = {result}", f"remainder = {result}")
        whole = weight_text(sum(branch.weight for branch in branches))
        parts = [(weight_text(branch.weight), self._number(branch.impurity)) for branch in branches]
        tex = " + ".join(rf"\tfrac{{{part}}}{{{whole}}} \cdot {number}" for part, number in parts)
        text = " + ".join(f"{part}/{whole} x {number}" for part, number in parts)
        return Formula(rf"\text{{remainder}} = {tex} = {result}", f"remainder = {text} = {result}")

    def _gain(self, node: Group, found: CandidateWork) -> Formula:
        difference = f"{self._number(found.before)} - {self._number(found.remainder)}"
        tex = text = difference
        if found.known_share < 1:
            share = self._number(found.known_share)
            tex, text = rf"{share} \cdot ({difference})", f"{share} x ({difference})"
        if found.correction:
            price = self._number(found.correction)
            tex, text = f"{tex} - {price}", f"{text} - {price}"
        result = self._number(found.gain)
        name = plain(found.column)
        return Formula(
            rf"\text{{gain}}(\text{{{latex(name)}}}) = {tex} = {result}",
            f"gain({name}) = {text} = {result}",
        )

    def _ratio(self, found: CandidateWork) -> Iterator[Formula]:
        information, name = self._number(found.split_information), plain(found.column)
        weights = [branch.weight for branch in found.branches]
        if found.known_share < 1:
            weights.append(found.missing_weight)
        listed = ", ".join(map(weight_text, weights[:MOST_TERMS]))
        listed += ", ..." if len(weights) > MOST_TERMS else ""
        yield Formula(
            rf"\text{{split information}} = H({listed}) = {information}",
            f"split information = entropy({listed}) = {information}",
        )
        quotient = (self._number(found.gain), information)
        score = self._number(found.score)
        yield Formula(
            rf"\text{{gain ratio}}(\text{{{latex(name)}}}) = "
            rf"\frac{{{quotient[0]}}}{{{quotient[1]}}} = {score}",
            f"gain ratio({name}) = {quotient[0]} / {quotient[1]} = {score}",
        )

    def _number(self, number: float) -> str:
        text = f"{number:.{self.decimals}f}"
        return text[1:] if float(text) == 0 and text.startswith("-") else text
