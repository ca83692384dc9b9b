"""Standard SQL, and what the dialects may change: names, literals, types, limits."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from treewright.errors import ExportError


class Dialect:
    """Standard SQL; a dialect overrides what its engine does in another way.

    Literals and typed columns belong together: the result of `text_column` is compared with `level`
    literals exactly, whatever collation the column has.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    greatest: ClassVar[str] = "GREATEST"  # functions of several numbers
    least: ClassVar[str] = "LEAST"
    quotes: ClassVar[tuple[str, str]] = ('"', '"')  # around a name
    nul: ClassVar[str] = ""  # an expression for a NUL character; "" if strings cannot hold one
    max_case_depth: ClassVar[int] = 30  # levels of CASE inside CASE that are safe
    max_columns: ClassVar[int] = 1600  # of one SELECT
    max_query_bytes: ClassVar[int | None] = None
    max_name_letters: ClassVar[int | None] = None
    keeps_order: ClassVar[bool] = True  # of a small table, also through stages
    has_infinity: ClassVar[bool] = True

    # What makes the engine compute a common table expression only once.
    materialized: ClassVar[str] = ""
    stage_head: ClassVar[str] = ""  # after SELECT
    stage_end: ClassVar[str] = ""  # after FROM
    row_number: ClassVar[str] = ""  # an expression to sort by, if the engine mixes up the rows

    temporary: ClassVar[str] = "TEMPORARY "  # after CREATE

    # Column types of the table that `run` creates.
    number_type: ClassVar[str] = "DOUBLE PRECISION"
    integer_type: ClassVar[str] = "BIGINT"
    text_type: ClassVar[str] = "TEXT"
    boolean_type: ClassVar[str] = "BOOLEAN"
    moment_type: ClassVar[str] = "TIMESTAMP"

    def identifier(self, name: str) -> str:
        """A quoted name; one that the engine does not allow raises an error."""
        self.check_name(name)
        opening, closing = self.quotes
        return opening + name.replace(closing, 2 * closing) + closing

    def check_name(self, name: str) -> None:
        check_letters(name, f"{self.title} name")
        self.require(name != "", name, "is empty")
        most = len(name) if self.max_name_letters is None else self.max_name_letters
        self.require(len(name) <= most, name, f"has over {most} letters")

    def require(self, holds: bool, name: str, problem: str) -> None:  # noqa: FBT001
        if not holds:
            raise ExportError(
                f"no column or table of {self.title} can be called {shortened(name)}: it {problem}",
                hint="say what it is called there: columns={'model name': 'table name'}",
            )

    def folded(self, name: str) -> str:
        """Names that fold to the same text are the same name to the engine."""
        return name.casefold()

    def string(self, text: str) -> str:
        check_letters(text, f"{self.title} string", allow_nul=self.nul != "")
        parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
        return parts[0] if len(parts) == 1 else f"({f' || {self.nul} || '.join(parts)})"

    def number(self, value: float) -> str:
        """A literal that is read back as the same double."""
        digits = repr(value)
        return digits if "e" in digits else f"{digits}e0"

    def boolean(self, value: bool) -> str:  # noqa: FBT001
        return "TRUE" if value else "FALSE"

    def moment(self, moment: datetime) -> str:
        return f"TIMESTAMP '{moment.isoformat(' ', 'microseconds')}'"

    def label(self, label: Any) -> str:
        """A class as a literal."""
        if isinstance(label, bool):
            return self.boolean(label)
        if isinstance(label, str):
            return self.string(label)
        return self.number(label) if isinstance(label, float) else str(int(label))

    def level(self, level: Any) -> str:
        """A level as a literal that a typed column is compared with."""
        return self.label(level)

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

    def extreme(self, function: str, numbers: Sequence[str]) -> str:
        """The `greatest` or the `least` of some numbers."""
        return f"{function}({', '.join(numbers)})" if len(numbers) > 1 else numbers[0]

    def connect(self) -> Any:
        """A connection to an empty database, or an error if there is none."""
        raise ExportError(
            f"there is no {self.title} server to run the query on",
            hint="give a DB-API connection to a scratch database: connection=...",
        )

    def new_schema(self, name: str) -> str:
        """The statement that creates a schema."""
        return f"CREATE SCHEMA IF NOT EXISTS {self.identifier(name)}"

    def stored(self, value: Any) -> Any:
        """A value in the form that the engine's driver takes."""
        return value


def check_letters(text: str, what: str, *, allow_nul: bool = False) -> None:
    """Raise if an engine cannot hold a text: half of a surrogate pair, or a NUL."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(
            f"{shortened(text)} cannot be a {what}: it contains half of a surrogate pair"
        ) from error
    if "\0" in text and not allow_nul:
        raise ExportError(f"{shortened(text)} cannot be a {what}: it contains a NUL character")


def shortened(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def ascii_lower(name: str) -> str:
    """The name with ASCII letters in lower case, as SQLite and DuckDB compare names."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)
