"""Why a row got its answer: the rules that spoke, and with how much of a voice."""

from dataclasses import dataclass
from typing import Any

from treewright.rulesets.rule import Rule, answer_text
from treewright.tree.conditions import number_text


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rules that answer for one row; several where values are missing."""

    answer: Any  # a class or a number
    parts: tuple[tuple[Rule | None, float], ...]  # share of the row; None: what holds otherwise

    @property
    def rule(self) -> Rule | None:
        """The rule with the largest share, the first of equals; None: no rule holds."""
        return max(self.parts, key=lambda part: part[1])[0]

    def __str__(self) -> str:
        lines = [f"{answer_text(self.answer)}, because"]
        for rule, share in self.parts:
            part = "" if share == 1 else f"{number_text(100 * share, 1)} % of the row: "
            said = "no rule holds" if rule is None else f"{rule.name}, {rule}"
            lines.append(f"  {part}{said}")
        return "\n".join(lines)
