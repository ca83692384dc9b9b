"""T-SQL: SQL Server 2016 and newer, Azure SQL."""

from collections.abc import Sequence
from datetime import datetime
from sys import float_info
from typing import Any

from treewright.errors import ExportError
from treewright.exports.sql.dialects.base import Dialect

END_MARK = "|"  # behind every string that is compared: without it, spaces at the end do not count


class TSQL(Dialect):
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
