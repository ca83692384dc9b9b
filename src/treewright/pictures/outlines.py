"""Shapes for programs that draw paths point by point: groups resolved, corners as curves."""

from collections.abc import Iterator

from treewright.pictures.shapes import Circle, Group, Path, Rectangle, Shape, Step, Text

ARC = 0.5523  # of the radius: handles that make a Bézier curve a quarter of a circle
# Fonts have no glyph for isolates and joiners.
WITHOUT_GLYPH = dict.fromkeys(map(ord, "\u200c\u200d\u2066\u2067\u2068\u2069"))


def placed(
    shapes: tuple[Shape, ...], x: float = 0.0, y: float = 0.0
) -> Iterator[tuple[Rectangle | Circle | Path | Text, float, float]]:
    """The shapes of all groups, in order, with the shift of their groups."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from placed(shape.shapes, x + shape.shift[0], y + shape.shift[1])
        else:
            yield shape, x, y


def with_both_coordinates(steps: tuple[Step, ...]) -> Iterator[tuple[str, list[float]]]:
    """The steps with x and y: `H` and `V` keep one of the point before, and become `L`.

    >>> list(with_both_coordinates((("M", 1, 2), ("H", 5), ("Z",))))
    [('M', [1, 2]), ('L', [5, 2]), ('Z', [])]
    """
    x = y = 0.0
    for command, *numbers in steps:
        if command == "H":
            command, numbers = "L", [numbers[0], y]
        elif command == "V":
            command, numbers = "L", [x, numbers[0]]
        if numbers:
            x, y = numbers[-2:]
        yield command, numbers


def rectangle_steps(shape: Rectangle) -> tuple[Step, ...]:
    """Clockwise around the rectangle, from the end of its first corner."""
    left, top, right, bottom = shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    corner = min(shape.corner, shape.width / 2, shape.height / 2)
    if not corner:
        return (("M", left, top), ("H", right), ("V", bottom), ("H", left), ("Z",))
    bend = corner * (1 - ARC)
    return (
        ("M", left + corner, top),
        ("H", right - corner),
        ("C", right - bend, top, right, top + bend, right, top + corner),
        ("V", bottom - corner),
        ("C", right, bottom - bend, right - bend, bottom, right - corner, bottom),
        ("H", left + corner),
        ("C", left + bend, bottom, left, bottom - bend, left, bottom - corner),
        ("V", top + corner),
        ("C", left, top + bend, left + bend, top, left + corner, top),
        ("Z",),
    )
