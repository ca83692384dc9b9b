"""Loss functions of boosted trees.

A boosted model adds up scores; a loss defines what they mean. Each is defined here by readable
formulas: `row_losses`, its first two derivatives with respect to the score (`gradients`), the
constant initial score (`start`) and the prediction for a score (`predictions`). Compiled versions
of the derivatives are found by the name of the loss.

Scores are `(n_rows,)`, or `(n_classes, n_rows)` where each class has a score of its own.
"""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.target import check_addable
from treewright.errors import DataError


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """The mean, each value counting as often as its weight says."""
    return float(np.average(values, weights=weights))


def weighted_quantile(values: Floats, weights: Floats | None, share: float) -> float:
    """The least value that `share` of the weight does not exceed; midway where it is exactly so.

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 2.0, 4.0, 9.0]), None, 0.5)
    3.0
    >>> weighted_quantile(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 3.0]), 0.5)
    9.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.ones(len(values)) if weights is None else weights[order])
    wanted = share * reached[-1]
    at = min(int(np.searchsorted(reached, wanted, side="left")), len(values) - 1)
    low = values[order[at]]
    if reached[at] == wanted and at + 1 < len(values):
        return float(low + (values[order[at + 1]] - low) * 0.5)
    return float(low)


Derivatives = tuple[Floats, Floats]

LEAST_SHARE = 1e-12  # of a class at the start: one without rows still has a score
LARGEST_SCORE = 500.0  # exp of it, and products with it, are still finite
LARGEST_PREDICTION = 1e200  # of a loss whose score is a logarithm: below exp of the largest score


class Loss:
    """Base of all losses: any target will do, and nothing changes from round to round."""

    name: ClassVar[str]
    link: ClassVar[str] = "same"  # how scores become predictions, see LINKS
    unit_hessian: ClassVar[bool] = False  # the second derivative is 1 everywhere
    renewal: ClassVar[str] = "none"  # how leaves predict, if not by the derivatives
    parameter: float = 0.0

    def check(self, y: Floats, name: str = "y") -> None:
        """Raise where the loss is not defined for a target."""

    def settle(self, y: Floats, scores: Floats, weights: Floats | None) -> None:
        """Fix what losses are measured by, from the scores before the first round; few need it."""

    def adapt(self, y: Floats, scores: Floats, weights: Floats | None) -> None:
        """Take note of the scores before a round; few losses do."""


class NumberLoss(Loss):
    """Base of regression losses: one score, which is the prediction itself."""

    def check(self, y: Floats, name: str = "y") -> None:
        check_addable(y, name)

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        return np.array([weighted_mean(y, weights)])

    def predictions(self, scores: Floats) -> Floats:
        return scores


class SquaredError(NumberLoss):
    """(score - y)^2 / 2: predictions are means."""

    name = "squared_error"
    unit_hessian = True

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        return 0.5 * (scores - y) ** 2

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        return scores - y, np.ones_like(scores)


class QuantileError(NumberLoss):
    """`quantile` times what y is above the score, 1 - `quantile` times what it is below.

    There is no second derivative to speak of: 1 stands for it, and leaves predict the quantile
    of their residuals.
    """

    name = "quantile"
    unit_hessian = True
    renewal = "quantile"

    def __init__(self, quantile: float) -> None:
        self.parameter = quantile

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        above = y - scores
        return np.maximum(self.parameter * above, (self.parameter - 1.0) * above)

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        return np.where(y > scores, -self.parameter, 1.0 - self.parameter), np.ones_like(scores)

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        return np.array([weighted_quantile(y, weights, self.parameter)])


class AbsoluteError(NumberLoss):
    """|score - y|: predictions are medians."""

    name = "absolute_error"
    unit_hessian = True
    renewal = "quantile"
    parameter = 0.5  # the quantile that leaves predict

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        return np.abs(scores - y)

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        return np.sign(scores - y), np.ones_like(scores)

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        return np.array([weighted_quantile(y, weights, 0.5)])


class HuberError(NumberLoss):
    """Squared error up to a distance, absolute error beyond it.

    The distance is a quantile of the distances of the training rows from their scores, computed
    again for each round (Friedman, 2001). Losses are measured by the distance before the first
    round, so that rounds can be compared.
    """

    name = "huber"
    unit_hessian = True
    renewal = "huber"

    def __init__(self, share: float) -> None:
        self.share = share
        self.parameter = 1.0  # the distance
        self.measure: float | None = None  # distance that losses are measured by; None: the same

    def settle(self, y: Floats, scores: Floats, weights: Floats | None) -> None:
        self.measure = weighted_quantile(np.abs(y - scores), weights, self.share)

    def adapt(self, y: Floats, scores: Floats, weights: Floats | None) -> None:
        """Find the distance for the round that follows."""
        self.parameter = weighted_quantile(np.abs(y - scores), weights, self.share)

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        away = np.abs(scores - y)
        near = self.parameter if self.measure is None else self.measure
        return np.where(away <= near, 0.5 * away**2, near * (away - 0.5 * near))

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        return np.clip(scores - y, -self.parameter, self.parameter), np.ones_like(scores)

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        return np.array([weighted_quantile(y, weights, 0.5)])


class LogarithmLoss(NumberLoss):
    """Base of losses whose score is the logarithm of the prediction."""

    link = "exponential"
    zero_is_allowed: ClassVar[bool] = True

    def check(self, y: Floats, name: str = "y") -> None:
        if (y > LARGEST_PREDICTION).any():
            row = int((y > LARGEST_PREDICTION).argmax())
            raise DataError(
                f'loss="{self.name}" predicts up to {LARGEST_PREDICTION:g}; {name} is {y[row]:g} '
                f"in row {row}",
                hint='divide the target by a power of ten, or use loss="squared_error"',
            )
        wrong = y < 0 if self.zero_is_allowed else y <= 0
        if wrong.any():
            row = int(wrong.argmax())
            limit = "at least 0" if self.zero_is_allowed else "above 0"
            raise DataError(
                f'loss="{self.name}" needs targets {limit}; {name} is {y[row]:g} in row {row}',
                hint='use loss="squared_error"',
            )

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        if not y.any():
            raise DataError(
                f'loss="{self.name}" needs a target above 0 in some row; every y is 0',
                hint='use loss="squared_error"',
            )
        return portable.log([weighted_mean(y, weights)])

    def predictions(self, scores: Floats) -> Floats:
        return portable.exp(np.minimum(scores, LARGEST_SCORE))


class Poisson(LogarithmLoss):
    """exp(score) - y * score: for counts."""

    name = "poisson"

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        return self.predictions(scores) - y * scores

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        mean = self.predictions(scores)
        return mean - y, mean


class Gamma(LogarithmLoss):
    """y * exp(-score) + score: for amounts above 0 whose spread grows with them."""

    name = "gamma"
    zero_is_allowed = False

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        return y * self.predictions(-scores) + scores

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        ratio = y * self.predictions(-scores)
        return 1.0 - ratio, ratio


class Tweedie(LogarithmLoss):
    """Between Poisson (power 1) and gamma (power 2): amounts of which many are 0."""

    name = "tweedie"

    def __init__(self, power: float) -> None:
        self.parameter = power

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        low, high = 1.0 - self.parameter, 2.0 - self.parameter
        return self.predictions(high * scores) / high - y * self.predictions(low * scores) / low

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        low, high = 1.0 - self.parameter, 2.0 - self.parameter
        of_zero, of_y = self.predictions(high * scores), y * self.predictions(low * scores)
        return of_zero - of_y, high * of_zero - low * of_y


class ClassLoss(Loss):
    """Base of classification losses."""


class Logistic(ClassLoss):
    """log(1 + exp(score)) - y * score, y being 0 or 1: the score is the log-odds of class 1."""

    name = link = "logistic"

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        # log(1 + exp(score)), without large powers
        of_zero = np.maximum(scores, 0.0) + portable.log1p(portable.exp(-np.abs(scores)))
        return of_zero - y * scores

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        p = self.predictions(scores)
        return p - y, p * (1.0 - p)

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        p = np.clip(weighted_mean(y, weights), LEAST_SHARE, 1.0 - LEAST_SHARE)
        return portable.log([p / (1.0 - p)])

    def predictions(self, scores: Floats) -> Floats:
        """The probability of class 1."""
        return 1.0 / (1.0 + portable.exp(-np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE)))


class Multinomial(ClassLoss):
    """log(sum of exp(scores)) - score of the row's class: one score a class, softmax predictions.

    The second derivatives are times K / (K - 1) for K classes: the scores of a row move together,
    and only K - 1 of them are free (Friedman, 2001).
    """

    name, link = "multinomial", "softmax"

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        own = np.take_along_axis(scores, y.astype(np.intp)[np.newaxis], axis=0)[0]
        losses: Floats = portable.log_sum_exp(scores, axis=0) - own
        return losses

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        p = self.predictions(scores)
        is_own = y == np.arange(self.n_classes)[:, np.newaxis]
        return p - is_own, p * (1.0 - p) * (self.n_classes / max(self.n_classes - 1, 1))

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        totals = np.bincount(y.astype(np.intp), weights, self.n_classes)
        return portable.log(np.maximum(totals / totals.sum(), LEAST_SHARE))

    def predictions(self, scores: Floats) -> Floats:
        """(n_classes, n_rows): the probability of each class."""
        return portable.softmax(scores, axis=0)


OWN = "own"  # the custom loss says it


def same(scores: Floats) -> Floats:
    """(n_rows,): the score itself."""
    return scores.reshape(-1)


def exponential(scores: Floats) -> Floats:
    """(n_rows,): the score is a logarithm."""
    return portable.exp(np.minimum(scores.reshape(-1), LARGEST_SCORE))


def logistic(scores: Floats) -> Floats:
    """(n_rows, 2): the score is the log-odds of the second class."""
    shares = np.empty((len(scores), 2))
    odds = portable.exp(np.minimum(-scores[:, 0], LARGEST_SCORE))
    np.divide(1.0, 1.0 + odds, out=shares[:, 1])
    np.subtract(1.0, shares[:, 1], out=shares[:, 0])
    return shares


def softmax(scores: Floats) -> Floats:
    """(n_rows, n_classes): one score a class."""
    return portable.softmax(scores, axis=1)


LINKS: dict[str, Callable[[Floats], Floats]] = {
    "same": same,
    "exponential": exponential,
    "logistic": logistic,
    "softmax": softmax,
}
LINK_NAMES = (*LINKS, OWN)
