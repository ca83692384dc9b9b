"""ONNX: a graph that onnxruntime and other runtimes run.

Columns become doubles: numbers as they are, levels as their positions. A walk of three-way steps
(`walk.py`) finds the number of the prediction for each row by comparing doubles. Label and
probabilities are looked up by that number, so they equal the model's to the last bit. If rows are
spread over leaves in too many ways for that, their shares are added up (`onnx_graph.py`).
"""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.files.onnx_graph import (
    ML,
    Graph,
    TensorType,
    chosen_classes,
    prediction_numbers,
    values_by_shares,
)
from treewright.exports.files.walk import TooManyCasesError, Walk, walk_of
from treewright.exports.files.xml_text import class_type, field_names
from treewright.exports.program import Exported, Predictions, Program, WeightedSum
from treewright.optional import optional_module

ARRAY_INPUT = "X"  # of a model that was trained on an array
MAX_SPREAD_STEPS = 5_000  # of a walk; with more, shares are added up
LARGEST_EXACT = 2**53  # whole numbers up to here are doubles


def write(program: Program, *, missing_text: str = "") -> bytes:
    """The model as the bytes of an ONNX file.

    Each column is an input of shape (n_rows, 1) with its name; a model that was trained on an array
    has one input `X` of shape (n_rows, n_columns). Numbers, and levels that are integers or
    booleans, are doubles, NaN if missing; other levels are strings, `missing_text` if missing. The
    outputs are the label and the probabilities, or the number.
    """
    onnx = optional_module("onnx", extra="onnx", purpose="export to ONNX")
    check_program(program, missing_text)
    inputs = inputs_of(program, onnx.TensorProto)
    graph = Graph(onnx, [name for name, *_ in inputs])
    try:
        walk = walk_of(program, MAX_SPREAD_STEPS)
    except TooManyCasesError:
        values, classes = add_shares(graph, program, missing_text)
    else:
        values, classes = add_walk(graph, program, walk, missing_text)
    outputs = add_outputs(graph, program, values, classes)
    return graph.file(inputs, outputs, notes_on(program))


def notes_on(program: Exported) -> dict[str, str]:
    """What the file says of itself."""
    return {
        "title": program.title,
        "columns": json.dumps([spec.name for spec in program.columns]),
        # As doubles they look like the integers 0 and 1.
        "booleans": json.dumps(
            [spec.name for spec in program.columns if spec.level_type == "boolean"]
        ),
        "classes": json.dumps(program.classes),
    }


# ---------------------------------------------------------------------------- what ONNX cannot hold


def check_program(program: Exported, missing_text: str) -> None:
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
        raise ExportError(f"{what} {text!r} is not valid Unicode, which ONNX requires") from error


def check_levels(spec: ColumnSpec, missing_text: str) -> None:
    for level in spec.levels:
        if isinstance(level, str):
            check_text(level, f"column `{spec.name}`: the level")
        elif abs(level) > LARGEST_EXACT:
            raise ExportError(
                f"column `{spec.name}`: the level {level} is not exact as a double",
                hint="train with these levels as strings",
            )
    if missing_text in spec.levels:
        raise ExportError(
            f"column `{spec.name}`: {missing_text!r} is a level, but means a missing value",
            hint="`missing_text=` sets another text for missing values",
        )


# ---------------------------------------------------------------------------- inputs


def is_array(program: Exported) -> bool:
    """Whether all columns come as one matrix."""
    schema = program.schema
    return not schema.has_names and all(spec.is_numeric for spec in schema.columns)


def is_text(spec: ColumnSpec) -> bool:
    """Whether the column comes as strings, not as doubles."""
    return not spec.is_numeric and spec.level_type not in ("integer", "boolean")


def inputs_of(program: Exported, types: Any) -> list[TensorType]:
    """Name, type and shape of the inputs, in the order of the columns."""
    if is_array(program):
        return [(ARRAY_INPUT, types.DOUBLE, ("rows", len(program.columns)))]
    return [
        (name, types.STRING if is_text(spec) else types.DOUBLE, ("rows", 1))
        for name, spec in zip(field_names(program), program.columns, strict=True)
    ]


def columns_of(graph: Graph, program: Exported, missing_text: str) -> list[str]:
    """(n_rows, 1) each: a double for every column, used or not."""
    names = field_names(program)
    columns: list[str] = []
    for at, spec in enumerate(program.columns):
        if is_array(program):
            columns.append(graph.add("Gather", ARRAY_INPUT, graph.constant(np.array([at])), axis=1))
        elif spec.is_numeric:
            columns.append(names[at])
        elif at in program.used_columns:
            columns.append(positions(graph, names[at], spec, missing_text, program.unseen))
        else:  # zeros for a column that is not used
            shape = graph.add("Shape", names[at])
            columns.append(graph.add("Expand", graph.constant(np.zeros((1, 1))), shape))
    return columns


