"""A tree as a drawing: boxes with class bars or histograms, weighted edges, a legend."""

from dataclasses import dataclass

from treewright.pictures.colors import EDGE, FAINT_INK, PAPER, PATH, REST, class_colors
from treewright.pictures.folded import Folded
from treewright.pictures.node_box import (
    NO_REMARKS,
    NOTE_LINE,
    NOTE_SIZE,
    PADDING,
    TITLE_LINE,
    TITLE_SIZE,
    Box,
    NodeCharts,
    Remarks,
    boxes_of,
    node_charts,
)
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.placement import Placement, place_boxes
from treewright.pictures.shapes import Drawing, Group, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, text_width
from treewright.plain_text import beginning, number_text, plain
from treewright.tree.as_text import prediction_text
from treewright.tree.conditions import condition_text
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree

MARGIN = 16.0
NARROWEST_PICTURE = 320.0
MARKED_LINE = 2.5
WIDEST_EDGE, THINNEST_EDGE = 16.0, 1.0
MOST_CONDITIONS, MOST_LETTERS = 40, 200  # of a tooltip, and of each line in it
SWATCH, SPACE, LINE_HEIGHT, BELOW = 10.0, 16.0, 18.0, 14.0
WIDEST_NAME = 180.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture before its shapes are drawn."""

    folded: Folded
    boxes: list[Box]
    placement: Placement
    charts: NodeCharts
    marked: set[int]  # places on the path of a row


def draw_tree(
    folded: Folded,
    *,
    direction: str = "auto",
    decimals: int | None = None,
    path: tuple[int, ...] = (),
    remarks: Remarks = NO_REMARKS,
) -> Drawing:
    """The picture of the places that `folded` shows; the nodes of `path` are marked.

    `remarks` are further lines in the boxes of nodes that are not folded.
    """
    tree = bare_tree(folded, direction=direction, decimals=decimals, path=path, remarks=remarks)
    head = legend(folded.tree, max(tree.width, NARROWEST_PICTURE))
    width = max(tree.width, head.width) + 2 * MARGIN
    return Drawing(
        width,
        tree.height + head.height + 2 * MARGIN,
        (
            Group(head.shapes, shift=(MARGIN, MARGIN)),
            Group(tree.shapes, shift=((width - tree.width) / 2, MARGIN + head.height)),
        ),
        tree.description,
    )


def bare_tree(
    folded: Folded,
    *,
    direction: str = "auto",
    decimals: int | None = None,
    path: tuple[int, ...] = (),
    remarks: Remarks = NO_REMARKS,
) -> Drawing:
    """The tree alone, without legend and margin."""
    boxes = boxes_of(folded, decimals, remarks)
    placement = place_boxes(folded, boxes, direction)
    marked = {place for place, shown in enumerate(folded.shown) if {*shown.nodes} & {*path}}
    scene = Scene(folded, boxes, placement, node_charts(folded), marked)
    edges = sorted(range(1, len(boxes)), key=marked.__contains__)  # marked ones on top
    return Drawing(
        placement.width,
        placement.height,
        (
            *(edge(scene, place) for place in edges),
            *(node(scene, place) for place in range(len(boxes))),
        ),
        f"Decision tree with {leaves_text(folded.tree)}, depth {folded.tree.depth}",
    )


def edge(scene: Scene, place: int) -> Path:
    """The line from a parent, as wide as its share of the training weight."""
    tree, shown = scene.folded.tree, scene.folded.shown[place]
    total = float(tree.weight[0])
    share = float(tree.weight[[*shown.nodes]].sum()) / total if total else 0.0
    width = THINNEST_EDGE + (WIDEST_EDGE - THINNEST_EDGE) * share
    steps = scene.placement.edges[place]
    if place in scene.marked:
        return Path(steps, stroke=PATH, stroke_width=max(width, MARKED_LINE))
    return Path(steps, stroke=EDGE, stroke_width=width)


def node(scene: Scene, place: int) -> Group:
    """Label, box, title, chart and notes of one place, with a tooltip."""
    shown = scene.folded.shown[place]
    left, top = scene.placement.box_x[place], scene.placement.box_y[place]
    return Group(
        (*sheets(scene, place, left, top), *label(scene, place), *content(scene, place, left, top)),
        title=tooltip(scene.folded, place),
        attributes={"class": "node", "data-node": str(shown.node)},
    )


def sheets(scene: Scene, place: int, left: float, top: float) -> list[Shape]:
    """The box; a folded node has a second sheet behind it."""
    box = scene.boxes[place]
    fill, stroke = scene.charts.box_colors(place, is_open=box.is_open)
    is_marked = place in scene.marked
    is_stack = box.is_folded and not box.is_open
    return [
        Rectangle(
            left + by,
            top + by,
            box.width,
            box.height,
            corner=6.0,
            fill=fill,
            stroke=PATH if is_marked else stroke,
            stroke_width=MARKED_LINE if is_marked else 1.0,
        )
        for by in ((3.0, 0.0) if is_stack else (0.0,))
    ]


def content(scene: Scene, place: int, left: float, top: float) -> list[Shape]:
    """Title, chart and notes, one below the other."""
    box = scene.boxes[place]
    middle, line = left + box.width / 2, top + PADDING - 2
    title = Text(middle, line + TITLE_SIZE - 0.5, box.title, size=TITLE_SIZE, bold=True)
    shapes: list[Shape] = [title]
    line += TITLE_LINE
    if box.chart_height:
        area = (left + PADDING, line, box.width - 2 * PADDING, box.chart_height)
        shapes += scene.charts.chart(place, area)
        line += box.chart_height
    for note in box.notes:
        shapes.append(Text(middle, line + NOTE_SIZE + 1.5, note, fill=FAINT_INK))
        line += NOTE_LINE
    return shapes


def label(scene: Scene, place: int) -> list[Shape]:
    """The condition, with a white rim so that the edge does not cross it out."""
    text = scene.boxes[place].label
    x, y = scene.placement.label_at[place]
    return [Text(x, y, text, halo=PAPER)] if text else []


def tooltip(folded: Folded, place: int) -> str:
    """The conditions from the root, and the prediction of the node."""
    tree, shown = folded.tree, folded.shown[place]
    if shown.group:
        return f"{len(shown.group)} branches with few training rows"
    path = tree.path_to(shown.node)[-MOST_CONDITIONS:]
    conditions = [
        condition_text(tree, int(tree.parent[at]), at - int(tree.first_child[tree.parent[at]]))
        for at in path
        if at != 0
    ]
    lines = [*conditions, f"node {shown.node}{prediction_text(tree, shown.node)}"]
    if tree.classes is not None and tree.n_values <= 20:
        pairs = zip(tree.classes, tree.probabilities[shown.node].tolist(), strict=True)
        lines += [f"{share:.1%} {plain(str(name))}" for name, share in pairs if share > 0]
    return "\n".join(beginning(line, MOST_LETTERS, "…") for line in lines)


@dataclass(frozen=True, slots=True)
class Legend:
    """The shapes of a legend and the room they take."""

    shapes: tuple[Shape, ...]
    width: float
    height: float


def legend(tree: Tree, width: float) -> Legend:
    """A legend in lines no wider than `width`, unless a name is wider."""
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
    """The range of the histograms."""
    if tree.n_nodes == 1:
        return Legend((), 0.0, 0.0)
    means = tree.value[tree.is_leaf, 0]
    low, high = number_text(float(means.min())), number_text(float(means.max()))
    text = f"histograms: training rows by prediction, from {low} to {high}"
    line = Text(0.0, NOTE_SIZE - 2, text, anchor="start", fill=FAINT_INK)
    return Legend((line,), text_width(text, NOTE_SIZE), LINE_HEIGHT + BELOW)
