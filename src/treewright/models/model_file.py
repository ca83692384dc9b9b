"""Model files: one estimator as JSON text, checked before a single row is predicted.

Nothing in a file is ever executed, and no file names another: files from strangers are safe.
"""

import os
from typing import Any

from treewright.atomic_file import write_file
from treewright.data.schema_json import with_keys
from treewright.errors import ModelFileError
from treewright.models.base import FittedState, TreeEstimator
from treewright.models.file_text import document, model_in
from treewright.models.homes import HOMES, estimator_named
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


def save_model(model: TreeEstimator | RuleSet, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator or its rules to `path`, all of it or nothing."""
    write_file(path, model_bytes(model))


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
    kind = estimator_named(entry["estimator"])
    name = kind.__name__
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
