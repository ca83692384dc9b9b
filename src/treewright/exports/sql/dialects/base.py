"""What the dialects of SQL share, and where they may differ: names, literals, types, limits."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from treewright.errors import ExportError


class Dialect:
    """Standard SQL; a dialect overrides what its engine does in another way.

    Literals and typed columns come in pairs: what `text_column` makes of a column is compared with
    `level` literals, exactly, whatever collation the column has.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    case_depth: ClassVar[int] = 30  # levels of CASE inside CASE that are safe
    most_columns: ClassVar[int] = 1600  # of one SELECT
    longest_query: ClassVar[int | None] = None  # in bytes
    longest_name: ClassVar[int | None] = None  # in letters
    keeps_order: ClassVar[bool] = True  # of a small table, also through stages
    has_infinity: ClassVar[bool] = True

    # A stage that is used several times must be computed once: what says so in a CTE.
    materialized: ClassVar[str] = ""
    stage_head: ClassVar[str] = ""  # after SELECT
    stage_end: ClassVar[str] = ""  # after FROM

    temporary: ClassVar[str] = "TEMPORARY "  # after CREATE

    # Types of the columns of a table that is made to try a query out.
    number_type: ClassVar[str] = "DOUBLE PRECISION"
    integer_type: ClassVar[str] = "BIGINT"
    text_type: ClassVar[str] = "TEXT"
    boolean_type: ClassVar[str] = "BOOLEAN"
    moment_type: ClassVar[str] = "TIMESTAMP"

    def identifier(self, name: str) -> str:
        """A quoted name; one that the engine cannot have is refused."""
        self.check_name(name)
        return '"' + name.replace('"', '""') + '"'

    def check_name(self, name: str) -> None:
        check_letters(name, f"{self.title} name")
        self.require(name != "", name, "is empty")
        longest = self.longest_name
        self.require(
            longest is None or len(name) <= (longest or 0), name, f"has over {longest} letters"
        )

    def require(self, holds: bool, name: str, problem: str) -> None:  # noqa: FBT001
        if not holds:
            raise ExportError(
                f"no column or table of {self.title} can be called {shortened(name)}: it {problem}",
                hint="say what it is called there: columns={'model name': 'table name'}",
            )

    def folded(self, name: str) -> str:
        """Two names that fold to the same are one name to the engine."""
        return name.casefold()

    def string(self, text: str) -> str:
        """A string as an answer."""
        check_letters(text, f"{self.title} string")
        return "'" + text.replace("'", "''") + "'"

    def number(self, value: float) -> str:
        """A literal that is read back as the same double."""
        digits = repr(value)
        return digits if "e" in digits else f"{digits}e0"

    def boolean(self, value: bool) -> str:  # noqa: FBT001
        return "TRUE" if value else "FALSE"

    def moment(self, moment: datetime) -> str:
        return f"TIMESTAMP '{moment.isoformat(' ', 'microseconds')}'"

    def answer(self, label: Any) -> str:
        """A class as a literal."""
        if isinstance(label, bool):
            return self.boolean(label)
        if isinstance(label, str):
            return self.string(label)
        return self.number(label) if isinstance(label, float) else str(int(label))

    def level(self, level: Any) -> str:
        """A level as it is compared with a typed column."""
        return self.answer(level)

    def number_column(self, column: str) -> str:
        """The column as a double; NULL where it is not a number."""
        return f"CAST({column} AS {self.number_type})"

    def integer_column(self, column: str) -> str:
        """A column of integer levels; NULL where it is not a number."""
        return column

    def text_column(self, column: str) -> str:
        return f"CAST({column} AS {self.text_type})"

    def moment_column(self, column: str) -> str:
        return f"CAST({column} AS {self.moment_type})"

    def largest(self, numbers: Sequence[str]) -> str:
        return self.extreme("GREATEST", numbers)

    def smallest(self, numbers: Sequence[str]) -> str:
        return self.extreme("LEAST", numbers)

    def extreme(self, function: str, numbers: Sequence[str]) -> str:
        return f"{function}({', '.join(numbers)})" if len(numbers) > 1 else numbers[0]

    def connect(self) -> Any:
        """An empty database to try a query out, or an error if there is none at hand."""
        raise ExportError(
            f"there is no {self.title} server to run the query on",
            hint="give a DB-API connection to a scratch database: connection=...",
        )

    def new_schema(self, name: str) -> str:
        """The statement that makes a schema to try a query out."""
        return f"CREATE SCHEMA IF NOT EXISTS {self.identifier(name)}"

    def stored(self, value: Any) -> Any:
        """A value as it is handed to the engine's driver."""
        return value


def check_letters(text: str, what: str, *, allow_nul: bool = False) -> None:
    """Raise where text cannot be sent at all: half of a letter pair, or a NUL."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(
            f"{shortened(text)} cannot be a {what}: it holds half of a surrogate pair"
        ) from error
    if "\0" in text and not allow_nul:
        raise ExportError(f"{shortened(text)} cannot be a {what}: it holds a NUL character")


def shortened(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."
