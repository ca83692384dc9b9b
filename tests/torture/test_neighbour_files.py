"""Files of models that are no tree, changed value by value with a checksum that fits.

What comes out of such a file is refused with a `ModelFileError`, or answers rows without harm.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw
from contracts.neighbours import fitted, for_every_model
from treewright.any_model.saved_model import model_bytes, model_from_bytes
from treewright.models.container import container_bytes, read_container

pytestmark = pytest.mark.filterwarnings("ignore")  # of the numbers of changed models

PLAIN = (None, True, -1, 0, 3, 2**40, 2**70, 0.5, 1e308, "", "x", [], [1], {}, {"x": 1})


def changed_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    """The array with values, a shape or a type that a fit would not give it."""
    yield array[:0]
    yield array[:-1]
    yield np.concatenate([array, array])
    yield array.astype(np.float32) if array.dtype.kind == "f" else array.astype(np.float64)
    yield array[..., None] if array.ndim < 3 else array[0]
    for value in (np.nan, -np.inf, 1e308, -1.0, 0.0, 7.0, 2.0**31, -(2.0**31)):
        if array.size and (array.dtype.kind == "f" or np.isfinite(value)):
            other = array.copy()
            with np.errstate(all="ignore"):
                other.flat[other.size // 2] = np.array(value).astype(array.dtype)
            yield other


def changed_values(value: Any, depth: int = 0) -> Iterator[Any]:
    """Plain values in the place of this one, or of something within it."""
    yield from PLAIN
    if depth > 3:
        return
    places = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        places = [(at, value[at]) for at in range(min(len(value), 2))]
    for place, inner in places:
        for other in list(changed_values(inner, depth + 1))[:: 2 + 3 * depth]:
            whole = copy.copy(value)
            whole[place] = other
            yield whole


def changed_files(content: bytes) -> Iterator[bytes]:
    """Files that differ in one value."""
    found = read_container(content)
    arrays = dict(found.arrays)
    for name, array in arrays.items():
        yield container_bytes(found.model, {key: arrays[key] for key in arrays if key != name})
        for other in changed_arrays(array):
            yield container_bytes(found.model, {**arrays, name: np.ascontiguousarray(other)})
    yield container_bytes(found.model, {**arrays, "more": np.zeros(2)})
    for key, value in found.model.items():
        for other in changed_values(value):
            yield container_bytes({**found.model, key: other}, arrays)


@for_every_model
def test_no_changed_value_does_harm(name):
    model, frame = fitted(name)
    rows = frame.iloc[:5]
    n_refused = n_sound = 0
    for content in changed_files(model_bytes(model)):
        try:
            loaded = model_from_bytes(content)
        except tw.ModelFileError:
            n_refused += 1
            continue
        try:
            assert len(loaded.predict(rows)) == len(rows)
            loaded.summary()
            loaded.explain(rows.iloc[0])
        except tw.TreewrightError:  # of columns that the file names otherwise
            pass
        n_sound += 1
    assert n_refused > n_sound
