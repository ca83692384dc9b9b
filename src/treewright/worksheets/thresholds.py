"""Where a column may be cut, and what the cut is called."""

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.cut_points import midpoint
from treewright.plain_text import plain
from treewright.tree.conditions import bound_text_among
from treewright.worksheets.training import Floats, Training

J48_GAP = 1e-5  # J48 does not cut between closer values


def may_cut(training: Training, numbers: Floats) -> NDArray[np.bool_]:
    """Between which neighbors of rising numbers a cut may be made."""
    gap = J48_GAP if training.settings.j48_gaps else 0.0
    return np.asarray(numbers[:-1] + gap < numbers[1:])


def threshold_at(training: Training, feature: int, below: float, above: float) -> float:
    """The threshold of a cut: the midpoint, or for C4.5 the largest value not above it."""
    middle = midpoint(below, above) if below < above else float(below)
    column = training.table.columns[feature]
    if not training.settings.data_value_thresholds or not isinstance(column, NumericColumn):
        return middle
    slack = 1e-6 * (above - below) if np.isfinite(above - below) else 0.0
    values = training.coded(feature).values
    value = float(values[np.searchsorted(values, middle + slack, side="right") - 1])
    return value if np.isfinite(value) else middle


def threshold_conditions(training: Training, feature: int, threshold: float) -> tuple[str, str]:
    """`x <= 5` and `x > 5`."""
    at, name = threshold_text(training, feature, threshold), plain(training.spec(feature).name)
    return f"{name} <= {at}", f"{name} > {at}"


def threshold_text(training: Training, feature: int, threshold: float) -> str:
    """A threshold as the tree prints it, or in the fewest digits that part the rows alike."""
    return bound_text_among(training.spec(feature), threshold, training.coded(feature).values)
