"""Predicted numbers against true ones, and what is left between them."""

import numpy as np
from numpy.typing import NDArray

from treewright.figures.chart import figure
from treewright.figures.marks import DASHED, Line, Points, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import linear_over
from treewright.pictures.colours import FAINT_INK, PALETTE
from treewright.pictures.picture import Picture

Floats = NDArray[np.float64]
MOST_POINTS = 600  # of very many rows a sample is drawn
RADIUS = 2.2


def residual_figure(true: Floats, predicted: Floats) -> Picture:
    """Two panels: predicted by true number, and error by predicted number.

    >>> picture = residual_figure(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.0]))
    >>> picture.data["error"].tolist()
    [0.5, 0.0, -1.0]
    """
    n_rows = len(true)
    if n_rows > MOST_POINTS:
        kept = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_POINTS])
        true, predicted = true[kept], predicted[kept]
    error = predicted - true
    xs, ys, errors = true.tolist(), predicted.tolist(), error.tolist()
    both = linear_over([*xs, *ys])
    ends = (both.low, both.high)
    answers = Panel(
        marks=[
            Line(ends, ends, FAINT_INK, dashes=DASHED),
            Points(xs, ys, PALETTE[0], radius=RADIUS),
        ],
        x=both,
        y=both,
        title="Predicted by true value",
        x_title="true",
        y_title="predicted",
        width=300.0,
        height=260.0,
    )
    left_over = Panel(
        marks=[Rule(y=0.0), Points(ys, errors, PALETTE[1], radius=RADIUS)],
        x=linear_over(ys),
        y=linear_over(errors, also=[0.0]),
        title="Error by predicted value",
        x_title="predicted",
        y_title="predicted - true",
        width=300.0,
        height=260.0,
    )
    sampled = f"A sample of {MOST_POINTS} of {n_rows:,} rows." if n_rows > MOST_POINTS else ""
    return figure(
        [[answers, left_over]],
        note=sampled,
        summary=f"predicted and true values of {len(xs)} rows",
        data={"true": true, "predicted": predicted, "error": error},
    )
