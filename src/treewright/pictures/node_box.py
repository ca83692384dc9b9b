"""The boxes of nodes: their texts, sizes, charts and colors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.pictures.colors import (
    FAINT_INK,
    INK,
    LINE,
    PAPER,
    Colors,
    class_colors,
    mixed,
)
from treewright.pictures.distributions import Distribution, Distributions
from treewright.pictures.folded import Folded
from treewright.pictures.node_text import (
    branch_label,
    counted,
    evidence,
    prediction,
    question,
    support,
)
from treewright.pictures.shapes import Circle, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, fitted_in_middle, text_width
from treewright.tree.conditions import sum_number, sum_terms
from treewright.tree.layout import LEAF, OBLIQUE
from treewright.tree.tree import Tree

TITLE_SIZE, NOTE_SIZE = 13.0, 11.0
WIDEST_TITLE, WIDEST_LABEL = 280.0, 150.0
TITLE_LINE, NOTE_LINE = 18.0, 15.0
PADDING = 9.0
BAR_HEIGHT, HISTOGRAM_HEIGHT = 8.0, 22.0
NARROWEST = 64.0
SPLIT_WIDTH, SPLIT_HEIGHT, ENDS_LINE, ENDS_SIZE = 150.0, 44.0, 14.0, 10.0
N_BINS = 16
Remarks = Mapping[int, tuple[str, ...]]  # node of the tree -> lines about its split
NO_REMARKS: Remarks = {}


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """What a picture of a tree says and shows, as its user wants it."""

    decimals: int | None = None  # of thresholds and means; None for as many as needed
    remarks: Remarks = field(default_factory=dict)  # further lines in boxes that are not folded
    target: str = ""  # name of the target; "" if it is not known
    colors: Colors | None = None  # of classes; None for the usual ones
    splits: Distributions | None = None  # the training rows at each split

    def split_at(self, node: int) -> Distribution | None:
        """The distribution at a split, if the training rows are known."""
        return None if self.splits is None else self.splits.of(node)


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Box:
    """Texts and size of one node in the picture."""

    label: str  # the condition that leads here; "" at the root
    title: str  # the question, or the prediction
    notes: tuple[str, ...]
    width: float
    height: float
    chart_height: float  # of the class bar or histogram
    is_open: bool  # its branches are in the picture
    is_folded: bool  # some nodes below are not in the picture

    @property
    def label_width(self) -> float:
        return text_width(self.label, NOTE_SIZE)


def boxes_of(folded: Folded, style: Style = PLAIN) -> list[Box]:
    """The boxes of all places in a picture; open nodes and leaves show their remarks."""
    parent = [-1] * len(folded.shown)
    for place, children in enumerate(folded.children):
        for child in children:
            parent[child] = folded.shown[place].node
    return [box_of(folded, place, above, style) for place, above in enumerate(parent)]


def box_of(folded: Folded, place: int, parent: int, style: Style) -> Box:
    decimals, remarks = style.decimals, style.remarks
    tree, shown, n_hidden = folded.tree, folded.shown[place], folded.n_hidden[place]
    label = "" if parent < 0 else branch_label(tree, shown, parent, decimals)
    is_open = bool(shown.children)
    if shown.group:
        title, notes = "…", [counted(n_hidden, "node")]
    elif is_open:
        title, terms = asked_by(tree, shown.node, decimals)
        notes = [*terms, support(tree, shown.node)]
        if tree.classes is None:
            notes.insert(0, f"mean {prediction(tree, shown.node, decimals)}")
        notes += remarks.get(shown.node, ())
    else:
        title = prediction(tree, shown.node, decimals, style.target)
        notes = [evidence(tree, shown.node)]
        if tree.kind[shown.node] == LEAF:
            notes += remarks.get(shown.node, ())
        else:
            notes.append(f"… {counted(n_hidden, 'node')}")
    chart_height = chart_height_of(folded, place, style)
    shown_notes = tuple(fitted(note, WIDEST_TITLE, NOTE_SIZE) for note in notes if note)
    title = fitted_in_middle(title, WIDEST_TITLE, TITLE_SIZE, bold=True)
    return Box(
        fitted(label, WIDEST_LABEL, NOTE_SIZE),
        title,
        shown_notes,
        max(width_of(title, shown_notes), SPLIT_WIDTH if chart_height >= SPLIT_HEIGHT else 0.0),
        2 * PADDING - 4 + TITLE_LINE + chart_height + NOTE_LINE * len(shown_notes),
        chart_height,
        is_open,
        n_hidden > 0,
    )


def asked_by(tree: Tree, node: int, decimals: int | None) -> tuple[str, list[str]]:
    """The question of a node; a sum that is too wide for a title has a line for each term."""
    asked = question(tree, node, decimals)
    is_narrow = text_width(asked, TITLE_SIZE, bold=True) <= WIDEST_TITLE
    if tree.kind[node] != OBLIQUE or is_narrow:
        return asked, []
    first, *others = sum_terms(tree, node, decimals)
    title = f"sum <= {sum_number(float(tree.threshold[node]), decimals)}"
    return title, [f"sum = {first}", *others]


def chart_height_of(folded: Folded, place: int, style: Style = PLAIN) -> float:
    """The height of a class bar; or of a histogram, if there are several leaves below."""
    shown = folded.shown[place]
    if shown.children and not shown.group and (split := style.split_at(shown.node)) is not None:
        return SPLIT_HEIGHT + (ENDS_LINE if split.ends[0] else 0.0)
    if folded.tree.classes is not None:
        return BAR_HEIGHT
    is_mixed = folded.shown[place].children or folded.n_hidden[place] > 1
    return HISTOGRAM_HEIGHT if is_mixed else 0.0


def width_of(title: str, notes: Sequence[str]) -> float:
    widest = max(
        text_width(title, TITLE_SIZE, bold=True),
        *(text_width(note, NOTE_SIZE) for note in notes),
        NARROWEST,
    )
    return widest + 2 * PADDING


def shares_of(folded: Folded) -> NDArray[np.float64]:
    """(n_places, n_classes): the class shares of each place."""
    tree = folded.tree
    shares = tree.probabilities[[place.node for place in folded.shown]].copy()
    for at, place in enumerate(folded.shown):
        if place.group:
            members = [*place.group]
            weight = tree.weight[members] + 1e-300  # also without training rows
            shares[at] = weight @ tree.probabilities[members] / weight.sum()
    return shares


def histograms_of(folded: Folded) -> NDArray[np.float64]:
    """(n_places, N_BINS): training weight by prediction of the leaves below each place.

    Bins have equal widths. Rows count at the prediction of their leaf.
    """
    tree = folded.tree
    leaves = np.flatnonzero(tree.is_leaf)
    means, weight = tree.value[leaves, 0], tree.weight[leaves]
    if not weight.any():
        weight = np.ones(len(leaves))
    low, high = float(means.min()), float(means.max())
    scaled = (means - low) / (high - low) if high > low else np.zeros(len(leaves))
    bins = np.minimum((np.clip(scaled, 0, 1) * N_BINS).astype(np.intp), N_BINS - 1)
    below = np.zeros((len(folded.shown), N_BINS))
    np.add.at(below, (folded.place_of[leaves], bins), weight)
    for place in range(len(folded.shown) - 1, -1, -1):
        for child in folded.shown[place].children:
            below[place] += below[child]
    return below


Area = tuple[float, float, float, float]  # left, top, width, height
NUMBERS = "#4477aa"
THINNEST_BAR = 0.25  # pixels; thinner ones would not be seen
LEAST_TINT, MOST_TINT, MOST_NUMBER_TINT = 0.06, 0.26, 0.34  # notes stay readable on them


class NodeCharts(Protocol):
    """Charts and colors of the places in one picture."""

    def chart(self, place: int, area: Area) -> list[Shape]: ...

    def box_colors(self, place: int, *, is_open: bool) -> tuple[str, str]: ...


def node_charts(folded: Folded, style: Style = PLAIN) -> NodeCharts:
    """The charts that fit the target of the tree; of splits, with the rows if they are known."""
    plain = charts_of_predictions(folded, style)
    if style.splits is None:
        return plain
    colors = () if folded.tree.classes is None else class_colors(folded.tree, style.colors).of_class
    return SplitCharts(folded, style.splits, plain, colors)


def charts_of_predictions(folded: Folded, style: Style) -> NodeCharts:
    if folded.tree.classes is None:
        means = folded.tree.value[[place.node for place in folded.shown], 0]
        leaves = folded.tree.value[folded.tree.is_leaf, 0]
        return Histograms(histograms_of(folded), means, float(leaves.min()), float(leaves.max()))
    shares = shares_of(folded)
    classes = [
        int(shares[at].argmax() if place.group else folded.tree.node_class[place.node])
        for at, place in enumerate(folded.shown)
    ]
    return ClassBars(shares, classes, class_colors(folded.tree, style.colors).of_class)


@dataclass(frozen=True, slots=True)
class ClassBars:
    """One bar for each node, divided by the shares of the classes."""

    shares: NDArray[np.float64]  # (n_places, n_classes)
    predicted: list[int]
    colors: tuple[str, ...]

    def chart(self, place: int, area: Area) -> list[Shape]:
        left, top, width, height = area
        shapes: list[Shape] = []
        for at in np.flatnonzero(self.shares[place] * width > THINNEST_BAR).tolist():
            start = left + width * float(self.shares[place, :at].sum())
            broad = width * float(self.shares[place, at])
            shapes.append(Rectangle(start, top, broad, height, fill=self.colors[at]))
        return shapes

    def box_colors(self, place: int, *, is_open: bool) -> tuple[str, str]:
        """White for a question, a tint of the class for a prediction."""
        if is_open:
            return PAPER, LINE
        color = self.colors[self.predicted[place]]
        share = float(self.shares[place, self.predicted[place]])
        return mixed(color, LEAST_TINT + (MOST_TINT - LEAST_TINT) * share**2), color


@dataclass(frozen=True, slots=True)
class Histograms:
    """Training weight by prediction of the leaves below, and a line at the node's own mean."""

    weights: NDArray[np.float64]  # (n_places, N_BINS)
    means: NDArray[np.float64]  # (n_places,)
    low: float
    high: float

    def chart(self, place: int, area: Area) -> list[Shape]:
        left, top, width, height = area
        bottom = top + height - 3
        highest = float(self.weights[place].max()) or 1.0
        step = width / N_BINS
        shapes: list[Shape] = [Path((("M", left, bottom), ("H", left + width)), stroke=LINE)]
        for at in np.flatnonzero(self.weights[place]).tolist():
            high = max((height - 5) * float(self.weights[place, at]) / highest, 1.0)
            start = left + at * step + 0.5
            shapes.append(Rectangle(start, bottom - high, step - 1, high, fill=NUMBERS))
        mean = left + width * self._position(place)
        return [*shapes, Rectangle(mean - 0.75, top, 1.5, height - 1, fill=INK)]

    def box_colors(self, place: int, *, is_open: bool) -> tuple[str, str]:
        """White for a question; the larger a prediction, the darker its box."""
        if is_open:
            return PAPER, LINE
        tint = LEAST_TINT + (MOST_NUMBER_TINT - LEAST_TINT) * self._position(place)
        return mixed(NUMBERS, tint), NUMBERS

    def _position(self, place: int) -> float:
        """The node's mean on a scale from the smallest to the largest prediction."""
        if not self.high > self.low:
            return 0.5
        return min(max((float(self.means[place]) - self.low) / (self.high - self.low), 0.0), 1.0)


