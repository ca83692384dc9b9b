"""RuleSheet: what every way of writing rules down needs to know."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError
from treewright.rulesets.condition import Condition, condition_text, decimals_by_column, route_text
from treewright.rulesets.rule import Rule, answer_text


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """Rules to be written down, with what holds where none of them does."""

    rules: list[Rule]
    fallbacks: list[Rule]  # for values that are missing and were not in training
    otherwise: str | None  # the prediction if no rule matches; None if one always does
    is_ordered: bool  # the first matching rule predicts
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


Indices = NDArray[np.intp]

MOST_OFFERED = 10  # names in a hint


def chosen_places(key: Any, numbers: Indices) -> Indices:
    """The places that a slice, places, names or a mask stand for, in a set of these rules."""
    every = np.arange(len(numbers))
    if isinstance(key, slice):
        return every[key]
    asked = np.asarray(key)
    if asked.size == 0:
        return every[:0]
    if asked.ndim != 1 or asked.dtype.kind not in "biuUO":
        raise ParameterError(
            f"rules cannot be chosen by {key!r}",
            hint='use a place, a name such as "R1", a slice, places, names or a mask',
        )
    if asked.dtype.kind in "UO":
        return np.array([place_of(name, numbers) for name in asked.tolist()], dtype=np.intp)
    chosen: Indices = every[asked]
    return chosen


def place_of(name: Any, numbers: Indices) -> int:
    """The place of the rule of this name."""
    places = {f"R{number + 1}": place for place, number in enumerate(numbers.tolist())}
    if not isinstance(name, str) or name not in places:
        raise ParameterError(
            f"there is no rule {name!r} in a set of {len(places)}", hint=offer(name, places)
        )
    return places[name]


def check_answer(answer: Any, known: Sequence[Any], noun: str) -> None:
    """Raises an error if no rule can predict this."""
    if known and not any(bool(label == answer) for label in known):
        raise ParameterError(f"the rules know no {noun} {answer!r}", hint=offer(answer, known))


def offer(value: Any, known: Iterable[Any]) -> str:
    """A hint at what was meant: the nearest number or text, or all there is."""
    by_text = {str(label): label for label in known}
    if not by_text:
        return "the set is empty"
    labels = list(by_text.values())
    if isinstance(value, int | float) and all(isinstance(label, float) for label in labels):
        return f"the nearest is {min(labels, key=lambda label: abs(label - value))!r}"
    lower = {text.lower(): label for text, label in by_text.items()}
    near = get_close_matches(str(value).lower(), lower, n=1)
    if near:
        return f"did you mean {lower[near[0]]!r}?"
    shown = ", ".join(map(repr, labels[:MOST_OFFERED]))
    return f"there are: {shown}" + (" ..." if len(labels) > MOST_OFFERED else "")
