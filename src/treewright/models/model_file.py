"""Model files: one estimator as JSON text, checked before a single row is predicted.

Nothing in a file is ever executed, and no file names another: files from strangers are safe.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from treewright.atomic_file import write_file
from treewright.data.schema_json import with_keys
from treewright.errors import ModelFileError
from treewright.models.base import FittedState, TreeEstimator
from treewright.models.file_text import document, model_in
from treewright.models.rule_set import RuleSet
from treewright.models.rule_set_file import NAME as RULE_SET
from treewright.models.rule_set_file import rule_set_from_json, rule_set_to_json
from treewright.models.state_json import (
    params_from_json,
    params_to_json,
    state_from_json,
    state_keys_in,
    state_to_json,
)

# Estimators that a file may hold, and where they live.
HOMES = {
    "ID3Classifier": "treewright.models.id3",
    "C45Classifier": "treewright.models.c45",
    "C45Rules": "treewright.models.c45_rules",
    "CARTClassifier": "treewright.models.cart",
    "CARTRegressor": "treewright.models.cart",
    "TreeClassifier": "treewright.models.general",
    "TreeRegressor": "treewright.models.general",
}


def save_model(model: TreeEstimator | RuleSet, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator or its rules to `path`, all of it or nothing."""
    write_file(path, model_bytes(model))


def load(path: str | os.PathLike[str]) -> Any:
    """The estimator, or the rules, that `save` wrote to `path`.

    A file that is not a sound model of this or an earlier version is a `ModelFileError`.
    """
    try:
        return model_from_bytes(Path(path).read_bytes())
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error.args[0]}", hint=error.hint) from None


def model_bytes(model: TreeEstimator | RuleSet) -> bytes:
    """The content of the file of a fitted estimator, or of rules."""
    if isinstance(model, RuleSet):
        return document(rule_set_to_json(model))
    kind = type(model)
    if HOMES.get(kind.__name__) != kind.__module__:
        raise ModelFileError(
            f"a model file cannot hold a {kind.__module__}.{kind.__qualname__}",
            hint=f"it can hold {', '.join(HOMES)}",
        )
    state = state_to_json(model._state())
    return document({"estimator": kind.__name__, "params": params_to_json(model), **state})


def model_from_bytes(content: bytes) -> Any:
    """The estimator, or the rules, in the content of a file."""
    data = model_in(content)
    if type(data) is dict and data.get("estimator") == RULE_SET:
        return rule_set_from_json(data)
    state_keys = state_keys_in(data)
    entry = with_keys(data, {"estimator", "params", *state_keys}, "model")
    name = entry["estimator"]
    if type(name) is not str or name not in HOMES:
        raise ModelFileError(f"model: `estimator` is {name!r}, which is not known")
    kind: type[TreeEstimator] = getattr(import_module(HOMES[name]), name)
    model = kind(**params_from_json(entry["params"], kind))
    state = state_from_json({key: entry[key] for key in state_keys})
    if (state.classes is not None) != hasattr(kind, "predict_proba"):
        raise ModelFileError(f"model: {name} and its tree predict different things")
    if kind.cuts_columns:
        fits = all(spec.kind == "nominal" for spec in state.tree.schema.columns)
    else:
        fits = state.schema is state.tree.schema
    if not fits:
        raise ModelFileError(f"model: {name} and what was cut in advance do not fit")
    if (state.rules is not None) != kind.answers_by_rules:
        raise ModelFileError(f"model: {name} with rules, or without those it needs")
    model._take_on(state)
    return model


def fitted_text(state: FittedState) -> bytes:
    """A fitted state alone, for pickles, which keep parameters as they are."""
    return document(state_to_json(state))


def read_fitted_text(content: bytes) -> FittedState:
    """The state that `fitted_text` wrote."""
    return state_from_json(model_in(content))
