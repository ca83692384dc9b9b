"""The inner form of a model file: parameters and fitted state as plain JSON values.

Reading is strict: the set of keys is closed, every type is checked, and what comes out could have
been written here.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.schema_json import with_keys
from treewright.errors import ModelFileError, TreewrightError
from treewright.models.base import FittedState, TreeEstimator
from treewright.models.params import SavedFunction
from treewright.tree.as_json import tree_from_json, tree_to_json

NOT_STORED = ("n_jobs",)  # where a model is used, not what it is
STATE_KEYS = ("schema", "classes", "notes", "cut_points", "tree")
LABEL_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "object": (str,),
    "bool": (bool,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (float, int) for bits in (16, 32, 64)},
}


def state_to_json(state: FittedState) -> dict[str, Any]:
    """A fitted state as JSON values."""
    cuts = state.cut_points
    return {
        "schema": state.schema.to_json(),
        "classes": None if state.classes is None else classes_to_json(state.classes),
        "notes": list(state.notes),
        "cut_points": None if cuts is None else [[name, list(cuts[name])] for name in cuts],
        "tree": tree_to_json(state.tree),
    }


def state_from_json(data: object) -> FittedState:
    """The fitted state that `state_to_json` wrote."""
    entry = with_keys(data, set(STATE_KEYS), "model")
    schema = Schema.from_json(entry["schema"])
    classes = None if entry["classes"] is None else classes_from_json(entry["classes"])
    cut_points = None if entry["cut_points"] is None else cuts_from_json(entry["cut_points"])
    notes = entry["notes"]
    if type(notes) is not list or not all(type(note) is str for note in notes):
        raise ModelFileError("model: `notes` is not a list of strings")
    tree = tree_from_json(entry["tree"])
    labels = None if classes is None else tuple(classes.tolist())
    if tree.classes != labels:
        raise ModelFileError("model: the tree answers with other classes than the model")
    _check_columns(schema, tree.schema, cut_points)
    return FittedState(tree, schema, classes, tuple(notes), cut_points)


def _check_columns(
    schema: Schema, of_tree: Schema, cut_points: dict[str, tuple[float, ...]] | None
) -> None:
    """The columns of the tree must be those that the model makes of its input."""
    if schema.names != of_tree.names:
        raise ModelFileError("model: the tree knows other columns than the schema")
    for spec, made in zip(schema.columns, of_tree.columns, strict=True):
        if cut_points is None:
            fits = spec == made
        elif spec.is_numeric:
            fits = spec.name in cut_points and made.kind == "nominal"
            fits = fits and len(made.levels) == len(cut_points[spec.name]) + 1
        else:
            fits = made.kind == "nominal" and made.levels == spec.levels
        if not fits:
            raise ModelFileError(f"model: the tree knows the column `{spec.name}` otherwise")


def classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    name = "str" if classes.dtype.kind in "UT" else classes.dtype.name
    return {"type": name, "labels": classes.tolist()}


def classes_from_json(data: object) -> NDArray[Any]:
    """Class labels in the type they had in training."""
    entry = with_keys(data, {"type", "labels"}, "classes")
    name, labels = entry["type"], entry["labels"]
    if type(name) is not str or name not in LABEL_TYPES:
        raise ModelFileError(f"classes: `type` is {name!r}")
    if type(labels) is not list or not labels:
        raise ModelFileError("classes: `labels` is not a list of labels")
    for label in labels:
        if type(label) not in LABEL_TYPES[name]:
            raise ModelFileError(f"classes: {label!r} is not of type {name}")
    if len(set(labels)) != len(labels):
        raise ModelFileError("classes: a label occurs twice")
    try:
        classes = np.array(labels, dtype=name)
    except (OverflowError, ValueError) as error:
        raise ModelFileError(f"classes: a label does not fit into {name}") from error
    if classes.tolist() != labels:
        raise ModelFileError(f"classes: a label does not fit into {name}")
    return classes


def cuts_from_json(data: object) -> dict[str, tuple[float, ...]]:
    """Cut points by column: finite and rising."""
    found: dict[str, tuple[float, ...]] = {}
    for entry in data if type(data) is list else [None]:
        if type(entry) is not list or len(entry) != 2 or type(entry[0]) is not str:
            raise ModelFileError("model: `cut_points` is not a list of columns and cuts")
        name, cuts = entry
        if type(cuts) is not list or not all(type(cut) in (float, int) for cut in cuts):
            raise ModelFileError(f"cut_points: those of `{name}` are not numbers")
        numbers = np.array(cuts, dtype=np.float64)
        if not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any() or name in found:
            raise ModelFileError(f"cut_points: those of `{name}` are not finite and rising")
        found[name] = tuple(numbers.tolist())
    return found


def params_to_json(model: TreeEstimator) -> dict[str, Any]:
    """The parameters of a model; a user's function by name only."""
    return {
        param.name: value_to_json(getattr(model, param.name))
        for param in model.params
        if param.name not in NOT_STORED
    }


def params_from_json(data: object, kind: type[TreeEstimator]) -> dict[str, Any]:
    """The parameters that `params_to_json` wrote; those of later versions keep their default."""
    if type(data) is not dict:
        raise ModelFileError("params: not an object with keys")
    by_name = {param.name: param for param in kind.params if param.name not in NOT_STORED}
    unknown = [name for name in data if name not in by_name]
    if unknown:
        raise ModelFileError(f"params: {kind.__name__} has no parameter `{unknown[0][:50]}`")
    values = {name: value_from_json(value, f"params: `{name}`") for name, value in data.items()}
    for name, value in values.items():
        if isinstance(value, SavedFunction):
            continue
        try:
            by_name[name].check(value)
        except TreewrightError as error:
            raise ModelFileError(f"params: {error.args[0]}") from None
    return values


def value_to_json(value: Any) -> Any:
    """One parameter: numbers, strings and lists as they are, the rest as an object with a key."""
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
    if isinstance(value, SavedFunction):
        return {"function": value.name}
    if callable(value) and not hasattr(value, "__array__"):
        return {"function": f"{value.__module__}.{getattr(value, '__qualname__', repr(value))}"}
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # where the generator stood is not part of the model
    return value_to_json(np.asarray(value).tolist())


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
    if key == "function" and type(content) is str:
        return SavedFunction(content)
    if key == "pairs" and type(content) is list:
        return dict(_pair(entry, where) for entry in content)
    raise ModelFileError(f"{where} holds an object that is not known")


def _pair(entry: Any, where: str) -> tuple[Any, Any]:
    if type(entry) is not list or len(entry) != 2 or isinstance(entry[0], list | dict):
        raise ModelFileError(f"{where} holds a pair that is none")
    return entry[0], value_from_json(entry[1], where)
