"""Quantiles and tails of the normal distribution and of Student's, without SciPy.

The quantiles decide what pruning cuts, so they come from arithmetic that is the same on every
machine; and loading `scipy.special` takes longer than most commands.
"""

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, nan, pi, sqrt

from treewright._kernels import portable

# Coefficients of Wichura's algorithm AS 241 (1988), accurate to 1e-16: numerator and denominator by
# falling powers, near the middle, in the tails and far out.
MIDDLE = (
    (
        *(2509.0809287301226727, 33430.575583588128105, 67265.770927008700853),
        *(45921.953931549871457, 13731.693765509461125, 1971.5909503065514427),
        *(133.14166789178437745, 3.3871328727963666080),
    ),
    (
        *(5226.4952788528545610, 28729.085735721942674, 39307.895800092710610),
        *(21213.794301586595867, 5394.1960214247511077, 687.18700749205790830),
        *(42.313330701600911252, 1.0),
    ),
)
TAIL = (
    (
        *(7.7454501427834140764e-4, 0.0227238449892691845833, 0.241780725177450611770),
        *(1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550),
        *(4.63033784615654529590, 1.42343711074968357734),
    ),
    (
        *(1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966),
        *(0.148103976427480074590, 0.689767334985100004550, 1.67638483018380384940),
        *(2.05319162663775882187, 1.0),
    ),
)
FAR = (
    (
        *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.00124266094738807843860),
        *(0.0265321895265761230930, 0.296560571828504891230, 1.78482653991729133580),
        *(5.46378491116411436990, 6.65790464350110377720),
    ),
    (
        *(2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5),
        *(7.86869131145613259100e-4, 0.0148753612908506148525, 0.136929880922735805310),
        *(0.599832206555887937690, 1.0),
    ),
)
MOST_STEPS = 10_000  # of a continued fraction, which takes about the root of its parameters
MANY_ROWS = 1000.0  # degrees of freedom from which Student's quantile is a series


@lru_cache(maxsize=64)
def normal_quantile(share: float) -> float:
    """The number that a standard normal variable stays below with this probability.

    >>> round(normal_quantile(0.975), 12), normal_quantile(0.5), normal_quantile(0.0)
    (1.95996398454, 0.0, -inf)
    """
    from_middle = share - 0.5
    if abs(from_middle) <= 0.425:
        return from_middle * _ratio(MIDDLE, 0.180625 - from_middle * from_middle)
    tail = share if from_middle < 0 else 1.0 - share
    if tail <= 0:
        return -inf if from_middle < 0 else inf
    root = sqrt(-portable.log_of(tail))
    size = _ratio(TAIL, root - 1.6) if root <= 5 else _ratio(FAR, root - 5.0)
    return -size if from_middle < 0 else size


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: float) -> float:
    """Two polynomials, one divided by the other."""
    above = below = 0.0
    for one, other in zip(*coefficients, strict=True):
        above, below = above * x + one, below * x + other
    return above / below


def normal_below(x: float) -> float:
    """The probability of a standard normal variable below x."""
    return 0.5 * erfc(-x / sqrt(2.0))


def student_below(freedom: float, t: float) -> float:
    """The probability of Student's variable below t.

    >>> round(student_below(1.0, 1.0), 10), round(student_below(5.0, -2.0), 10)
    (0.75, 0.0509697394)
    """
    tail = _student_tail(freedom, abs(t))
    return tail if t < 0 else 1.0 - tail


@lru_cache(maxsize=1024)
def student_quantile(freedom: float, share: float) -> float:
    """The number that Student's variable stays below with this probability; NaN if freedom is 0.

    >>> round(student_quantile(4.0, 0.975), 10), round(student_quantile(1e9, 0.975), 6)
    (2.7764451052, 1.959964)
    """
    if not freedom > 0:
        return nan
    if share < 0.5:
        return -student_quantile(freedom, 1.0 - share)
    if share in (0.5, 1.0):
        return 0.0 if share == 0.5 else inf
    z = normal_quantile(share)
    if freedom >= MANY_ROWS:
        return _student_by_series(freedom, z)
    # Newton's steps in the logarithms of both: the tail is concave there, and far out a straight
    # line, so that no step goes astray.
    tail, place = 1.0 - share, log(_student_by_series(freedom, z) if freedom > 3 else z)
    for _ in range(100):
        t = exp(min(place, 700.0))
        found = _student_tail(freedom, t)
        if found <= 0:
            return t
        step = (log(found) - log(tail)) * found / (t * _student_density(freedom, t))
        place += step
        if abs(step) <= 1e-9 or place > 700:  # the next would be its square
            break
    return exp(place) if place <= 700 else inf


def _student_by_series(freedom: float, z: float) -> float:
    """From the normal quantile, by powers of 1 / freedom (Fisher and Cornish, 1960)."""
    square = z * z
    terms = (
        (square + 1.0) / 4.0,
        ((5.0 * square + 16.0) * square + 3.0) / 96.0,
        (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0,
        ((((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square - 945.0)
        / 92160.0,
    )
    found = 0.0
    for term in reversed(terms):
        found = (found + term) / freedom
    return z * (1.0 + found)


def _student_tail(freedom: float, t: float) -> float:
    """The probability above t >= 0, half an incomplete beta function."""
    ratio = t * t / freedom
    if ratio == inf:
        return 0.0
    return 0.5 * _incomplete_beta(freedom / 2.0, 0.5, 1.0 / (1.0 + ratio), ratio / (1.0 + ratio))


def _student_density(freedom: float, t: float) -> float:
    scale = lgamma((freedom + 1.0) / 2.0) - lgamma(freedom / 2.0) - 0.5 * log(freedom * pi)
    return exp(scale - (freedom + 1.0) / 2.0 * log1p(t * t / freedom))


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularized incomplete beta function of x = 1 - rest, by its continued fraction."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):  # where the fraction converges slowly, its mirror does not
        return 1.0 - _incomplete_beta(b, a, rest, x)
    front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)
    # Lentz's method: the fraction from its start, as the product of its steps.
    above, below = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    value = below
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for part in (even, odd):
            below = 1.0 / _not_zero(1.0 + part * below)
            above = _not_zero(1.0 + part / above)
            value *= above * below
        if abs(above * below - 1.0) < 1e-16:
            break
    return exp(front) * value / a


def _not_zero(x: float) -> float:
    return x if abs(x) > 1e-300 else 1e-300
