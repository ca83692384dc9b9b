"""Folders of Parquet files, and patterns for files of any kind."""

import io
import warnings

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.cli.main import main
from treewright.data.sources import blocks
from treewright.data.sources.from_csv import ReadSettings

CELLS = st.sampled_from(["", "1", "2.5", "x", "2024-01-05", "2024-01-05 10:00", "NA", "007"])


def rows_of(tables):
    return [
        tuple(str(table[name].value(row)) for name in table.names)
        for table in tables
        for row in range(table.n_rows)
    ]


@given(st.lists(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4), min_size=1, max_size=4))
def test_csv_files_are_one_file_cut_apart(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("parts")
    lines = [[",".join(("z", *cells)) for cells in rows] for rows in files]
    for at, rows in enumerate(lines):
        (folder / f"part{at}.csv").write_text("\n".join(["k,a,b", *rows]) + "\n")
    whole = "\n".join(["k,a,b", *(line for rows in lines for line in rows)]) + "\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = tw.read_table(folder / "part*.csv")
        expected = tw.read_table(io.BytesIO(whole.encode()))
    assert table.same_as(expected)


@pytest.fixture
def dataset(tmp_path):
    """Parquet files in folders for the year, as Spark and Hive write them."""
    for year in (2023, 2024):
        folder = tmp_path / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        frame = polars.DataFrame({"x": [year - 2000.0, 1.0], "y": ["a", "b"]})
        frame.write_parquet(folder / "part-0.parquet")
    (tmp_path / "sales" / "_SUCCESS").write_text("")
    (tmp_path / "sales" / ".hidden").mkdir()
    (tmp_path / "sales" / ".hidden" / "t.parquet").write_text("no")
    return tmp_path / "sales"


def test_a_folder_of_parquet_files_is_one_table(dataset, monkeypatch):
    table = tw.read_table(dataset)
    assert table.names == ("x", "y", "year")
    assert rows_of([table]) == [
        ("23.0", "a", "2023.0"),
        ("1.0", "b", "2023.0"),
        ("24.0", "a", "2024.0"),
        ("1.0", "b", "2024.0"),
    ]
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 3)
    found = list(blocks.table_blocks(str(dataset), ReadSettings()))
    assert [block.n_rows for block in found] == [3, 1]
    assert rows_of(found) == rows_of([table])


def test_a_pattern_of_parquet_files(dataset):
    assert tw.read_table(dataset / "year=*" / "*.parquet").shape == (4, 2)


def test_files_of_a_pattern_come_in_blocks(tmp_path):
    for at in range(3):
        (tmp_path / f"t{at}.csv").write_text(f"a,b\n{at},x\n" if at else f"b,a\nx,{at}\n")
    found = list(blocks.table_blocks(str(tmp_path / "t*.csv"), ReadSettings()))
    assert rows_of(found) == [("x", "0.0"), ("x", "1.0"), ("x", "2.0")]
    assert rows_of([tw.read_table(tmp_path / "t*.csv")]) == rows_of(found)


def test_other_columns_name_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    for read in (tw.read_table, lambda path: list(blocks.table_blocks(str(path), ReadSettings()))):
        with pytest.raises(tw.DataError, match=r"b\.csv has no column `y`, which a\.csv has"):
            read(tmp_path / "*.csv")
    (tmp_path / "b.csv").write_text("x,y,z\n1,2,3\n")
    with pytest.raises(tw.DataError, match=r"a\.csv has no column `z`, which b\.csv has"):
        tw.read_table(tmp_path / "*.csv")


def test_other_types_name_the_file(tmp_path):
    polars.DataFrame({"x": [1.0]}).write_ipc(tmp_path / "a.arrow")
    polars.DataFrame({"x": ["one"]}).write_ipc(tmp_path / "b.arrow")
    with pytest.raises(
        tw.DataError, match=r"b\.arrow: column `x` holds strings, but numbers in other files"
    ):
        tw.read_table(tmp_path / "*.arrow")
    days = np.array(["2024-01-05"], dtype="datetime64[D]")
    for other, kind in ((["one"], "strings"), ([True], "booleans"), (days, "dates")):
        polars.DataFrame({"x": [1.0]}).write_parquet(tmp_path / "a.parquet")
        polars.DataFrame({"x": other}).write_parquet(tmp_path / "b.parquet")
        with pytest.raises(
            tw.DataError, match=rf"b\.parquet: column `x` holds {kind}, but numbers in other files"
        ):
            tw.read_table(tmp_path / "*.parquet")


TYPES = ("Int8", "Int64", "UInt64", "Float32", "Float64", "Decimal", "Null")


@pytest.mark.parametrize("first", TYPES)
def test_numbers_of_parquet_files_may_have_different_types(first, tmp_path):
    values = {"a": [1, 5, 3], "b": [2, 7, 4]}
    for other in TYPES:
        for name, kind in (("a", first), ("b", other)):
            cells = [None] * 3 if kind == "Null" else values[name]
            x = polars.Series("x", cells, dtype=getattr(polars, kind))
            frame = polars.DataFrame({"x": x, "y": ["u", "v", "w"]})
            frame.write_parquet(tmp_path / f"{name}.parquet")
        table = tw.read_table(tmp_path)
        if (first, other) != ("Null", "Null"):
            whole = [
                [np.nan] * 3 if kind == "Null" else values[name]
                for name, kind in (("a", first), ("b", other))
            ]
            np.testing.assert_array_equal(table["x"].values, np.concatenate(whole))
        assert table.same_as(tw.scan(tmp_path).read()[0])
        found = rows_of(blocks.table_blocks(str(tmp_path), ReadSettings()))
        assert found == rows_of([table])


