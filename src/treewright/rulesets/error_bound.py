"""C4.5's pessimistic estimate of how often a rule errs on new rows."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]


def pessimistic_rate(weight: Float64Array, errors: Float64Array, confidence: float) -> Float64Array:
    """Upper limit, at this confidence, of the error rate seen as `errors` in `weight`.

    The limit of a binomial share: exact without errors, a straight line up to one error, then the
    normal approximation with continuity correction. Without any weight the rate is 1.
    """
    z = -NormalDist().inv_cdf(confidence)
    n = np.where(weight > 0, weight, 1.0)
    none = 1.0 - confidence ** (1.0 / n)
    few = none + errors * (_normal_rate(n, np.ones_like(n), z) - none)
    rate = np.where(errors < 1.0, few, _normal_rate(n, errors, z))
    return np.where(weight > 0, rate, 1.0)


def _normal_rate(n: Float64Array, errors: Float64Array, z: float) -> Float64Array:
    share = np.minimum((errors + 0.5) / n, 1.0)
    spread = np.sqrt(share / n - share * share / n + z * z / (4 * n * n))
    rate = (share + z * z / (2 * n) + z * spread) / (1 + z * z / n)
    return np.where(errors + 0.5 >= n, 1.0, rate)
