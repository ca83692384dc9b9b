"""Conditions of rules on one column, including the treatment of missing values.

Every split on the path to a leaf asks a question. The questions about one column make one
condition: `x > 2` and `x <= 5` become `2 < x <= 5`. A row that fulfills it follows the rule with
its whole weight, other rows not at all. If the value is missing, each question decides whether the
row passes, fails, passes in part, or is decided by surrogates.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.data.printed_thresholds import decimals_apart
from treewright.data.schema import ColumnSpec
from treewright.plain_text import number_text, plain
from treewright.tree.conditions import between_text, cut_text, level_text, sum_number


@dataclass(frozen=True, slots=True)
class LevelSet:
    """A set of codes of a nominal column: those listed, or all but those listed."""

    codes: frozenset[int]
    excluded: bool = False  # all codes except `codes`

    def __and__(self, other: "LevelSet") -> "LevelSet":
        if other.is_everything:
            return self
        if self.excluded and other.excluded:
            return LevelSet(self.codes | other.codes, excluded=True)
        if other.excluded:
            return LevelSet(self.codes - other.codes)
        if self.excluded:
            return LevelSet(other.codes - self.codes)
        return LevelSet(self.codes & other.codes)

    def __contains__(self, code: int) -> bool:
        return (code in self.codes) != self.excluded

    @property
    def is_empty(self) -> bool:
        return not self.excluded and not self.codes

    @property
    def is_everything(self) -> bool:
        return self.excluded and not self.codes

    def within(self, n_levels: int) -> tuple[int, ...]:
        """The codes below `n_levels` that are in the set, ascending."""
        if self.excluded:
            return tuple(code for code in range(n_levels) if code not in self.codes)
        return tuple(sorted(self.codes))

    def mask(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of the `codes` are in the set."""
        listed = np.fromiter(self.codes, dtype=np.int32, count=len(self.codes))
        found = codes == listed[0] if len(listed) == 1 else np.isin(codes, listed)
        return ~found if self.excluded else found


EVERY_LEVEL = LevelSet(frozenset(), excluded=True)


