"""The small charts inside the boxes: shares of classes, or a histogram of numbers."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.pictures.colours import INK, LINE, PAPER, class_colours, mixed
from treewright.pictures.folded import Folded
from treewright.pictures.node_box import N_BINS, histograms_of, shares_of
from treewright.pictures.shapes import Path, Rectangle, Shape

Area = tuple[float, float, float, float]  # left, top, width, height
NUMBERS = "#4477aa"
THINNEST_BAR = 0.25  # pixels; thinner ones would not be seen
LEAST_TINT, MOST_TINT, MOST_NUMBER_TINT = 0.06, 0.3, 0.45


class NodeCharts(Protocol):
    """Charts and colours of the places in one picture."""

    def chart(self, place: int, area: Area) -> list[Shape]: ...

    def box_colours(self, place: int, *, is_open: bool) -> tuple[str, str]: ...


def node_charts(folded: Folded) -> NodeCharts:
    """The charts that fit the target of the tree."""
    if folded.tree.classes is None:
        answers = folded.tree.value[[place.node for place in folded.shown], 0]
        leaves = folded.tree.value[folded.tree.is_leaf, 0]
        return Histograms(histograms_of(folded), answers, float(leaves.min()), float(leaves.max()))
    shares = shares_of(folded)
    classes = [
        int(shares[at].argmax() if place.group else folded.tree.node_class[place.node])
        for at, place in enumerate(folded.shown)
    ]
    return ClassBars(shares, classes, class_colours(folded.tree).of_class)


@dataclass(frozen=True, slots=True)
class ClassBars:
    """One bar for each node, divided by the shares of the classes."""

    shares: NDArray[np.float64]  # (n_places, n_classes)
    answers: list[int]
    colours: tuple[str, ...]

    def chart(self, place: int, area: Area) -> list[Shape]:
        left, top, width, height = area
        shapes: list[Shape] = []
        for at in np.flatnonzero(self.shares[place] * width > THINNEST_BAR).tolist():
            start = left + width * float(self.shares[place, :at].sum())
            broad = width * float(self.shares[place, at])
            shapes.append(Rectangle(start, top, broad, height, fill=self.colours[at]))
        return shapes

    def box_colours(self, place: int, *, is_open: bool) -> tuple[str, str]:
        """White where a question stands, a tint of the class where an answer does."""
        if is_open:
            return PAPER, LINE
        colour = self.colours[self.answers[place]]
        share = float(self.shares[place, self.answers[place]])
        return mixed(colour, LEAST_TINT + (MOST_TINT - LEAST_TINT) * share**2), colour


@dataclass(frozen=True, slots=True)
class Histograms:
    """Training weight over the answers of the leaves below, and a line at the node's own mean."""

    weights: NDArray[np.float64]  # (n_places, N_BINS)
    answers: NDArray[np.float64]  # (n_places,)
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

    def box_colours(self, place: int, *, is_open: bool) -> tuple[str, str]:
        """White where a question stands; the larger the answer, the darker its box."""
        if is_open:
            return PAPER, LINE
        tint = LEAST_TINT + (MOST_NUMBER_TINT - LEAST_TINT) * self._position(place)
        return mixed(NUMBERS, tint), NUMBERS

    def _position(self, place: int) -> float:
        """Where the node's answer lies between the least and the largest."""
        if not self.high > self.low:
            return 0.5
        return min(max((float(self.answers[place]) - self.low) / (self.high - self.low), 0.0), 1.0)
