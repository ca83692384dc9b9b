"""A tree as a drawing: boxes with class bars or histograms, weighted edges, a legend."""

from dataclasses import dataclass

from treewright.pictures.colors import EDGE, FAINT_INK, PAPER, PATH, REST, class_colors
from treewright.pictures.folded import Folded
from treewright.pictures.node_box import (
    NOTE_LINE,
    NOTE_SIZE,
    PADDING,
    PLAIN,
    TITLE_LINE,
    TITLE_SIZE,
    Box,
    NodeCharts,
    Style,
    boxes_of,
    node_charts,
)
from treewright.pictures.node_text import (
    class_name,
    counted,
    exact_support,
    mean_text,
    prediction,
    shown_name,
    support,
)
from treewright.pictures.placement import Placement, place_boxes
from treewright.pictures.shapes import Drawing, Group, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, text_width
from treewright.plain_text import beginning, plain
from treewright.rulesets.condition import Condition, in_plain_numbers
from treewright.rulesets.paths import Paths
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree

MARGIN = 16.0
NARROWEST_PICTURE = 320.0
MARKED_LINE = 2.5
WIDEST_EDGE, THINNEST_EDGE = 16.0, 1.0
MOST_CONDITIONS, MOST_LETTERS = 40, 200  # of a tooltip, and of each line in it
SWATCH, SPACE, LINE_HEIGHT, BELOW = 10.0, 16.0, 18.0, 14.0
WIDEST_NAME, WIDEST_LEGEND = 180.0, 600.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture before its shapes are drawn."""

    folded: Folded
    boxes: list[Box]
    placement: Placement
    charts: NodeCharts
    marked: set[int]  # places on the path of a row
    style: Style
    paths: Paths


def draw_tree(
    folded: Folded,
    *,
    direction: str = "auto",
    path: tuple[int, ...] = (),
    style: Style = PLAIN,
) -> Drawing:
    """The picture of the places that `folded` shows; the nodes of `path` are marked."""
    tree = bare_tree(folded, direction=direction, path=path, style=style)
    head = legend(folded.tree, max(tree.width, NARROWEST_PICTURE), style)
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
    path: tuple[int, ...] = (),
    style: Style = PLAIN,
) -> Drawing:
    """The tree alone, without legend and margin."""
    boxes = boxes_of(folded, style)
    placement = place_boxes(folded, boxes, direction)
    marked = {place for place, shown in enumerate(folded.shown) if {*shown.nodes} & {*path}}
    scene = Scene(
        folded, boxes, placement, node_charts(folded, style), marked, style, Paths(folded.tree)
    )
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
        title=tooltip(scene, place),
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


def tooltip(scene: Scene, place: int) -> str:
    """The conditions from the root, merged by column, and the prediction of the node."""
    tree, shown, style = scene.folded.tree, scene.folded.shown[place], scene.style
    if shown.group:
        return f"{len(shown.group)} branches with few training rows"
    path = scene.paths.leading_to(shown.node)[-MOST_CONDITIONS:]
    conditions = [with_threshold(one) for one in path]
    rows = exact_support(tree, shown.node) or support(tree, shown.node)
    lines = [*conditions, f"node {shown.node}: {said_by(tree, shown.node, style)}", rows]
    if tree.classes is not None and tree.n_values <= 20:
        shares = tree.probabilities[shown.node].tolist()
        names = [class_name(tree, code, style.target) for code in range(len(shares))]
        pairs = zip(names, shares, strict=True)
        lines += [f"{share:.1%} {name}" for name, share in pairs if share > 0]
    return "\n".join(beginning(line, MOST_LETTERS, "…") for line in lines if line)


def with_threshold(condition: Condition) -> str:
    """A condition, with its threshold where it says yes or no: `married = yes (> 0.5)`."""
    text = str(condition)
    if not any(column.yes_no for column in condition.columns):
        return text
    exact = str(in_plain_numbers(condition))
    cut = exact.removeprefix(f"{plain(condition.column.name)} ")
    return text if exact == text else f"{text} ({cut})"


def said_by(tree: Tree, node: int, style: Style) -> str:
    """What a node predicts, or would predict if it were a leaf."""
    verb = "predicts" if tree.is_leaf[node] else "would predict"
    what = prediction(tree, node, style.decimals, style.target)
    target = f"{shown_name(style.target)} " if tree.classes is None and style.target else ""
    return f"{verb} {target}{what}"


@dataclass(frozen=True, slots=True)
class Legend:
    """The shapes of a legend and the room they take."""

    shapes: tuple[Shape, ...]
    width: float
    height: float


def legend(tree: Tree, width: float, style: Style = PLAIN) -> Legend:
    """A legend in lines no wider than `width`, unless a name is wider."""
    if tree.classes is None:
        return number_legend(tree, style)
    colors = class_colors(tree, style.colors)
    entries = [(colors.of_class[named], shown_name(tree.classes[named])) for named in colors.named]
    if colors.n_rest:
        entries.append((REST, counted(colors.n_rest, "other class", "other classes")))
    shapes: list[Shape] = []
    x = y = widest = 0.0
    if style.target:
        lead = fitted(f"{shown_name(style.target)}:", WIDEST_NAME, NOTE_SIZE)
        shapes.append(Text(0.0, NOTE_SIZE - 2, lead, anchor="start", fill=FAINT_INK))
        x = widest = text_width(lead, NOTE_SIZE) + SPACE / 2
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


def number_legend(tree: Tree, style: Style) -> Legend:
    """What the charts show."""
    if tree.n_nodes == 1:
        return Legend((), 0.0, 0.0)
    text = fitted(number_legend_text(tree, style), WIDEST_LEGEND, NOTE_SIZE)
    line = Text(0.0, NOTE_SIZE - 2, text, anchor="start", fill=FAINT_INK)
    return Legend((line,), text_width(text, NOTE_SIZE), LINE_HEIGHT + BELOW)


def number_legend_text(tree: Tree, style: Style) -> str:
    """What the charts of a tree that predicts numbers show."""
    if style.splits is not None:
        low, high = (mean_text(tree, end) for end in style.splits.target_range)
        target = shown_name(style.target) if style.target else "the target"
        return f"points: {target} of training rows, from {low} to {high}"
    means = tree.value[tree.is_leaf, 0]
    low, high = mean_text(tree, float(means.min())), mean_text(tree, float(means.max()))
    target = f"predicted {shown_name(style.target)}" if style.target else "prediction"
    return f"histograms: training rows by {target}, from {low} to {high}"
