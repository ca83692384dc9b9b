"""What the file of a model that is no tree holds: parameters and what was learnt, checked.

As with the files of trees nothing in a file is executed, and what comes out could have been written
here.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.schema_json import with_keys
from treewright.distinct import distinct
from treewright.errors import ModelFileError
from treewright.models.container import Container, container_bytes, read_container
from treewright.models.learned_estimator import Learned, LearnedEstimator
from treewright.models.learned_kinds import Arrays, Kind
from treewright.models.state_json import (
    class_type,
    classes_of,
    params_from_json,
    params_to_json,
    target_from_json,
)
from treewright.tree.as_json import classes_from

# Estimators that such a file may hold, and where they live.
HOMES: dict[str, str] = {
    "CandidateElimination": "treewright.concepts.candidate_elimination",
    "FindS": "treewright.concepts.find_s",
    "M5Regressor": "treewright.model_trees.m5",
    "KMeans": "treewright.clustering.kmeans",
    "KPrototypes": "treewright.clustering.kprototypes",
    "GradientDescentRegressor": "treewright.linear.regressor",
    "GradientDescentClassifier": "treewright.linear.classifier",
    "KNeighborsClassifier": "treewright.neighbors.classifier",
    "KNeighborsRegressor": "treewright.neighbors.regressor",
}
COMMON_KEYS = {"class_type", "classes", "schema", "notes", "target"}
LEARNED = "learned"


def learned_bytes(model: LearnedEstimator) -> bytes:
    """The content of the file of a fitted model."""
    kind = type(model)
    if HOMES.get(kind.__name__) != kind.__module__:
        raise ModelFileError(
            f"a model file cannot hold a {kind.__module__}.{kind.__qualname__}",
            hint=f"it can hold {', '.join(HOMES)}",
        )
    entry, arrays = learned_parts(model)
    head = {"estimator": kind.__name__, "params": params_to_json(model)}
    return container_bytes(head | entry, arrays)


def is_learned(found: Container) -> bool:
    """Whether a file names one of the estimators that are no trees."""
    name = found.model.get("estimator") if type(found.model) is dict else None
    return type(name) is str and name in HOMES


def learned_from(found: Container) -> LearnedEstimator:
    """The model in a file that `is_learned`."""
    keys = {"estimator", "params", LEARNED, *COMMON_KEYS}
    entry = with_keys(found.model, keys, "model")
    name = entry["estimator"]
    kind: type[LearnedEstimator] = getattr(import_module(HOMES[name]), name)
    model = kind(**params_from_json(entry["params"], kind))
    take_on_parts(model, entry, found.arrays)
    return model


def fitted_bytes(model: LearnedEstimator) -> bytes:
    """What was learnt alone, for pickles, which keep parameters as they are."""
    return container_bytes(*learned_parts(model))


def take_on_fitted_bytes(model: LearnedEstimator, content: bytes) -> None:
    """Become fitted as the model was that `fitted_bytes` wrote."""
    found = read_container(content)
    take_on_parts(model, with_keys(found.model, {LEARNED, *COMMON_KEYS}, "model"), found.arrays)


def learned_parts(model: LearnedEstimator) -> tuple[dict[str, Any], Arrays]:
    """What was learnt as JSON values and arrays."""
    learned = model._learned()
    arrays: Arrays = {}
    values: dict[str, Any] = {}
    for name, kind in model.learns.items():
        value = learned.values[name]
        check_kind(name, kind, value)
        if not kind.is_array:
            values[name] = kind.to_json(value)
        elif value is not None:
            arrays[name] = value
    common = common_to_json(learned.schema, learned.classes, learned.notes, learned.target_name)
    return {**common, LEARNED: values}, arrays


def take_on_parts(model: LearnedEstimator, entry: Mapping[str, Any], arrays: Arrays) -> None:
    """Become fitted by what `learned_parts` gave."""
    schema, classes, notes, target = common_from_json(entry)
    values = values_from(entry[LEARNED], arrays, model.learns)
    if (classes is not None) != hasattr(model, "predict_proba"):
        name = type(model).__name__
        raise ModelFileError(f"model: {name} with classes, or without those it needs")
    model._take_on(Learned(schema, values, classes, notes, target))
    model._check_learned()


def values_from(data: object, arrays: Arrays, learns: Mapping[str, Kind]) -> dict[str, Any]:
    """The attributes that a model learns, all of them and of their kinds."""
    plain = {name for name, kind in learns.items() if not kind.is_array}
    entry = with_keys(data, plain, LEARNED)
    unknown = [name for name in arrays if name not in learns or name in plain]
    if unknown:
        raise ModelFileError(f"{LEARNED}: array `{unknown[0][:50]}` is not known")
    values: dict[str, Any] = {}
    for name, kind in learns.items():
        value = arrays.get(name) if kind.is_array else kind.from_json(entry[name])
        check_kind(name, kind, value)
        values[name] = value
    return values


def check_kind(name: str, kind: Kind, value: Any) -> None:
    """Raise unless a value is of its kind."""
    if not kind.is_one(value):
        raise ModelFileError(f"{LEARNED}: `{name}` is not {kind.words}")


def common_to_json(
    schema: Schema, classes: NDArray[Any] | None, notes: tuple[str, ...], target: str | None
) -> dict[str, Any]:
    """What models of every kind know: columns, classes, notes, the name of the target."""
    return {
        "class_type": None if classes is None else class_type(classes),
        "classes": None if classes is None else classes.tolist(),
        "schema": schema.to_json(),
        "notes": list(notes),
        "target": target,
    }


def common_from_json(
    entry: Mapping[str, Any],
) -> tuple[Schema, NDArray[Any] | None, tuple[str, ...], str | None]:
    """What `common_to_json` wrote."""
    notes = entry["notes"]
    if type(notes) is not list or not all(type(note) is str for note in notes):
        raise ModelFileError("model: `notes` is not a list of strings")
    target = target_from_json(entry["target"])
    schema = Schema.from_json(entry["schema"])
    classes = classes_of(classes_from(entry["classes"]), entry["class_type"])
    if classes is not None and len(distinct(classes)) != len(classes):
        raise ModelFileError("model: a class occurs twice")
    return schema, classes, tuple(notes), target
