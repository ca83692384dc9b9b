"""ONNX files tried out by onnxruntime: rows in, answers read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.exports.files.xml_text import field_names
from treewright.exports.program import Answers, Program
from treewright.optional import optional_module

ARRAY_INPUT = "X"  # of a model that was trained on an array


def is_array(program: Program) -> bool:
    """Whether all columns come as one matrix."""
    schema = program.tree.schema
    return not schema.has_names and all(spec.is_numeric for spec in schema.columns)


def is_text(spec: ColumnSpec) -> bool:
    """Whether the column comes as strings, not as doubles."""
    return not spec.is_numeric and spec.level_type not in ("integer", "boolean")


def run(code: bytes, program: Program, rows: Table, *, missing_text: str = "") -> Answers:
    """What onnxruntime answers; row by row where a row may be refused."""
    runtime = optional_module("onnxruntime", extra="onnx", purpose="running an ONNX file")
    settings = runtime.SessionOptions()
    settings.log_severity_level = 4  # a refused row is no news
    session = runtime.InferenceSession(code, settings, providers=["CPUExecutionProvider"])
    feeds = feeds_of(program, rows, missing_text)
    if program.unseen != "error":
        return answers_of(program, session.run(None, feeds))
    refusal = runtime.capi.onnxruntime_pybind11_state.InvalidArgument
    labels: list[Any] = [None] * len(rows)
    values = np.full((len(rows), program.tree.n_values), np.nan)
    for row in range(len(rows)):
        try:
            one = session.run(None, {name: feed[row : row + 1] for name, feed in feeds.items()})
        except refusal:
            continue
        answer = answers_of(program, one)
        values[row] = answer.values
        labels[row] = answer.labels[0] if answer.labels else None
    return Answers(None if program.classes is None else labels, values)


def answers_of(program: Program, outputs: list[NDArray[Any]]) -> Answers:
    labels = None if program.classes is None else outputs[0].tolist()
    return Answers(labels, outputs[-1])


def feeds_of(program: Program, rows: Table, missing_text: str = "") -> dict[str, NDArray[Any]]:
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
    """A column of numbers, or of levels that are such."""
    column = rows.columns[at]
    if isinstance(column, NumericColumn):
        return column.values.astype(np.float64)
    levels = [column.value(row) for row in range(len(rows))]
    return np.array([np.nan if level is None else float(level) for level in levels])
