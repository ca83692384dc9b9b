"""Custom losses: a function of targets and scores, or an object with optional methods."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.ensembles.boosting.losses import (
    AbsoluteError,
    Derivatives,
    Gamma,
    HuberError,
    Logistic,
    Loss,
    Multinomial,
    NumberLoss,
    Poisson,
    QuantileError,
    SquaredError,
    Tweedie,
)
from treewright.ensembles.boosting.model import BoostingModel
from treewright.errors import ParameterError
from treewright.param import SavedFunction


def is_own_loss(value: object) -> bool:
    """Whether a value can stand for a loss: a function, or an object with `gradients`."""
    if isinstance(value, SavedFunction):
        value()
    return callable(value) or callable(getattr(value, "gradients", None))


class OwnLoss(Loss):
    """What the user gave, asked and checked.

    An object needs `gradients`. It may have `row_losses`, `start`, `adapt` and `predictions`,
    as those of `losses` do.
    """

    name = "own"

    def __init__(self, given: Any, n_scores: int) -> None:
        self._given = given
        self.n_scores = n_scores
        self._gradients: Callable[..., Any] = getattr(given, "gradients", given)

    def adapt(self, y: Floats, scores: Floats, weights: Floats | None) -> None:
        if callable(adapt := getattr(self._given, "adapt", None)):
            adapt(y, scores, weights)

    def gradients(self, y: Floats, scores: Floats) -> Derivatives:
        derivatives = self._gradients(y, scores)
        if not isinstance(derivatives, tuple) or len(derivatives) != 2:
            raise self._wrong("gives no pair", "return (first derivatives, second derivatives)")
        first, second = (np.asarray(part, dtype=np.float64) for part in derivatives)
        for part in (first, second):
            if part.shape != scores.shape:
                raise self._wrong(
                    f"gives derivatives of shape {part.shape} for scores of shape {scores.shape}",
                    "return one number for each score",
                )
        if not (np.isfinite(first).all() and np.isfinite(second).all()):
            raise self._wrong("gives derivatives that are not finite", "limit exponentials")
        if (second < 0).any():
            raise self._wrong(
                "gives second derivatives below 0", "use ones where the loss is not convex"
            )
        return first, second

    def row_losses(self, y: Floats, scores: Floats) -> Floats:
        find = getattr(self._given, "row_losses", None)
        if find is None:
            raise self._wrong(
                "has no row losses, which are needed for validation rows",
                "give an object with the methods gradients(y, scores) and row_losses(y, scores)",
            )
        losses = np.asarray(find(y, scores), dtype=np.float64)
        if losses.shape != y.shape:
            raise self._wrong(f"gives losses of shape {losses.shape}", "return one for each row")
        return losses

    def start(self, y: Floats, weights: Floats | None) -> Floats:
        """0 unless the loss knows better."""
        find = getattr(self._given, "start", None)
        if find is None:
            return np.zeros(self.n_scores)
        scores = np.atleast_1d(np.asarray(find(y, weights), dtype=np.float64))
        if scores.shape != (self.n_scores,) or not np.isfinite(scores).all():
            raise self._wrong(
                f"starts with scores of shape {scores.shape}",
                f"start(y, weights) is to return {self.n_scores} finite numbers",
            )
        return scores

    def _wrong(self, what: str, hint: str) -> ParameterError:
        given = self._given
        name = getattr(given, "__name__", type(given).__name__)
        return ParameterError(f"the loss `{name}` {what}", hint=hint)


NUMBER_LOSSES: dict[str, Callable[[Any], NumberLoss]] = {
    "squared_error": lambda _: SquaredError(),
    "absolute_error": lambda _: AbsoluteError(),
    "huber": lambda model: HuberError(float(model.huber_share)),
    "quantile": lambda model: QuantileError(float(model.quantile)),
    "poisson": lambda _: Poisson(),
    "gamma": lambda _: Gamma(),
    "tweedie": lambda model: Tweedie(float(model.tweedie_power)),
}


def number_loss(model: BoostingModel) -> NumberLoss | OwnLoss:
    """The loss of a regressor."""
    if not isinstance(model.loss, str):
        return OwnLoss(model.loss, 1)
    loss = NUMBER_LOSSES[model.loss](model)
    if model.monotonic_cst is not None and loss.renewal != "none":
        raise ParameterError(
            f'monotonic_cst does not go with loss="{loss.name}": splits are found by derivatives, '
            "but leaves predict medians or quantiles, which need not go the same way",
            hint='use loss="squared_error", or a smooth loss of your own',
        )
    return loss


def class_loss(model: BoostingModel, n_classes: int) -> Logistic | Multinomial | OwnLoss:
    """The loss of a classifier: one score for two classes, otherwise one for each."""
    if n_classes == 1:  # nothing is left to be learned, whatever the loss
        return Multinomial(1)
    if model.monotonic_cst is not None and n_classes > 2:
        raise ParameterError(
            f"monotonic_cst is for two classes, the target has {n_classes}: as one becomes more "
            "probable, nothing says which of the others becomes less so",
            hint="leave monotonic_cst out, or take one class against the rest",
        )
    if not isinstance(model.loss, str):
        return OwnLoss(model.loss, 1 if n_classes == 2 else n_classes)
    if model.loss == "logistic" and n_classes > 2:
        raise ParameterError(
            f'loss="logistic" is for two classes, the target has {n_classes}',
            hint='use loss="multinomial", or "auto", which looks at the classes',
        )
    if n_classes == 2 and model.loss != "multinomial":
        return Logistic()
    if model.monotonic_cst is not None:
        raise ParameterError(
            'monotonic_cst is for the one score of loss="logistic"; loss="multinomial" has a score '
            "for each class, and together they have no direction",
            hint='use loss="logistic", or "auto"',
        )
    return Multinomial(n_classes)
