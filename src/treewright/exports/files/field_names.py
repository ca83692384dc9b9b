"""Names and types for targets that keep the names of columns and the types of classes."""

from collections.abc import Collection

from treewright.errors import ExportError
from treewright.exports.program import Program


def field_names(program: Program) -> list[str]:
    """The names of the columns; an empty one, which most targets lack, is filled in."""
    names = [spec.name for spec in program.columns]
    if "" in names:
        names[names.index("")] = free_name("column", names)
    return names


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or the first like it that is not taken."""
    name, n_tried = wanted, 0
    while name in taken:
        n_tried += 1
        name = f"{wanted}_{n_tried}"
    return name


def class_type(program: Program) -> type | None:
    """str, int, bool or float: what all classes are; None for numbers."""
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
