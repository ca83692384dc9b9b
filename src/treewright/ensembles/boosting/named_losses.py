"""Losses by the names that the parameter `loss` may have."""

from collections.abc import Callable
from typing import Any

from treewright.ensembles.boosting.losses import (
    AbsoluteError,
    Gamma,
    HuberError,
    Logistic,
    Multinomial,
    NumberLoss,
    Poisson,
    QuantileError,
    SquaredError,
    Tweedie,
)
from treewright.ensembles.boosting.own_loss import OwnLoss
from treewright.errors import ParameterError

NUMBER_LOSSES: dict[str, Callable[[Any], NumberLoss]] = {
    "squared_error": lambda _: SquaredError(),
    "absolute_error": lambda _: AbsoluteError(),
    "huber": lambda model: HuberError(float(model.huber_share)),
    "quantile": lambda model: QuantileError(float(model.quantile)),
    "poisson": lambda _: Poisson(),
    "gamma": lambda _: Gamma(),
    "tweedie": lambda model: Tweedie(float(model.tweedie_power)),
}


def number_loss(model: Any) -> NumberLoss | OwnLoss:
    """The loss of a regressor."""
    if not isinstance(model.loss, str):
        return OwnLoss(model.loss, 1)
    loss = NUMBER_LOSSES[model.loss](model)
    if model.monotone is not None and loss.renewal != "none":
        raise ParameterError(
            f'monotone does not go with loss="{loss.name}": splits are found by derivatives, but '
            "leaves answer with medians or quantiles, which need not go the same way",
            hint='use loss="squared_error", or a smooth loss of your own',
        )
    return loss


def class_loss(model: Any, n_classes: int) -> Logistic | Multinomial | OwnLoss:
    """The loss of a classifier: one score for two classes, otherwise one for each."""
    if n_classes == 1:  # nothing is left to be learnt, whatever the loss
        return Multinomial(1)
    if model.monotone is not None and n_classes > 2:
        raise ParameterError(
            f"monotone is for two classes, the target has {n_classes}: as one becomes more "
            "probable, nothing says which of the others becomes less so",
            hint="leave monotone out, or take one class against the rest",
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
    if model.monotone is not None:
        raise ParameterError(
            'monotone is for the one score of loss="logistic"; loss="multinomial" has a score for '
            "each class, and what they do together has no direction",
            hint='use loss="logistic", or "auto"',
        )
    return Multinomial(n_classes)
