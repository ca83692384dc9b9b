"""Rows and predictions go between programs without losing a bit."""

import struct
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_number_tree, a_stump, build, leaf, threshold
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import fields, read_predictions, row_lines, run_files
from treewright.exports.program import Program, ProgramError


@given(st.lists(st.floats()))
def test_numbers_keep_every_bit(numbers):
    column = NumericColumn("x", np.array(numbers, dtype=np.float64))
    back = [struct.unpack(">d", bytes.fromhex(field))[0] for field in fields(column, "number", "")]
    assert np.array_equal(back, column.values, equal_nan=True)


@given(st.text(st.characters(exclude_categories=[])), st.sampled_from(["utf-8", "utf-16-be"]))
def test_any_text_is_one_field(text, encoding):
    column = NominalColumn("c", np.array([0, -1], dtype=np.int32), (text,))
    known, missing = fields(column, "string", encoding)
    assert bytes.fromhex(known[1:]).decode(encoding, "surrogatepass") == text
    assert (known[0], missing) == ("=", "-")


def test_only_used_columns_are_sent():
    schema = Schema((ColumnSpec("unused", "numeric"), ColumnSpec("used", "numeric")))
    tree = build(threshold(1, 0.5, leaf(1, 0), leaf(0, 1)), schema, ("no", "yes"))
    table = Table([NumericColumn(name, np.array([1.0, 2.0])) for name in schema.names])
    assert row_lines(Program(tree), table) == "3ff0000000000000\n4000000000000000\n"


def test_predictions_are_read_back():
    third = struct.pack(">d", 1 / 3).hex()
    found = read_predictions(Program(a_stump()), f"1 {third} {third}\n-1\n")
    assert found.labels == ["other", None]
    assert found.values[0].tolist() == [1 / 3, 1 / 3]
    assert np.isnan(found.values[1]).all()
    found = read_predictions(Program(a_number_tree()), f"0 {third}\n")
    assert found.labels is None
    assert found.values.tolist() == [[1 / 3]]


def test_files_are_there_while_commands_run():
    given = {"main.py": "print(input()[::-1])"}
    assert run_files(given, [(sys.executable, "main.py")], "tree") == "eert\n"


def test_a_prediction_that_no_class_has_is_an_error_of_its_row():
    third = struct.pack(">d", 1 / 3).hex()
    found = read_predictions(Program(a_stump()), f"1 {third} {third}\n7 {third} {third}\n1\n")
    assert found.labels[1:] == [None, None]
    assert found.errors == {
        1: f"class number 7, values {[1 / 3, 1 / 3]}",
        2: "class number 1, values []",
    }


@pytest.mark.parametrize("line", ["hello", "", "1 abc", "1 00"])
def test_what_is_no_prediction_is_reported(line):
    with pytest.raises(ProgramError, match="printed no prediction"):
        read_predictions(Program(a_stump()), f"{line}\n")


def test_a_command_that_fails_is_told_with_its_words():
    given = {"main.py": "raise SystemExit('no luck')"}
    with pytest.raises(ExportError, match=r"python\S* main.py` failed: no luck"):
        run_files(given, [(sys.executable, "main.py")], "")
