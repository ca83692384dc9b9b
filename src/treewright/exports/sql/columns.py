"""The columns that a query reads: their names, and expressions that can be compared."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from treewright.cached import cached_property
from treewright.data.column import split_unit
from treewright.data.schema import ColumnSpec
from treewright.errors import ExportError, ParameterError, UnknownColumnError
from treewright.exports.program import Exported, Levels, Step
from treewright.exports.sql.dialect import Dialect

NANOSECONDS = {
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}

FIRST_MICROSECOND = int(np.datetime64("0001-01-01", "us").astype(np.int64))
LAST_MICROSECOND = int(np.datetime64("9999-12-31T23:59:59.999999", "us").astype(np.int64))


def last_moment(bound: float, unit: str) -> datetime:
    """The last microsecond that the model does not place above the bound.

    The model counts in doubles, so nanoseconds since 1970 are rounded, as the bound is here.
    """
    size = NANOSECONDS[unit]
    microsecond = math.floor(Fraction(bound) * size / 1000)
    while as_count(microsecond + 1, size) <= bound:
        microsecond += 1
    while as_count(microsecond, size) > bound:
        microsecond -= 1
    if not FIRST_MICROSECOND <= microsecond <= LAST_MICROSECOND:
        raise ExportError(f"a date {bound!r} {unit} after 1970 lies outside the years 1 to 9999")
    return moment_of(microsecond)


def moment_of(microsecond: int) -> datetime:
    """The moment `microsecond` microseconds after the start of 1970."""
    moment: datetime = np.datetime64(microsecond, "us").item()
    return moment


def as_count(microsecond: int, size: int) -> float:
    """A moment in units of `size` nanoseconds, as the model has it."""
    return float(Fraction(microsecond * 1000, size))


class Asking(Exported, Protocol):
    """One tree or many, with the questions of all their nodes."""

    def steps(self) -> Iterator[Step]: ...


@dataclass(frozen=True)
class Columns:
    """The columns that a program uses, in one dialect.

    The first stage of a query gives each column a value that can be compared, under the same name:
    a double, an exact string, or NULL where the model sees a missing value.
    """

    program: Asking
    dialect: Dialect
    renamed: Mapping[str, str]  # name in the model -> name in the table
    table: str

    def __post_init__(self) -> None:
        known = self.program.schema.names
        for name, other in self.renamed.items():
            if name not in known:
                raise UnknownColumnError.among(str(name), known, source="the model")
            if not isinstance(other, str):
                raise ParameterError(f"columns: the name of `{name}` is {other!r}, not a string")
        names: dict[str, str] = {}
        for column in self.program.used_columns:
            name = self.name(column)
            other = names.setdefault(self.dialect.folded(name), name)
            if other != name:
                raise ExportError(
                    f"the columns `{other}` and `{name}` have one and the same name "
                    f"in {self.dialect.title}",
                    hint="say what one is called there: columns={'model name': 'table name'}",
                )

    def name(self, column: int) -> str:
        """The name of a column in the table."""
        name = self.program.columns[column].name
        return self.renamed.get(name, name)

    @cached_property
    def quoted(self) -> dict[int, str]:
        """The quoted name of each used column."""
        return {at: self.dialect.identifier(self.name(at)) for at in self.program.used_columns}

    @cached_property
    def prefix(self) -> str:
        """The prefix of the query's own names; no name of the user begins with it."""
        names = [self.dialect.folded(self.name(at)) for at in self.program.used_columns]
        names.append(self.dialect.folded(self.table))
        prefix = "tw_"
        while any(name.startswith(prefix) for name in names):
            prefix += "_"
        return prefix

    @cached_property
    def marked(self) -> tuple[int, ...]:
        """Columns with an extra column that marks unseen levels."""
        if self.program.unseen == "missing":
            return ()
        return tuple(at for at in self.program.used_columns if not self.spec(at).is_numeric)

    @cached_property
    def without_unseen(self) -> set[int]:
        """Columns whose unseen levels become NULL, so that every value left is a known level."""
        asked = {
            question.column
            for step in self.program.steps()
            for question in step.questions
            if isinstance(question, Levels) and question.otherwise is not None
        }
        return asked | set(self.marked)

    def spec(self, column: int) -> ColumnSpec:
        return self.program.columns[column]

    def mark(self, column: int) -> str:
        """The column that is 1 where `column` has an unseen level."""
        return f"{self.prefix}unseen_{column}"

    def is_unseen(self, column: int) -> str:
        """A condition that holds where a column has an unseen level."""
        return f"{self.mark(column)} = 1"

    def is_none_of(self, column: int, listed: tuple[Any, ...]) -> str:
        """A condition that holds for known levels that are not listed; "" if there are none."""
        return f"{self.quoted[column]} NOT IN {self.level_list(listed)}"

    def level(self, level: Any) -> str:
        """A level as a literal that the column is compared with."""
        return self.dialect.level(level)

    def expressions(self) -> Iterator[tuple[str, str]]:
        """(expression, name) of all columns of the first stage."""
        for column in self.program.used_columns:
            typed = self.typed(column)
            if column in self.without_unseen:
                levels = self.level_list(self.spec(column).levels)
                yield f"CASE WHEN {typed} IN {levels} THEN {typed} END", self.quoted[column]
            else:
                yield typed, self.quoted[column]
            if column in self.marked:
                yield f"CASE WHEN {typed} NOT IN {levels} THEN 1 END", self.mark(column)

    def typed(self, column: int) -> str:
        """A column of the table as an expression that can be compared."""
        spec, name = self.spec(column), self.quoted[column]
        if is_date(spec):
            return self.dialect.moment_column(name)
        if spec.is_numeric:
            return self.dialect.number_column(name)
        if spec.level_type == "string":
            return self.dialect.text_column(name)
        is_number = spec.level_type == "integer" and column in self.marked
        return self.dialect.integer_column(name) if is_number else name

    def level_list(self, levels: tuple[Any, ...]) -> str:
        return f"({', '.join(map(self.level, levels))})"

    def bound(self, column: int, bound: float) -> str:
        """A cut as a literal that the typed column is compared with."""
        spec = self.spec(column)
        if not is_date(spec):
            return self.dialect.number(bound)
        return self.dialect.moment(last_moment(bound, split_unit(spec.unit)[1]))


def is_date(spec: ColumnSpec) -> bool:
    return spec.unit.startswith("datetime64")