def test_other_types_of_columns_that_folders_divide_name_the_file(dataset):
    polars.DataFrame({"x": ["7"], "y": ["a"]}).write_parquet(dataset / "year=2024" / "p.parquet")
    for read in (tw.read_table, lambda path: tw.scan(path).read()):
        with pytest.raises(
            tw.DataError,
            match=r"p\.parquet: column `x` is of type String, but of type Float64 in part-0\.par",
        ):
            read(dataset)


def test_a_damaged_file_is_named(dataset):
    part = dataset / "year=2024" / "part-0.parquet"
    content = part.read_bytes()
    part.write_bytes(content[:30])
    for read in (tw.read_table, lambda path: list(blocks.table_blocks(str(path), ReadSettings()))):
        with pytest.raises(tw.DataError, match=r"part-0\.parquet is not a Parquet file"):
            read(dataset)
    frame = polars.DataFrame({"x": np.arange(1000.0), "y": ["a"] * 1000})
    for at in range(2):
        frame.write_parquet(dataset.parent / f"{at}.parquet")
    content = (dataset.parent / "1.parquet").read_bytes()
    (dataset.parent / "1.parquet").write_bytes(content[:60] + b"\0" * 500 + content[560:])
    with pytest.raises(tw.DataError, match=r"1\.parquet, block 1: column `x` cannot be read"):
        tw.read_table(dataset.parent / "*.parquet")


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff", "xlsx"])
def test_files_without_rows_are_left_out(ending, tmp_path):
    frame = polars.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    for at, part in enumerate([frame[:0], frame, frame[:0], frame]):
        path = tmp_path / f"{at}.{ending}"
        if ending == "csv":
            part.write_csv(path)
        elif ending == "parquet":
            columns = part if part.height else part.cast({"x": polars.Null})
            columns.write_parquet(path)
        elif ending == "xlsx":
            part.to_pandas().to_excel(path, index=False)
        else:
            rows = "\n".join(f"{x},{y}" for x, y in part.rows())
            path.write_text(
                f"@relation r\n@attribute x real\n@attribute y {{a,b}}\n@data\n{rows}\n"
            )
    pattern = tmp_path / f"*.{ending}"
    expected = [("1.0", "a"), ("2.0", "b")] * 2
    assert rows_of([tw.read_table(pattern)]) == expected
    assert rows_of([tw.scan(pattern).read()[0]]) == expected
    assert rows_of(blocks.table_blocks(str(pattern), ReadSettings())) == expected
    for at in (1, 3):
        (tmp_path / f"{at}.{ending}").unlink()
    for read in (
        tw.read_table,
        lambda path: tw.scan(path).read(),
        lambda path: list(blocks.table_blocks(str(path), ReadSettings())),
    ):
        with pytest.raises(tw.DataError, match=r"no rows|none of the files has rows"):
            read(pattern)


def test_a_folder_of_other_files_says_how_to_name_them(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    with pytest.raises(tw.ParameterError, match="is a folder without Parquet files") as caught:
        tw.read_table(tmp_path)
    assert "/*.csv'" in caught.value.hint


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    (tmp_path / "t[1].csv").write_text("x\n1\n")
    (tmp_path / "t1.csv").write_text("y\n1\n")
    assert tw.read_table(tmp_path / "t[1].csv").names == ("x",)


def test_commands_take_patterns_and_keep_their_inputs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for at in range(2):
        rows = "".join(f"{row % 7},{'ab'[row % 7 > 3]}\n" for row in range(20))
        (tmp_path / f"day{at}.csv").write_text("x,y\n" + rows)
    assert main(["train", "day*.csv", "-t", "y", "--out", "m.json", "-q"]) == 0
    assert "(24)" in capsys.readouterr().out  # rows of both files
    assert main(["predict", "m.json", "day*.csv", "-q"]) == 0
    assert capsys.readouterr().out.count("\n") == 41
    assert main(["predict", "m.json", "day*.csv", "--out", "day0.csv"]) != 0
    assert "`day0.csv` is an input of this command" in capsys.readouterr().err
    assert main(["columns", "night*.csv"]) != 0
    assert capsys.readouterr().err.startswith("error: no file matches `night*.csv`\nhint: ")


def test_dates_of_different_precision_become_moments(tmp_path):
    days = np.array(["2024-01-05"], dtype="datetime64[D]")
    for name, values in (("a", days), ("b", days.astype("datetime64[ms]"))):
        polars.DataFrame({"day": values}).write_ipc(tmp_path / f"{name}.feather")
    table = tw.read_table(tmp_path / "*.feather")
    assert table["day"].value(0) == table["day"].value(1) == np.datetime64("2024-01-05")
