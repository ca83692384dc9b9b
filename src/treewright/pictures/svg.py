"""A tree as an SVG picture: boxes with class bars or histograms, edges as wide as their share."""

from dataclasses import dataclass

from treewright.pictures.charts_in_nodes import NodeCharts, node_charts
from treewright.pictures.colours import EDGE, FAINT_INK, INK, PAPER, PATH
from treewright.pictures.folded import Folded
from treewright.pictures.legend import legend
from treewright.pictures.node_box import (
    NOTE_LINE,
    NOTE_SIZE,
    PADDING,
    TITLE_LINE,
    TITLE_SIZE,
    Box,
    boxes_of,
)
from treewright.pictures.placement import Placement, place_boxes
from treewright.pictures.svg_text import Attributes, element, escaped, number
from treewright.tree.as_text import answer_text
from treewright.tree.conditions import condition_text, plain
from treewright.tree.tree import Tree

MARGIN = 16.0
NARROWEST_PICTURE = 320.0
MARKED_LINE = 2.5
WIDEST_EDGE, THINNEST_EDGE = 16.0, 1.0
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MOST_CONDITIONS, MOST_LETTERS = 40, 200  # of a path in a tooltip, and of each line there


@dataclass(frozen=True, slots=True)
class Svg:
    """The text of a picture and its size in pixels."""

    text: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is known of a picture before it is written down."""

    folded: Folded
    boxes: list[Box]
    placement: Placement
    charts: NodeCharts
    marked: set[int]  # places on the way of a row


def draw_tree(
    folded: Folded,
    *,
    direction: str = "auto",
    decimals: int | None = None,
    path: tuple[int, ...] = (),
) -> Svg:
    """The picture of the places that `folded` shows; the nodes of `path` are marked."""
    boxes = boxes_of(folded, decimals)
    placement = place_boxes(folded, boxes, direction)
    marked = {place for place, shown in enumerate(folded.shown) if {*shown.nodes} & {*path}}
    scene = Scene(folded, boxes, placement, node_charts(folded), marked)
    head = legend(folded.tree, max(placement.width, NARROWEST_PICTURE))
    width = max(placement.width, head.width) + 2 * MARGIN
    edges = sorted(range(1, len(boxes)), key=marked.__contains__)  # marked ones on top
    parts = [
        moved(MARGIN, MARGIN, head.text),
        moved(
            (width - placement.width) / 2,
            MARGIN + head.height,
            *(edge(scene, place) for place in edges),
            *(node(scene, place) for place in range(len(boxes))),
        ),
    ]
    return framed(folded.tree, width, placement.height + head.height + 2 * MARGIN, "".join(parts))


def moved(x: float, y: float, *parts: str) -> str:
    return element("g", {"transform": f"translate({number(x)} {number(y)})"}, *parts)


def framed(tree: Tree, width: float, height: float, body: str) -> Svg:
    """The whole document, on white paper."""
    about = f"Decision tree with {tree.n_leaves} leaves, depth {tree.depth}"
    text = element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"0 0 {number(width)} {number(height)}",
            "role": "img",
            "aria_label": about,
            "font_family": FONT,
            "font_size": NOTE_SIZE,
            "fill": INK,
            "text_anchor": "middle",
        },
        element("rect", {"width": "100%", "height": "100%", "fill": PAPER}),
        body,
    )
    return Svg(text + "\n", width, height)


def edge(scene: Scene, place: int) -> str:
    """The line from a parent, as wide as the share of the training weight that goes along."""
    tree, shown = scene.folded.tree, scene.folded.shown[place]
    total = float(tree.weight[0])
    share = float(tree.weight[[*shown.nodes]].sum()) / total if total else 0.0
    width = THINNEST_EDGE + (WIDEST_EDGE - THINNEST_EDGE) * share
    is_marked = place in scene.marked
    return element(
        "path",
        {
            "d": scene.placement.edges[place],
            "fill": "none",
            "stroke": PATH if is_marked else EDGE,
            "stroke_width": max(width, MARKED_LINE) if is_marked else width,
        },
    )


def node(scene: Scene, place: int) -> str:
    """Label, box, title, chart and notes of one place, with a tooltip that says it in full."""
    box, shown = scene.boxes[place], scene.folded.shown[place]
    left, top = scene.placement.box_x[place], scene.placement.box_y[place]
    return element(
        "g",
        {"class": "node", "data_node": str(shown.node)},
        element("title", {}, escaped(tooltip(scene.folded, place))),
        *sheets(scene, place, left, top),
        label(scene, place) if box.label else "",
        *content(scene, place, left, top),
    )


def sheets(scene: Scene, place: int, left: float, top: float) -> list[str]:
    """The box; a folded node has a second sheet behind it: there is more."""
    box = scene.boxes[place]
    fill, stroke = scene.charts.box_colours(place, is_open=box.is_open)
    is_marked = place in scene.marked
    frame: Attributes = {
        "width": box.width,
        "height": box.height,
        "rx": 6.0,
        "fill": fill,
        "stroke": PATH if is_marked else stroke,
        "stroke_width": MARKED_LINE if is_marked else 1.0,
    }
    is_stack = box.is_folded and not box.is_open
    offsets = (3.0, 0.0) if is_stack else (0.0,)
    return [element("rect", {"x": left + by, "y": top + by, **frame}) for by in offsets]


def content(scene: Scene, place: int, left: float, top: float) -> list[str]:
    """Title, chart and notes, one below the other."""
    box = scene.boxes[place]
    middle, line = left + box.width / 2, top + PADDING - 2
    title: Attributes = {"x": middle, "y": line + TITLE_SIZE - 0.5, "font_size": TITLE_SIZE}
    parts = [element("text", {**title, "font_weight": "bold"}, escaped(box.title))]
    line += TITLE_LINE
    if box.chart_height:
        area = (left + PADDING, line, box.width - 2 * PADDING, box.chart_height)
        parts.append(scene.charts.chart(place, area))
        line += box.chart_height
    for note in box.notes:
        at: Attributes = {"x": middle, "y": line + NOTE_SIZE + 1.5, "fill": FAINT_INK}
        parts.append(element("text", at, escaped(note)))
        line += NOTE_LINE
    return parts


def label(scene: Scene, place: int) -> str:
    """The condition on the edge, with a white rim so that the edge does not cross it out."""
    x, y = scene.placement.label_at[place]
    rim: Attributes = {"stroke": PAPER, "stroke_width": 4.0, "stroke_linejoin": "round"}
    at: Attributes = {"x": x, "y": y, **rim, "paint_order": "stroke"}
    return element("text", at, escaped(scene.boxes[place].label))


def tooltip(folded: Folded, place: int) -> str:
    """The conditions from the root, and what the node says to rows that come to it."""
    tree, shown = folded.tree, folded.shown[place]
    if shown.group:
        return f"{len(shown.group)} branches with few training rows"
    path = tree.path_to(shown.node)[-MOST_CONDITIONS:]
    conditions = [
        condition_text(tree, int(tree.parent[at]), at - int(tree.first_child[tree.parent[at]]))
        for at in path
        if at != 0
    ]
    lines = [shortened(condition) for condition in conditions]
    lines.append(shortened(f"node {shown.node}{answer_text(tree, shown.node)}"))
    if tree.classes is not None and tree.n_values <= 20:
        pairs = zip(tree.classes, tree.probabilities[shown.node].tolist(), strict=True)
        lines += [
            shortened(f"{share:.1%} {plain(str(name))}") for name, share in pairs if share > 0
        ]
    return "\n".join(lines)


def shortened(line: str) -> str:
    return line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]}…"
