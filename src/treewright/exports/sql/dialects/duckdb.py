"""DuckDB 1.0 and newer."""

from typing import Any

from treewright.exports.sql.dialects.base import Dialect, ascii_lower
from treewright.optional import optional_module


class DuckDB(Dialect):
    name = "duckdb"
    title = "DuckDB"
    nul = "chr(0)"
    materialized = "MATERIALIZED "
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
