"""The dialects of SQL: for each, what differs from `Dialect`.

To add one, add a class and an entry in `DIALECTS`.
"""

import sqlite3
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from sys import float_info
from typing import Any

from treewright.errors import ExportError, ParameterError, nearest, plain
from treewright.exports.sql.dialect import Dialect, ascii_lower, check_letters
from treewright.optional import optional_module

EXACT_INTEGER = 2**53  # integers up to here are exact doubles
EXACT_POWER = 22  # 10 ** 22 is the last power of ten that is a double
EXTENDED_BITS = 64  # of the significand of an x86 long double
MAX_ARGUMENTS = 100  # of a function in SQLite, which allows 127
LAST_BASIC_LETTER = "\uffff"  # MySQL names cannot have letters beyond it
NOT_IN_BIGQUERY_NAMES = '!"$()*,./;?@[\\]^`{}~'
END_MARK = "|"  # appended to compared strings in T-SQL, which ignores trailing spaces


class SQLite(Dialect):
    """SQLite 3.35 and newer."""

    name = "sqlite"
    title = "SQLite"
    greatest, least = "MAX", "MIN"
    nul = "char(0)"
    # The parser of older releases has a stack of 100 entries, which 20 nested CASEs fill.
    max_case_depth = 12
    max_columns = 2000
    materialized = "MATERIALIZED "
    number_type = "REAL"
    integer_type = "INTEGER"
    boolean_type = "INTEGER"
    moment_type = "TEXT"

    def check_name(self, name: str) -> None:
        check_letters(name, "SQLite name")  # an empty one is fine

    def folded(self, name: str) -> str:
        return ascii_lower(name)

    def number(self, value: float) -> str:
        """Releases before 3.43 misread some long literals by one unit in the last place.

        Such a number is written as a quotient or product that every release reads correctly.
        """
        return super().number(value) if is_read_right(value) else exact_text(value)

    def boolean(self, value: bool) -> str:  # noqa: FBT001
        return str(int(value))

    def moment(self, moment: datetime) -> str:
        return f"'{moment.isoformat(' ', 'microseconds')}'"

    def number_column(self, column: str) -> str:
        # If a CSV file was imported without types, an empty cell is a string.
        return f"CAST(NULLIF({column}, '') AS REAL)"

    def text_column(self, column: str) -> str:
        return f"CAST({column} AS TEXT) COLLATE BINARY"  # a CAST alone keeps the column's collation

    def moment_column(self, column: str) -> str:
        return f"REPLACE({column}, 'T', ' ') COLLATE BINARY"

    def extreme(self, function: str, numbers: Sequence[str]) -> str:
        while len(numbers) > MAX_ARGUMENTS:
            numbers = [
                super(SQLite, self).extreme(function, numbers[start : start + MAX_ARGUMENTS])
                for start in range(0, len(numbers), MAX_ARGUMENTS)
            ]
        return super().extreme(function, numbers)

    def connect(self) -> Any:
        return sqlite3.connect(":memory:")

    def new_schema(self, name: str) -> str:
        return f"ATTACH DATABASE ':memory:' AS {self.identifier(name)}"

    def stored(self, value: Any) -> Any:
        return value.isoformat(" ") if isinstance(value, datetime) else value


def is_read_right(value: float) -> bool:
    """Whether every release of SQLite reads the shortest decimal text of a number correctly.

    The digits and the power of ten must be exact doubles, and rounding twice, first to a long
    double, must give the same result.
    """
    _, digits, power = Decimal(repr(abs(value))).as_tuple()
    assert isinstance(power, int)
    significand = int("".join(map(str, digits)))
    if significand >= EXACT_INTEGER or abs(power) > EXACT_POWER:
        return False
    exact = Fraction(significand) * Fraction(10) ** power
    return float(rounded(exact, EXTENDED_BITS)) == abs(value)


def rounded(exact: Fraction, bits: int) -> Fraction:
    """The nearest number with a significand of `bits` bits."""
    if exact == 0:
        return exact
    shift = bits - (exact.numerator.bit_length() - exact.denominator.bit_length())
    if exact * Fraction(2) ** shift >= 2**bits:
        shift -= 1
    return round(exact * Fraction(2) ** shift) / Fraction(2) ** shift


