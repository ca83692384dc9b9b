"""RuleSheet: rules with everything that text, tables and documents of them need."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.errors import ParameterError, nearest
from treewright.rulesets.condition import (
    Condition,
    condition_text,
    decimals_by_column,
    in_plain_numbers,
    route_text,
)
from treewright.rulesets.rule import Rule
from treewright.tree.counts import ROUNDING


@dataclass(frozen=True)
class RuleSheet:
    """Rules, and the prediction if none of them matches."""

    rules: list[Rule]
    fallbacks: list[Rule]  # for missing values in columns without any in training
    otherwise: str | None  # the prediction if no rule matches; None if one always does
    is_ordered: bool  # the first matching rule predicts
    is_classifier: bool
    decimals: int | None = None
    shows_quality: bool = True
    shows_missing: bool = True  # footnotes on missing values
    is_exact: bool = False  # thresholds as plain numbers
    # Rules share most of their conditions, so texts are cached.
    _texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    _apart: dict[str, int | None] = field(default_factory=dict)  # decimals of each column

    @cached_property
    def has_weights(self) -> bool:
        """Whether training rows had weights, other than parts of rows with missing values.

        Parts of rows never weigh more than the rows.
        """
        return any(rule.weight > rule.n_rows * (1 + ROUNDING) for rule in self.rules)

    def texts(self, condition: Condition) -> tuple[str, str]:
        """The text of a condition, and its treatment of missing values or ""."""
        found = self._texts.get(id(condition))
        if found is None:
            shown = in_plain_numbers(condition) if self.is_exact else condition
            found = (
                condition_text(shown, self._decimals_for(condition)),
                route_text(shown, self.decimals),
            )
            self._texts[id(condition)] = found
        return found

    def _decimals_for(self, condition: Condition) -> int | None:
        """More decimals than requested if two bounds of a column would look the same."""
        if self.decimals is None or condition.is_sum:
            return self.decimals
        if not self._apart:
            every = (one for rule in self.rules + self.fallbacks for one in rule.conditions)
            self._apart.update(decimals_by_column(every, self.decimals))
        return self._apart[condition.column.name]

    def footnotes(self) -> dict[str, str]:
        """A mark for each treatment of missing values: text -> a, b, c ..."""
        marks: dict[str, str] = {}
        for rule in self.rules:
            for condition in rule.conditions:
                route = self.texts(condition)[1]
                if route and route not in marks:
                    marks[route] = mark_number(len(marks))
        return marks

    def marked(self, condition: Condition, marks: dict[str, str]) -> tuple[str, str]:
        """The text of a condition, and the mark of its footnote or ""."""
        text, route = self.texts(condition)
        return text, marks.get(route, "")

    def body(self, rule: Rule) -> str:
        """The conditions of a rule, joined by "and"."""
        return " and ".join(self.texts(condition)[0] for condition in rule.conditions)

    def sentence(self, rule: Rule) -> str:
        """`if ... then ...` without marks."""
        body = self.body(rule)
        prediction = rule.prediction_text(self.decimals)
        return f"if {body} then {prediction}" if body else f"always {prediction}"


def mark_number(number: int) -> str:
    """a ... z, aa, ab ... like the columns of a spreadsheet."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


Indices = NDArray[np.intp]


def chosen_places(key: Any, numbers: Indices) -> Indices:
    """The positions that a slice, positions, names or a mask select."""
    every = np.arange(len(numbers))
    if isinstance(key, slice):
        return every[key]
    asked = np.asarray(key)
    if asked.size == 0:
        return every[:0]
    if asked.ndim != 1 or asked.dtype.kind not in "biuUO":
        raise ParameterError(
            f"rules cannot be chosen by {key!r}",
            hint='use a position, a name such as "R1", a slice, positions, names or a mask',
        )
    if asked.dtype.kind in "UO":
        return np.array([place_of(name, numbers) for name in asked.tolist()], dtype=np.intp)
    chosen: Indices = every[asked]
    return chosen


def place_of(name: Any, numbers: Indices) -> int:
    """The position of the rule with this name."""
    places = {f"R{number + 1}": place for place, number in enumerate(numbers.tolist())}
    if not isinstance(name, str) or name not in places:
        hint = nearest(str(name), places, "rules") if places else "the set is empty"
        raise ParameterError(f"there is no rule {name!r} in a set of {len(places)}", hint=hint)
    return places[name]


def check_prediction(prediction: Any, known: Sequence[Any], noun: str) -> None:
    """Raise an error if no rule predicts this."""
    if known and not any(bool(label == prediction) for label in known):
        if isinstance(prediction, int | float) and all(isinstance(label, float) for label in known):
            hint = f"the nearest is {min(known, key=lambda label: abs(label - prediction))!r}"
        else:
            hint = nearest(str(prediction), [str(label) for label in known], "classes")
        raise ParameterError(f"the rules know no {noun} {prediction!r}", hint=hint)
