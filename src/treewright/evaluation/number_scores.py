"""How good predicted numbers are."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def number_measures(
    truth: FloatArray, predicted: FloatArray, weights: FloatArray
) -> dict[str, float]:
    """Mean absolute error, root of the mean squared error, and R2.

    R2 is 1 - squared error / squared error of the rows' own mean; NaN where all rows are equal.

    >>> number_measures(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.ones(2))
    {'mae': 0.5, 'rmse': 0.7071067811865476, 'r2': 0.5}
    """
    distance = predicted - truth
    squared = float(np.average(distance**2, weights=weights))
    spread = float(np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights))
    return {
        "mae": float(np.average(np.abs(distance), weights=weights)),
        "rmse": float(np.sqrt(squared)),
        "r2": 1 - squared / spread if spread > 0 else float("nan"),
    }
