"""What scores stand for: from sums over trees (n_rows, n_outputs) to answers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.ensembles.boosting.losses import LARGEST_SCORE

Float64Array = NDArray[np.float64]

OWN = "own"  # the loss of the user's says it


def same(scores: Float64Array) -> Float64Array:
    """(n_rows,): the score itself."""
    return scores.reshape(-1)


def exponential(scores: Float64Array) -> Float64Array:
    """(n_rows,): the score is a logarithm."""
    answers: Float64Array = np.exp(np.minimum(scores.reshape(-1), LARGEST_SCORE))
    return answers


def logistic(scores: Float64Array) -> Float64Array:
    """(n_rows, 2): the score is the log-odds of the second class."""
    shares = np.empty((len(scores), 2))
    odds = np.exp(np.minimum(-scores[:, 0], LARGEST_SCORE))
    np.divide(1.0, 1.0 + odds, out=shares[:, 1])
    np.subtract(1.0, shares[:, 1], out=shares[:, 0])
    return shares


def softmax(scores: Float64Array) -> Float64Array:
    """(n_rows, n_classes): one score a class."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Float64Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


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
