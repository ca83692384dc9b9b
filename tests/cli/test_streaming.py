"""predict reads files of any size in blocks."""

import subprocess
import sys
from pathlib import Path

import polars
import pytest

from treewright.data.sources import blocks

MEGABYTE = 1_000_000


PEAK = """
import sys
from pathlib import Path
from treewright.cli.main import main
from treewright.data.sources import blocks

blocks.BLOCK_BYTES = 2_000_000
assert main(sys.argv[1:]) == 0
status = Path("/proc/self/status").read_text().split()
print(int(status[status.index("VmHWM:") + 1]) / 1024)
"""


def peak_of(words, folder):
    """The most memory that a command had, in MB."""
    command = [sys.executable, "-c", PEAK, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_does_not_grow_with_the_file(treewright, tmp_path):
    """A file of 2 GB: benchmarks/streaming.py."""
    row = "{},{},some words that are in no question of the tree,{}\n"
    some = "".join(
        row.format(at % 97, at % 89, "no" if at % 97 < 50 else "yes") for at in range(9700)
    )
    (tmp_path / "t.csv").write_text("x,z,text,y\n" + some)
    treewright("train", "t.csv", "-t", "y", "--drop", "text", "--out", "m.json")
    peaks = []
    for size in (4 * MEGABYTE, 24 * MEGABYTE):
        n_times = size // len(some)
        (tmp_path / "large.csv").write_text("x,z,text,y\n" + some * n_times)
        peaks.append(peak_of(["predict", "m.json", "large.csv", "--out", "p.csv"], tmp_path))
        assert (tmp_path / "p.csv").read_bytes().count(b"\n") == 9700 * n_times + 1
    assert peaks[1] - peaks[0] < 15
    assert peaks[1] < 500


def test_kept_columns_are_copied_letter_by_letter(treewright, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 40)
    cells = ["007", "1e3", "2020-01-31", "", "a b", "3.50", "NA", "=1", "+49 30"]
    lines = [f"{cell},{at},{'no' if at < 5 else 'yes'}" for at, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["id,x,y", *lines]) + "\n")
    treewright(
        "train", "t.csv", "-t", "y", "--drop", "id", "--out", "m.json", "--min-samples-leaf", "1"
    )
    run = treewright("predict", "m.json", "t.csv", "--keep", "id", "--keep", "x", "--raw")
    kept = [line.split(",")[:2] for line in run.out.splitlines()[1:]]
    assert kept == [[cell, str(at)] for at, cell in enumerate(cells)]


def test_parquet_files_are_read_in_blocks(treewright, tmp_path, monkeypatch):
    frame = polars.DataFrame({"x": range(100), "y": ["no"] * 50 + ["yes"] * 50})
    frame.write_parquet(tmp_path / "t.parquet")
    treewright("train", "t.parquet", "-t", "y", "--keep-ids", "--out", "m.json")
    whole = treewright("predict", "m.json", "t.parquet").out
    assert whole == "prediction\n" + "no\n" * 50 + "yes\n" * 50
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 7)
    assert treewright("predict", "m.json", "t.parquet").out == whole
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    assert treewright("predict", "m.json", "t.parquet").code == 3


@pytest.mark.parametrize("size", [1, 5, 9, 20, 1000])
def test_a_header_longer_than_a_block_is_no_table_yet(treewright, tmp_path, monkeypatch, size):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 10)
    treewright("train", "t.csv", "-t", "y", "--out", "m.json")
    (tmp_path / "new.csv").write_text("x," + "long" * 5 + "\n1,2\n2,2")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    assert treewright("predict", "m.json", "new.csv", "-q").out == "prediction\na\nb\n"


def test_the_end_says_how_many_answers_there_are(treewright):
    treewright("train", "tennis", "--out", "m.json")
    run = treewright("predict", "m.json", "tennis", "--out", "p.csv")
    assert run.err == "note: 14 predictions written to p.csv\n"


@pytest.fixture
def colors(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("c,w,y\n" + "red,3,no\nblue,4,yes\n" * 10)
    treewright("train", "t.csv", "-t", "y", "--categorical", "w", "--out", "m.json")


def test_what_is_odd_in_a_later_block_is_told_with_its_row(
    treewright, tmp_path, monkeypatch, colors, recwarn
):
    lines = ["c,w,7", "red,3,1", "red,3,2", "pink,3,3", "red,9,4", "pink,3,5", "gray,3,6"]
    (tmp_path / "new.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 9)
    notes = treewright("predict", "m.json", "new.csv").err.splitlines()
    assert "the first line holds numbers" in notes[0]
    assert notes[1] == "note: the model does not use `7`"
    told = "note: categories not seen in training count as missing: "
    assert notes[2:] == [f"{told}'pink' in column `c`, row 2", f"{told}9 in column `w`, row 3"]
    assert treewright("predict", "m.json", "new.csv", "--proba", "-q").err == ""
    assert not recwarn.list


def test_a_letter_far_down_that_is_not_utf8_has_its_line(treewright, tmp_path, monkeypatch, colors):
    rows = "c,w\n" + "red,3\n" * 50
    (tmp_path / "new.csv").write_bytes(rows.encode() + "Zürich,3\n".encode("cp1252"))
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 40)
    assert "cp1252 (Windows): line 52 contains" in treewright("predict", "m.json", "new.csv").err


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "csv.gz"])
def test_tables_are_written_as_text_only(treewright, tmp_path, colors, ending):
    for command in (("predict", "m.json", "t.csv"), ("impute", "t.csv", "-t", "y")):
        run = treewright(*command, "--out", f"new.{ending}")
        assert run.code == 2
        assert "tables are written as text" in run.err
        assert "name the file new.csv\n" in run.err
    assert not (tmp_path / f"new.{ending}").exists()


def test_notes_on_many_blocks_come_to_an_end(treewright, tmp_path, monkeypatch):
    names = [f"c{at}" for at in range(30)]
    rows = ["a" if at % 2 else "b" for at in range(30)]
    train = [[*rows, "yes"], [*reversed(rows), "no"]] * 10
    text = "\n".join(map(",".join, [[*names, "y"], *train]))
    (tmp_path / "t.csv").write_text(text + "\n")
    treewright("train", "t.csv", "-t", "y", "--out", "m.json")
    odd = [[*rows[:at], "odd", *rows[at + 1 :]] for at in range(30)]
    (tmp_path / "new.csv").write_text("\n".join(map(",".join, [names, *odd])) + "\n")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 60)
    run = treewright("predict", "m.json", "new.csv")
    assert run.out.count("\n") == 31
    assert 5 < run.err.count("categories not seen") < 20
    assert len(set(run.err.splitlines())) == run.err.count("\n")


def test_a_wrong_cell_in_a_later_block_is_told_with_its_row(
    treewright, tmp_path, monkeypatch, colors
):
    polars.DataFrame({"c": ["red"] * 8, "w": [True] * 8}).write_parquet(tmp_path / "new.parquet")
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 3)
    run = treewright("predict", "m.json", "new.parquet")
    assert (run.code, run.out.count("\n")) == (4, 0)
    treewright("train", "t.csv", "-t", "y", "--out", "m.json", "--handle-unknown", "error")
    polars.DataFrame({"c": ["red"] * 7 + ["pink"], "w": [3] * 8}).write_parquet(
        tmp_path / "new.parquet"
    )
    run = treewright("predict", "m.json", "new.parquet", "--out", "p.csv")
    assert run.code == 4
    assert "'pink' in column `c`, row 7" in run.err
    assert not (tmp_path / "p.csv").exists()
