"""Silhouettes of all rows, group by group: the wider and higher an area, the better the group."""

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.explanations.conditions import label
from treewright.figures.chart import figure
from treewright.figures.marks import DASHED, Band, Mark, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear
from treewright.neighbors.silhouette import Silhouette
from treewright.pictures.colors import FAINT_INK, INK, PALETTE, REST
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture

MOST_POINTS = 400  # of the outline of a group
STRENGTH = 0.75  # of the colors


def silhouette(found: Silhouette) -> Picture:
    """The silhouette of every row, the largest first in each group.

    Parameters
    ----------
    found
        What `tw.silhouette` gives.

    Examples
    --------
    >>> import treewright as tw
    >>> picture = silhouette(tw.silhouette(*tw.load_sample("iris")))
    >>> {group: round(mean, 2) for group, mean in picture.data["means"].items()}
    {'setosa': 0.71, 'versicolor': 0.39, 'virginica': 0.28}
    """
    if not isinstance(found, Silhouette):
        raise ParameterError(
            f"a {type(found).__name__} is no silhouette", hint="give tw.silhouette(X, labels)"
        )
    n_rows = len(found.of_row)
    marks: list[Mark] = [Rule(FAINT_INK, y=0.0, dashes=())]
    begin, sorted_rows = 0.0, {}
    for code, (group, mean) in enumerate(found.of_group.items()):
        of_group = np.sort(found.of_row[found.codes == code])[::-1]
        color = PALETTE[code] if code < len(PALETTE) else REST
        name = f"{label(group)}: {mean:.2f}" if code < len(PALETTE) else ""
        marks.append(area(of_group, begin, color, name))
        sorted_rows[group] = of_group
        begin += len(of_group)
    marks.append(Rule(INK, y=found.mean, name=f"mean: {found.mean:.2f}", dashes=DASHED))
    panel = Panel(
        marks=marks,
        x=Linear(0.0, begin),
        y=Linear(min(0.0, float(found.of_row.min())) - 0.05, 1.0),
        x_title="rows, group by group",
        y_title="silhouette",
    )
    n_below = int(np.count_nonzero(found.of_row < 0))
    return figure(
        [[panel]],
        title="Silhouette",
        note=f"{counted(n_below, 'row')} below 0: nearer to another group than to the own one."
        if n_below
        else "",
        summary=f"silhouettes of {n_rows} rows in {counted(len(found.groups), 'group')}",
        data={"rows": sorted_rows, "means": found.of_group, "mean": found.mean},
    )


def area(values: Floats, begin: float, color: str, name: str) -> Band:
    """The rows of a group, side by side; of very many, as many as can be told apart."""
    n_shown = min(len(values), MOST_POINTS)
    shown = values[np.linspace(0, len(values) - 1, n_shown).round().astype(int)]
    edges = begin + np.linspace(0, len(values), n_shown + 1)
    xs = np.repeat(edges, 2)[1:-1].tolist()
    heights = np.repeat(shown, 2)
    lows, highs = np.minimum(heights, 0.0).tolist(), np.maximum(heights, 0.0).tolist()
    return Band(xs, lows, highs, color, name, STRENGTH)
