"""A fitted model that is no tree, on the terminal."""

from math import isfinite
from pathlib import Path
from typing import Any

from treewright.errors import ParameterError

MOST_VALUES = 1000  # of an array that is printed as JSON


def is_learned(model: Any) -> bool:
    """Whether a model is neither a tree nor made of trees."""
    from treewright.estimators.base import OtherModel

    return isinstance(model, OtherModel)


def learned_summary(model: Any) -> dict[str, object]:
    """The facts about such a model, for programs."""
    classes = getattr(model, "classes_", None)
    return {
        "model": type(model).__name__,
        "classes": None if classes is None else classes.tolist(),
        "columns": list(model.schema_.names),
        "summary": model.summary(),
        "learned": {
            name: value
            for name in model.learns
            if (value := plain_value(getattr(model, name))) is not None
        },
    }


def plain_value(value: Any) -> Any:
    """Something learnt as JSON has it; None for what is large, or a tree."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return plain_value(value.tolist()) if value.size <= MOST_VALUES else None
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, bool | int | str) else None


def check_flags_of_trees(model: Any, given: dict[str, object]) -> None:
    """Raise if a flag that only trees have is given for a model that is none."""
    for name, value in given.items():
        if value:
            raise ParameterError(
                f"--{name} is of trees, and this is {type(model).__name__}", hint="leave it out"
            )


def check_no_learned(model: Any, path: Path) -> None:
    """Raise for a model that is no tree, where trees are needed."""
    if hasattr(model, "equation") and hasattr(model, "get_n_leaves"):
        raise ParameterError(
            f"`{path}` holds a model tree, and this command is for trees whose leaves have one"
            " answer",
            hint="--no-prune, --min-samples-leaf and --penalty of `treewright train --model m5` "
            f"change its size; `treewright distil {path} TABLE` makes a plain tree that comes near",
        )
    if is_learned(model):
        raise ParameterError(
            f"`{path}` holds a model of the kind {type(model).__name__}, and this command is for"
            " trees",
            hint=f"`treewright distil {path} TABLE` makes a tree that comes near its answers",
        )
