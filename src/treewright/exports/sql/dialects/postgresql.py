"""PostgreSQL 12 and newer."""

from treewright.exports.sql.dialects.base import Dialect


class PostgreSQL(Dialect):
    name = "postgresql"
    title = "PostgreSQL"
    materialized = "MATERIALIZED "
    longest_bytes = 63  # of a name: longer ones are cut off without a word

    def check_name(self, name: str) -> None:
        super().check_name(name)
        n_bytes = len(name.encode("utf-8"))
        self.require(n_bytes <= self.longest_bytes, name, f"has over {self.longest_bytes} bytes")

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
