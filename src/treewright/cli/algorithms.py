"""The algorithms that `--model` names: their estimators, and which of them need a target."""

from typing import TYPE_CHECKING, Literal, get_args

from treewright import registry
from treewright.errors import ParameterError
from treewright.registry import NO_TARGET

if TYPE_CHECKING:
    ModelName = str
else:
    ModelName = Literal[tuple(dict.fromkeys(entry.model for entry in registry.ESTIMATORS.values()))]
Task = Literal["auto", "classification", "regression"]

# Algorithms that are compared only if the user names them: an optimality proof takes long, and so
# do the many trees of `readable`; concepts need nominal columns and two classes, and `tree` without
# settings is CART.
ON_REQUEST = {"optimal", "readable", "candidate_elimination", "find_s", "tree"}

# (model, task): the public name of the estimator.
ESTIMATORS = {(entry.model, entry.task): name for name, entry in registry.ESTIMATORS.items()}


def predicts(model: str | None, task: str) -> bool:
    """Whether an algorithm supports a task; the default (None) supports both."""
    return model is None or (model, task) in ESTIMATORS


def needs_no_target(model: str | None) -> bool:
    """Whether an algorithm is unsupervised."""
    return model is not None and (model, NO_TARGET) in ESTIMATORS


def check_can_be_judged(model: str | None) -> None:
    """Raise for an unsupervised algorithm: its predictions are neither right nor wrong."""
    if needs_no_target(model):
        raise ParameterError(
            f"{model} learns without a target, so its predictions cannot be scored",
            hint=f"use `treewright train TABLE --model {model}`, then `treewright predict`",
        )


def usual_model(task: str) -> ModelName:
    """The default algorithm."""
    return "cart" if task == "regression" else "c45"


def algorithms_of(task: str) -> list[ModelName]:
    """The algorithms that handle a task on any table in reasonable time."""
    names = [name for name in get_args(ModelName) if predicts(name, task)]
    return [name for name in names if name not in ON_REQUEST]


def model_and_task(estimator: str) -> tuple[str, str] | None:
    """Model and task of the estimator with this name; None if no command makes one."""
    return next((key for key, name in ESTIMATORS.items() if name == estimator), None)
