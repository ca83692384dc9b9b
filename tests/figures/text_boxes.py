"""Where the texts of a drawing stand, and which of them touch."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from treewright.pictures.shapes import Drawing, Group, Shape, Text
from treewright.pictures.text_width import text_width

ASCENT, DESCENT = 0.74, 0.2  # of the height of letters, above and below the base line


@dataclass(frozen=True)
class TextBox:
    text: str
    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: "TextBox") -> bool:
        beside = self.right <= other.left or other.right <= self.left
        above = self.bottom <= other.top or other.bottom <= self.top
        return not (beside or above)


def text_boxes(drawing: Drawing) -> list[TextBox]:
    return list(boxes_in(drawing.shapes, 0.0, 0.0))


def boxes_in(shapes: tuple[Shape, ...], x: float, y: float) -> Iterator[TextBox]:
    for shape in shapes:
        if isinstance(shape, Group):
            yield from boxes_in(shape.shapes, x + shape.shift[0], y + shape.shift[1])
        elif isinstance(shape, Text):
            yield box_of(shape, x, y)


def box_of(text: Text, x: float, y: float) -> TextBox:
    width = text_width(text.text, text.size, bold=text.bold)
    start = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor]
    above, below = ASCENT * text.size, DESCENT * text.size
    at_x, at_y = x + text.x, y + text.y
    if text.rotation == 0:
        return TextBox(text.text, at_x + start, at_y - above, at_x + start + width, at_y + below)
    assert text.rotation == -90
    top = at_y - start - width
    return TextBox(text.text, at_x - above, top, at_x + below, top + width)


def touching(drawing: Drawing) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other."""
    boxes = text_boxes(drawing)
    return [(a.text, b.text) for a, b in combinations(boxes, 2) if a.touches(b)]


def off_paper(drawing: Drawing) -> list[str]:
    """Texts that pass the edge of the paper."""
    return [
        box.text
        for box in text_boxes(drawing)
        if box.left < 0 or box.top < 0 or box.right > drawing.width or box.bottom > drawing.height
    ]


def shapes_of(drawing: Drawing, kind: type) -> list[Shape]:
    """All shapes of one kind, however deep in groups."""

    def inside(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
        for shape in shapes:
            if isinstance(shape, Group):
                yield from inside(shape.shapes)
            if isinstance(shape, kind):
                yield shape

    return list(inside(drawing.shapes))
