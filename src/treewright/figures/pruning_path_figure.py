"""The subtrees of cost-complexity pruning: how well each does, and which prices lead to it."""

from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.figures.chart import figure
from treewright.figures.marks import DOTTED, Band, Line, Mark, Points, Rule, Steps
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear, Logarithmic, Scale, linear_over, logarithmic_over
from treewright.pictures.colors import FAINT_INK, PALETTE, PATH
from treewright.pictures.node_text import counted
from treewright.pictures.picture import Picture
from treewright.pruning.cost_complexity_path import CostComplexityPath, HeldOutRisks
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.prune import cost_complexity_path

TRAINING, HELD_OUT = PALETTE[0], PALETTE[1]
MOST_DOTS = 60  # subtrees that get a dot each
MANY_LEAVES = 30  # from here on the scale of leaves is logarithmic
BEST_RADIUS = 5.0


def pruning_path(path: CostComplexityPath | TreeEstimator, X: Any = None, y: Any = None) -> Picture:
    """Risk over the number of leaves, and the leaves that each price leaves standing.

    The first panel shows what each subtree of the path costs: the rows it was grown on and, where
    the path is cross-validated, rows held out, with a band of one standard error. The dotted line
    is one standard error above the best; the subtree marked is the smallest below that line. The
    second panel shows how many leaves are worth their price alpha.

    Parameters
    ----------
    path
        What `tw.cost_complexity_path` gives; or a fitted model, whose path by "error" is taken.
    X, y
        The rows that the model was fitted to, to cross-validate by; only with a model.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier().fit(X, y)
    >>> picture = pruning_path(tw.cost_complexity_path(model, X, y, risk="error"))
    >>> picture.data["n_leaves"].tolist()
    [9, 7, 4, 3, 2, 1]
    >>> picture.data["simplest"]  # position on the path: the subtree of three leaves
    3
    """
    path = path_from(path, X, y)
    held_out = path.held_out
    data: dict[str, Any] = {
        "n_leaves": path.n_leaves,
        "alphas": path.alphas,
        "relative_risks": path.relative_risks,
    }
    if held_out is not None:
        data |= {
            "held_out": relative(held_out, held_out.risks),
            "standard_errors": relative(held_out, held_out.standard_errors),
            "best": int(np.argmin(held_out.risks)),
            "simplest": held_out.simplest(),
        }
    panels = [risk_panel(path, data)]
    if len(path) > 1:
        panels.append(price_panel(path))
    return figure(
        [panels],
        title="Cost-complexity pruning",
        note=told(path, data),
        summary=counted(len(path), "subtree"),
        data=data,
    )


def path_from(path: CostComplexityPath | TreeEstimator, X: Any, y: Any) -> CostComplexityPath:
    """The path itself, or that of a model."""
    if isinstance(path, TreeEstimator):
        return cost_complexity_path(path, X, y, risk="error")
    if not isinstance(path, CostComplexityPath):
        raise ParameterError(
            f"a {type(path).__name__} is no pruning path",
            hint="give tw.cost_complexity_path(model, X, y), or a fitted model",
        )
    if X is not None or y is not None:
        raise ParameterError(
            "a path has its held-out rows already", hint="give X and y to tw.cost_complexity_path"
        )
    return path


def relative(held_out: HeldOutRisks, values: Floats) -> Floats:
    return values / held_out.root if held_out.root > 0 else values


def told(path: CostComplexityPath, data: dict[str, Any]) -> str:
    """The choice in words."""
    if path.held_out is None:
        return "Training rows only: with X and y the path is cross-validated as well."
    best, simplest = int(path.n_leaves[data["best"]]), int(path.n_leaves[data["simplest"]])
    words = f"{counted(best, 'leaf errs', 'leaves err')} least on rows held out"
    if best != simplest:
        chosen = counted(simplest, "leaf does", "leaves do")
        words += f"; {chosen} as well within one standard error"
    return f"{words}."


def risk_panel(path: CostComplexityPath, data: dict[str, Any]) -> Panel:
    """Training and held-out risk of each subtree."""
    leaves = path.n_leaves.tolist()
    training = path.relative_risks
    marks: list[Mark] = []
    heights = [*training]
    if path.held_out is not None:
        risks, errors = data["held_out"], data["standard_errors"]
        best, simplest = data["best"], data["simplest"]
        lows, highs = (risks - errors).tolist(), (risks + errors).tolist()
        heights += [*lows, *highs]
        marks += [
            Band(leaves, lows, highs, HELD_OUT, "one standard error"),
            Rule(FAINT_INK, "best + one standard error", y=highs[best], dashes=DOTTED),
            *curve(leaves, risks.tolist(), HELD_OUT, "error on rows held out"),
        ]
    marks += curve(leaves, training.tolist(), TRAINING, f"{path.risk} on training rows")
    if path.held_out is not None:
        chosen = ([leaves[simplest]], [float(risks[simplest])])
        marks.append(Points(*chosen, PATH, "smallest subtree below it", BEST_RADIUS))
    return Panel(
        marks=marks,
        x=scale_of_leaves(leaves),
        y=linear_over(heights, also=[0.0]),
        x_title="leaves",
        y_title="share of the root's",
        width=440.0,
    )


def curve(leaves: list[float], heights: list[float], color: str, name: str) -> list[Mark]:
    """A line, with a dot for each subtree where they can be told apart."""
    marks: list[Mark] = [Line(leaves, heights, color, name)]
    if len(leaves) <= MOST_DOTS:
        marks.append(Points(leaves, heights, color))
    return marks


def price_panel(path: CostComplexityPath) -> Panel:
    """The leaves of the best subtree for each price."""
    prices = path.alphas[path.alphas > 0]
    low = float(prices[0]) / 3
    edges = [low, *np.maximum(path.alphas[1:], low).tolist(), float(prices[-1]) * 3]
    leaves = path.n_leaves.tolist()
    return Panel(
        marks=[Steps(edges, leaves, TRAINING)],
        x=Logarithmic(edges[0], edges[-1]),
        y=scale_of_leaves(leaves),
        x_title=f"alpha, the {path.risk} that a leaf must save",
        y_title="leaves",
        width=340.0,
        grid="xy",
    )


def scale_of_leaves(leaves: list[float]) -> Scale:
    if max(leaves) > MANY_LEAVES:
        return logarithmic_over(leaves)
    return Linear(0.0, max(leaves) + 1.0)
