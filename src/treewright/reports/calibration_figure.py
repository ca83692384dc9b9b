"""Predicted against observed shares of a class."""

import numpy as np

from treewright.evaluation.calibration import Calibration
from treewright.figures.chart import figure
from treewright.figures.marks import DASHED, Line, Points
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear
from treewright.pictures.colours import FAINT_INK, PALETTE
from treewright.pictures.picture import Picture
from treewright.tree.conditions import plain

SMALLEST, LARGEST = 2.5, 9.0  # radius of a point, by the weight of its bin


def calibration_figure(found: Calibration) -> Picture:
    """Points on the diagonal: of rows given a share of 0.8, 80 % are of the class."""
    filled = found.weight > 0
    predicted, observed = found.predicted[filled].tolist(), found.observed[filled].tolist()
    label, weight = plain(str(found.label)), found.weight[filled]
    radii = SMALLEST + (LARGEST - SMALLEST) * np.sqrt(weight / weight.max())
    panel = Panel(
        marks=[
            Line((0.0, 1.0), (0.0, 1.0), FAINT_INK, dashes=DASHED),
            Line(predicted, observed, PALETTE[0]),
            Points(predicted, observed, PALETTE[0], radius=radii.tolist()),
        ],
        x=Linear(0.0, 1.0),
        y=Linear(0.0, 1.0),
        title=f"Shares of {label}",
        x_title="predicted share",
        y_title="observed share",
        width=340.0,
        height=260.0,
    )
    return figure(
        [[panel]],
        summary=f"calibration of {label}, error {found.error:.4f}",
        note="Larger points stand for more rows.",
        data={"predicted": predicted, "observed": observed, "weight": weight},
    )
