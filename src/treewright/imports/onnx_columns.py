"""The columns that the trees of an ONNX graph compare.

Numbers are followed through the graph. Of a column of categories, every category is tried: the
graph computes what the trees see of it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec
from treewright.errors import ModelFileError
from treewright.imports.foreign import (
    Ints,
    UnsupportedError,
)
from treewright.imports.onnx_graph import (
    DOUBLE,
    FLOAT,
    STRING,
    Attribute,
    Graph,
    GraphError,
    GraphInput,
    GraphNode,
    Tensor,
    compute,
    keys_of,
    tensor_in,
)

MOST_COLUMNS = 200_000
MOST_NOTES = 10_000_000  # characters
ASKING = {"LabelEncoder", "IsNaN", "Shape"}  # what a column of categories may go through


@dataclass(slots=True, eq=False)
class InputColumn:
    """A column of the rows that a graph takes."""

    name: str
    given: GraphInput
    levels: tuple[Any, ...] = ()  # categories; numbers if there are none
    missing_text: str = ""  # stands for a missing category
    unseen: str = ""  # what an unknown category is
    is_array: bool = False  # its input has all columns, which have no names


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """What the trees compare: a number, or a number for each category of a column."""

    column: int
    by_level: Floats | None = None


def columns_of(graph: Graph, n_before: int) -> list[InputColumn]:
    """The columns; one input of several columns is an array."""
    names = listed(graph, "columns")
    if len(graph.inputs) == 1 and is_array(graph, names):
        given = graph.inputs[0]
        n_columns = given.n_columns
        if n_columns is None:
            ids = wholes_in(graph.nodes[n_before].attributes, "nodes_featureids")
            n_columns = int(ids.max(initial=0)) + 1
        if not 0 < n_columns <= MOST_COLUMNS:
            raise ModelFileError(f"{n_columns} columns")
        return [InputColumn(f"x{at}", given, is_array=True) for at in range(n_columns)]
    if not 0 < len(graph.inputs) <= MOST_COLUMNS:
        raise ModelFileError(f"{len(graph.inputs)} inputs")
    if len(names) != len(graph.inputs):
        names = [one.name for one in graph.inputs]
    if len(set(names)) != len(names):
        raise ModelFileError("the names of the columns are not different texts")
    for one in graph.inputs:
        if one.n_columns != 1:
            raise UnsupportedError(f"the input `{one.name[:50]}` of several has not one column")
    return [InputColumn(name, given) for name, given in zip(names, graph.inputs, strict=True)]


def listed(graph: Graph, name: str) -> list[str]:
    """Names of columns that the file notes; [] without such a note."""
    try:
        found = json.loads(graph.properties.get(name, "")[:MOST_NOTES])
    except (ValueError, RecursionError):
        return []
    is_list = type(found) is list and all(type(one) is str for one in found)
    return found if is_list else []


def is_array(graph: Graph, names: Sequence[str]) -> bool:
    """Whether the only input is an array, not a table of one column."""
    given = graph.inputs[0]
    return given.element != STRING and (given.n_columns != 1 or names != [given.name])


class Features:
    """What the trees compare, followed from the columns through the graph."""

    def __init__(self, graph: Graph, n_before: int, columns: list[InputColumn]) -> None:
        self.graph, self.before, self.columns = graph, graph.nodes[:n_before], columns
        self.known: dict[str, list[Feature]] = {}
        # The input that a tensor depends on; "" where these are several.
        self.depends: dict[str, str | None] = dict.fromkeys(graph.constants)
        self.place = {one.given.name: at for at, one in enumerate(columns)}
        self.tries: dict[str, Tries] = {}
        for at, one in enumerate(columns):
            self.known.setdefault(one.given.name, []).append(Feature(at))
            self.depends[one.given.name] = one.given.name
        for node in self.before:
            if node.outputs and all(name in self.depends for name in node.inputs):
                on = {self.depends[name] for name in node.inputs} - {None}
                self.depends[node.outputs[0]] = "" if len(on) > 1 else on.pop() if on else None
                self.follow(node)

    def follow(self, node: GraphNode) -> None:
        """Find the features that an operation chooses or puts together."""
        axis, found = whole(node.attributes, "axis", 0), None
        own = self.known.get(node.inputs[0]) if node.inputs else None
        if node.kind == "Concat" and axis == 1:
            found = [one for name in node.inputs for one in self.parts(name)]
            if len(found) > MOST_COLUMNS:
                raise UnsupportedError(f"the trees compare more than {MOST_COLUMNS:,} columns")
        elif own is not None and node.kind == "Gather" and axis == 1:
            places = self.graph.constants.get(node.inputs[-1])
            wanted = [-1] if places is None else places.ravel().tolist()
            if not all(type(one) is int and 0 <= one < len(own) for one in wanted):
                raise ModelFileError("no such column")
            found = [own[one] for one in wanted]
        elif own is not None:
            types = {self.columns[one.column].given.element for one in own}
            is_same = node.kind == "Cast" and types == {whole(node.attributes, "to", 0)}
            found = own if is_same or node.kind == "Identity" else None
        if found is not None:
            self.known[node.outputs[0]] = found

    def parts(self, name: str) -> list[Feature]:
        """The features that a tensor has, one in each column."""
        if name in self.known:
            return self.known[name]
        of = self.depends.get(name)
        if not of:
            raise UnsupportedError(
                "the trees compare something else than columns, such as weighted sums of them"
            )
        if of not in self.tries:
            self.tries[of] = Tries(self.graph, self.before, self.columns[self.place[of]])
        return [Feature(self.place[of], one) for one in self.tries[of].numbers(name)]

    def of(self, name: str) -> list[Feature]:
        """The features that the trees see; texts for missing values are no categories."""
        found = self.parts(name)
        kept = {self.place[of]: own.kept() for of, own in self.tries.items()}
        return [
            one if one.by_level is None else Feature(one.column, one.by_level[kept[one.column]])
            for one in found
        ]


class Tries:
    """All categories of a column, tried in the graph."""

    def __init__(self, graph: Graph, before: Sequence[GraphNode], column: InputColumn) -> None:
        self.graph, self.before, self.column = graph, before, column
        self.is_text = column.given.element == STRING
        self.names: list[str] = []  # the tensors that the trees see
        self.keys: list[Any] = []
        name = column.given.name
        readers = [node for node in before if name in node.inputs]
        if column.given.n_columns != 1 or not {node.kind for node in readers} <= ASKING:
            raise self.error("is computed in an unknown way")
        for node in readers:
            if node.kind == "LabelEncoder":
                self.keys += keys_of(node.attributes).tolist()
        kind = str if self.is_text else float
        if not all(type(one) is kind for one in self.keys) or len({*self.keys}) != len(self.keys):
            raise self.error("has categories of another type")
        nothing = [] if self.is_text else [np.nan]
        self.found = self.tried([*self.keys, *nothing] or [""])

    def error(self, problem: str) -> UnsupportedError:
        return UnsupportedError(f"the column `{self.column.name[:50]}` {problem}")

    def tried(self, given: Sequence[Any]) -> dict[str, Tensor]:
        """What becomes of some values."""
        rows = np.array([[one] for one in given], dtype=object if self.is_text else np.float64)
        values = {**self.graph.constants, self.column.given.name: rows}
        compute(self.before, values)
        return values

    def numbers(self, name: str) -> Floats:
        """(n_numbers, n_keys): what the trees see of each category."""
        found = self.found.get(name)
        n_rows = len(self.found[self.column.given.name])
        if found is None or found.ndim != 2 or len(found) != n_rows or found.dtype.kind != "f":
            raise self.error("is computed in an unknown way")
        self.names.append(name)
        return found[: len(self.keys)].T.astype(np.float64)

    def kept(self) -> Ints:
        """The keys that are categories; also finds what is missing, and what is unknown."""
        column, keys = self.column, self.keys
        if not keys:
            return np.zeros(0, dtype=np.int64)
        seen = np.concatenate([self.found[name] for name in self.names], axis=1)
        is_missing = np.isnan(seen).all(axis=1)
        unknown: Any = unknown_key(keys)
        if self.is_text:
            kept = np.flatnonzero(~is_missing)
            if len(kept) < len(keys) - 1:
                raise self.error("has several texts for missing values")
            column.missing_text = unknown if len(kept) == len(keys) else keys[is_missing.argmax()]
        else:
            kept, unknown = np.arange(len(keys)), float(max(keys)) + 1.0
            if not is_missing[-1] or not all(float(one).is_integer() for one in keys):
                raise self.error("has categories that are not whole numbers, or missing ones")
        levels = [keys[at] for at in kept.tolist()]
        column.levels = tuple(levels if self.is_text else map(int, levels))
        if {*column.levels} <= {0, 1} and column.name in listed(self.graph, "booleans"):
            column.levels = tuple(map(bool, column.levels))
        try:
            after = self.tried([unknown])
        except GraphError:
            column.unseen = "error"
            return kept
        column.unseen = "missing"
        if not all(np.isnan(after[name]).all() for name in self.names):
            raise self.error("sends unknown categories to a branch of their own")
        return kept


def spec_of(column: InputColumn, comparison: Comparison) -> ColumnSpec:
    if column.levels:
        return ColumnSpec(column.name, "nominal", column.levels)
    return ColumnSpec(column.name, "numeric", comparison=comparison)


def feed_of(columns: Sequence[InputColumn], kept: Sequence[int], rows: Floats) -> dict[str, Tensor]:
    """The rows as the inputs of the graph."""
    dtype = {FLOAT: np.float32, DOUBLE: np.float64}
    if columns[0].is_array:
        first = columns[0].given
        return {first.name: rows.astype(dtype.get(first.element, np.float64))}
    found: dict[str, Tensor] = {}
    for one in columns:
        nothing = one.missing_text if one.given.element == STRING else np.nan
        own_type = object if one.given.element == STRING else dtype[one.given.element]
        found[one.given.name] = np.full((len(rows), 1), nothing, dtype=own_type)
    for place, at in enumerate(kept):
        one, own = columns[at], rows[:, place]
        if not one.levels:
            found[one.given.name] = own[:, None].astype(dtype[one.given.element])
            continue
        is_text = one.given.element == STRING
        unknown = unknown_key(one.levels) if is_text else float(max(one.levels)) + 1.0
        keys = np.array(
            [*one.levels, unknown, one.missing_text if is_text else np.nan],
            dtype=object if is_text else np.float64,
        )
        codes = np.where(np.isnan(own), len(keys) - 1, own).astype(np.int64)
        found[one.given.name] = keys[codes][:, None]
    return found


Own = Mapping[str, Attribute]


def whole(own: Own, name: str, default: int) -> int:
    """A whole number among the attributes."""
    found = wholes_in(own, name).tolist() if name in own else [default]
    if len(found) != 1:
        raise ModelFileError(f"`{name}` is not one number")
    return int(found[0])


def wholes_in(own: Own, name: str, n: int | None = None) -> Ints:
    """Whole numbers among the attributes."""
    found = np.array(own[name].wholes if name in own else [], dtype=np.int64)
    if n is not None and len(found) != n:
        raise ModelFileError(f"`{name}` has {len(found)} numbers, not {n}")
    return found


def flags_in(own: Own, name: str, n: int) -> NDArray[np.bool_]:
    """Flags, 0 or 1."""
    found = wholes_in(own, name, n)
    if not np.isin(found, (0, 1)).all():
        raise ModelFileError(f"`{name}` has a number other than 0 and 1")
    return np.asarray(found == 1)


def numbers_in(own: Own, name: str, kinds: str) -> Tensor:
    tensor = own[name].tensor if name in own else None
    if tensor is None:
        raise ModelFileError(f"`{name}` is missing")
    found = tensor_in(tensor)[1].ravel()
    if found.dtype.kind not in kinds:
        raise ModelFileError(f"`{name}` is a tensor of another type")
    return found


def unknown_key(keys: Sequence[Any]) -> str:
    """A text that is not among some."""
    return max(map(str, keys), key=len) + "?"
