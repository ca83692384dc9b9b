"""tw.figures.impurity_curves: the impurity of two classes, by the share of one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DASHED, DOTTED, Line, Mark, Points, Rule
from treewright.figures.scales import Linear
from treewright.measures import entropy, gini
from treewright.measures.counts import as_counts, as_table
from treewright.pictures.colors import FAINT_INK, INK, PALETTE, PATH
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture
from treewright.plain_text import weight_text

N_POINTS = 201  # of a curve; odd, so that one of them is in the middle
SHARES = np.linspace(0, 1, N_POINTS)
HEADROOM = 1.06
SIZE, SMALL_SIZE = (460.0, 300.0), (280.0, 240.0)


@dataclass(frozen=True, slots=True)
class Curve:
    """A measure of two classes and how it is drawn."""

    name: str
    measure: Callable[[ArrayLike], float]
    color: str
    dashes: tuple[float, ...]
    factor: float = 1.0

    def of(self, counts: Sequence[float] | Floats) -> float:
        return self.factor * self.measure(counts)

    def heights(self) -> list[float]:
        return [self.factor * height for height in heights_of(self.measure)]


@cache
def heights_of(measure: Callable[[ArrayLike], float]) -> tuple[float, ...]:
    """The measure of two classes at each of the shares."""
    return tuple(measure([share, 1 - share]) for share in SHARES.tolist())


def error(counts: ArrayLike) -> float:
    """The share of rows outside the most frequent class."""
    weights = as_counts(counts)
    return float(1 - weights.max() / weights.sum())


def impurity_curves(
    counts: Any = None, *, branches: Any = None, scaled: bool = False, title: str = ""
) -> Picture:
    """Entropy, Gini index and error of two classes over the share of the first.

    Parameters
    ----------
    counts
        The two class counts of a group, such as `[9, 5]`, which is marked on the curves.
    branches
        The class counts of the branches of a split, such as `[[3, 4], [6, 1]]`. Each curve then
        has its own panel, which shows the gain: the impurity of the whole group minus the mean
        impurity of the branches.
    scaled
        Whether to halve the entropy, so that all curves reach 0.5.
    title
        A line above the figure.

    Examples
    --------
    >>> import treewright as tw
    >>> golf = tw.figures.impurity_curves([9, 5])
    >>> {name: round(value, 3) for name, value in golf.data["at"].items()}
    {'entropy': 0.94, 'Gini': 0.459, 'error': 0.357}
    >>> humidity = tw.figures.impurity_curves(branches=[[3, 4], [6, 1]])
    >>> {name: round(gain, 3) for name, gain in humidity.data["gain"].items()}
    {'entropy': 0.152, 'Gini': 0.092, 'error': 0.071}
    """
    curves = (
        Curve("entropy", entropy, PALETTE[0], (), 0.5 if scaled else 1.0),
        Curve("Gini", gini, PALETTE[1], DASHED),
        Curve("error", error, PALETTE[2], DOTTED),
    )
    data: dict[str, Any] = {"share": SHARES.tolist()}
    data |= {curve.name: curve.heights() for curve in curves}
    if branches is not None:
        if counts is not None:
            raise ParameterError("counts and branches are both given", hint="give one of them")
        return split_figure(curves, two_classes(as_table(branches)), data, title)
    if counts is None:
        panel = curve_panel([curve_line(curve, curve_name(curve)) for curve in curves])
        summary = "entropy, Gini and error of two classes"
        return figure([[panel]], title=title, summary=summary, data=data)
    group = two_classes(as_counts(counts)[np.newaxis])[0]
    data["at"] = {curve.name: curve.of(group) for curve in curves}
    return group_figure(curves, group, data, title)


def two_classes(table: Floats) -> Floats:
    """The counts, if there are two classes and every group has rows."""
    if table.shape[1] != 2:
        raise ParameterError(
            f"the curves are for 2 classes, not for {table.shape[1]}",
            hint="measures of more classes are in treewright.measures",
        )
    if not len(table) or (table.sum(axis=1) <= 0).any():
        raise ParameterError("a group has no rows", hint="leave out branches without rows")
    return table


def group_figure(
    curves: Sequence[Curve], group: Floats, data: dict[str, Any], title: str
) -> Picture:
    """All curves, with one group marked on them."""
    share = float(group[0] / group.sum())
    marks: list[Mark] = [Rule(x=share)]
    for curve in curves:
        height = curve.of(group)
        marks.append(curve_line(curve, f"{curve_name(curve)} {height:.4f}"))
        marks.append(Points([share], [height], curve.color, radius=5.0))
    counts = " and ".join(weight_text(count) for count in group.tolist())
    note = f"A group of {counts} rows: the share of the first class is {share:.4f}."
    summary = f"entropy, Gini and error of {counts} rows"
    return figure([[curve_panel(marks)]], title=title, note=note, summary=summary, data=data)


def split_figure(
    curves: Sequence[Curve], table: Floats, data: dict[str, Any], title: str
) -> Picture:
    """A panel for each curve: the whole group, the branches, and the gain between them."""
    whole = table.sum(axis=0)
    weight = table.sum(axis=1) / table.sum()
    panels, gains = [], {}
    for curve in curves:
        after = float(sum(weight * [curve.of(branch) for branch in table]))
        gains[curve.name] = max(curve.of(whole) - after, 0.0)  # rounding can take it below zero
        panel_title = f"{curve_name(curve).capitalize()}: gain {gains[curve.name]:.4f}"
        panels.append(curve_panel(split_marks(curve, table, after), panel_title, SMALL_SIZE))
    data["gain"] = gains
    note = (
        "The gain is the impurity of the whole group minus the weighted mean impurity of the "
        "branches."
    )
    branches = counted(len(table), "branch", "branches")
    summary = f"gain of {branches} by entropy, Gini and error"
    return figure([panels], title=title, note=note, summary=summary, data=data)


def split_marks(curve: Curve, table: Floats, after: float) -> list[Mark]:
    """The curve, the branches on it, the lines between them, and the gain above their mean."""
    whole = table.sum(axis=0)
    share, before = float(whole[0] / whole.sum()), curve.of(whole)
    ordered = table[np.argsort(table[:, 0] / table.sum(axis=1))]
    shares = (ordered[:, 0] / ordered.sum(axis=1)).tolist()
    heights = [curve.of(branch) for branch in ordered]
    around = [*range(len(shares)), *([0] if len(shares) > 2 else [])]
    return [
        Line(SHARES.tolist(), curve.heights(), curve.color),
        Line(
            [shares[at] for at in around],
            [heights[at] for at in around],
            FAINT_INK,
            width=1.2,
            dashes=DASHED,
        ),
        Line([share, share], [after, before], PATH, "gain", width=4.0),
        Points(shares, heights, FAINT_INK, "branches", radius=4.5),
        Points([share], [before], INK, "whole group", radius=4.5),
        Points([share], [after], PATH, "mean of the branches", radius=4.5),
    ]


def curve_line(curve: Curve, name: str) -> Line:
    return Line(SHARES.tolist(), curve.heights(), curve.color, name, 2.4, curve.dashes)


def curve_name(curve: Curve) -> str:
    return "half the entropy" if curve.factor != 1 else curve.name


def curve_panel(marks: Sequence[Mark], title: str = "", size: tuple[float, float] = SIZE) -> Panel:
    highest = max(max(mark.ys) for mark in marks if isinstance(mark, Line))
    return Panel(
        marks=marks,
        x=Linear(0.0, 1.0),
        y=Linear(0.0, HEADROOM * highest),
        title=title,
        x_title="share of the first class",
        y_title="impurity",
        width=size[0],
        height=size[1],
        grid="xy",
    )
