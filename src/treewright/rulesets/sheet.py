"""RuleSheet: what every way of writing rules down needs to know."""

from dataclasses import dataclass

from treewright.rulesets.condition import Condition
from treewright.rulesets.condition_text import condition_text, route_text
from treewright.rulesets.rule import Rule


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """Rules to be written down, with what holds where none of them does."""

    rules: list[Rule]
    fallbacks: list[Rule]  # for values that are missing and were not in training
    otherwise: str | None  # the answer where no rule holds; None if there always is one
    is_ordered: bool  # the first rule that holds answers
    is_classifier: bool
    decimals: int | None = None
    shows_quality: bool = True

    def footnotes(self) -> dict[str, str]:
        """A mark for each different thing that missing values do: text -> a, b, c ..."""
        marks: dict[str, str] = {}
        for rule in self.rules:
            for condition in rule.conditions:
                text = route_text(condition, self.decimals)
                if text and text not in marks:
                    marks[text] = mark_number(len(marks))
        return marks

    def marked(self, condition: Condition, marks: dict[str, str]) -> tuple[str, str]:
        """A condition in words, and the mark of its footnote or ""."""
        text = condition_text(condition, self.decimals)
        return text, marks.get(route_text(condition, self.decimals), "")


def mark_number(number: int) -> str:
    """a ... z, aa, ab ... as the columns of a spreadsheet are named."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
