"""SQLite 3.35 and newer."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from treewright.exports.sql.dialects.base import Dialect, ascii_lower, check_letters

EXACT_INTEGER = 2**53  # the integers up to here are doubles
EXACT_POWER = 22  # 10 ** 22 is the last power of ten that is a double
EXTENDED_BITS = 64  # of the significand of an x86 long double
MAX_ARGUMENTS = 100  # of one function; the engine allows 127


class SQLite(Dialect):
    name = "sqlite"
    title = "SQLite"
    greatest, least = "MAX", "MIN"
    nul = "char(0)"
    # The parser of older releases has a stack of 100 places, which 20 nested CASEs fill.
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
        # Where a CSV file was imported without types, an empty cell is a string, not a number.
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
    """Whether any SQLite reads the shortest decimal text of a number as that number.

    The digits and the power of ten must be exact doubles; and their quotient must not be rounded
    the wrong way where it is rounded twice, first to a long double.
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
