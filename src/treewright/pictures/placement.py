"""The positions of boxes, labels and edges of a tree that grows down or to the right."""

from dataclasses import dataclass
from typing import Literal, get_args

from treewright.errors import ParameterError
from treewright.pictures.folded import Folded
from treewright.pictures.layout import Layout, tidy_layout
from treewright.pictures.node_box import NOTE_SIZE, Box
from treewright.pictures.shapes import Step

Direction = Literal["auto", "down", "right"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
WIDEST_DOWN = 1500.0  # pixels; wider trees grow to the right, where boxes are closer together
LABEL_LINE = 20.0
LABEL_GAP = 10.0  # beside a label that is before its box
LABEL_END = 7.5  # from the end of such a label to its box
CLEAR = 2.5  # an edge ends this far before its label: it could look like a minus sign
SHEET = 4.0  # room for the second sheet of a folded node
GAP, LEVEL_GAP_DOWN, LEVEL_GAP_RIGHT = 14.0, 34.0, 36.0
ROW_GAP = 9.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Coordinates in pixels from the upper left corner."""

    box_x: tuple[float, ...]
    box_y: tuple[float, ...]
    label_at: tuple[tuple[float, float], ...]  # middle of the base line
    edges: tuple[tuple[Step, ...], ...]  # path from the parent to each box; () for the root
    width: float
    height: float


def place_boxes(folded: Folded, boxes: list[Box], direction: str = "auto") -> Placement:
    """Place the boxes; "auto" turns a tree that is too wide to the right."""
    if direction not in DIRECTIONS:
        raise ParameterError(
            f"direction is {direction!r}", hint=f"use one of {', '.join(DIRECTIONS)}"
        )
    if direction != "right":
        down = place_down(folded, boxes)
        if direction == "down" or down.width <= WIDEST_DOWN:
            return down
    return place_right(folded, boxes)


def place_down(folded: Folded, boxes: list[Box]) -> Placement:
    """The root on top; a label is above its box, where the edge ends."""
    widths = [max(box.width + SHEET, box.label_width) for box in boxes]
    heads = [LABEL_LINE if box.label else 0.0 for box in boxes]
    heights = [head + box.height + SHEET for head, box in zip(heads, boxes, strict=True)]
    layout = tidy_layout(folded.children, widths, heights, gap=GAP, level_gap=LEVEL_GAP_DOWN)
    middle = [x + width / 2 for x, width in zip(layout.x, widths, strict=True)]
    row_end = row_ends(layout)
    edges: list[tuple[Step, ...]] = [()] * len(boxes)
    for place, children in enumerate(folded.children):
        x, y = middle[place], layout.y[place] + heads[place] + boxes[place].height
        for child in children:
            edges[child] = (
                ("M", x, y),
                ("V", row_end[place]),
                curve_down(x, row_end[place], middle[child], layout.y[child]),
                ("V", layout.y[child] + CLEAR),
            )
    return Placement(
        tuple(at - box.width / 2 for at, box in zip(middle, boxes, strict=True)),
        tuple(y + head for y, head in zip(layout.y, heads, strict=True)),
        tuple((x, y + NOTE_SIZE + 2) for x, y in zip(middle, layout.y, strict=True)),
        tuple(edges),
        layout.width,
        layout.height,
    )


def place_right(folded: Folded, boxes: list[Box]) -> Placement:
    """The root at the left; a label is before its box, where the edge ends."""
    heads = [box.label_width + LABEL_GAP if box.label else 0.0 for box in boxes]
    for children in folded.children:  # boxes of siblings are aligned
        widest = max((heads[child] for child in children), default=0.0)
        for child in children:
            heads[child] = widest
    widths = [head + box.width + SHEET for head, box in zip(heads, boxes, strict=True)]
    heights = [box.height + SHEET for box in boxes]
    # The layout grows downwards, so widths and heights are swapped.
    layout = tidy_layout(folded.children, heights, widths, gap=ROW_GAP, level_gap=LEVEL_GAP_RIGHT)
    middle = [x + box.height / 2 for x, box in zip(layout.x, boxes, strict=True)]
    row_end = row_ends(layout)
    edges: list[tuple[Step, ...]] = [()] * len(boxes)
    for place, children in enumerate(folded.children):
        x, y = layout.y[place] + heads[place] + boxes[place].width, middle[place]
        for child in children:
            label_end = layout.y[child] + heads[child] - LABEL_END
            edges[child] = (
                ("M", x, y),
                ("H", row_end[place]),
                curve_right(row_end[place], y, layout.y[child], middle[child]),
                ("H", label_end - boxes[child].label_width - CLEAR),
            )
    return Placement(
        tuple(y + head for y, head in zip(layout.y, heads, strict=True)),
        layout.x,
        tuple(
            (x + head - LABEL_END - box.label_width / 2, y + NOTE_SIZE / 3)
            for x, head, y, box in zip(layout.y, heads, middle, boxes, strict=True)
        ),
        tuple(edges),
        layout.height,
        layout.width,
    )


def row_ends(layout: Layout) -> list[float]:
    """The end of each node's row; edges bend only between rows, clear of all boxes."""
    tops = sorted({*layout.y})
    end = {top: top + high for top, high in zip(tops, layout.row_height, strict=True)}
    return [end[top] for top in layout.y]


def curve_down(x: float, y: float, to_x: float, to_y: float) -> Step:
    half = (y + to_y) / 2
    return ("C", x, half, to_x, half, to_x, to_y)


def curve_right(x: float, y: float, to_x: float, to_y: float) -> Step:
    half = (x + to_x) / 2
    return ("C", half, y, half, to_y, to_x, to_y)