@dataclass(frozen=True, slots=True)
class Question:
    """One test of a value: bounds, levels, and the treatment of missing values."""

    low: float | None = None  # the value is above this
    high: float | None = None  # and not above this
    levels: LevelSet = EVERY_LEVEL
    wants_missing: bool = False  # no known value passes
    unlisted: LevelSet | None = None  # levels that count as missing here
    share: float = 0.0  # that passes of a row whose value and surrogates are missing
    unseen_passes: bool | None = None  # None: an unseen level counts as missing
    surrogates: "tuple[Condition, ...]" = ()  # asked first if the value is missing

    @property
    def is_plain(self) -> bool:
        """Whether the value alone decides, so that questions can be merged."""
        return not self.surrogates and self.unlisted is None

    def merged(self, other: "Question") -> "Question":
        """Both questions as one, for known values; for missing values too if both are plain."""
        low, high = self.low, self.high
        if low is None or (other.low is not None and other.low > low):
            low = other.low
        if high is None or (other.high is not None and other.high < high):
            high = other.high
        unseen = (self.unseen_passes, other.unseen_passes)
        return Question(
            low=low,
            high=high,
            levels=self.levels & other.levels,
            wants_missing=self.wants_missing or other.wants_missing,
            share=self.share * other.share,
            unseen_passes=None if None in unseen else all(unseen),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Condition:
    """A condition on one column, or on a weighted sum of columns."""

    features: tuple[int, ...]  # positions of the columns in the schema
    columns: tuple[ColumnSpec, ...]
    factors: tuple[float, ...]  # weights of the columns; empty for a single column
    questions: tuple[Question, ...]  # in order; plain neighbors are merged

    @property
    def column(self) -> ColumnSpec:
        """The column; of a sum, the first."""
        return self.columns[0]

    @property
    def is_sum(self) -> bool:
        return bool(self.factors)

    @property
    def merged(self) -> Question:
        """All questions as one, for known values."""
        found = self.questions[0]
        for question in self.questions[1:]:
            found = found.merged(question)
        return found

    @property
    def low(self) -> float | None:
        """The value must be above this, or None. For an ordered column, a position."""
        return self.merged.low

    @property
    def high(self) -> float | None:
        """The value must not be above this, or None."""
        return self.merged.high

    @property
    def wants_missing(self) -> bool:
        """Whether only a missing value passes."""
        return self.merged.wants_missing

    @property
    def levels(self) -> tuple[object, ...] | None:
        """The levels that pass; None if the condition is not about levels."""
        levels = self.merged.levels
        if levels.is_everything:
            return None
        known = self.column.levels
        return tuple(known[code] for code in levels.within(len(known)))

    def asked_again(self, question: Question) -> "Condition":
        """The condition with one more question about the same column."""
        if question.unlisted is not None and all(q.unlisted is None for q in self.questions):
            arriving = question.unlisted & self.merged.levels
            question = replace(question, unlisted=None if arriving.is_empty else arriving)
        last = self.questions[-1]
        if last.is_plain and question.is_plain:
            questions = (*self.questions[:-1], last.merged(question))
        else:
            questions = (*self.questions, question)
        return Condition(self.features, self.columns, self.factors, questions)

    def __str__(self) -> str:
        return condition_text(self)

    def __repr__(self) -> str:
        return f"<Condition {self}>"


PASSES = "passes if missing"


def condition_text(condition: Condition, decimals: int | None = None) -> str:
    """The condition in words, for known values; `route_text` is about missing ones."""
    name = sum_text(condition, decimals) if condition.is_sum else plain(condition.column.name)
    merged = condition.merged
    if merged.wants_missing:
        return missing_text(condition, name)
    parts = []
    if merged.low is not None or merged.high is not None:
        parts.append(bounds_text(condition, name, merged, decimals))
    if not merged.levels.is_everything:
        parts.append(f"{name} {levels_text(condition.column, merged.levels)}")
    return " and ".join(parts) or f"{name} known"


def in_plain_numbers(condition: Condition) -> Condition:
    """The condition with its threshold as a plain number: `married > 0.5`, `price <= 101508`."""
    columns = tuple(column.in_plain_numbers() for column in condition.columns)
    questions = tuple(
        replace(question, surrogates=tuple(map(in_plain_numbers, question.surrogates)))
        for question in condition.questions
    )
    return replace(condition, columns=columns, questions=questions)


def bounds_text(condition: Condition, name: str, merged: Question, decimals: int | None) -> str:
    if not condition.is_sum:
        return cut_text(condition.column, merged.low, merged.high, decimals)
    low, high = (
        "" if bound is None else sum_number(bound, decimals) for bound in (merged.low, merged.high)
    )
    return between_text(name, low, high)


def decimals_by_column(
    conditions: Iterable[Condition], decimals: int | None
) -> dict[str, int | None]:
    """Decimals for the bounds of each column; more than requested if bounds would look equal."""
    if decimals is None:
        return {}
    bounds: dict[str, set[float]] = defaultdict(set)
    for condition in conditions:
        if not condition.is_sum:
            merged = condition.merged
            own = (bound for bound in (merged.low, merged.high) if bound is not None)
            bounds[condition.column.name].update(own)
    return {name: decimals_apart(own, decimals) for name, own in bounds.items()}


def levels_text(column: ColumnSpec, levels: LevelSet) -> str:
    """`= red`, `in {red, blue}` or `not in {green}`, whichever is shorter; `known` for all."""
    n_levels = len(column.levels)
    if not levels.excluded and len(levels.codes) == n_levels:
        return "known"
    is_in = not levels.excluded or n_levels - len(levels.codes) <= len(levels.codes)
    codes = levels.within(n_levels) if is_in else tuple(sorted(levels.codes))
    shown = [level_text(column.levels[code]) for code in codes]
    if len(shown) == 1:
        return f"= {shown[0]}" if is_in else f"is not {shown[0]}"
    return f"{'in' if is_in else 'not in'} {{{', '.join(shown)}}}"


def missing_text(condition: Condition, name: str) -> str:
    """`x missing`, with the levels that count as missing."""
    unlisted = [q.unlisted for q in condition.questions if q.wants_missing]
    levels = unlisted[0] if unlisted else None
    if levels is None:
        return f"{name} missing"
    return f"({name} missing or {name} {levels_text(condition.column, levels)})"


def sum_text(condition: Condition, decimals: int | None = None) -> str:
    """`2 * a - b`."""
    parts: list[str] = []
    for factor, column in zip(condition.factors, condition.columns, strict=True):
        sign = "-" if factor < 0 else "+" if parts else ""
        size = "" if abs(factor) == 1 else f"{sum_number(abs(factor), decimals)} * "
        parts.append(f"{sign} {size}" if parts else f"{sign}{size}")
        parts[-1] += plain(column.name)
    return " ".join(parts)


def route_text(condition: Condition, decimals: int | None = None) -> str:
    """The treatment of a missing value in words; "" if the condition fails."""
    if any(question.is_plain and question.share == 0 for question in condition.questions):
        return ""
    steps = [question_route(question, decimals) for question in condition.questions]
    notable = [step for step in steps if step and step != PASSES]
    if notable:
        return "; then ".join(dict.fromkeys(notable))
    return "" if condition.wants_missing else PASSES


def question_route(question: Question, decimals: int | None) -> str:
    if question.surrogates:
        asked = ", then ".join(condition_text(one, decimals) for one in question.surrogates)
        if question.wants_missing:
            return f"only if what else would be asked is missing too: {asked}"
        return f"if missing, ask {asked}; if all are missing, {share_text(question.share)}"
    if question.unlisted is not None and not question.wants_missing:
        levels = ", or a level that is not listed"
        return f"if missing{levels}: {share_text(question.share)}"
    if question.share == 1:
        return PASSES
    return "" if question.share == 0 else f"if missing, {share_text(question.share)}"


def share_text(share: float) -> str:
    if share in (0, 1):
        return "it passes" if share else "it fails"
    return f"{number_text(100 * share, 1)} % of the row passes"
