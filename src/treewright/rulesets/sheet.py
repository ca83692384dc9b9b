"""RuleSheet: what every way of writing rules down needs to know."""

from dataclasses import dataclass, field

from treewright.rulesets.condition import Condition
from treewright.rulesets.condition_text import condition_text, decimals_by_column, route_text
from treewright.rulesets.rule import Rule, answer_text


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
    shows_missing: bool = True  # what missing values do, as footnotes
    # Rules share most of their conditions: each is put into words once.
    _texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    _apart: dict[str, int | None] = field(default_factory=dict)  # decimals of each column

    def words(self, condition: Condition) -> tuple[str, str]:
        """A condition in words, and what missing values do at it or ""."""
        found = self._texts.get(id(condition))
        if found is None:
            found = (
                condition_text(condition, self._decimals_for(condition)),
                route_text(condition, self.decimals),
            )
            self._texts[id(condition)] = found
        return found

    def _decimals_for(self, condition: Condition) -> int | None:
        """More than asked for where two bounds of a column would look the same."""
        if self.decimals is None or condition.is_sum:
            return self.decimals
        if not self._apart:
            every = (one for rule in self.rules + self.fallbacks for one in rule.conditions)
            self._apart.update(decimals_by_column(every, self.decimals))
        return self._apart[condition.column.name]

    def footnotes(self) -> dict[str, str]:
        """A mark for each different thing that missing values do: text -> a, b, c ..."""
        marks: dict[str, str] = {}
        for rule in self.rules:
            for condition in rule.conditions:
                route = self.words(condition)[1]
                if route and route not in marks:
                    marks[route] = mark_number(len(marks))
        return marks

    def marked(self, condition: Condition, marks: dict[str, str]) -> tuple[str, str]:
        """A condition in words, and the mark of its footnote or ""."""
        text, route = self.words(condition)
        return text, marks.get(route, "")

    def sentence(self, rule: Rule) -> str:
        """`if ... then ...` without marks."""
        body = " and ".join(self.words(condition)[0] for condition in rule.conditions)
        answer = answer_text(rule.answer, self.decimals)
        return f"if {body} then {answer}" if body else f"always {answer}"


def mark_number(number: int) -> str:
    """a ... z, aa, ab ... as the columns of a spreadsheet are named."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
