"""Files whose content is not what their names say."""

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

import treewright as tw
from machine import imported
from treewright.cli.main import main
from treewright.data.sources.blocks import table_blocks
from treewright.data.sources.from_csv import ReadSettings

TEXT = "x,y\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(20))
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def in_blocks(path):
    return list(table_blocks(str(path), ReadSettings()))


def refusals(path):
    """What both ways of reading a file say of it."""
    said = []
    for read in (tw.read_table, in_blocks):
        with pytest.raises(tw.DataError) as caught:
            read(path)
        said.append(str(caught.value))
    return said


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t", "t.tsv.gz"])
def test_packed_data_is_recognized_under_any_name(tmp_path, packed, name):
    text = TEXT.replace(",", "\t") if "tsv" in name else TEXT
    (tmp_path / name).write_bytes(PACK[packed](text.encode()))
    assert tw.read_table(tmp_path / name).shape == (20, 2)
    (block,) = in_blocks(tmp_path / name)
    assert block.shape == (20, 2)


@pytest.mark.parametrize("packed", PACK)
def test_packed_data_from_a_stream(packed, monkeypatch):
    content = PACK[packed](TEXT.encode())
    assert tw.read_table(io.BytesIO(content)).shape == (20, 2)
    for read in (tw.read_table, lambda path: in_blocks(path)[0]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read("-").shape == (20, 2)


def test_a_parquet_file_under_another_name(tmp_path):
    polars = imported("polars")
    polars.read_csv(TEXT.encode()).write_parquet(tmp_path / "t.csv")
    assert tw.read_table(tmp_path / "t.csv").shape == (20, 2)
    (block,) = in_blocks(tmp_path / "t.csv")
    assert block.shape == (20, 2)


def a_zip_archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t.csv", TEXT)
    return file.getvalue()


OTHERS = {
    "a ZIP archive or an Excel workbook": a_zip_archive(),
    "an old Excel workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
    "an SQLite database": b"SQLite format 3\0" + bytes(100),
    "a 7z archive": b"7z\xbc\xaf\x27\x1c" + bytes(100),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_other_files_under_the_name_of_a_csv_file_are_told(tmp_path, kind, name):
    content = OTHERS[kind]
    packed = gzip.compress(content) if name.endswith(".gz") else content
    (tmp_path / name).write_bytes(packed)
    for said in refusals(tmp_path / name):
        assert said.startswith(f"{name} holds {kind}, not a text table\nhint: save it as CSV")


@pytest.mark.parametrize("packed", PACK)
def test_packed_data_that_was_cut_or_damaged(tmp_path, packed):
    whole = PACK[packed]((TEXT * 50).encode())
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for content in (whole[: len(whole) // 2], bytes(damaged)):
        for name in ("t.csv", f"t.csv.{packed}"):
            (tmp_path / name).write_bytes(content)
            for said in refusals(tmp_path / name):
                assert said.startswith(f"{name} is not a complete {packed} file: ")


def test_text_under_the_name_of_a_packed_file(tmp_path):
    (tmp_path / "t.csv.gz").write_text(TEXT)
    for said in refusals(tmp_path / "t.csv.gz"):
        assert said.startswith("t.csv.gz is not a complete gz file: ")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("line", [1, 2, 17, 3000])
def test_a_NUL_byte_names_its_line(tmp_path, line, end):
    lines = ["x,word", *(f"{at},some words" for at in range(3500))]
    lines[line - 1] = lines[line - 1].replace("wor", "w\0r")
    (tmp_path / "t.csv").write_bytes((end.join(lines) + end).encode())
    for said in refusals(tmp_path / "t.csv"):
        assert f"t.csv is not a text file: line {line} contains a NUL byte\nhint: " in said


def test_a_NUL_byte_in_a_later_block_names_the_line_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.data.sources.blocks.BLOCK_BYTES", 1000)
    (tmp_path / "t.csv").write_text("x\n" + "12345\n" * 700 + "1\0\n")
    with pytest.raises(tw.DataError, match="line 702 contains a NUL byte"):
        in_blocks(tmp_path / "t.csv")


def test_the_line_of_a_byte_that_is_not_utf_8_counts_old_line_ends_too(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"x,y\r1,a\r2,\xff\r")
    with pytest.raises(tw.DataError, match=r"t\.csv, line 3: byte 0xff"):
        tw.read_table(tmp_path / "t.csv", encoding="utf-8")


def test_commands_read_packed_data_under_the_name_of_a_csv_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(gzip.compress(TEXT.encode()))
    assert main(["train", "t.csv", "-t", "y", "--keep-ids", "--out", "m.json", "-q"]) == 0
    for words in (["predict", "m.json", "t.csv"], ["columns", "t.csv"], ["impute", "t.csv"]):
        assert main(words) == 0, capsys.readouterr().err
