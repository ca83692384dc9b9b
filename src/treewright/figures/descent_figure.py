"""tw.figures.descent: the course of gradient descent, step by step."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError, kind_of
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import Line, Mark, Points
from treewright.figures.scales import Linear, scale_over
from treewright.linear.base import LinearModel
from treewright.pictures.colors import PALETTE
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture

MOST_POINTS = 600  # of a curve
ROUNDING = 1e-13  # of the cost of the start
FEW_STEPS = 30  # so many also get dots


def descent(models: LinearModel[Any] | Mapping[str, LinearModel[Any]]) -> Picture:
    """The cost above the lowest one found, and the largest slope, after each step.

    Scales are logarithmic if values differ widely: linear convergence is then a straight line. If
    the curve swings up and down, the learning rate is too large for the batches.

    Parameters
    ----------
    models
        A fitted linear model, or a dict of several by their names in the legend.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> models = {
    ...     "plain": tw.GradientDescentClassifier(momentum=0, tol=1e-4),
    ...     "momentum": tw.GradientDescentClassifier(tol=1e-4),
    ... }
    >>> picture = tw.figures.descent({name: one.fit(X, y) for name, one in models.items()})
    >>> {name: curve["n_steps"] for name, curve in picture.data.items()}
    {'plain': 2776, 'momentum': 247}
    """
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    check_models(named)
    least = min(float(model.trace_.costs.min()) for model in named.values())
    curves = {name: curve_of(model, least) for name, model in named.items()}
    steps = "epoch" if all(model.method != "batch" for model in named.values()) else "step"
    panels = [
        panel_of(curves, "above_least", "cost above the lowest found", steps),
        panel_of(curves, "slopes", "largest slope", steps),
    ]
    counts = ", ".join(
        f"{name + ' ' if name else ''}{counted(curve['n_steps'], steps)}"
        for name, curve in curves.items()
    )
    return figure([panels], title="Gradient descent", summary=f"cost by {counts}", data=curves)


def check_models(named: Mapping[str, Any]) -> None:
    """Raise unless every model was fitted by gradient descent."""
    if not named:
        raise ParameterError("there is no model", hint="give a fitted GradientDescentRegressor")
    for model in named.values():
        if not isinstance(model, LinearModel):
            raise ParameterError(
                f"{kind_of(model)} has no descent",
                hint="give a fitted GradientDescentRegressor or GradientDescentClassifier",
            )
        model.state_  # noqa: B018 -- an error before fit


def curve_of(model: LinearModel[Any], least: float) -> dict[str, Any]:
    """The numbers of one descent, a sample of very many."""
    trace = model.trace_
    spacing = -(-len(trace.costs) // MOST_POINTS)
    shown = np.unique(np.append(np.arange(0, len(trace.costs), spacing), trace.n_steps))
    return {
        "n_steps": trace.n_steps,
        "steps": shown.tolist(),
        "costs": trace.costs[shown].tolist(),
        "above_least": above(trace.costs[shown], least).tolist(),
        "slopes": trace.slopes[shown].tolist(),
    }


def above(costs: Floats, least: float) -> Floats:
    """Costs above the lowest one; 0 for differences by rounding."""
    gaps = costs - least
    return np.where(gaps > ROUNDING * costs[0], gaps, 0.0)


def panel_of(curves: Mapping[str, Any], key: str, title: str, steps: str) -> Panel:
    """One measure of all descents."""
    marks: list[Mark] = []
    last = max(curve["n_steps"] for curve in curves.values())
    for at, (name, curve) in enumerate(curves.items()):
        color = PALETTE[at % len(PALETTE)]
        heights = [value if value > 0 else float("nan") for value in curve[key]]
        marks.append(Line(curve["steps"], heights, color, name))
        if last <= FEW_STEPS:
            marks.append(Points(curve["steps"], heights, color))
    every = np.concatenate([curve[key] for curve in curves.values()])
    return Panel(
        marks=marks,
        x=Linear(0.0, 1.02 * max(last, 1)),
        y=scale_over(every),
        x_title=steps,
        y_title=title,
        width=340.0,
    )
