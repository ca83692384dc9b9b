"""Compressed files: every text format by every program, damaged ones, and bombs."""

import bz2
import gzip
import io
import lzma
import zipfile

import polars
import pytest

import treewright as tw
from machine import imported
from treewright.data.sources import packed
from treewright.data.sources.blocks import table_blocks
from treewright.data.sources.from_csv import ReadSettings
from treewright.errors import MissingExtraError

imported("backports.zstd")
from treewright.data.sources.packed import zstd_module  # noqa: E402

ROWS = {"n": [float(at) for at in range(30)], "s": ["a", "b", None] * 10}
TEXT = "n,s\n" + "".join(f"{n:g},{s or ''}\n" for n, s in zip(ROWS["n"], ROWS["s"], strict=True))
ARFF = "@relation r\n@attribute n real\n@attribute s {a,b}\n@data\n" + "".join(
    f"{n:g},{s or '?'}\n" for n, s in zip(ROWS["n"], ROWS["s"], strict=True)
)
PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: zstd_module().compress(content),
}
FORMATS = {
    "csv": TEXT.encode(),
    "tsv": TEXT.replace(",", "\t").encode(),
    "txt": TEXT.replace(",", ";").encode("utf-16"),
    "jsonl": polars.DataFrame(ROWS).write_ndjson().encode(),
    "json": polars.DataFrame(ROWS).write_json().encode(),
    "arff": ARFF.encode(),
}


@pytest.mark.parametrize("program", PACK)
@pytest.mark.parametrize("ending", FORMATS)
def test_every_text_format_may_be_packed(tmp_path, ending, program):
    path = tmp_path / f"t.{ending}.{program}"
    path.write_bytes(PACK[program](FORMATS[ending]))
    expected = tw.table_from(ROWS)
    assert tw.read_table(path).same_as(expected)
    (block,) = table_blocks(str(path), ReadSettings())
    assert block.same_as(expected)


@pytest.mark.parametrize("program", PACK)
def test_a_cut_file_is_named_and_never_read_in_part(tmp_path, program):
    whole = PACK[program](TEXT.encode() * 50)
    path = tmp_path / f"t.csv.{program}"
    for cut in (len(whole) - 1, len(whole) // 2, 20):
        path.write_bytes(whole[:cut])
        for read in (tw.read_table, lambda path: list(table_blocks(str(path), ReadSettings()))):
            with pytest.raises(tw.DataError, match=rf"t\.csv\.{program} is not a complete"):
                read(path)


@pytest.mark.parametrize("program", PACK)
def test_a_bomb_is_refused_after_the_limit(monkeypatch, program):
    monkeypatch.setattr(packed, "MOST_UNPACKED", 2**21)
    monkeypatch.setattr(packed, "MOST_TIMES", 20)
    bomb = PACK[program](b"a\n" + b"1" * 2**24)
    with pytest.raises(tw.DataError, match=r"holds more than 2,097,152 bytes, 20 times its own"):
        tw.read_table(io.BytesIO(bomb))
    stream = packed.unpacked(io.BytesIO(bomb), f".{program}", "t")
    assert len(stream.read(2**20)) == 2**20
    with pytest.raises(tw.DataError):
        stream.read(2**22)


def test_repetitive_tables_of_usual_size_are_no_bombs():
    assert tw.read_table(io.BytesIO(gzip.compress(b"a\n" + b"1\n" * 500_000))).n_rows == 500_000


def test_zstd_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "backports.zstd", None)
    monkeypatch.setitem(__import__("sys").modules, "compression.zstd", None)
    (tmp_path / "t.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(9))
    with pytest.raises(MissingExtraError, match=r"\.zst files") as caught:
        tw.read_table(tmp_path / "t.csv.zst")
    assert "treewright[files]" in caught.value.hint


def archive(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for name, content in files.items():
            after.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("ending", FORMATS)
def test_a_zip_archive_of_one_file_is_that_file(tmp_path, ending):
    path = tmp_path / "t.zip"
    path.write_bytes(archive({f"data/t.{ending}": FORMATS[ending], "__MACOSX/data/._t": b"0"}))
    assert tw.read_table(path).same_as(tw.table_from(ROWS))
    (block,) = table_blocks(str(path), ReadSettings())
    assert block.same_as(tw.table_from(ROWS))


def test_other_zip_archives_say_what_to_do(tmp_path, monkeypatch):
    path = tmp_path / "t.zip"
    whole = archive({"a.csv": FORMATS["csv"], "b.csv": FORMATS["csv"]})
    for content, message in (
        (whole, "t.zip holds 2 files, not one table\nhint: unpack it"),
        (archive({}), "t.zip holds 0 files"),
        (whole[:-30], "t.zip is not a complete zip file"),
        (b"", "t.zip is not a complete zip file"),
    ):
        path.write_bytes(content)
        for read in (tw.read_table, lambda path: list(table_blocks(str(path), ReadSettings()))):
            with pytest.raises(tw.DataError, match=message):
                read(path)
    monkeypatch.setattr(packed, "MOST_UNPACKED", 2**20)
    path.write_bytes(archive({"a.csv": b"a\n" + b"1\n" * 2**20}))
    with pytest.raises(tw.DataError, match="holds more than 1,048,576 bytes"):
        tw.read_table(path)
