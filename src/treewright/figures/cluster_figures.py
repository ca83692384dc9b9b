"""Figures of clusterings: the elbow curve, and silhouettes."""

import math
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.clustering.elbow import Elbow
from treewright.errors import check_type
from treewright.explanations.conditions import label
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DASHED, DOTTED, Band, Line, Mark, Points, Rule
from treewright.figures.scales import Linear, Tick, linear_over
from treewright.neighbors.silhouette import Silhouette
from treewright.pictures.colors import FAINT_INK, INK, PALETTE, PATH, REST
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture

CHOSEN_RADIUS = 5.0
MOST_POINTS = 400  # of the outline of a group
STRENGTH = 0.75  # of the colors


@dataclass(frozen=True, slots=True)
class Counts(Linear):
    """A linear scale whose ticks are whole numbers.

    >>> [tick.label for tick in Counts(0.5, 3.5).ticks(8)]
    ['1', '2', '3']
    """

    def ticks(self, most: int) -> tuple[Tick, ...]:
        n_wholes = math.floor(self.high) - math.ceil(self.low) + 1
        return Linear.ticks(self, max(min(most, n_wholes), 1))


def elbow(curve: Elbow) -> Picture:
    """Inertia by the number of clusters, and the number at the elbow of the curve.

    Parameters
    ----------
    curve
        The result of `tw.elbow`.

    Examples
    --------
    >>> import treewright as tw
    >>> picture = elbow(tw.elbow(tw.load_sample("iris")[0], range(1, 7)))
    >>> picture.data["chosen"]
    2
    """
    check_type(curve, Elbow, "an elbow curve", "tw.elbow(X)")
    numbers, inertia = [float(number) for number in curve.k], curve.inertia.tolist()
    at = curve.k.index(curve.chosen)
    ends = [numbers[0], numbers[-1]], [inertia[0], inertia[-1]]
    panel = Panel(
        marks=[
            Line(*ends, FAINT_INK, "chord", dashes=DOTTED),
            Rule(FAINT_INK, x=numbers[at], dashes=DOTTED),
            Line(numbers, inertia, PALETTE[0], "inertia"),
            Points(numbers, inertia, PALETTE[0]),
            Points([numbers[at]], [inertia[at]], PATH, "elbow", CHOSEN_RADIUS),
        ],
        x=Counts(numbers[0] - 0.5, numbers[-1] + 0.5),
        y=linear_over(inertia, also=[0.0]),
        x_title="clusters",
        y_title="inertia",
        width=440.0,
    )
    note = f"The curve is farthest below its chord at {curve.chosen}."
    if not curve.is_clear:
        note += " The elbow is not clear: other numbers are about as good."
    return figure(
        [[panel]],
        title="Elbow",
        note=note,
        summary=f"inertia of {curve.k[0]} to {curve.k[-1]} clusters",
        data={
            "k": list(curve.k),
            "inertia": curve.inertia,
            "below_chord": curve.below_chord,
            "chosen": curve.chosen,
        },
    )


def silhouette(result: Silhouette) -> Picture:
    """The silhouette of every row, group by group, the largest first.

    Parameters
    ----------
    result
        The result of `tw.silhouette`.

    Examples
    --------
    >>> import treewright as tw
    >>> picture = silhouette(tw.silhouette(*tw.load_sample("iris")))
    >>> {group: round(mean, 2) for group, mean in picture.data["means"].items()}
    {'setosa': 0.71, 'versicolor': 0.39, 'virginica': 0.28}
    """
    check_type(result, Silhouette, "a silhouette", "tw.silhouette(X, labels)")
    marks: list[Mark] = [Rule(FAINT_INK, y=0.0, dashes=())]
    begin, sorted_rows = 0.0, {}
    for code, (group, mean) in enumerate(result.of_group.items()):
        of_group = np.sort(result.of_row[result.codes == code])[::-1]
        color = PALETTE[code] if code < len(PALETTE) else REST
        name = f"{label(group)}: {mean:.2f}" if code < len(PALETTE) else ""
        marks.append(area(of_group, begin, color, name))
        sorted_rows[group] = of_group
        begin += len(of_group)
    marks.append(Rule(INK, y=result.mean, name=f"mean: {result.mean:.2f}", dashes=DASHED))
    panel = Panel(
        marks=marks,
        x=Linear(0.0, begin),
        y=Linear(min(0.0, float(result.of_row.min())) - 0.05, 1.0),
        x_title="rows, group by group",
        y_title="silhouette",
    )
    n_below = int(np.count_nonzero(result.of_row < 0))
    note = f"{counted(n_below, 'row')} below 0: closer to another group than to its own."
    return figure(
        [[panel]],
        title="Silhouette",
        note=note if n_below else "",
        summary=f"silhouettes of {len(result.of_row)} rows in "
        f"{counted(len(result.groups), 'group')}",
        data={"rows": sorted_rows, "means": result.of_group, "mean": result.mean},
    )


def area(values: Floats, begin: float, color: str, name: str) -> Band:
    """The rows of a group, side by side; a sample of very many."""
    n_shown = min(len(values), MOST_POINTS)
    shown = values[np.linspace(0, len(values) - 1, n_shown).round().astype(int)]
    edges = begin + np.linspace(0, len(values), n_shown + 1)
    heights = np.repeat(shown, 2)
    lows, highs = np.minimum(heights, 0.0).tolist(), np.maximum(heights, 0.0).tolist()
    return Band(np.repeat(edges, 2)[1:-1].tolist(), lows, highs, color, name, STRENGTH)
