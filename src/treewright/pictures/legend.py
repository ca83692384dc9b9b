"""The legend above a tree: which color is which class, or from where to where numbers go."""

from dataclasses import dataclass

from treewright.pictures.colors import FAINT_INK, REST, class_colors
from treewright.pictures.node_box import NOTE_SIZE
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.shapes import Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, text_width
from treewright.tree.conditions import number_text
from treewright.tree.tree import Tree

SWATCH, SPACE, LINE_HEIGHT, BELOW = 10.0, 16.0, 18.0, 14.0
WIDEST_NAME = 180.0


@dataclass(frozen=True, slots=True)
class Legend:
    """The shapes of a legend and the room they take."""

    shapes: tuple[Shape, ...]
    width: float
    height: float


def legend(tree: Tree, width: float) -> Legend:
    """A legend in lines no wider than `width`, if its names allow."""
    if tree.classes is None:
        return number_legend(tree)
    colors = class_colors(tree)
    entries = [(colors.of_class[named], shown_name(tree.classes[named])) for named in colors.named]
    if colors.n_rest:
        entries.append((REST, counted(colors.n_rest, "other class", "other classes")))
    shapes: list[Shape] = []
    x = y = widest = 0.0
    for color, name in entries:
        shown = fitted(name, WIDEST_NAME, NOTE_SIZE)
        room = SWATCH + 5 + text_width(shown, NOTE_SIZE)
        if x > 0 and x + room > width:
            x, y = 0.0, y + LINE_HEIGHT
        shapes.append(Rectangle(x, y, SWATCH, SWATCH, corner=2.0, fill=color))
        shapes.append(Text(x + SWATCH + 5, y + NOTE_SIZE - 2, shown, anchor="start"))
        widest = max(widest, x + room)
        x += room + SPACE
    return Legend(tuple(shapes), widest, y + LINE_HEIGHT + BELOW)


def number_legend(tree: Tree) -> Legend:
    """From where to where the histograms reach."""
    if tree.n_nodes == 1:
        return Legend((), 0.0, 0.0)
    answers = tree.value[tree.is_leaf, 0]
    low, high = number_text(float(answers.min())), number_text(float(answers.max()))
    text = f"histograms: training rows over answers from {low} to {high}"
    line = Text(0.0, NOTE_SIZE - 2, text, anchor="start", fill=FAINT_INK)
    return Legend((line,), text_width(text, NOTE_SIZE), LINE_HEIGHT + BELOW)