def exact_text(value: float) -> str:
    """A nonzero number as an integer times or divided by powers of two.

    A comment shows the number to six digits.
    """
    numerator, denominator = abs(value).as_integer_ratio()
    trailing = (numerator & -numerator).bit_length() - 1
    numerator, power = numerator >> trailing, trailing - (denominator.bit_length() - 1)
    text = f"{numerator}.0"
    while power:
        step = min(abs(power), 52)
        text += f" {'*' if power > 0 else '/'} {2**step}.0"
        power += step if power < 0 else -step
    return f"({'-' if value < 0 else ''}{text} /* {value:.6g} */)"


class PostgreSQL(Dialect):
    """PostgreSQL 12 and newer."""

    name = "postgresql"
    title = "PostgreSQL"
    materialized = "MATERIALIZED "
    max_name_bytes = 63  # longer names are silently cut off

    def check_name(self, name: str) -> None:
        super().check_name(name)
        n_bytes = len(name.encode("utf-8"))
        self.require(n_bytes <= self.max_name_bytes, name, f"has over {self.max_name_bytes} bytes")

    def folded(self, name: str) -> str:
        return name  # quoted names keep their case

    def string(self, text: str) -> str:
        quoted = super().string(text)
        if "\\" not in text:
            return quoted
        return "E" + quoted.replace("\\", "\\\\")  # the same under any setting of the server

    def number(self, value: float) -> str:
        return f"float8 '{value!r}'"  # a bare literal would be a decimal number

    def number_column(self, column: str) -> str:
        return f"NULLIF(CAST({column} AS float8), 'NaN')"

    def integer_column(self, column: str) -> str:
        return f"CASE WHEN CAST({column} AS float8) <> 'NaN' THEN {column} END"

    def text_column(self, column: str) -> str:
        return f'CAST({column} AS text) COLLATE "C"'


class DuckDB(Dialect):
    """DuckDB 1.0 and newer."""

    name = "duckdb"
    title = "DuckDB"
    nul = "chr(0)"
    materialized = "MATERIALIZED "
    row_number = "row_number() OVER ()"  # an IN of many texts is a join, which mixes up rows
    number_type = "DOUBLE"
    text_type = "VARCHAR"

    def folded(self, name: str) -> str:
        return ascii_lower(name)

    def number_column(self, column: str) -> str:
        return f"NULLIF(CAST({column} AS DOUBLE), 'NaN')"

    def integer_column(self, column: str) -> str:
        return f"CASE WHEN CAST({column} AS DOUBLE) <> 'NaN' THEN {column} END"

    def text_column(self, column: str) -> str:
        return f"CAST({column} AS VARCHAR) COLLATE C"

    def connect(self) -> Any:
        duckdb = optional_module("duckdb", extra="sql", purpose="running a DuckDB query")
        return duckdb.connect()


class MySQL(Dialect):
    """MySQL 8.0.17, MariaDB 10.4 and newer."""

    name = "mysql"
    title = "MySQL"
    quotes = ("`", "`")
    keeps_order = False
    max_name_letters = 64
    has_infinity = False
    stage_end = "LIMIT 18446744073709551615"  # a stage with a limit is not merged into the next
    number_type = "DOUBLE"
    text_type = "LONGTEXT CHARACTER SET utf8mb4"
    moment_type = "DATETIME(6)"

    def check_name(self, name: str) -> None:
        super().check_name(name)
        self.require(not name.endswith(" "), name, "ends with a space")
        is_basic = all(letter <= LAST_BASIC_LETTER for letter in name)
        self.require(is_basic, name, "has a letter beyond U+FFFF")

    def folded(self, name: str) -> str:
        """Names are equal without regard to case and accents."""
        letters = unicodedata.normalize("NFKD", name.casefold())
        return "".join(letter for letter in letters if not unicodedata.combining(letter))

    def string(self, text: str) -> str:
        return super().string(text) if is_plain(text) else f"_utf8mb4 {hexadecimal(text)}"

    def level(self, level: Any) -> str:
        if isinstance(level, str) and not is_plain(level):
            return hexadecimal(level)
        return super().level(level)

    def moment(self, moment: datetime) -> str:
        return f"TIMESTAMP'{moment.isoformat(' ', 'microseconds')}'"

    def text_column(self, column: str) -> str:
        # As bytes: collations ignore case, accents or spaces at the end.
        return f"CAST(CONVERT({column} USING utf8mb4) AS BINARY)"


def is_plain(text: str) -> bool:
    """Whether a string means the same under all settings of server and connection."""
    return text.isascii() and text.isprintable() and "\\" not in text


def hexadecimal(text: str) -> str:
    check_letters(text, "MySQL string", allow_nul=True)
    return f"X'{text.encode('utf-8').hex().upper()}'"


