"""Predicted against observed shares: does 0.8 mean that 80 % happen?"""

import numpy as np

from treewright.errors import ParameterError
from treewright.evaluation.calibration import Calibration
from treewright.evaluation.calibration import calibration as calibration_of
from treewright.evaluation.evaluation import Evaluation
from treewright.figures.chart import figure
from treewright.figures.marks import DASHED, Line, Points
from treewright.figures.panel import Panel
from treewright.figures.scales import Linear
from treewright.pictures.colors import FAINT_INK, PALETTE
from treewright.pictures.node_text import shown_name
from treewright.pictures.picture import Picture

SMALLEST, LARGEST = 2.5, 9.0  # radius of a point, by the weight of its bin


def calibration(found: Calibration | Evaluation) -> Picture:
    """Predicted against observed shares of a class, over rows that were held out.

    Points on the diagonal mean what they say: of the rows given a share of 0.8, 80 % are of the
    class. Points below it promise too much. Larger points stand for more rows.

    Parameters
    ----------
    found
        What `tw.calibration` gives; or an evaluation, whose last class is taken.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y)
    >>> picture = tw.figures.calibration(tw.calibration(found, "versicolor"))
    >>> [round(share, 2) for share in picture.data["observed"]]
    [0.04, 0.17, 1.0, 0.86]
    """
    if isinstance(found, Evaluation):
        found = calibration_of(found)
    if not isinstance(found, Calibration):
        raise ParameterError(
            f"a {type(found).__name__} is no calibration", hint="give tw.calibration(evaluation)"
        )
    filled = found.weight > 0
    predicted, observed = found.predicted[filled].tolist(), found.observed[filled].tolist()
    label, weight = shown_name(found.label_in_words), found.weight[filled]
    radii = SMALLEST + (LARGEST - SMALLEST) * np.sqrt(weight / weight.max())
    panel = Panel(
        marks=[
            Line((0.0, 1.0), (0.0, 1.0), FAINT_INK, "as it should be", dashes=DASHED),
            Line(predicted, observed, PALETTE[0]),
            Points(predicted, observed, PALETTE[0], "rows by predicted share", radii.tolist()),
        ],
        x=Linear(0.0, 1.0),
        y=Linear(0.0, 1.0),
        x_title="predicted share",
        y_title="observed share",
        width=340.0,
        height=260.0,
    )
    return figure(
        [[panel]],
        title=f"Shares of {label}",
        note="Larger points stand for more rows.",
        summary=f"calibration of {label}, error {found.error:.4f}",
        data={"predicted": predicted, "observed": observed, "weight": weight},
    )
