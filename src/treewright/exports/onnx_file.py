"""ONNX: a graph that onnxruntime and other runtimes run.

Columns become doubles first: numbers as they are, levels as their positions. A walk of three-way
steps (`walk.py`) then finds the number of the answer to each row, by comparisons of doubles. Label
and probabilities are looked up by that number, so they are the model's to the last bit.
"""

import json
from typing import Any

import numpy as np

from treewright.data.schema import ColumnSpec
from treewright.errors import ExportError
from treewright.exports.field_names import class_type, field_names
from treewright.exports.onnx_graph import ML, Graph, TensorType
from treewright.exports.onnx_trial import ARRAY_INPUT, is_array, is_text, run
from treewright.exports.onnx_walk import answers_to_rows
from treewright.exports.program import Program, WeightedSum
from treewright.exports.walk import Walk, walk_of
from treewright.optional import optional_module

__all__ = ["run", "write"]

LARGEST_EXACT = 2**53  # whole numbers up to here are doubles


def write(program: Program, *, missing_text: str = "") -> bytes:
    """The model as the bytes of an ONNX file.

    Each column is an input of its own, (n_rows, 1), under its name; a model that was trained on an
    array has one input `X`, (n_rows, n_columns). Numbers are doubles, NaN where missing, and so are
    levels that are integers or booleans; other levels are strings, `missing_text` where missing.
    Outputs are the label and the probabilities, or the number.
    """
    onnx = optional_module("onnx", extra="onnx", purpose="export to ONNX")
    check_program(program, missing_text)
    walk = walk_of(program)
    inputs = inputs_of(program, onnx.TensorProto)
    graph = Graph(onnx, [name for name, *_ in inputs])
    matrix = matrix_of(graph, program, walk, missing_text)
    answer = answers_to_rows(graph, walk, matrix)
    outputs = add_outputs(graph, program, walk, answer)
    notes = {
        "title": program.title,
        "columns": json.dumps([spec.name for spec in program.columns]),
        "classes": json.dumps(program.classes),
    }
    return graph.file(inputs, outputs, notes)


# ---------------------------------------------------------------------------- refusals


def check_program(program: Program, missing_text: str) -> None:
    """Raise if ONNX cannot hold a name, a level or a class."""
    for spec in program.columns:
        check_text(spec.name, "the column name")
    for column in program.used_columns:
        check_levels(program.columns[column], missing_text)
    for label in program.classes or ():
        if isinstance(label, str):
            check_text(label, "the class")


def check_text(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(f"{what} {text!r} is not valid Unicode, as ONNX wants it") from error


def check_levels(spec: ColumnSpec, missing_text: str) -> None:
    for level in spec.levels:
        if isinstance(level, str):
            check_text(level, f"column `{spec.name}`: the level")
        elif abs(level) > LARGEST_EXACT:
            raise ExportError(
                f"column `{spec.name}`: the level {level} is no exact double",
                hint="train with these levels as strings",
            )
    if missing_text in spec.levels:
        raise ExportError(
            f"column `{spec.name}`: {missing_text!r} is a level, and stands for missing values",
            hint="`missing_text=` chooses another text for missing values",
        )


# ---------------------------------------------------------------------------- inputs


def inputs_of(program: Program, types: Any) -> list[TensorType]:
    """Name, type and shape of the inputs, in the order of the columns."""
    if is_array(program):
        return [(ARRAY_INPUT, types.DOUBLE, ("rows", len(program.columns)))]
    return [
        (name, types.STRING if is_text(spec) else types.DOUBLE, ("rows", 1))
        for name, spec in zip(field_names(program), program.columns, strict=True)
    ]


def matrix_of(graph: Graph, program: Program, walk: Walk, missing_text: str) -> str:
    """(n_rows, n): a double for each column, used or not, and each sum that the walk asks."""
    if is_array(program) and not walk.sums:
        return ARRAY_INPUT
    columns: list[str] = []
    names = field_names(program)
    for at, spec in enumerate(program.columns):
        if is_array(program):
            columns.append(graph.add("Gather", ARRAY_INPUT, graph.constant(np.array([at])), axis=1))
        elif spec.is_numeric:
            columns.append(names[at])
        elif at in program.used_columns:
            columns.append(positions(graph, names[at], spec, missing_text, program.unseen))
        else:
            columns.append(unused(graph, names[at]))
    columns += [summed(graph, columns, total) for total in walk.sums]
    return columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)


def unused(graph: Graph, name: str) -> str:
    """Zeros in the place of a column that nothing asks."""
    return graph.add("Expand", graph.constant(np.zeros((1, 1))), graph.add("Shape", name))


def positions(graph: Graph, name: str, spec: ColumnSpec, missing_text: str, unseen: str) -> str:
    """The position of each level as a double, NaN for missing.

    An unseen level is one entry beyond the end of the last table if it is to be an error: a
    lookup there makes every runtime stop.
    """
    n_levels = len(spec.levels)
    as_number: dict[str, list[float]] = {"missing": [np.nan], "majority": [n_levels], "error": []}
    table = np.array([*range(n_levels), np.nan, *as_number[unseen]], dtype=np.float64)
    if is_text(spec):
        keys: Any = [*map(str, spec.levels), missing_text]
    else:
        keys = np.array(spec.levels, dtype=np.float64)
    place = graph.add(
        "LabelEncoder",
        name,
        domain=ML,
        keys_tensor=graph.tensor(keys),
        values_tensor=graph.tensor(np.arange(len(keys), dtype=np.float64)),
        default_tensor=graph.tensor(np.array([n_levels + 1.0])),
    )
    if not is_text(spec):
        at_missing = graph.constant(np.array(float(n_levels)))
        place = graph.add("Where", graph.add("IsNaN", name), at_missing, place)
    place = graph.add("Cast", place, to=graph.onnx.TensorProto.INT64)
    return graph.add("Gather", graph.constant(table), place)


def summed(graph: Graph, columns: list[str], total: WeightedSum) -> str:
    """weight * value added up from the left; NaN only where a value is missing."""
    added, unknown = "", ""
    for column, weight in total.terms:
        term = graph.add("Mul", columns[column], graph.constant(np.array(weight)))
        missing = graph.add("IsNaN", columns[column])
        added = graph.add("Add", added, term) if added else term
        unknown = graph.add("Or", unknown, missing) if unknown else missing
    # Infinities that cancel are above every threshold.
    known = graph.add("Where", graph.add("IsNaN", added), graph.constant(np.array(np.inf)), added)
    return graph.add("Where", unknown, graph.constant(np.array(np.nan)), known)


# ---------------------------------------------------------------------------- outputs


def add_outputs(graph: Graph, program: Program, walk: Walk, answer: str) -> list[TensorType]:
    """Lookups by the number of the answer: the label and the probabilities, or the number."""
    types = graph.onnx.TensorProto
    values = graph.constant(walk.values)
    if program.classes is None:
        output = graph.add_as("value", "Gather", values, answer)
        return [(output, types.DOUBLE, ("rows", 1))]
    own_type = class_type(program)
    assert own_type is not None
    labels: Any = [program.classes[at] for at in walk.label]
    if own_type is not str:
        labels = np.array(labels)
    label = graph.add_as("label", "Gather", graph.constant(labels), answer)
    shares = graph.add_as("probabilities", "Gather", values, answer)
    label_types = {str: types.STRING, int: types.INT64, bool: types.BOOL, float: types.DOUBLE}
    return [
        (label, label_types[own_type], ("rows",)),
        (shares, types.DOUBLE, ("rows", len(program.classes))),
    ]
