"""Conditions: what a rule demands of one column, and what it does when the value is missing.

Every split on the way to a leaf asks a question. The questions about one column make one
condition: `x > 2` and `x <= 5` become `2 < x <= 5`. A row that fulfils it follows the rule with
all of its weight, a row that does not with none. What a row does whose value is missing was
settled question by question: it passes, it fails, a part of it passes, or surrogates decide.
"""

from dataclasses import dataclass, replace

from treewright.data.schema import ColumnSpec
from treewright.rulesets.level_set import EVERY_LEVEL, LevelSet


@dataclass(frozen=True, slots=True)
class Question:
    """One test of a value: bounds, levels, and where a missing value goes."""

    low: float | None = None  # the value is above this
    high: float | None = None  # and not above this
    levels: LevelSet = EVERY_LEVEL
    wants_missing: bool = False  # no known value passes
    unlisted: LevelSet | None = None  # levels that count as missing here
    share: float = 0.0  # of a row whose value is missing, and whose stand-ins are too
    unseen_passes: bool | None = None  # None: an unseen level counts as missing
    stand_ins: "tuple[Condition, ...]" = ()  # asked first where the value is missing

    @property
    def is_plain(self) -> bool:
        """Whether the value alone decides, so that questions can become one."""
        return not self.stand_ins and self.unlisted is None

    def merged(self, other: "Question") -> "Question":
        """Both questions as one, as far as known values go; both must be plain for the rest."""
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
    """What a rule demands of one column, or of a weighted sum of columns."""

    features: tuple[int, ...]  # positions of the columns in the schema
    columns: tuple[ColumnSpec, ...]
    factors: tuple[float, ...]  # what values are multiplied by; empty for a single column
    questions: tuple[Question, ...]  # in the order they are asked; plain neighbours are merged

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
        """The value must be above this; None: no such bound. Of an ordered column: a position."""
        return self.merged.low

    @property
    def high(self) -> float | None:
        """The value must not be above this."""
        return self.merged.high

    @property
    def wants_missing(self) -> bool:
        """Whether only a missing value passes."""
        return self.merged.wants_missing

    @property
    def levels(self) -> tuple[object, ...] | None:
        """The levels that pass; None where the column is not asked for levels."""
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
        from treewright.rulesets.condition_text import condition_text

        return condition_text(self)

    def __repr__(self) -> str:
        return f"<Condition {self}>"