POINT = 1.6  # radius in pixels
BAR_GAP = 0.15  # of the room of a bar


@dataclass(frozen=True, slots=True)
class SplitCharts:
    """At splits the training rows by the column that is asked; elsewhere the usual charts."""

    folded: Folded
    splits: Distributions
    plain: NodeCharts
    colors: tuple[str, ...]

    def chart(self, place: int, area: Area) -> list[Shape]:
        shown = self.folded.shown[place]
        is_split = bool(shown.children) and not shown.group
        split = self.splits.of(shown.node) if is_split else None
        if split is None:
            return self.plain.chart(place, area)
        left, top, width, _ = area
        inner = (left, top, width, SPLIT_HEIGHT)
        shapes = self._bars(split, inner) if len(split.bars) else self._points(shown.node, inner)
        return [*shapes, *cut_marks(split, inner), *end_labels(split, inner)]

    def box_colors(self, place: int, *, is_open: bool) -> tuple[str, str]:
        return self.plain.box_colors(place, is_open=is_open)

    def _bars(self, split: Distribution, area: Area) -> list[Shape]:
        left, top, width, height = area
        bottom = top + height - 6
        step = width / len(split.bars)
        highest = float(split.bars.sum(axis=1).max()) or 1.0
        shapes: list[Shape] = [Path((("M", left, bottom), ("H", left + width)), stroke=LINE)]
        for at, weights in enumerate(split.bars.tolist()):
            below = bottom
            for code, weight in enumerate(weights):
                high = (height - 10) * weight / highest
                if high > THINNEST_BAR:
                    x, broad = left + (at + BAR_GAP / 2) * step, (1 - BAR_GAP) * step
                    shapes.append(Rectangle(x, below - high, broad, high, fill=self.colors[code]))
                    below -= high
        return shapes

    def _points(self, node: int, area: Area) -> list[Shape]:
        """A sample of the rows: the target over the column."""
        left, top, width, height = area
        split = self.splits.of(node)
        assert split is not None
        bottom, high = top + height - 6, height - 10
        shapes: list[Shape] = [Path((("M", left, bottom), ("H", left + width)), stroke=LINE)]
        for x, y in split.points.tolist():
            dot = Circle(left + x * width, bottom - y * high, POINT, fill=NUMBERS, opacity=0.55)
            shapes.append(dot)
        return shapes


def cut_marks(split: Distribution, area: Area) -> list[Shape]:
    """A line and a small triangle where the column is cut."""
    left, top, width, height = area
    bottom = top + height - 6
    shapes: list[Shape] = []
    for cut in split.cuts:
        x = left + cut * width
        shapes.append(Path((("M", x, top), ("V", bottom)), stroke=INK, dashes=(3.0, 2.0)))
        tip = (("M", x, bottom), ("L", x - 4, bottom + 6), ("L", x + 4, bottom + 6), ("Z",))
        shapes.append(Path(tip, fill=INK))
    return shapes


def end_labels(split: Distribution, area: Area) -> list[Shape]:
    """The smallest and the largest number of the column, below its ends."""
    left, top, width, height = area
    if not split.ends[0]:
        return []
    y = top + height + ENDS_SIZE + 0.5
    low, high = (fitted(text, width / 2 - 6, ENDS_SIZE) for text in split.ends)
    return [
        Text(left, y, low, "start", ENDS_SIZE, fill=FAINT_INK),
        Text(left + width, y, high, "end", ENDS_SIZE, fill=FAINT_INK),
    ]
