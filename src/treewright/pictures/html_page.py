"""A tree as one HTML file: zoom, fold, search, follow a row; it makes no network requests.

The markup, the style and the script are files in `page/`. The tree goes into the page as JSON, and
the script turns it into text, never markup. The page's content security policy allows only this
script and this style, known by their hashes, and no requests.
"""

import base64
import hashlib
import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.documents.theme import THEME
from treewright.pictures.folded import Folded
from treewright.pictures.node_box import PLAIN, Style
from treewright.pictures.page_data import page_data, page_look
from treewright.pictures.shapes import Drawing
from treewright.pictures.svg import escaped, to_svg
from treewright.plain_text import plain

SCRIPTS = (
    "questions.js",
    "words.js",
    "conditions.js",
    "layout.js",
    "boxes.js",
    "shapes.js",
    "charts.js",
    "picture.js",
    "view.js",
    "folding.js",
    "pointer.js",
    "keys.js",
    "search.js",
    "panel.js",
    "dates.js",
    "way.js",
    "row.js",
    "start.js",
)
MARKUP_CHARACTERS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

RowValues = tuple[float | int | str | None, ...]  # of each column: a number, a date, a code


@dataclass(frozen=True, slots=True)
class TreePage:
    """All that is needed to write the page."""

    folded: Folded
    drawing: Drawing  # for readers without JavaScript
    title: str
    direction: str = "auto"
    row: RowValues | None = None  # whose path is shown at first
    style: Style = PLAIN

    def html(self) -> str:
        """The whole file."""
        data = page_data(self.folded, self.style) | {
            "look": page_look(),
            "direction": self.direction,
            "row": self.row and list(self.row),
            "remarks": {node: list(lines) for node, lines in self.style.remarks.items()},
        }
        script, style = script_text(), THEME + page_file("style.css")
        parts = {
            "policy": policy(script, style),
            "title": escaped(plain(self.title)),
            "style": style,
            "picture": to_svg(self.drawing, themed=False),
            "data": as_json(data),
            "script": script,
        }
        head, *rest = page_file("frame.html").split("{{")
        pieces = (piece.partition("}}") for piece in rest)
        return head + "".join(parts[name] + text for name, _, text in pieces)


def values_of_row(table: Table) -> RowValues:
    """The first row, as the fields of the page expect it."""
    return tuple(
        int(column.codes[0]) if isinstance(column, NominalColumn) else number_of_row(column)
        for column in table.columns
    )


def number_of_row(column: NumericColumn) -> float | str | None:
    """A number, the text of a date, or None where it is missing."""
    number = float(column.values[0])
    if number != number:
        return None
    if column.unit.startswith("datetime64"):
        return str(column.value(0))
    return number if math.isfinite(number) else str(number)


def as_json(data: Any) -> str:
    """JSON in ASCII, without characters that could end the enclosing element.

    >>> as_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(MARKUP_CHARACTERS)


def policy(script: str, style: str) -> str:
    """The content security policy: no requests, only this script and this style."""
    return (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(text: str) -> str:
    """The hash of an inline script or style, for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


@cache
def script_text() -> str:
    """All scripts as one, in a scope of their own."""
    body = "\n".join(map(page_file, SCRIPTS))
    return f'"use strict";\n(() => {{\n{body}}})();\n'


@cache
def page_file(name: str) -> str:
    return (files("treewright.pictures") / "page" / name).read_text(encoding="utf-8")
