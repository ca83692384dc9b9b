"""MySQL 8.0.17, MariaDB 10.4 and newer."""

import unicodedata
from datetime import datetime
from typing import Any

from treewright.exports.sql.dialects.base import Dialect, check_letters

LAST_BASIC_LETTER = "\uffff"  # names hold no letters beyond the first plane of Unicode


class MySQL(Dialect):
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
