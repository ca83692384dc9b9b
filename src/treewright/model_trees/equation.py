"""An equation of a model tree: a number, and terms that are added to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from treewright.data.schema import Schema
from treewright.model_trees.coding import Coding
from treewright.plain_text import plain
from treewright.tree.conditions import level_condition, number_text


class Term(NamedTuple):
    """What an equation uses of a column: its value, or whether its level ranks from `cut` on."""

    column: int
    cut: int = 0  # 0: the value itself

    def text(self, coding: Coding, *, max_levels: int | None = None) -> str:
        """`age`, or `(town in {Rome, Ulm})`, which counts 1 where it holds and 0 elsewhere."""
        name = plain(coding.schema.columns[self.column].name)
        if not self.cut:
            return name
        levels = coding.upper_levels(self.column, self.cut)
        return f"({level_condition(name, levels, max_levels)})"


@dataclass(frozen=True, slots=True)
class Equation:
    """intercept + coefficient * term + ..."""

    intercept: float
    coefficients: dict[Term, float]

    def plus(self, other: "Equation", weight: float) -> "Equation":
        """This equation and `weight` times another, as one."""
        sums = dict(self.coefficients)
        for term, coefficient in other.coefficients.items():
            sums[term] = sums.get(term, 0.0) + weight * coefficient
        return Equation(self.intercept + weight * other.intercept, dict(sorted(sums.items())))

    def parts(
        self, coding: Coding, decimals: int | None = None, *, max_levels: int | None = None
    ) -> list[str]:
        """`45.89`, `- 0.0063 Weight`, `+ 1.08 (Type = Small)`, `+ Type [Van, Bus: 2; Small: 3]`.

        Of a column with several terms it is told what each level adds in all; of more than
        `max_levels` levels the first are named.
        """
        parts = [number_text(self.intercept, decimals)]
        for column, found in groupby(self.coefficients.items(), lambda item: item[0].column):
            terms = dict(found)
            if len(terms) > 1:
                name = plain(coding.schema.columns[column].name)
                steps = list(steps_of(terms, coding, decimals, max_levels))
                n_more = 0 if max_levels is None else len(steps) - max_levels
                if n_more > 0:
                    steps[max_levels:] = [f"... {n_more} more"]
                parts.append(f"+ {name} [{'; '.join(steps)}]")
                continue
            for term, coefficient in terms.items():
                sign = "-" if coefficient < 0 else "+"
                size = number_text(abs(coefficient), decimals)
                parts.append(f"{sign} {size} {term.text(coding, max_levels=max_levels)}")
        return parts

    def text(self, coding: Coding, target: str, *, max_levels: int | None = None) -> str:
        """The equation in one line."""
        return f"{plain(target)} = {' '.join(self.parts(coding, max_levels=max_levels))}"


def steps_of(
    terms: dict[Term, float], coding: Coding, decimals: int | None, max_levels: int | None
) -> Iterator[str]:
    """`Van, Bus: 2`: levels between two cuts, and what all terms add to them together."""
    total = 0.0
    cuts = sorted(terms)
    for term, above in zip(cuts, [*cuts[1:], None], strict=True):
        total += terms[term]
        levels = coding.upper_levels(*term)
        if above is not None:
            beyond = set(coding.upper_levels(*above))
            levels = tuple(level for level in levels if level not in beyond)
        shown = [plain(str(level)) for level in levels[:max_levels]]
        if len(shown) < len(levels):
            shown.append(f"... {len(levels) - len(shown)} more")
        yield f"{', '.join(shown)}: {number_text(total, decimals)}"


def unit_remark(schema: Schema) -> str:
    """How dates count in equations; "" without any."""
    dates = [spec for spec in schema.columns if spec.unit]
    if not dates:
        return ""
    told = ", ".join(f"{plain(spec.name)} ({spec.unit})" for spec in dates)
    return f"dates and durations count units of their column: {told}"
