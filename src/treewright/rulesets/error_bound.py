"""C4.5's pessimistic estimate of how often a rule errs on new rows."""

from functools import lru_cache
from math import sqrt
from statistics import NormalDist


def pessimistic_rate(weight: float, errors: float, confidence: float) -> float:
    """Upper limit, at this confidence, of the error rate seen as `errors` in `weight`.

    The limit of a binomial share: exact without errors, a straight line up to one error, then the
    normal approximation with continuity correction. Without any weight the rate is 1.
    """
    if weight <= 0:
        return 1.0
    if errors >= 1:
        return _normal_rate(weight, errors, confidence)
    none = 1.0 - float(confidence ** (1.0 / weight))
    return none + errors * (_normal_rate(weight, 1.0, confidence) - none)


def _normal_rate(weight: float, errors: float, confidence: float) -> float:
    if errors + 0.5 >= weight:
        return 1.0
    z = _normal_quantile(confidence)
    share = (errors + 0.5) / weight
    spread = sqrt(share * (1 - share) / weight + z * z / (4 * weight * weight))
    return (share + z * z / (2 * weight) + z * spread) / (1 + z * z / weight)


@lru_cache(maxsize=64)
def _normal_quantile(confidence: float) -> float:
    return -NormalDist().inv_cdf(confidence)
