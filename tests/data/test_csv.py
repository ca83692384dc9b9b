"""Delimited text: cells, kinds, words for missing, and errors that name the line."""

import contextlib
import csv
import io
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table
from treewright.errors import DataError, UnknownColumnError


def read(text: str | bytes, *args, **settings):
    return read_table(
        io.BytesIO(text.encode() if isinstance(text, str) else text), *args, **settings
    )


SMALL = table_from({"n": [1.0, None, 3.0], "s": ["a", "b", None]})


@pytest.mark.parametrize(
    "text",
    [
        "n,s\n1,a\n,b\n3,\n",
        "n,s\n1,a\n,b\n3,",
        "n,s\r\n1,a\r\n,b\r\n3,\r\n",
        "n,s\r1,a\r,b\r3,\r",
        "\ufeffn,s\n1,a\n,b\n3,\n",
        "n;s\n1;a\n;b\n3;\n",
        "n\ts\n1\ta\n\tb\n3\t\n",
        "n|s\n1|a\n|b\n3|\n",
        'n,"s"\n"1",a\n,"b"\n"3",""\n',
        "n , s\n 1, a\n , b\n3 , \n",
        "\n\nn,s\n\n1,a\n,b\n\n3,\n\n\n",
        "n,s\n1,a\n?,b\n3,\n",
        "n,s\n+1,a\nNA,b\n3e0,\n",
    ],
    ids=repr,
)
def test_one_table_can_be_written_in_many_ways(text):
    assert read(text).same_as(SMALL)


def test_utf_16_is_read_too():
    assert read("n,s\n1,a\n,b\n3,\n".encode("utf-16")).same_as(SMALL)


def test_quoted_cells_hold_delimiters_quotes_and_line_ends():
    table = read('a,b\n"x, y","say ""no"""\n"two\nlines",z\n')
    assert table["a"].levels == ("x, y", "two\nlines")
    assert table["b"].levels == ('say "no"', "z")


cells = st.text(alphabet=' ab"\n\r,;é\t', max_size=5).map(lambda text: "x" + text + "x")


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6))
def test_what_the_csv_module_writes_is_read_back(rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("first", "second"), *rows])
    table = read(out.getvalue())
    assert [column.to_numpy().tolist() for column in table.columns] == [
        list(column) for column in zip(*rows, strict=True)
    ]


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_every_float_is_read_to_the_last_bit(values):
    table = read("x\n" + "\n".join(map(repr, values)))
    assert table["x"].values.tolist() == values


def test_numbers_beyond_floats_are_infinite_or_zero():
    assert read("x\n1e999\n-1e999\n1e-999\n")["x"].values.tolist() == [np.inf, -np.inf, 0.0]


def test_words_for_missing_count_among_numbers_only():
    with pytest.warns(UserWarning, match=r"`country` \(1 cells: NA\)[\s\S]*na=\[") as caught:
        table = read("country,age\nNA,NA\nDE,3\n,?\n")
    assert len(caught) == 1
    assert table["country"].levels == ("NA", "DE")
    assert table["country"].n_missing == 1
    assert table["age"].n_missing == 2


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", "NaN", "nan", "null", "?"])
def test_words_for_missing_are_holes_among_numbers_and_named_among_text(word):
    with pytest.warns(UserWarning, match="may mean missing") as caught:
        table = read(f"country,age\n{word},{word}\nDE,3\n")
    assert f"`country` (1 cells: {word})" in str(caught[0].message)
    assert table["age"].n_missing == 1
    assert table["country"].levels == (word, "DE")


def test_words_for_missing_can_be_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read("country,age\nNA,-1\nDE,3\n", na=["NA", "-1"])
        kept = read("country,age\nNA,1\nDE,3\n", na=[])
    assert table["country"].levels == ("DE",)
    assert table["age"].n_missing == 1
    assert kept["country"].levels == ("NA", "DE")


def test_without_words_a_question_mark_makes_a_column_of_text():
    assert read("age\n?\n3\n", na=[])["age"].levels == ("?", "3")


def test_a_column_of_holes_has_no_levels():
    column = read("a,b\n,1\n?,2\n")["a"]
    assert isinstance(column, NominalColumn)
    assert column.levels == ()


def test_kinds_can_be_given():
    text = "code,zip,x\n1,07001,1.50\n2,10115,2.5\n"
    plain = read(text)
    assert isinstance(plain["zip"], NumericColumn)
    assert plain["zip"].caution == "leading zeros lost, such as `07001`"
    table = read(text, categorical=["code", "zip", "x"])
    assert table["code"].levels == (1, 2)
    assert table["zip"].levels == ("07001", "10115")
    assert table["x"].levels == ("1.50", "2.5")


def test_a_column_that_must_be_numeric_names_the_line_that_is_not():
    with pytest.raises(DataError, match="line 3: `12a` in column `age` is not a number"):
        read("age\n12\n12a\n", numeric=["age"])


def test_unknown_columns_are_answered_with_the_nearest():
    with pytest.raises(UnknownColumnError, match="did you mean `age`"):
        read("age\n12\n", numeric=["agee"])
    with pytest.raises(UnknownColumnError, match="no column `playy` in the stream"):
        read("play\n12\n", "playy")


