"""The subtrees of cost-complexity pruning: the error of each, and the alphas that lead to it."""

from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ParameterError, check_type
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DOTTED, Band, Line, Mark, Points, Rule, Steps
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
    """Risk by the number of leaves, and the number of leaves by alpha.

    The first panel shows the risk of each subtree on the training rows and, if the path is
    cross-validated, on held-out rows with a band of one standard error. The dotted line is one
    standard error above the best; the marked subtree is the smallest below that line. The second
    panel shows how many leaves remain for each alpha.

    Parameters
    ----------
    path
        The result of `tw.cost_complexity_path`; or a fitted model, for its path by "error".
    X, y
        The training rows, for cross-validation; only with a model.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None).fit(X, y)
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
        panels.append(alpha_panel(path))
    return figure(
        [panels],
        title="Cost-complexity pruning",
        note=note_on(path, data),
        summary=counted(len(path), "subtree"),
        data=data,
    )


def path_from(path: CostComplexityPath | TreeEstimator, X: Any, y: Any) -> CostComplexityPath:
    """The path itself, or that of a model."""
    if isinstance(path, TreeEstimator):
        return cost_complexity_path(path, X, y, risk="error")
    call = "tw.cost_complexity_path(model, X, y), or a fitted model"
    check_type(path, CostComplexityPath, "a pruning path", call)
    if X is not None or y is not None:
        raise ParameterError(
            "X and y go with a model, not with a path", hint="give them to tw.cost_complexity_path"
        )
    return path


def relative(held_out: HeldOutRisks, values: Floats) -> Floats:
    return values / held_out.root if held_out.root > 0 else values


def note_on(path: CostComplexityPath, data: dict[str, Any]) -> str:
    """The choice by cross-validation."""
    if path.held_out is None:
        return "Training rows only. With X and y, the path is cross-validated."
    best, simplest = int(path.n_leaves[data["best"]]), int(path.n_leaves[data["simplest"]])
    note = f"{counted(best, 'leaf has', 'leaves have')} the lowest error on held-out rows"
    if best != simplest:
        chosen = counted(simplest, "leaf is", "leaves are")
        note += f"; {chosen} within one standard error"
    return f"{note}."


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
            *curve(leaves, risks.tolist(), HELD_OUT, "error on held-out rows"),
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
        y_title="relative to the root",
        width=440.0,
    )


def curve(leaves: list[float], heights: list[float], color: str, name: str) -> list[Mark]:
    """A line, with a dot for each subtree unless there are many."""
    marks: list[Mark] = [Line(leaves, heights, color, name)]
    if len(leaves) <= MOST_DOTS:
        marks.append(Points(leaves, heights, color))
    return marks


def alpha_panel(path: CostComplexityPath) -> Panel:
    """The leaves of the best subtree for each alpha."""
    alphas = path.alphas[path.alphas > 0]
    low = float(alphas[0]) / 3
    edges = [low, *np.maximum(path.alphas[1:], low).tolist(), float(alphas[-1]) * 3]
    leaves = path.n_leaves.tolist()
    return Panel(
        marks=[Steps(edges, leaves, TRAINING)],
        x=Logarithmic(edges[0], edges[-1]),
        y=scale_of_leaves(leaves),
        x_title=f"alpha: {path.risk} that a leaf must save",
        y_title="leaves",
        width=340.0,
        grid="xy",
    )


def scale_of_leaves(leaves: list[float]) -> Scale:
    if max(leaves) > MANY_LEAVES:
        return logarithmic_over(leaves)
    return Linear(0.0, max(leaves) + 1.0)
