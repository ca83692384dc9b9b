"""The inertia for each number of clusters, and the bend of the curve."""

import math
from dataclasses import dataclass

from treewright.clustering.elbow import Elbow
from treewright.errors import ParameterError
from treewright.figures.chart import figure
from treewright.figures.marks import DOTTED, Line, Mark, Points, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear, Tick, linear_over
from treewright.pictures.colors import FAINT_INK, PALETTE, PATH
from treewright.pictures.picture import Picture

CHOSEN_RADIUS = 5.0


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
    """The curve of the inertia, its chord, and the number of clusters where it hangs lowest.

    Parameters
    ----------
    curve
        What `tw.elbow` gives.

    Examples
    --------
    >>> import treewright as tw
    >>> picture = elbow(tw.elbow(tw.load_sample("iris")[0], range(1, 7)))
    >>> picture.data["chosen"]
    2
    """
    if not isinstance(curve, Elbow):
        raise ParameterError(f"a {type(curve).__name__} is no elbow curve", hint="give tw.elbow(X)")
    note = f"The curve hangs lowest below its chord at {curve.chosen}."
    if not curve.is_clear:
        note += " It hardly bends: other numbers are about as good."
    return figure(
        [[panel_of(curve)]],
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


def panel_of(curve: Elbow) -> Panel:
    """The curve, its chord and the number chosen."""
    numbers = [float(number) for number in curve.k]
    inertia = curve.inertia.tolist()
    at = curve.k.index(curve.chosen)
    ends = [numbers[0], numbers[-1]], [inertia[0], inertia[-1]]
    marks: list[Mark] = [
        Line(*ends, FAINT_INK, "chord", dashes=DOTTED),
        Rule(FAINT_INK, x=numbers[at], dashes=DOTTED),
        Line(numbers, inertia, PALETTE[0], "inertia"),
        Points(numbers, inertia, PALETTE[0]),
        Points([numbers[at]], [inertia[at]], PATH, "elbow", CHOSEN_RADIUS),
    ]
    return Panel(
        marks=marks,
        x=Counts(numbers[0] - 0.5, numbers[-1] + 0.5),
        y=linear_over(inertia, also=[0.0]),
        x_title="clusters",
        y_title="inertia",
        width=440.0,
    )
