"""What scores stand for: from sums over trees to answers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.ensembles.losses import LogarithmLoss, Logistic, Multinomial

Float64Array = NDArray[np.float64]

OWN = "own"  # the loss of the user's says it


def same(scores: Float64Array) -> Float64Array:
    """(n_rows,) from scores (1, n_rows): the score itself."""
    return np.ascontiguousarray(scores[0])


def exponential(scores: Float64Array) -> Float64Array:
    """(n_rows,): the score is a logarithm."""
    return LogarithmLoss().answers(scores[0])


def logistic(scores: Float64Array) -> Float64Array:
    """(n_rows, 2): the score is the log-odds of the second class."""
    second = Logistic().answers(scores[0])
    return np.stack([1.0 - second, second], axis=1)


def softmax(scores: Float64Array) -> Float64Array:
    """(n_rows, n_classes): one score a class."""
    return np.ascontiguousarray(Multinomial(len(scores)).answers(scores).T)


LINKS: dict[str, Callable[[Float64Array], Float64Array]] = {
    "same": same,
    "exponential": exponential,
    "logistic": logistic,
    "softmax": softmax,
}
LINK_NAMES = (*LINKS, OWN)
LINK_OF_LOSS = {
    "squared_error": "same",
    "absolute_error": "same",
    "huber": "same",
    "quantile": "same",
    "poisson": "exponential",
    "gamma": "exponential",
    "tweedie": "exponential",
    "logistic": "logistic",
    "multinomial": "softmax",
}
