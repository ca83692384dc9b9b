"""The parameters of an estimator in a model file, as JSON and back.

Reading is strict: every type is checked, and only values that could have been written are read.
Files of older versions are read too: renamed parameters are in `OLD_NAMES`, and a parameter that a
file lacks has the value that the version which wrote the file used (`Param.in_older_files`).
"""

import math
import re
from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from treewright.errors import ModelFileError, TreewrightError
from treewright.param import Param, Parameterized, SavedEstimator, SavedFunction
from treewright.registry import IN_FILES, estimator_type, is_listed, params_of

# Names of parameters in files of format 1 that were renamed later.
OLD_NAMES = {
    "distance": "metric",
    "interactions": "interaction_cst",
    "monotone": "monotonic_cst",
    "patience": "n_iter_no_change",
    "tolerance": "tol",
    "unseen": "handle_unknown",
}
TIME = re.compile(r"(datetime|timedelta)64\[(Y|M|W|D|h|m|s|ms|us|ns)\]")
NOT_STORED = ("n_jobs", "callbacks", "verbose")  # how a fit is run, not what a model is


def estimator_name(name: object) -> str:
    """The estimator that a file names; an error if there is no such estimator."""
    if type(name) is not str or name not in IN_FILES:
        raise ModelFileError(f"model: `estimator` is {str(name)[:50]!r}, which is not known")
    return name


def params_to_json(model: Parameterized) -> dict[str, Any]:
    """The parameters of a model; a user's function by name only.

    A parameter is left out if it has the value that files without it imply.
    """
    stored = [
        param
        for param in model.params
        if param.name not in NOT_STORED
        and not (param.stored_if_set and getattr(model, param.name) is param.default)
    ]
    values = {param.name: value_to_json(getattr(model, param.name)) for param in stored}
    for param in stored:
        if param.in_older_files is not None and values[param.name] == param.in_older_files:
            del values[param.name]
    return values


def params_from_json(data: object, estimator: str) -> dict[str, Any]:
    """The parameters that `params_to_json` wrote, checked.

    A parameter that a file does not have gets its value `in_older_files`, or its default.
    """
    by_name = {one.name: one for one in params_of(estimator) if one.name not in NOT_STORED}
    values = raw_params(data, by_name)
    unknown = [name for name in values if name not in by_name]
    if unknown:
        raise ModelFileError(
            f"params: {estimator} has no parameter `{unknown[0][:50]}`",
            hint="if a later version wrote the file, upgrade treewright",
        )
    for name, one in by_name.items():
        if one.in_older_files is not None:
            values.setdefault(name, one.in_older_files)
    check_params({name: by_name[name] for name in values}, values)
    return {name: with_estimators(value) for name, value in values.items()}


def prediction_settings(data: object, declared: Mapping[str, Param]) -> dict[str, Any]:
    """Those parameters of a file that predictions read, checked; the others as they are."""
    values = raw_params(data, declared)
    for name, one in declared.items():
        default = one.default if one.in_older_files is None else one.in_older_files
        values.setdefault(name, default)
    check_params({name: replace(one, name=name) for name, one in declared.items()}, values)
    return values


def raw_params(data: object, known: Container[str]) -> dict[str, Any]:
    """The parameters of a file by their present names, not checked."""
    if type(data) is not dict:
        raise ModelFileError("params: not an object with keys")
    names = {key: key if key in known else str(OLD_NAMES.get(key, key)) for key in data}
    return {names[key]: value_from_json(data[key], f"params: `{names[key]}`") for key in data}


def check_params(declared: Mapping[str, Param], values: Mapping[str, Any]) -> None:
    """Raise a `ModelFileError` for a value that its declaration does not allow."""
    for name, one in declared.items():
        if isinstance(values[name], SavedFunction) and takes_functions(one):
            continue
        try:
            one.check(values[name])
        except TreewrightError as error:
            raise ModelFileError(f"params: {error.args[0]}") from None


def takes_functions(param: Param) -> bool:
    """Whether a parameter accepts a user's function, such as an impurity."""
    return param.accepts is not None and param.accepts(value_to_json)


def value_to_json(value: Any) -> Any:  # noqa: C901 -- one case for each type
    """One parameter: numbers, strings and lists as they are, the rest as an object with a key."""
    if isinstance(value, date | timedelta | np.datetime64 | np.timedelta64):
        return time_to_json(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[value_to_json(k), value_to_json(v)] for k, v in value.items()]}
    if isinstance(value, list | tuple):
        return [value_to_json(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((value_to_json(item) for item in value), key=repr)
    if isinstance(value, SavedFunction):
        return {"function": value.name}
    if is_listed(type(value)):
        return {"estimator": [type(value).__name__, params_to_json(value)]}
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # the state of a generator is not part of the model
    if callable(value) and not hasattr(value, "__array__"):
        return {"function": f"{value.__module__}.{getattr(value, '__qualname__', repr(value))}"}
    listed = np.asarray(value).tolist()
    if listed is value:  # an object of the user's
        return {"function": f"{type(value).__module__}.{type(value).__qualname__}"}
    return value_to_json(listed)


def value_from_json(value: Any, where: str) -> Any:
    """The parameter that `value_to_json` wrote."""
    if isinstance(value, list):
        return [value_from_json(item, where) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelFileError(f"{where} holds a number too large for a float")
    if not isinstance(value, dict):
        return value
    key, content = next(iter(value.items())) if len(value) == 1 else ("", None)
    if key == "float" and content in ("inf", "-inf", "nan"):
        return float(content)
    if key == "time":
        return time_from_json(content, where)
    if key == "function" and type(content) is str:
        return SavedFunction(content)
    if key == "pairs" and type(content) is list:
        return dict(_pair(entry, where) for entry in content)
    if key == "estimator" and type(content) is list and len(content) == 2:
        name = estimator_name(content[0])
        return SavedEstimator(name, content[1])
    raise ModelFileError(f"{where} holds an object that is not known")


def time_to_json(value: Any) -> dict[str, Any]:
    """A date or duration, of Python or of NumPy."""
    if isinstance(value, date | timedelta):
        value = np.datetime64(value) if isinstance(value, date) else np.timedelta64(value)
    return {"time": [value.dtype.name, int(value.astype(np.int64))]}


def time_from_json(content: Any, where: str) -> np.datetime64 | np.timedelta64:
    """A date or duration: its type, such as `datetime64[D]`, and a count of its units."""
    if type(content) is list and len(content) == 2 and type(content[1]) is int:
        name, count = content
        if type(name) is str and TIME.fullmatch(name) and -(2**63) <= count < 2**63:
            found: np.datetime64 | np.timedelta64 = np.int64(count).astype(name)
            return found
    raise ModelFileError(f"{where} holds a time that is not known")


def with_estimators(value: Any) -> Any:
    """A parameter with a real estimator in the place of each saved one."""
    if isinstance(value, SavedEstimator):
        kind: Any = estimator_type(value.name)
        return kind(**params_from_json(value.params, value.name))
    if isinstance(value, list):
        return [with_estimators(one) for one in value]
    if isinstance(value, dict):
        return {key: with_estimators(one) for key, one in value.items()}
    return value


def _pair(entry: Any, where: str) -> tuple[Any, Any]:
    if type(entry) is not list or len(entry) != 2 or isinstance(entry[0], list | dict):
        raise ModelFileError(f"{where} holds an invalid pair")
    return entry[0], value_from_json(entry[1], where)
