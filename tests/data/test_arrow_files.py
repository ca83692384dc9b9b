"""Arrow and Feather files and Arrow streams: of any writer, in blocks, and damaged."""

import io
import struct
from contextlib import suppress

import numpy as np
import polars
import pyarrow
import pyarrow.feather
import pytest

import treewright as tw
from treewright.data.sources import blocks
from treewright.data.sources.blocks import table_blocks
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.from_files import table_from_content

ROWS = {
    "x": [float(at) for at in range(40)],
    "s": ["ab", "c", None, "d"] * 10,
    "b": [True, False] * 20,
}
FRAME = polars.DataFrame(ROWS).with_columns(c=polars.col("s").cast(polars.Categorical))
EXPECTED = tw.table_from(FRAME)


def by_polars(compression):
    file = io.BytesIO()
    FRAME.write_ipc(file, compression=compression)
    return file.getvalue()


def by_pyarrow(compression):
    file = io.BytesIO()
    table = FRAME.to_arrow()
    pyarrow.feather.write_feather(table, file, compression=compression, chunksize=7)
    return file.getvalue()


def as_stream(compression):
    file = io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(
        compression=None if compression == "uncompressed" else compression
    )
    with pyarrow.ipc.new_stream(file, FRAME.to_arrow().schema, options=options) as writer:
        for batch in FRAME.to_arrow().to_batches(max_chunksize=7):
            writer.write_batch(batch)
    return file.getvalue()


WRITERS = [by_polars, by_pyarrow, as_stream]
COMPRESSIONS = ["uncompressed", "lz4", "zstd"]


def values_of(tables):
    return [
        tuple(table[name].value(row) for name in table.names)
        for table in tables
        for row in range(table.n_rows)
    ]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_files_of_every_writer_are_read(tmp_path, write, compression, monkeypatch):
    path = tmp_path / "t.arrow"
    path.write_bytes(write(compression))
    assert values_of([tw.read_table(path)]) == values_of([EXPECTED])
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 9)
    found = list(table_blocks(str(path), ReadSettings()))
    assert len(found) > 3
    assert values_of(found) == values_of([EXPECTED])
    (tmp_path / "t.csv").write_bytes(write(compression))
    if write is not as_stream:  # a stream begins with no name
        assert values_of([tw.read_table(tmp_path / "t.csv")]) == values_of([EXPECTED])


@pytest.mark.parametrize("write", WRITERS)
def test_without_polars_pyarrow_reads_them(tmp_path, write, monkeypatch):
    (tmp_path / "t.arrow").write_bytes(write("uncompressed"))
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    assert tw.read_table(tmp_path / "t.arrow").shape == (40, 4)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_damaged_files_are_refused_or_read(write, compression):
    """Nothing but a DataError may come of changed or missing bytes; polars ended the process."""
    whole = write(compression)
    rng = np.random.default_rng(0)
    for at in range(60):
        content = bytearray(whole)
        if at % 4 == 0:
            del content[rng.integers(0, len(content)) :]
        for place in rng.integers(0, max(len(content), 1), 3) if at % 4 else ():
            content[place] = rng.integers(0, 256)
        with suppress(tw.DataError):
            table_from_content(bytes(content), ".arrow", ReadSettings(), source="t")


@pytest.mark.parametrize("write", WRITERS)
def test_a_buffer_that_claims_terabytes_is_refused(tmp_path, write):
    content = write("zstd")
    size = struct.pack("<q", 8 * 40 if write is by_polars else 8 * 7)  # of the column x
    assert size in content
    (tmp_path / "t.arrow").write_bytes(
        content.replace(size + b"\x28\xb5", struct.pack("<q", 2**43) + b"\x28\xb5")
    )
    for read in (tw.read_table, lambda path: list(table_blocks(str(path), ReadSettings()))):
        with pytest.raises(tw.DataError, match=r"t\.arrow holds more than 1,073,741,824 bytes"):
            read(tmp_path / "t.arrow")


def test_old_feather_files_are_named(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + bytes(100))
    with pytest.raises(tw.DataError, match="a Feather file of version 1"):
        tw.read_table(tmp_path / "t.feather")
    with pytest.raises(tw.DataError, match="a Feather file of version 1"):
        list(table_blocks(str(tmp_path / "t.feather"), ReadSettings()))
