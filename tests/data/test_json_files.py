"""JSON Lines and JSON arrays of objects."""

import io
import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.sources import blocks
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.from_json import rows_from

ROWS = [
    {"size": 1, "color": "red", "hot": True, "day": "2024-01-05", "zip": "01234"},
    {"size": 2.5, "color": None, "hot": False, "day": None, "zip": "10115"},
    {"color": "blue", "hot": True, "day": "2024-02-01", "zip": "04356"},
]
LINES = "\n".join(map(json.dumps, ROWS)).encode() + b"\n"


def read(content, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tw.read_table(io.BytesIO(content), **settings)


@pytest.mark.parametrize(
    "content", [LINES, LINES.replace(b"\n", b"\r\n\n"), json.dumps(ROWS).encode()]
)
def test_rows_of_json_are_a_table(content):
    table = read(content)
    assert table.names == ("size", "color", "hot", "day", "zip")
    np.testing.assert_array_equal(table["size"].values, [1, 2.5, np.nan])
    assert table["color"].levels == ("red", "blue")
    assert table["hot"].levels == (False, True)
    assert table["day"].value(0) == np.datetime64("2024-01-05")
    assert table["zip"].levels == ("01234", "10115", "04356")


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text("abc01 é", max_size=3),
)


@given(st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), min_size=1, max_size=8))
def test_lines_and_arrays_are_the_same_table(rows):
    lines = "\n".join(map(json.dumps, rows)).encode()
    found = []
    for content in (lines, json.dumps(rows).encode()):
        try:
            found.append(read(content))
        except tw.DataError as error:
            found.append(str(error).replace("line", "row"))
    one, other = found
    assert one == other if isinstance(one, str) else one.same_as(other), found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": }\n', "the stream, line 2: not JSON: Expecting value"),
        (b'{"a": 1}\n\n[1, 2]\n', "the stream, line 3: an array instead of an object"),
        (b'{"a": 1}\n{"a": {"b": 2}}\n', "the stream, line 2: `a` holds an object"),
        (b'{"a": [1, 2]}\n', "the stream, line 1: `a` holds an array"),
        (b'[{"a": 1}, 7]', "the stream, row 1: a number instead of an object"),
        (b'[{"a": 1}', "not JSON"),
        (b'{"a": 1', "not JSON"),
        (b'{"a":' * 100_000, "not JSON"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(content, message):
    with pytest.raises(tw.DataError, match=message.replace("[", r"\[")):
        read(content)


def test_an_empty_file_has_no_rows(tmp_path):
    for content in ("", "\n", "[]", "{}\n"):
        (tmp_path / "t.jsonl").write_text(content)
        with pytest.raises(tw.DataError, match=r"t\.jsonl holds no rows"):
            tw.read_table(tmp_path / "t.jsonl")


def test_text_among_numbers_makes_text_as_in_a_csv_file():
    lines = b'{"a": 1}\n{"a": "x"}\n{"a": 2.5}\n'
    assert read(lines)["a"].levels == read(b"a\n1\nx\n2.5\n")["a"].levels == ("1", "x", "2.5")


def test_without_polars_the_rows_are_the_same(monkeypatch):
    expected = read(LINES, categorical=["size"])
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    table = read(LINES)
    assert table.names == expected.names
    np.testing.assert_array_equal(table["size"].values, [1, 2.5, np.nan])
    assert table["color"].levels == ("red", "blue")


@pytest.mark.parametrize("size", [1, 60, 10**6])
def test_blocks_hold_the_rows_of_the_whole(monkeypatch, size):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    found = list(blocks.stream_blocks(io.BytesIO(LINES), ".jsonl", ReadSettings(), "t"))
    assert {table.names for table in found} == {("size", "color", "hot", "day", "zip")}
    colors = [table["color"].value(row) for table in found for row in range(table.n_rows)]
    assert colors == ["red", None, "blue"]
    assert len(found) == (1 if size > 100 else len(found))


def test_a_wrong_line_in_a_later_block_is_named(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 20)
    content = b'{"a": 1}\n' * 50 + b"{\n"
    with pytest.raises(tw.DataError, match="line 51: not JSON"):
        list(blocks.stream_blocks(io.BytesIO(content), ".jsonl", ReadSettings(), "t"))


def test_the_standard_library_reads_the_same_rows():
    assert rows_from(LINES, "t") == ROWS