def test_dates_in_iso_form_are_dates():
    table = read("day,at\n2020-01-31,2020-01-31 12:30\n,2020-01-31T12:30:01.5\n")
    assert table["day"].unit == "datetime64[D]"
    assert table["day"].value(0) == np.datetime64("2020-01-31")
    assert table["day"].n_missing == 1
    assert table["at"].value(1) == np.datetime64("2020-01-31T12:30:01.5")
    assert read("day\n2020-02-31\n")["day"].levels == ("2020-02-31",)
    assert read("day\n2020-01-31\n", categorical=["day"])["day"].levels == ("2020-01-31",)


def test_a_comma_is_a_decimal_point_between_semicolons():
    table = read("a;b\n1,5;x\n-2,25;y\n")
    assert table["a"].values.tolist() == [1.5, -2.25]


def test_a_ragged_row_names_its_line():
    text = "a,b\n" + "1,2\n" * 1040 + "1,2,3\n"
    with pytest.raises(DataError, match="line 1042: 3 fields, expected 2"):
        read(text)
    with pytest.raises(DataError, match="line 4: 1 fields, expected 2"):
        read('a,b\n1,"x\ny"\n1\n')


def test_a_quote_that_is_never_closed_names_its_line():
    with pytest.raises(DataError, match="line 3: a quote is opened and never closed"):
        read('a\n1\n"x\ny\n')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\n\n", "is empty"),
        (b"a,b\n", "a header but no rows"),
        (b"a\n1\0\n", "NUL"),
    ],
)
def test_text_that_is_no_table_is_refused(content, message):
    with pytest.raises(DataError, match=message):
        read(content)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("a,b,a", ("a", "b", "a.1")),
        ("a,a.1,a,a", ("a", "a.1", "a.2", "a.3")),
        (",x,", ("column_1", "x", "column_3")),
        (",x", ("", "x")),
    ],
)
def test_names_that_occur_twice_are_numbered(header, names):
    text = f"{header}\n" + ",".join(map(str, range(len(names)))) + "\n"
    if "" in names:
        assert read(text).names == names
        return
    with pytest.warns(UserWarning, match="column names occur more than once; the later ones are"):
        table = read(text)
    assert table.names == names
    assert [table[name].value(0) for name in names] == list(range(len(names)))


def test_a_header_of_numbers_is_doubted():
    with pytest.warns(UserWarning, match="header=False"):
        read("5.1,setosa\n4.9,setosa\n")
    table = read("5.1,setosa\n4.9,setosa\n", header=False)
    assert table.names == ("x0", "x1")
    assert not table.has_names
    assert table.n_rows == 2


def test_a_very_large_cell_is_read():
    word = "x" * 10_000_000
    assert read(f'a,b\n"{word}",1\n')["a"].levels == (word,)


def test_the_target_is_split_off():
    X, y = read("a,play\n1,yes\n2,no\n", "play")
    assert X.names == ("a",)
    assert y.tolist() == ["yes", "no"]
    assert read("a,n\n1,0\n2,1\n", "n")[1].dtype == np.int64


def test_a_models_schema_says_how_columns_are_read():
    trained = table_from({"code": ["1", "x"], "flag": [True, False], "n": [1.0, 2.0]})
    schema = Schema.of(trained)
    table = read("code,flag,n\n1,true,3\n1,False,4\n", schema=schema)
    assert schema.encode(table)["code"].codes.tolist() == [0, 0]
    assert schema.encode(table)["flag"].codes.tolist() == [1, 0]
    with pytest.raises(DataError, match="line 2: `x` in column `n`"):
        read("code,flag,n\n1,true,x\n", schema=schema)


printable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@given(printable)
def test_any_text_is_a_table_or_a_data_error(text):
    with warnings.catch_warnings(), contextlib.suppress(DataError):
        warnings.simplefilter("ignore")
        assert isinstance(read(text), Table)


def test_the_word_nan_is_no_number_where_no_word_means_missing():
    assert read("a\nnan\n1\n", na=[])["a"].levels == ("nan", "1")


SPACED = """Weight  Waist Pulse  sex
191     36    50     m
 89     37    52.5   f
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_spaces_separate_cells_where_nothing_else_does(end):
    table = read(SPACED.replace("\n", end))
    assert table.names == ("Weight", "Waist", "Pulse", "sex")
    assert table["Pulse"].values.tolist() == [50, 52.5]
    assert table["sex"].levels == ("m", "f")
    assert read(SPACED.replace("\n", end), delimiter=" ").same_as(table)


@pytest.mark.parametrize(
    "text",
    [
        "full name\nAnn Lee\nBo Li\n",  # no numbers
        "a b,c\n1 2,3\n",  # a comma
        "a b\n1 2\n3\n",  # a ragged line
        "street\n5 Elm Road\n",
    ],
)
def test_spaces_in_names_and_sentences_are_part_of_the_cell(text):
    assert read(text).names == tuple(text.partition("\n")[0].split(","))