def positions(graph: Graph, name: str, spec: ColumnSpec, missing_text: str, unseen: str) -> str:
    """The position of each level as a double, NaN for missing.

    If unseen levels are errors, their position is beyond the end of the table, where a lookup
    stops every runtime.
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
        term = graph.times(columns[column], np.array([[weight]]))
        missing = graph.add("IsNaN", columns[column])
        added = graph.add("Add", added, term) if added else term
        unknown = graph.add("Or", unknown, missing) if unknown else missing
    # Infinities that cancel count as above every threshold.
    known = graph.add("Where", graph.add("IsNaN", added), graph.constant(np.array(np.inf)), added)
    return graph.add("Where", unknown, graph.constant(np.array(np.nan)), known)


# ---------------------------------------------------------------------------- predictions


def add_walk(graph: Graph, program: Program, walk: Walk, missing_text: str) -> tuple[str, str]:
    """Names of the values and the classes ("" if none), looked up by the ends of the walk."""
    if is_array(program) and not walk.sums:
        matrix = ARRAY_INPUT
    else:
        columns = columns_of(graph, program, missing_text)
        columns += [summed(graph, columns, total) for total in walk.sums]
        matrix = columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)
    number = prediction_numbers(graph, walk, matrix)
    values = graph.add("Gather", graph.constant(walk.values), number)
    if program.classes is None:
        return values, ""
    return values, graph.add("Gather", graph.constant(walk.label), number)


def add_shares(graph: Graph, program: Program, missing_text: str) -> tuple[str, str]:
    """Names of the values and the classes ("" if none), added up over all leaves."""
    columns = columns_of(graph, program, missing_text)
    values_of: dict[int | WeightedSum, str] = dict(enumerate(columns))
    for step in program.steps():
        if isinstance(step.question, WeightedSum):
            values_of[step.question] = summed(graph, columns, step.question)
    values = values_by_shares(graph, program, values_of)
    return values, "" if program.classes is None else chosen_classes(graph, program, values)


def add_outputs(graph: Graph, program: Exported, values: str, classes: str) -> list[TensorType]:
    """The label and the probabilities, or the number."""
    types = graph.onnx.TensorProto
    own_type = class_type(program)
    if program.classes is None or own_type is None:
        return [(graph.add_as("value", "Identity", values), types.DOUBLE, ("rows", 1))]
    labels: Any = list(program.classes) if own_type is str else np.array(program.classes)
    label = graph.add_as("label", "Gather", graph.constant(labels), classes)
    shares = graph.add_as("probabilities", "Identity", values)
    label_types = {str: types.STRING, int: types.INT64, bool: types.BOOL, float: types.DOUBLE}
    return [
        (label, label_types[own_type], ("rows",)),
        (shares, types.DOUBLE, ("rows", program.n_values)),
    ]


# ---------------------------------------------------------------------------- running


def run(code: bytes, program: Exported, rows: Table, *, missing_text: str = "") -> Predictions:
    """What onnxruntime predicts; row by row if rows may be refused."""
    runtime = optional_module("onnxruntime", extra="onnx", purpose="running an ONNX file")
    settings = runtime.SessionOptions()
    settings.log_severity_level = 4  # silent about refused rows
    session = runtime.InferenceSession(code, settings, providers=["CPUExecutionProvider"])
    feeds = feeds_of(program, rows, missing_text)
    if program.unseen != "error":
        outputs = session.run(None, feeds)
        return Predictions(None if program.classes is None else outputs[0].tolist(), outputs[-1])
    refusal = runtime.capi.onnxruntime_pybind11_state.InvalidArgument
    labels: list[Any] = [None] * len(rows)
    values = np.full((len(rows), program.n_values), np.nan)
    for row in range(len(rows)):
        try:
            one = session.run(None, {name: feed[row : row + 1] for name, feed in feeds.items()})
        except refusal:
            continue
        values[row] = one[-1]
        labels[row] = one[0].tolist()[0]
    return Predictions(None if program.classes is None else labels, values)


def feeds_of(program: Exported, rows: Table, missing_text: str = "") -> dict[str, NDArray[Any]]:
    """The rows as the inputs of the graph."""
    if is_array(program):
        return {
            ARRAY_INPUT: np.column_stack([numbers_of(rows, at) for at in range(rows.n_columns)])
        }
    feeds: dict[str, NDArray[Any]] = {}
    for at, (name, spec) in enumerate(zip(field_names(program), program.columns, strict=True)):
        if is_text(spec):
            values = [rows.columns[at].value(row) for row in range(len(rows))]
            texts = [missing_text if value is None else str(value) for value in values]
            feeds[name] = np.array(texts, dtype=object)[:, np.newaxis]
        else:
            feeds[name] = numbers_of(rows, at)[:, np.newaxis]
    return feeds


def numbers_of(rows: Table, at: int) -> NDArray[np.float64]:
    """A column of numbers, or of levels that are numbers."""
    column = rows.columns[at]
    if isinstance(column, NumericColumn):
        return column.values.astype(np.float64)
    levels = [column.value(row) for row in range(len(rows))]
    return np.array([np.nan if level is None else float(level) for level in levels])
