"""How a model does with more and more rows to learn from, as curves."""

import numpy as np

from treewright.errors import ParameterError
from treewright.evaluation.learning_curve import LearningCurve
from treewright.evaluation.scores import TITLES
from treewright.figures.chart import figure
from treewright.figures.marks import Band, Line, Mark, Points
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear, Scale, linear_over, logarithmic_over
from treewright.pictures.colors import PALETTE
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture

HELD_OUT, LEARNED, LEAVES = PALETTE[1], PALETTE[0], PALETTE[2]
WIDE_RANGE = 30.0  # largest through smallest: from here on the scale of rows is logarithmic


def learning_curve(curve: LearningCurve) -> Picture:
    """A measure on rows held out and on the rows learned from, by the number of rows learned from.

    The band is the 95 % interval of the held-out curve. The gap between the two curves is what the
    model learned by heart; a held-out curve that still rises at its end asks for more rows. For
    trees, a second panel shows how many leaves they have.

    Parameters
    ----------
    curve
        What `tw.learning_curve` gives.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> curve = tw.learning_curve(tw.C45Classifier(), X, y, shares=(0.2, 0.5, 1.0))
    >>> tw.figures.learning_curve(curve).data["n_train"]
    [27, 68, 135]
    """
    if not isinstance(curve, LearningCurve):
        raise ParameterError(
            f"a {type(curve).__name__} is no learning curve",
            hint="give tw.learning_curve(model, X, y)",
        )
    order = np.argsort(curve.n_train, kind="stable").tolist()
    rows = [curve.n_train[at] for at in order]
    data = {
        "n_train": rows,
        "held_out": [curve.held_out[at].mean for at in order],
        "low": [curve.held_out[at].low for at in order],
        "high": [curve.held_out[at].high for at in order],
        "learned": [curve.learned[at].mean for at in order],
        "mean_leaves": [curve.mean_leaves[at] for at in order],
    }
    panels = [measure_panel(data, TITLES[curve.measure])]
    if np.isfinite(data["mean_leaves"]).all():
        panels.append(leaves_panel(data))
    return figure(
        [panels],
        title="Learning curve",
        note=curve.scheme,
        summary=f"{TITLES[curve.measure]} by {counted(len(rows), 'number')} of rows",
        data=data,
    )


def measure_panel(data: dict[str, list[float]], title: str) -> Panel:
    """Both curves, and how sure the held-out one is."""
    rows = data["n_train"]
    marks: list[Mark] = []
    if np.isfinite(data["low"]).all():
        marks.append(Band(rows, data["low"], data["high"], HELD_OUT, "95 % interval"))
    for name, words, color in (
        ("learned", "rows learned from", LEARNED),
        ("held_out", "rows held out", HELD_OUT),
    ):
        marks += [Line(rows, data[name], color, words), Points(rows, data[name], color)]
    heights = [*data["held_out"], *data["learned"], *data["low"], *data["high"]]
    return Panel(
        marks=marks,
        x=scale_of_rows(rows),
        y=linear_over(heights),
        x_title="rows learned from",
        y_title=title,
        width=420.0,
    )


def leaves_panel(data: dict[str, list[float]]) -> Panel:
    """The size of the trees."""
    rows, leaves = data["n_train"], data["mean_leaves"]
    return Panel(
        marks=[Line(rows, leaves, LEAVES), Points(rows, leaves, LEAVES)],
        x=scale_of_rows(rows),
        y=Linear(0.0, 1.08 * max(leaves)),
        x_title="rows learned from",
        y_title="leaves on average",
        width=260.0,
    )


def scale_of_rows(rows: list[float]) -> Scale:
    if max(rows) >= WIDE_RANGE * min(rows):
        return logarithmic_over(rows)
    return linear_over(rows, also=[0.0])
