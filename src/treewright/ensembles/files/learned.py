"""What a fit learns beside trees, as the JSON values and arrays of a file."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.ensembles.boosting.links import LINK_NAMES
from treewright.ensembles.rows_hash import HASH_DIGITS
from treewright.errors import ModelFileError
from treewright.models.state_json import value_from_json, value_to_json

Arrays = dict[str, NDArray[Any]]


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number that is not negative."""
    return type(value) is int and value >= 0


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return type(value) is float and math.isfinite(value)


def is_score(value: Any) -> bool:
    """Whether a value is a number, which squares of very large numbers may have made NaN."""
    return type(value) is float


def is_hash(value: Any) -> bool:
    """Whether a value is what `hash_of` gives."""
    is_text = isinstance(value, str) and len(value) == HASH_DIGITS
    return is_text and set(value) <= set("0123456789abcdef")


def is_finite(value: Any, n_axes: int = 1) -> bool:
    """Whether a value is an array of finite floats."""
    is_array = isinstance(value, np.ndarray) and value.dtype == np.float64
    return is_array and value.ndim == n_axes and bool(np.isfinite(value).all())


def is_floats(value: Any, n_axes: int) -> bool:
    """Whether a value is an array of floats, which may have holes."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == n_axes


def is_nodes(value: Any) -> bool:
    """Whether a value holds the number of a node for each row and tree."""
    is_array = isinstance(value, np.ndarray) and value.dtype == np.int32
    return is_array and value.ndim == 2 and bool((value >= 0).all())


def is_positions(value: Any) -> bool:
    """Whether a value holds the numbers of rows, each once, in order."""
    is_array = isinstance(value, np.ndarray) and value.dtype == np.int64
    return is_array and value.ndim == 1 and bool((np.diff(value, prepend=-1) > 0).all())


DRAWINGS = ("all_rows", "with_replacement", "without_replacement")

# Attributes that estimators learn, and what they may be.
KINDS: dict[str, Callable[[Any], bool]] = {
    "seed_": is_whole,
    "start_": is_finite,
    "link_": lambda value: isinstance(value, str) and value in LINK_NAMES,
    "learning_rate_": is_number,
    "validation_losses_": lambda value: is_floats(value, n_axes=1),
    "n_rows_": is_whole,
    "n_drawn_": is_whole,
    "drawing_": lambda value: isinstance(value, str) and value in DRAWINGS,
    "positions_": is_positions,
    "offset_": is_number,
    "oob_score_": is_score,
    "rows_hash_": is_hash,
    "oob_decision_function_": lambda value: is_floats(value, n_axes=2),
    "oob_prediction_": lambda value: is_floats(value, n_axes=1),
    "training_leaves_": is_nodes,
    "training_targets_": is_finite,
    "training_weights_": lambda value: value is None or is_finite(value),
}
# Those that no fitted model lacks, if it learns such a thing.
ALWAYS = {
    "seed_",
    "start_",
    "link_",
    "learning_rate_",
    "n_rows_",
    "n_drawn_",
    "drawing_",
    "offset_",
    "rows_hash_",
}


def learned_to_json(learned: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
    """Small values as JSON, arrays apart; only what `learned_from` will take."""
    check_kinds(learned)
    arrays = {name: value for name, value in learned.items() if isinstance(value, np.ndarray)}
    rest = {name: value_to_json(learned[name]) for name in learned if name not in arrays}
    return rest, arrays


def learned_from(data: object, arrays: Arrays, known: Sequence[str]) -> dict[str, Any]:
    """What `learned_to_json` wrote; only attributes that the estimator learns, of their types."""
    if type(data) is not dict:
        raise ModelFileError("learned: not an object with keys")
    found: dict[str, Any] = {
        name: value_from_json(value, f"learned: `{name[:50]}`") for name, value in data.items()
    }
    for name in (*found, *arrays):
        if name not in known or (name in found and name in arrays):
            raise ModelFileError(f"learned: `{name[:50]}` is not known, or occurs twice")
    found |= arrays
    missing = sorted(ALWAYS & set(known) - set(found))
    if missing:
        raise ModelFileError(f"learned: `{missing[0]}` is missing")
    check_kinds(found)
    return found


def check_kinds(learned: Mapping[str, Any]) -> None:
    """Raise unless everything is what a fit learns."""
    for name, value in learned.items():
        if not KINDS[name](value):
            raise ModelFileError(f"learned: `{name}` is not what a fit learns")
