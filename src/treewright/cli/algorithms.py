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

# Algorithms that are compared only where the user names them: a proof takes its time, and concepts
# are for words and two classes.
ON_REQUEST = {"optimal", "candidate_elimination", "find_s"}

# (model, task): the public name of the estimator.
ESTIMATORS = {(entry.model, entry.task): name for name, entry in registry.ESTIMATORS.items()}


def predicts(model: str | None, task: str) -> bool:
    """Whether an algorithm learns such a task; the usual one, which None is, learns both."""
    return model is None or (model, task) in ESTIMATORS


def needs_no_target(model: str | None) -> bool:
    """Whether an algorithm learns from the columns alone."""
    return model is not None and (model, NO_TARGET) in ESTIMATORS


def check_can_be_judged(model: str | None) -> None:
    """Raise for an algorithm without a target: nothing tells whether its answers are right."""
    if needs_no_target(model):
        raise ParameterError(
            f"{model} learns without a target, so no answer of it is right or wrong",
            hint=f"`treewright train TABLE --model {model}` learns, `treewright predict` answers",
        )


def usual_model(task: str) -> ModelName:
    """The algorithm that learns unless another one is named."""
    return "cart" if task == "regression" else "c45"


def algorithms_of(task: str) -> list[ModelName]:
    """The algorithms that learn a task on any table, and soon."""
    names = [name for name in get_args(ModelName) if predicts(name, task)]
    return [name for name in names if name not in ON_REQUEST]


def words_of(estimator: str) -> tuple[str, str] | None:
    """Model and task of the estimator with this name; None if no command makes one."""
    return next((words for words, name in ESTIMATORS.items() if name == estimator), None)
