"""Sound model files of every kind, to be spoilt: the golden files of this release."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from golden import files
from treewright.persistence.container import container_bytes, read_container
from treewright.persistence.file_text import document, model_in
from treewright.verbs.load import model_bytes, model_from_bytes

TEXT, CONTAINER = ".json", ".tw"
ALL_NAMES = [folder.name for folder in files.models_of(tw.__version__)]


def folder_of(name: str) -> Path:
    return files.FOLDER / tw.__version__ / name


@cache
def content_of(name: str) -> bytes:
    return files.model_file(folder_of(name)).read_bytes()


def is_text(name: str) -> bool:
    return files.model_file(folder_of(name)).suffix == TEXT


@dataclass(frozen=True)
class Parts:
    """What a file holds: JSON values, and arrays if it is a container."""

    model: dict[str, Any]
    arrays: dict[str, Any] | None

    def to_bytes(self) -> bytes:
        """A file of these parts, with the checksum that fits."""
        if self.arrays is None:
            return document(self.model)
        return container_bytes(self.model, self.arrays)

    def with_value(self, path: tuple[Any, ...], value: object) -> "Parts":
        """The parts with another value where `path` leads."""
        model = copy.copy(self.model)
        inner: Any = model
        for step in path[:-1]:
            inner[step] = copy.copy(inner[step])
            inner = inner[step]
        inner[path[-1]] = value
        return Parts(model, self.arrays)

    def with_array(self, name: str, array: Any) -> "Parts":
        return Parts(self.model, {**(self.arrays or {}), name: array})

    def without_array(self, name: str) -> "Parts":
        arrays = self.arrays or {}
        return Parts(self.model, {other: arrays[other] for other in arrays if other != name})


def parts_of(name: str) -> Parts:
    if is_text(name):
        return Parts(model_in(content_of(name)), None)
    found = read_container(content_of(name))
    return Parts(found.model, dict(found.arrays))


@cache
def one_of_each_kind() -> list[str]:
    """The smallest file of each estimator, of rules, and of each form of trees."""
    smallest: dict[tuple[Any, ...], str] = {}
    for name in sorted(ALL_NAMES, key=lambda name: len(content_of(name))):
        model = parts_of(name).model
        form = model["trees"]["form"] if "trees" in model else None
        smallest.setdefault((model["estimator"], form, "tree" in model), name)
    return sorted(smallest.values())


TEXTS = [name for name in one_of_each_kind() if is_text(name)]
CONTAINERS = [name for name in one_of_each_kind() if not is_text(name)]

for_every_kind = pytest.mark.parametrize("name", one_of_each_kind())
for_every_text = pytest.mark.parametrize("name", TEXTS)
for_every_container = pytest.mark.parametrize("name", CONTAINERS)


def refused(content: bytes) -> str:
    """The message for a file that must not be read."""
    with pytest.raises(tw.ModelFileError) as caught:
        model_from_bytes(content)
    return str(caught.value)


def refused_or_sound(name: str, content: bytes) -> bool:
    """Whether a file is refused; what is read answers rows, and can be saved and read again."""
    try:
        model = model_from_bytes(content)
    except tw.ModelFileError:
        return True
    saved = model_bytes(model)
    assert model_bytes(model_from_bytes(saved)) == saved
    rows = files.rows_in(folder_of(name))
    n_rows = len(next(iter(rows.values()))) if isinstance(rows, dict) else len(rows)
    try:
        assert len(model.predict(rows)) == n_rows
        str(model.summary() if hasattr(model, "summary") else model)
        str(model.explain(first_row(rows)))
    except tw.TreewrightError:
        pass  # of columns that the file names otherwise, or of a function that it only names
    return False


def first_row(rows: Any) -> Any:
    if isinstance(rows, dict):
        return {name: values[0] for name, values in rows.items()}
    return rows[0]


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to every value in JSON; of long lists only to the first and the last."""
    if path:
        yield path
    steps: Any = value.keys() if isinstance(value, dict) else ()
    if isinstance(value, list):
        steps = sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value))))
    for step in steps:
        yield from places_in(value[step], (*path, step))
