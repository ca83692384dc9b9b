"""Files by their endings, ARFF and Parquet."""

import bz2
import gzip
import io
import lzma

import numpy as np
import polars as pl
import pytest

from treewright.data.samples import load_sample
from treewright.data.sources import from_columnar, table_from
from treewright.data.sources.from_arff import cells_of, date_pattern
from treewright.data.sources.from_files import read_table
from treewright.errors import DataError, UnknownColumnError

TEXT = "n,s\n1,a\n,b\n3,\n"
SMALL = table_from({"n": [1.0, None, 3.0], "s": ["a", "b", None]})

WEATHER = r"""% A comment
@RELATION 'weather 2'

@ATTRIBUTE outlook {sunny, overcast, 'very rainy'}
@attribute "temp (C)" numeric
@attribute 'it\'s windy' { TRUE , FALSE }
@attribute note STRING
@attribute day date "yyyy-MM-dd"

@DATA
sunny, 21.5, TRUE, 'a, quoted note', "2020-01-31"
% another comment
'very rainy',?,FALSE,?,?
sunny	,-1e3,?,plain,2020-02-01
"""


@pytest.mark.parametrize(
    ("name", "pack"),
    [("t.csv", None), ("t.csv.gz", gzip), ("t.txt.bz2", bz2), ("t.xz", lzma), ("t", None)],
)
def test_text_files_may_be_packed(tmp_path, name, pack):
    content = TEXT.encode()
    (tmp_path / name).write_bytes(pack.compress(content) if pack else content)
    assert read_table(tmp_path / name).same_as(SMALL)
    assert read_table(str(tmp_path / name)).same_as(SMALL)


def test_tabs_separate_the_cells_of_a_tsv(tmp_path):
    (tmp_path / "t.tsv").write_text("a\tb, c\n1\tx\n")
    assert read_table(tmp_path / "t.tsv").names == ("a", "b, c")


def test_a_damaged_archive_is_a_data_error(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(DataError, match=r"t\.csv\.gz is not a complete gz file"):
        read_table(tmp_path / "t.csv.gz")


def test_messages_name_the_file(tmp_path):
    (tmp_path / "loans.csv").write_text("a,b\n1\n")
    with pytest.raises(DataError, match=r"loans\.csv, line 2: 1 fields, expected 2"):
        read_table(tmp_path / "loans.csv")
    (tmp_path / "loans.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UnknownColumnError, match=r"no column `c` in loans\.csv"):
        read_table(tmp_path / "loans.csv", "c")
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "lonas.csv")


def test_other_formats_name_who_reads_them(tmp_path):
    (tmp_path / "t.sav").write_bytes(b"$FL2")
    with pytest.raises(DataError, match=r"pandas\.read_spss"):
        read_table(tmp_path / "t.sav")


def test_standard_input_is_a_table(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert read_table("-").same_as(SMALL)


def test_parquet_is_read_with_either_package(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"n": [1.0, None, 3.0], "s": ["a", "b", None]}).write_parquet(path)
    assert read_table(path).same_as(SMALL)
    by_pyarrow = table_from(from_columnar.parquet_by_pyarrow(path.read_bytes()))
    assert by_pyarrow.same_as(SMALL)
    assert read_table(path, categorical=["n"])["n"].levels == (1, 3)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="is not a Parquet file"):
        read_table(path)


def read_arff(tmp_path, text: str):
    (tmp_path / "t.arff").write_text(text)
    return read_table(tmp_path / "t.arff")


def test_arff_columns_are_what_the_header_declares(tmp_path):
    table = read_arff(tmp_path, WEATHER)
    assert table.names == ("outlook", "temp (C)", "it's windy", "note", "day")
    assert table["outlook"].levels == ("sunny", "overcast", "very rainy")
    assert table["outlook"].codes.tolist() == [0, 2, 0]
    np.testing.assert_array_equal(table["temp (C)"].values, [21.5, np.nan, -1000.0])
    assert table["it's windy"].codes.tolist() == [0, 1, -1]
    assert table["note"].levels == ("a, quoted note", "plain")
    assert table["day"].value(0) == np.datetime64("2020-01-31")
    assert table["day"].n_missing == 1