class BigQuery(Dialect):
    """BigQuery: GoogleSQL."""

    name = "bigquery"
    title = "BigQuery"
    quotes = ("`", "`")
    keeps_order = False
    max_name_letters = 300
    max_query_bytes = 1_000_000
    max_columns = 10_000
    temporary = ""
    number_type = "FLOAT64"
    integer_type = "INT64"
    text_type = "STRING"
    boolean_type = "BOOL"
    moment_type = "DATETIME"

    def check_name(self, name: str) -> None:
        super().check_name(name)
        odd = [
            letter for letter in name if letter in NOT_IN_BIGQUERY_NAMES or not letter.isprintable()
        ]
        self.require(not odd, name, f"has the letter {odd[0]!r}" if odd else "")

    def string(self, text: str) -> str:
        check_letters(text, "BigQuery string", allow_nul=True)
        return "'" + "".join(map(escaped, text)) + "'"

    def moment(self, moment: datetime) -> str:
        return f"DATETIME '{moment.isoformat(' ', 'microseconds')}'"

    def number_column(self, column: str) -> str:
        typed = super().number_column(column)
        return f"CASE WHEN NOT IS_NAN({typed}) THEN {typed} END"

    def integer_column(self, column: str) -> str:
        return f"CASE WHEN NOT IS_NAN(CAST({column} AS FLOAT64)) THEN {column} END"

    def text_column(self, column: str) -> str:
        return f"COLLATE(CAST({column} AS STRING), '')"


def escaped(letter: str) -> str:
    """A letter of a BigQuery string; quotes, backslashes and unprintable ones are escaped."""
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class TSQL(Dialect):
    """T-SQL: SQL Server 2016 and newer, Azure SQL."""

    name = "tsql"
    title = "T-SQL"
    greatest, least = "MAX", "MIN"
    quotes = ("[", "]")
    max_case_depth = 7  # the engine allows ten
    max_columns = 4000
    keeps_order = False
    max_name_letters = 128
    has_infinity = False
    stage_head = "TOP (9223372036854775807) "
    temporary = ""
    number_type = "float(53)"
    text_type = "nvarchar(max)"
    boolean_type = "bit"
    moment_type = "datetime2(6)"

    def string(self, text: str) -> str:
        return "N" + super().string(text)

    def number(self, value: float) -> str:
        if 0 < abs(value) < float_info.min:
            raise ExportError(f"T-SQL has no numbers as small as {value!r}")
        return super().number(value)

    def boolean(self, value: bool) -> str:  # noqa: FBT001
        return f"CAST({int(value)} AS bit)"

    def moment(self, moment: datetime) -> str:
        return f"CAST('{moment.isoformat('T', 'microseconds')}' AS datetime2(6))"

    def level(self, level: Any) -> str:
        return super().level(level + END_MARK if isinstance(level, str) else level)

    def text_column(self, column: str) -> str:
        marked = f"CONCAT(CAST({column} AS nvarchar(max)), N'{END_MARK}')"
        return f"CASE WHEN {column} IS NOT NULL THEN {marked} END COLLATE Latin1_General_100_BIN2"

    def extreme(self, function: str, numbers: Sequence[str]) -> str:
        rows = ", ".join(f"({number})" for number in numbers)
        return f"(SELECT {function}(number) FROM (VALUES {rows}) AS numbers(number))"


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (SQLite(), PostgreSQL(), DuckDB(), MySQL(), BigQuery(), TSQL())
}
# Other names of the dialects.
SYNONYMS = {
    "sqlite3": "sqlite",
    "postgres": "postgresql",
    "pgsql": "postgresql",
    "psql": "postgresql",
    "pg": "postgresql",
    "duck": "duckdb",
    "mariadb": "mysql",
    "bq": "bigquery",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "transactsql": "tsql",
    "azuresql": "tsql",
}


def dialect_name(name: object) -> str | None:
    """The key of a dialect in `DIALECTS`, from any of its names; None if it is unknown.

    >>> dialect_name("SQL Server"), dialect_name("oracle")
    ('tsql', None)
    """
    simple = plain(str(name))
    candidates = (str(name), SYNONYMS.get(simple, simple))
    return next((known for known in candidates if known in DIALECTS), None)


def find_dialect(name: str) -> Dialect:
    """The dialect of that name; an unknown one is an error that suggests the nearest."""
    known = dialect_name(name) if isinstance(name, str) else None
    if known is None:
        hint = nearest(str(name).lower(), DIALECTS, "dialects")
        raise ParameterError(f"no SQL dialect `{name}`", hint=hint)
    return DIALECTS[known]
