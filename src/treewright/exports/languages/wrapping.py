"""Long lists in source code, broken into lines."""

from collections.abc import Iterable

WIDTH = 88  # of the text itself; the code around it may be indented


def wrapped(
    opening: str, items: Iterable[str], closing: str, *, last_comma: bool = True
) -> list[str]:
    """`opening a, b, c closing` on one line if it fits, otherwise items below, indented.

    `last_comma`: whether the language allows a comma after the last of several lines.
    """
    items = list(items)
    one_line = f"{opening}{', '.join(items)}{closing}"
    if len(one_line) <= WIDTH:
        return [one_line]
    below = [f"    {line}" for line in filled(items)]
    if not last_comma:
        below[-1] = below[-1].removesuffix(",")
    return [opening.rstrip(), *below, closing.removeprefix(",")]


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