def test_declared_levels_count_even_without_a_row(tmp_path):
    table = read_arff(tmp_path, WEATHER).compact_levels()
    assert table["outlook"].levels == ("sunny", "overcast", "very rainy")


def test_sparse_rows_hold_zeros_and_first_levels(tmp_path):
    table = read_arff(
        tmp_path,
        "@relation r\n@attribute a real\n@attribute b {x,y}\n@attribute c integer\n@data\n"
        "{0 1.5, 2 ?}\n{1 y}\n{ }\n",
    )
    np.testing.assert_array_equal(table["a"].values, [1.5, 0, 0])
    assert table["b"].codes.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(table["c"].values, [np.nan, 0, 0])


def test_weights_of_rows_become_a_column(tmp_path):
    with pytest.warns(UserWarning, match="pass it as sample_weight"):
        table = read_arff(
            tmp_path, "@relation r\n@attribute a real\n@data\n1, {2.5}\n2\n{0 3}, {4}\n"
        )
    assert table["weight"].values.tolist() == [2.5, 1.0, 4.0]
    assert table["a"].values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no line `@data`"),
        ("@relation r\n@data\n1\n", "declares no columns"),
        ("@relation r\n@attribute a real\n@data\n", "a header but no rows"),
        ("@relation r\n@attribute a real\n@data\n1,2\n", "line 4: 2 fields, expected 1"),
        (
            "@relation r\n@attribute a {x,y}\n@data\nx\nz\n",
            "line 5: `z` is not a declared category",
        ),
        ("@relation r\n@attribute a real\n@data\n1\nx\n", "line 5: `a` is `x`, not a number"),
        ("@relation r\n@attribute a {x,y\n@data\nx\n", "line 2: .* not closed"),
        ("@relation r\n@attribute a relational\n", "type `relational`"),
        ("@relation r\nhello\n", "line 2: `hello` is not a line"),
        ("@relation r\n@attribute\n", "line 2"),
        ("@relation r\n@attribute a {x,'y}\n@data\n", "quote is opened"),
        ("@relation r\n@attribute a {x,x}\n@data\n", "declared twice"),
        ("@relation r\n@attribute a real\n@data\n{5 1}\n", "`5 1` is not `position value`"),
        ("@relation r\n@attribute a date\n@data\nmonday\n", "line 4: `monday`"),
    ],
)
def test_damaged_arff_names_the_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_arff(tmp_path, text)


def test_java_dates_are_understood():
    assert date_pattern("yyyy-MM-dd'T'HH:mm:ss") == "%Y-%m-%dT%H:%M:%S"
    assert date_pattern("dd/MM/yy") == "%d/%m/%y"


def test_a_sample_written_and_read_is_the_same(tmp_path):
    X, y = load_sample("golf")
    frame = X.to_pandas().assign(play=y)
    frame.to_csv(tmp_path / "golf.csv", index=False)
    again, target = read_table(tmp_path / "golf.csv", "play")
    assert again.same_as(X)
    assert target.tolist() == y.tolist()


QUOTING = {
    "'a', b ,'c d'": ["a", "b", "c d"],
    "'?',?,x": ["?", None, "x"],
    "' a',\"b\",'c'": [" a", "b", "c"],
    "'a' , 'b','it\\'s'": ["a", "b", "it's"],
    "a\tb\t'c'": ["a", "b", "c"],
    "'a,b','',x": ["a,b", "", "x"],
}


@pytest.mark.parametrize(("line", "cells"), QUOTING.items())
def test_arff_cells_are_quoted_in_many_ways(line, cells):
    assert cells_of(line, "line 1") == cells


def test_an_open_quote_in_an_arff_row_is_an_error():
    with pytest.raises(DataError, match="line 1: a quote is opened and never closed"):
        cells_of("'a,b", "line 1")
