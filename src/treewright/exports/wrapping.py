"""Long lists in source code, broken into lines."""

from collections.abc import Iterable

WIDTH = 88  # of the text itself; the code around it may be indented


def wrapped(opening: str, items: Iterable[str], closing: str) -> list[str]:
    """`opening a, b, c closing` on one line if it fits, otherwise items below, indented."""
    items = list(items)
    one_line = f"{opening}{', '.join(items)}{closing}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [opening.rstrip(), *(f"    {line}" for line in filled(items)), closing]


def filled(items: Iterable[str]) -> list[str]:
    """The items, each with a comma, as many to a line as fit."""
    lines: list[str] = []
    current = ""
    for item in items:
        if current and len(current) + len(item) + 2 > WIDTH:
            lines.append(current)
            current = ""
        current += f" {item}," if current else f"{item},"
    return [*lines, current] if current else lines
