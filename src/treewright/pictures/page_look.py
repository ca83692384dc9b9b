"""Sizes and colours of the picture, handed to the page so that both look alike."""

from types import ModuleType
from typing import Any

from treewright.pictures import charts_in_nodes, colours, folded, node_box, placement, svg
from treewright.pictures import tree_drawing as drawing

LOOK: dict[ModuleType, tuple[str, ...]] = {
    svg: ("FONT",),
    colours: ("INK", "FAINT_INK", "LINE", "EDGE", "PAPER", "PATH"),
    folded: ("MOST_BRANCHES",),
    node_box: (
        "TITLE_SIZE",
        "NOTE_SIZE",
        "TITLE_LINE",
        "NOTE_LINE",
        "WIDEST_TITLE",
        "WIDEST_LABEL",
        "NARROWEST",
        "PADDING",
        "BAR_HEIGHT",
        "HISTOGRAM_HEIGHT",
        "N_BINS",
    ),
    placement: (
        "WIDEST_DOWN",
        "LABEL_LINE",
        "LABEL_GAP",
        "LABEL_END",
        "CLEAR",
        "SHEET",
        "ROW_GAP",
        "GAP",
        "LEVEL_GAP_DOWN",
        "LEVEL_GAP_RIGHT",
    ),
    charts_in_nodes: ("NUMBERS", "THINNEST_BAR", "LEAST_TINT", "MOST_TINT", "MOST_NUMBER_TINT"),
    drawing: ("WIDEST_EDGE", "THINNEST_EDGE", "MARKED_LINE"),
}


def page_look() -> dict[str, Any]:
    """Name -> size or colour, under the names that the modules of the picture use."""
    return {name: getattr(module, name) for module, names in LOOK.items() for name in names}
