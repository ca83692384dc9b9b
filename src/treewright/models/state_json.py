"""The inner form of a model file: parameters and fitted state as plain JSON values.

Reading is strict: the set of keys is closed, every type is checked, and what comes out could have
been written here.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.schema_json import with_keys
from treewright.errors import ModelFileError, TreewrightError
from treewright.induction.optimal.proof import OptimalityProof
from treewright.models.base import FittedState, TreeEstimator
from treewright.models.homes import HOMES, estimator_named
from treewright.models.params import SavedFunction
from treewright.models.rule_file import ordered_from_json, ordered_to_json
from treewright.models.table_estimator import TableEstimator
from treewright.param import Param
from treewright.pruning.report import PruningReport
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.tree.as_json import tree_from_json, tree_to_json
from treewright.tree.tree import Tree

Cuts = tuple[float, ...]

NOT_STORED = ("n_jobs", "callbacks", "verbose")  # how a fit is run, not what a model is
STATE_KEYS = ("class_type", "cut_in_advance", "notes", "tree")
PRUNING = "pruning"  # a key of pruned models only
RULES = "rules"  # a key of models only that answer by rules
TARGET = "target"  # a key of models only whose target had a name
OPTIMALITY = "optimality"  # a key of optimal trees only
LABEL_TYPES: dict[str, tuple[type, ...]] = {  # what labels of each type are in Python
    "str": (str,),
    "object": (str,),
    "bool": (bool,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (float,) for bits in (16, 32, 64)},
}


def state_to_json(state: FittedState) -> dict[str, Any]:
    """A fitted state as JSON values."""
    is_cut = state.schema != state.tree.schema
    entry: dict[str, Any] = {
        "class_type": None if state.classes is None else class_type(state.classes),
        "cut_in_advance": cuts_to_json(state.schema, state.cut_points) if is_cut else None,
        "notes": list(state.notes),
        "tree": tree_to_json(state.tree),
    }
    if state.pruning is not None:
        entry[PRUNING] = state.pruning.to_json()
    if state.rules is not None:
        entry[RULES] = ordered_to_json(state.rules)
    if state.target_name is not None:
        entry[TARGET] = state.target_name
    if state.optimality is not None:
        entry[OPTIMALITY] = state.optimality.to_json()
    return entry


def state_from_json(data: object) -> FittedState:
    """The fitted state that `state_to_json` wrote."""
    entry = with_keys(data, state_keys_in(data), "model")
    notes = entry["notes"]
    if type(notes) is not list or not all(type(note) is str for note in notes):
        raise ModelFileError("model: `notes` is not a list of strings")
    tree = tree_from_json(entry["tree"])
    classes = classes_of(tree.classes, entry["class_type"])
    pruning = PruningReport.from_json(entry[PRUNING], tree) if PRUNING in entry else None
    rules = rules_of(tree, entry[RULES]) if RULES in entry else None
    target = target_from_json(entry[TARGET]) if TARGET in entry else None
    optimality = OptimalityProof.from_json(entry[OPTIMALITY]) if OPTIMALITY in entry else None
    if TARGET in entry and target is None:
        raise ModelFileError("model: `target` is not a name")
    state = FittedState(
        tree,
        tree.schema,
        classes,
        tuple(notes),
        pruning=pruning,
        rules=rules,
        target_name=target,
        optimality=optimality,
    )
    if entry["cut_in_advance"] is None:
        return state
    schema, cut_points = cuts_from_json(entry["cut_in_advance"])
    check_columns(schema, cut_points, tree.schema)
    return replace(state, schema=schema, cut_points=cut_points)


def rules_of(tree: Tree, data: object) -> OrderedRules:
    """The rules that were learnt from a tree."""
    if tree.classes is None:
        raise ModelFileError("model: rules need classes")
    return ordered_from_json(data, tree.schema, tree.classes, tree.unseen)


def state_keys_in(data: object) -> set[str]:
    """The keys that the state in `data` must have: some stand there only if there is cause."""
    sometimes = {PRUNING, RULES, TARGET, OPTIMALITY}
    return {*STATE_KEYS, *(sometimes & set(data) if type(data) is dict else ())}


def target_from_json(name: object) -> str | None:
    """The name of the column that is predicted, if it has one."""
    if name is not None and type(name) is not str:
        raise ModelFileError("model: `target` is not a name")
    return name


def class_type(classes: NDArray[Any]) -> str:
    """The type of class labels: a NumPy name, without the length of strings."""
    return "str" if classes.dtype.kind in "UT" else classes.dtype.name


def classes_of(classes: tuple[Any, ...] | None, name: object) -> NDArray[Any] | None:
    """The class labels of a tree or of rules in the type they had in training."""
    if classes is None and name is None:
        return None
    if type(name) is not str or name not in LABEL_TYPES or classes is None:
        raise ModelFileError(f"model: `class_type` is {name!r}")
    labels = list(classes)
    if not all(type(label) in LABEL_TYPES[name] for label in labels):
        raise ModelFileError(f"model: the classes are not of type {name}")
    try:
        typed = np.array(labels, dtype=name)
    except (OverflowError, ValueError):
        typed = np.zeros(0)
    if typed.tolist() != labels:
        raise ModelFileError(f"model: a class does not fit into {name}")
    return typed


def cuts_to_json(schema: Schema, cut_points: Mapping[str, Cuts]) -> dict[str, Any]:
    cuts = [[name, list(cut_points[name])] for name in cut_points]
    return {"schema": schema.to_json(), "cut_points": cuts}


def cuts_from_json(data: object) -> tuple[Schema, dict[str, Cuts]]:
    """The columns before they were cut, and finite rising cut points for some of them."""
    entry = with_keys(data, {"schema", "cut_points"}, "cut_in_advance")
    listed = entry["cut_points"]
    found: dict[str, Cuts] = {}
    for pair in listed if type(listed) is list else [None]:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
            raise ModelFileError("cut_points: not a list of columns and cuts")
        name, cuts = pair
        if type(cuts) is not list or not all(type(cut) is float for cut in cuts):
            raise ModelFileError(f"cut_points: those of `{name}` are not numbers")
        rising = all(low < high for low, high in pairwise(cuts))
        if not rising or not all(map(math.isfinite, cuts)) or name in found:
            raise ModelFileError(f"cut_points: those of `{name}` are not finite and rising")
        found[name] = tuple(cuts)
    return Schema.from_json(entry["schema"]), found


def check_columns(schema: Schema, cut_points: Mapping[str, Cuts], of_tree: Schema) -> None:
    """The columns of the tree must be those that the cut points make of the input."""
    if schema.names != of_tree.names or schema.has_names != of_tree.has_names:
        raise ModelFileError("model: the tree knows other columns than were cut")
    numeric = [spec.name for spec in schema.columns if spec.is_numeric]
    if numeric != list(cut_points):
        raise ModelFileError("model: the cut points are not those of the numeric columns")
    for spec, made in zip(schema.columns, of_tree.columns, strict=True):
        cuts = cut_points.get(spec.name)
        same = made.levels == spec.levels if cuts is None else len(made.levels) == len(cuts) + 1
        if made.kind != "nominal" or not same:
            raise ModelFileError(f"model: the tree knows the column `{spec.name}` otherwise")


def params_to_json(model: TableEstimator) -> dict[str, Any]:
    """The parameters of a model; a user's function by name only.

    A parameter is left out if its value is the one that files without it mean.
    """
    stored = [param for param in model.params if param.name not in NOT_STORED]
    values = {param.name: value_to_json(getattr(model, param.name)) for param in stored}
    for param in stored:
        if param.in_older_files is not None and values[param.name] == param.in_older_files:
            del values[param.name]
    return values


def params_from_json(data: object, kind: type[TableEstimator]) -> dict[str, Any]:
    """The parameters that `params_to_json` wrote.

    A parameter that a file does not have gets its value `in_older_files`, or else its default.
    """
    if type(data) is not dict:
        raise ModelFileError("params: not an object with keys")
    by_name = {param.name: param for param in kind.params if param.name not in NOT_STORED}
    unknown = [name for name in data if name not in by_name]
    if unknown:
        raise ModelFileError(
            f"params: {kind.__name__} has no parameter `{unknown[0][:50]}`",
            hint="if a later version wrote the file, upgrade treewright",
        )
    values = {name: value_from_json(value, f"params: `{name}`") for name, value in data.items()}
    for name, param in by_name.items():
        if param.in_older_files is not None:
            values.setdefault(name, param.in_older_files)
    for name, value in values.items():
        if isinstance(value, SavedFunction) and takes_functions(by_name[name]):
            continue
        try:
            by_name[name].check(value)
        except TreewrightError as error:
            raise ModelFileError(f"params: {error.args[0]}") from None
    return values


def takes_functions(param: Param) -> bool:
    """Whether a function may be given for a parameter, such as an impurity of the user's own."""
    return param.accepts is not None and param.accepts(value_to_json)


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
    if isinstance(value, set | frozenset):
        return sorted((value_to_json(item) for item in value), key=repr)
    if isinstance(value, SavedFunction):
        return {"function": value.name}
    if isinstance(value, TreeEstimator) and HOMES.get(type(value).__name__) == value.__module__:
        return {"estimator": [type(value).__name__, params_to_json(value)]}
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # where the generator stood is not part of the model
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
    if key == "function" and type(content) is str:
        return SavedFunction(content)
    if key == "pairs" and type(content) is list:
        return dict(_pair(entry, where) for entry in content)
    if key == "estimator" and type(content) is list and len(content) == 2:
        kind = estimator_named(content[0])
        return kind(**params_from_json(content[1], kind))
    raise ModelFileError(f"{where} holds an object that is not known")


def _pair(entry: Any, where: str) -> tuple[Any, Any]:
    if type(entry) is not list or len(entry) != 2 or isinstance(entry[0], list | dict):
        raise ModelFileError(f"{where} holds a pair that is none")
    return entry[0], value_from_json(entry[1], where)
