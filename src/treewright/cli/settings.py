"""The settings of the estimators that can be given as flags."""

import json
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from treewright.cli.algorithms import model_and_task
from treewright.param import Param
from treewright.registry import ESTIMATORS, params_of

# (model, task): the parameter declarations of its estimator.
SETTINGS_OF: dict[tuple[str, str], tuple[Param, ...]] = {
    (entry.model, entry.task): params_of(name) for name, entry in ESTIMATORS.items()
}
FAMILIES = {entry.model: entry.family for entry in ESTIMATORS.values()}
# --categorical sets the first; the others are for repeated calls of `fit`, and callbacks.
NOT_FLAGS = {"categorical_features", "warm_start", "callbacks", "verbose"}
# --numeric names columns, and --method is how settings are searched.
RENAMED = {"numeric": "numeric_split", "method": "descent"}


def every_setting() -> list[Param]:
    """All declarations, for commands that learn."""
    return [param for settings in SETTINGS_OF for param in settings_of(*settings).values()]


@cache
def families_of_settings() -> dict[str, dict[str, str]]:
    """By the name of a flag: what it does in most models of each family that has it."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for model, task in SETTINGS_OF:
        family = FAMILIES[model]
        for name, param in settings_of(model, task).items():
            found.setdefault(name, {}).setdefault(family, Counter())[param.summary] += 1
    return {
        name: {family: counts.most_common(1)[0][0] for family, counts in by_family.items()}
        for name, by_family in found.items()
    }


@cache
def settings_of(model: str, task: str) -> dict[str, Param]:
    """The declarations of an estimator, by the name of the flag."""
    return {
        name: replace(param, name=name)
        for param in SETTINGS_OF[model, task]
        if param.name not in NOT_FLAGS and (name := RENAMED.get(param.name, param.name))
    }


def names_of_settings(model: str) -> set[str]:
    """The flags that an algorithm has, for any task; none if it is not known."""
    tasks = [key for key in SETTINGS_OF if key[0] == model]
    return {name for key in tasks for name in settings_of(*key)}


def parameter_of(flag: str) -> str:
    """The parameter that a flag sets."""
    return {renamed: name for name, renamed in RENAMED.items()}.get(flag, flag)


def flags_of(settings: Mapping[str, Any]) -> str:
    """Settings as command-line flags: `--max-depth 3 --min-samples-leaf 20`."""
    words: list[str] = []
    for name, value in settings.items():
        flag = RENAMED.get(name, name).replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            is_structure = isinstance(value, list | tuple | dict)
            text = json.dumps(value) if is_structure else str(value)
            words += [f"--{flag}", "none" if value is None else shlex.quote(text)]
    return " ".join(words)


def flags_that_make(model: object) -> str:
    """The flags that train a model with the same settings; "" if there are none."""
    found = model_and_task(type(model).__name__)
    if found is None:
        return ""
    changed = {
        name: value
        for name, param in settings_of(*found).items()
        if name != "n_jobs"
        and repr(value := getattr(model, parameter_of(name))) != repr(param.default)
    }
    return flags_of({"model": found[0], **changed})
