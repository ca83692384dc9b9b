"""XML as text: names and values quoted so that every parser returns them unchanged."""

import re
from collections.abc import Collection, Mapping

from treewright.errors import ExportError
from treewright.exports.program import Exported

# Characters that XML 1.0 cannot contain, not even as a reference.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Parsers turn bare line ends and tabs in attributes into spaces, but keep references.
REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
REFERRED = re.compile('[&<>"\t\n\r]')

Attributes = Mapping[str, str | None]


def escaped(text: str) -> str:
    """Text for an attribute or between tags."""
    found = NOT_IN_XML.search(text)
    if found:
        raise ExportError(
            f"{text[:60]!r} has the character {found.group()!r}, which XML cannot contain",
            hint="rename the column or the level",
        )
    return REFERRED.sub(lambda match: REFERENCES[match.group()], text)


def opening(name: str, attributes: Attributes) -> str:
    """An opening tag; attributes that are None are left out."""
    present = [
        f' {key}="{escaped(value)}"' for key, value in attributes.items() if value is not None
    ]
    return f"<{name}{''.join(present)}>"


def element(name: str, attributes: Attributes | None = None, content: str = "") -> str:
    """A whole element; `content` is XML already."""
    start = opening(name, attributes or {})
    return f"{start}{content}</{name}>" if content else f"{start[:-1]}/>"


def field_names(program: Exported) -> list[str]:
    """The names of the columns; an empty one, which most targets do not allow, is replaced."""
    names = [spec.name for spec in program.columns]
    if "" in names:
        names[names.index("")] = free_name("column", names)
    return names


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or the first name like it that is not taken."""
    name, n_tried = wanted, 0
    while name in taken:
        n_tried += 1
        name = f"{wanted}_{n_tried}"
    return name


def class_type(program: Exported) -> type | None:
    """The type of all classes: str, int, bool or float; None if the prediction is a number."""
    if program.classes is None:
        return None
    types = {type(label) for label in program.classes}
    if len(types) > 1 or not types <= {str, int, bool, float}:
        names = ", ".join(sorted(one.__name__ for one in types))
        raise ExportError(
            f"classes of type {names}",
            hint="classes must all be strings, or integers, booleans or floats, to be written",
        )
    return types.pop()
