"""DuckDB 1.0 and newer."""

from typing import Any

from treewright.exports.sql.dialects.base import Dialect, check_letters
from treewright.optional import optional_module


class DuckDB(Dialect):
    name = "duckdb"
    title = "DuckDB"
    materialized = "MATERIALIZED "
    number_type = "DOUBLE"
    text_type = "VARCHAR"

    def folded(self, name: str) -> str:
        return "".join(letter.lower() if letter.isascii() else letter for letter in name)

    def string(self, text: str) -> str:
        check_letters(text, "DuckDB string", allow_nul=True)
        parts = [super(DuckDB, self).string(part) for part in text.split("\0")]
        return parts[0] if len(parts) == 1 else f"({' || chr(0) || '.join(parts)})"

    def number_column(self, column: str) -> str:
        return f"NULLIF(CAST({column} AS DOUBLE), 'NaN')"

    def integer_column(self, column: str) -> str:
        return f"CASE WHEN CAST({column} AS DOUBLE) <> 'NaN' THEN {column} END"

    def text_column(self, column: str) -> str:
        return f"CAST({column} AS VARCHAR) COLLATE C"

    def connect(self) -> Any:
        duckdb = optional_module("duckdb", extra="sql", purpose="running a DuckDB query")
        return duckdb.connect()
