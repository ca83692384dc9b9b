"""BigQuery: GoogleSQL."""

from datetime import datetime

from treewright.exports.sql.dialects.base import Dialect, check_letters

NOT_IN_NAMES = '!"$()*,./;?@[\\]^`{}~'


class BigQuery(Dialect):
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
        odd = [letter for letter in name if letter in NOT_IN_NAMES or not letter.isprintable()]
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
    """A letter of a string; what has no shape, quotes and backslashes as escapes."""
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
