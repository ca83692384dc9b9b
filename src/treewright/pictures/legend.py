"""The legend above a tree: which colour is which class, or from where to where numbers go."""

from dataclasses import dataclass

from treewright.pictures.colours import FAINT_INK, REST, class_colours
from treewright.pictures.node_box import NOTE_SIZE
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.svg_text import Attributes, element, escaped
from treewright.pictures.text_width import fitted, text_width
from treewright.tree.conditions import number_text
from treewright.tree.tree import Tree

SWATCH, SPACE, LINE_HEIGHT, BELOW = 10.0, 16.0, 18.0, 14.0
WIDEST_NAME = 180.0


@dataclass(frozen=True, slots=True)
class Legend:
    """The markup of a legend and the room it takes."""

    text: str
    width: float
    height: float


def legend(tree: Tree, width: float) -> Legend:
    """A legend in lines no wider than `width`, if its names allow."""
    if tree.classes is None:
        return number_legend(tree)
    colours = class_colours(tree)
    entries = [
        (colours.of_class[named], shown_name(tree.classes[named])) for named in colours.named
    ]
    if colours.n_rest:
        entries.append((REST, counted(colours.n_rest, "other class", "other classes")))
    parts: list[str] = []
    x = y = widest = 0.0
    for colour, name in entries:
        shown = fitted(name, WIDEST_NAME, NOTE_SIZE)
        room = SWATCH + 5 + text_width(shown, NOTE_SIZE)
        if x > 0 and x + room > width:
            x, y = 0.0, y + LINE_HEIGHT
        size: Attributes = {"width": SWATCH, "height": SWATCH, "rx": 2.0}
        parts.append(element("rect", {"x": x, "y": y, **size, "fill": colour}))
        at: Attributes = {"x": x + SWATCH + 5, "y": y + NOTE_SIZE - 2, "text_anchor": "start"}
        parts.append(element("text", at, escaped(shown)))
        widest = max(widest, x + room)
        x += room + SPACE
    return Legend("".join(parts), widest, y + LINE_HEIGHT + BELOW)


def number_legend(tree: Tree) -> Legend:
    """From where to where the histograms reach."""
    if tree.n_nodes == 1:
        return Legend("", 0.0, 0.0)
    answers = tree.value[tree.is_leaf, 0]
    low, high = number_text(float(answers.min())), number_text(float(answers.max()))
    text = f"histograms: training rows over answers from {low} to {high}"
    at: Attributes = {"x": 0.0, "y": NOTE_SIZE - 2, "text_anchor": "start", "fill": FAINT_INK}
    width = text_width(text, NOTE_SIZE)
    return Legend(element("text", at, escaped(text)), width, LINE_HEIGHT + BELOW)
