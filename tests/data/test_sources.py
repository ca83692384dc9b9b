"""The one door: the same data gives the same table, wherever it comes from."""

import datetime as dt
import gc
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError

ROWS = [
    {"size": 1.5, "color": "red", "old": True},
    {"size": None, "color": "blue", "old": False},
    {"size": -3.0, "color": None, "old": None},
    {"size": 2.0, "color": "red", "old": True},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
SOURCES = {
    "dict of lists": COLUMNS,
    "list of dicts": ROWS,
    "pandas": pd.DataFrame(COLUMNS),
    "pandas objects": pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": pd.DataFrame(COLUMNS).astype(
        {"size": "Float64", "color": "string", "old": "boolean"}
    ),
    "pandas pyarrow": pd.DataFrame(
        {
            "size": pd.array(COLUMNS["size"], dtype=pd.ArrowDtype(pa.float64())),
            "color": pd.array(COLUMNS["color"], dtype=pd.ArrowDtype(pa.string())),
            "old": pd.array(COLUMNS["old"], dtype=pd.ArrowDtype(pa.bool_())),
        }
    ),
    "polars": pl.DataFrame(COLUMNS),
    "polars lazy": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "pyarrow chunks": pa.concat_tables([pa.table(COLUMNS)[:1], pa.table(COLUMNS)[1:]]),
    "record batch": pa.RecordBatch.from_pydict(COLUMNS),
    "a table": table_from(COLUMNS),
    "dict of series": {name: pd.Series(values) for name, values in COLUMNS.items()},
    "dict of polars series": {name: pl.Series(values) for name, values in COLUMNS.items()},
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_every_source_gives_the_same_table(source):
    table = table_from(source)
    assert table.same_as(table_from(COLUMNS)), table
    assert table.has_names


def test_rows_without_names_give_the_same_columns():
    table = table_from([list(row.values()) for row in ROWS])
    assert table.names == ("x0", "x1", "x2")
    assert not table.has_names
    assert table_from([list(row.values()) for row in ROWS], feature_names=list(COLUMNS)).same_as(
        table_from(COLUMNS)
    )
    objects = np.array([list(row.values()) for row in ROWS], dtype=object)
    assert table_from(objects).same_as(table)


texts = st.none() | st.text(max_size=4)
numbers = st.none() | st.floats(allow_nan=False)
truths = st.none() | st.booleans()


@given(st.lists(st.tuples(numbers, texts, truths), min_size=1))
def test_frames_of_every_make_agree_with_lists(rows):
    data = dict(zip(["number", "text", "truth"], map(list, zip(*rows, strict=True)), strict=True))
    expected = table_from(data)
    types = {"number": pl.Float64, "text": pl.String, "truth": pl.Boolean}
    assert_agree(table_from(pl.DataFrame(data, schema=types)), expected)
    fields = [("number", pa.float64()), ("text", pa.large_string()), ("truth", pa.bool_())]
    assert_agree(table_from(pa.table(data, schema=pa.schema(fields))), expected)
    assert_agree(table_from(pd.DataFrame(data, dtype=object)), expected)


def assert_agree(table: Table, expected: Table) -> None:
    """Equal, but a typed column without values may be numeric where a list of None is not."""
    for column, other in zip(table.columns, expected.columns, strict=True):
        if other.n_missing == len(other):
            assert column.n_missing == len(column)
        else:
            assert Table([column]).same_as(Table([other]))


@pytest.mark.parametrize(
    "make", [pl.DataFrame, pa.table, pd.DataFrame], ids=["polars", "pyarrow", "pandas"]
)
def test_floats_of_a_frame_are_not_copied(make):
    frame = make({"a": np.arange(5.0), "b": np.arange(5.0)})
    column = table_from(frame)["a"].values
    again = table_from(frame)["a"].values
    assert np.shares_memory(column, again)


def test_arrays_of_any_layout_are_read_in_place():
    base = np.arange(24.0).reshape(4, 6)
    read_only = base.copy()
    read_only.flags.writeable = False
    for array in (base.T, base[::-1, ::-2], np.asfortranarray(base), read_only):
        table = table_from(array)
        assert np.shares_memory(table.columns[0].values, array)
        np.testing.assert_array_equal(np.asarray(table), array)


def test_a_memory_map_is_read_in_place(tmp_path):
    path = tmp_path / "rows.bin"
    np.arange(6.0).tofile(path)
    array = np.memmap(path, dtype=np.float64, mode="r", shape=(3, 2))
    table = table_from(array)
    assert type(table.matrix) is np.ndarray
    assert np.shares_memory(table.matrix, array)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float64", "float64"),
        ("float32", "float32"),
        ("float16", "float32"),
        ("longdouble", "float64"),
        (">f8", "float64"),
        ("int8", "float64"),
        ("uint64", "float64"),
        ("bool", "float64"),
    ],
)
def test_numbers_of_every_type_become_floats(dtype, expected):
    table = table_from(np.array([[0, 1], [1, 0]]).astype(dtype))
    assert table.matrix is not None
    assert table.matrix.dtype == expected
    assert table.matrix.tolist() == [[0, 1], [1, 0]]


def test_every_mark_of_a_hole_is_missing_and_the_word_nan_is_not():
    cells = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, np.float32("nan"), "nan", "None"]
    column = table_from({"a": cells}).columns[0]
    assert column.levels == ("nan", "None")
    assert column.codes.tolist() == [-1] * 6 + [0, 1]
    frame = pd.DataFrame({"a": pd.Series([*cells[:4], "nan", "None"], dtype=object)})
    assert table_from(frame)["a"].levels == ("nan", "None")
    numbers = table_from({"a": [1, None, pd.NA, pd.NaT, np.ma.masked, float("nan")]}).columns[0]
    assert isinstance(numbers, NumericColumn)
    assert numbers.n_missing == 5


def test_a_masked_array_has_holes():
    array = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(np.asarray(table_from(array)), [[1, np.nan], [3, 4]])


def test_a_column_without_any_value_has_no_kind_yet():
    for source in ({"a": [None, None]}, pl.DataFrame({"a": [None, None]})):
        column = table_from(source).columns[0]
        assert isinstance(column, NominalColumn)
        assert column.levels == ()
        assert column.n_missing == 2


def test_infinities_are_values():
    assert table_from({"a": [np.inf, -np.inf, 1.0]})["a"].n_missing == 0


def test_booleans_are_nominal_with_false_first():
    for values in ([True, False], np.array([True, False]), pd.Series([True, False])):
        assert table_from({"a": values})["a"].levels == (False, True)
    assert table_from({"a": [True, True]})["a"].levels == (True,)


def test_a_boolean_among_numbers_is_a_number():
    assert table_from({"a": [True, 2, 0.5]})["a"].values.tolist() == [1.0, 2.0, 0.5]


def test_categories_keep_their_order_and_drop_what_does_not_occur():
    values = pd.Categorical(["M", "S", None], categories=["XS", "S", "M"], ordered=True)
    column = table_from(pd.DataFrame({"size": values}))["size"]
    assert column.levels == ("S", "M")
    assert column.codes.tolist() == [1, 0, -1]
    assert column.ordered
    enum = pl.Series("size", ["M", "S", None], dtype=pl.Enum(["XS", "S", "M"]))
    column = table_from(enum.to_frame())["size"]
    assert column.levels == ("S", "M")
    assert not column.ordered


@pytest.mark.parametrize(
    ("categories", "levels"),
    [([3, 1], (1, 3)), ([True, False], (False, True)), ([2.0, 1.0], (1, 2)), ([0.5], ("0.5",))],
)
def test_categories_keep_their_type(categories, levels):
    column = table_from(pd.DataFrame({"c": pd.Categorical(categories)}))["c"]
    assert column.levels == levels
    assert list(map(type, column.levels)) == list(map(type, levels))


def test_intervals_of_pandas_cut_are_ordered_levels():
    frame = pd.DataFrame({"age": pd.cut([1, 5, 9], [0, 4, 10])})
    column = table_from(frame)["age"]
    assert column.ordered
    assert column.levels == ("(0, 4]", "(4, 10]")


def test_dictionaries_of_integers_are_integer_levels():
    array = pa.array([30, 10, 30]).dictionary_encode()
    column = table_from(pa.table({"a": array}))["a"]
    assert column.levels == (30, 10)
    assert column.codes.tolist() == [0, 1, 0]


def test_chunks_with_dictionaries_of_their_own_are_matched_by_value():
    chunks = [pa.array(values).dictionary_encode() for values in (["x", "y"], ["y", "z", "x"])]
    column = table_from(pa.table({"a": pa.chunked_array(chunks)}))["a"]
    assert [column.value(row) for row in range(5)] == ["x", "y", "y", "z", "x"]


def test_slices_of_arrow_tables_start_where_they_should():
    table = pa.table(
        {"n": list(range(20)), "s": list(map(str, range(20))), "b": [True, False] * 10}
    )
    part = table_from(table.slice(5, 7))
    assert part["n"].values.tolist() == list(range(5, 12))
    assert [part["s"].value(row) for row in range(7)] == list(map(str, range(5, 12)))
    assert part["b"].to_numpy().tolist() == ([True, False] * 10)[5:12]


@pytest.mark.parametrize("type_", ["string", "large_string", "string_view"])
def test_arrow_strings_of_every_layout_are_read(type_):
    words = ["a", "", None, "a long word that does not fit into a view", "ünï", "a"]
    column = table_from(pa.table({"a": pa.array(words, type=getattr(pa, type_)())}))["a"]
    assert [column.value(row) for row in range(6)] == words


@pytest.mark.parametrize(
    "type_",
    [f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)]
    + ["float16", "float32", "float64"],
)
def test_arrow_numbers_of_every_width_are_read(type_):
    values = pa.array([1, None, 2]).cast(getattr(pa, type_)())
    column = table_from(pa.table({"a": values}))["a"]
    np.testing.assert_array_equal(column.values, [1, np.nan, 2])


def test_decimals_are_numbers():
    cells = [Decimal("1.25"), None, Decimal("-0.1")]
    expected = table_from({"a": [1.25, None, -0.1]})
    for source in ({"a": cells}, pa.table({"a": cells}), pl.DataFrame({"a": cells})):
        assert table_from(source).same_as(expected)


def test_dates_are_numbers_with_a_unit():
    days = [dt.date(1970, 1, 2), None, dt.date(2020, 1, 1)]
    for source in ({"d": days}, pl.DataFrame({"d": days}), pa.table({"d": days})):
        column = table_from(source)["d"]
        assert column.unit == "datetime64[D]"
        np.testing.assert_array_equal(column.values, [1, np.nan, 18262])


def test_moments_keep_their_unit():
    moments = [dt.datetime(1970, 1, 1, 0, 0, 1), None]
    frame = pd.DataFrame({"t": moments})
    assert table_from({"t": moments})["t"].unit == "datetime64[us]"
    assert table_from(pl.DataFrame({"t": moments}))["t"].unit == "datetime64[us]"
    assert table_from(frame)["t"].value(0) == np.datetime64("1970-01-01T00:00:01")
    zoned = pd.DataFrame({"t": pd.to_datetime(moments).tz_localize("Europe/Berlin")})
    assert table_from(zoned)["t"].value(0) == np.datetime64("1969-12-31T23:00:01")


def test_durations_and_times_of_day_are_numbers():
    column = table_from({"t": [dt.timedelta(seconds=1), None]})["t"]
    assert column.unit == "timedelta64[us]"
    assert column.values[0] == 1e6
    assert table_from({"t": [dt.time(0, 0, 1)]})["t"].values.tolist() == [1e6]
    assert table_from(pl.DataFrame({"t": [dt.time(0, 0, 1)]}))["t"].values.tolist() == [1e9]


def test_numbers_can_be_declared_categorical():
    array = np.array([[3.0, 1.0], [1.0, 2.0]])
    for chosen in ([0], np.array([True, False]), [-2]):
        table = table_from(array, categorical_features=chosen)
        assert table.columns[0].levels == (1, 3)
        assert isinstance(table.columns[1], NumericColumn)
    named = table_from(pd.DataFrame(array, columns=["a", "b"]), categorical_features=["b"])
    assert named["b"].levels == (1, 2)


def test_columns_declared_categorical_must_exist():
    frame = pd.DataFrame({"color": [1]})
    with pytest.raises(UnknownColumnError, match="did you mean `color`"):
        table_from(frame, categorical_features=["colour"])
    with pytest.raises(ParameterError, match="column 7, X has 1 columns"):
        table_from(frame, categorical_features=[7])
    with pytest.raises(ParameterError, match="mask of 2 entries"):
        table_from(frame, categorical_features=[True, False])
    with pytest.raises(ParameterError, match=r"categorical_features=\['color'\]"):
        table_from(frame, categorical_features="color")


def test_structured_arrays_are_tables():
    array = np.array([(1.0, "a"), (2.0, "b")], dtype=[("n", float), ("s", "U1")])
    assert table_from(array).same_as(table_from({"n": [1.0, 2.0], "s": ["a", "b"]}))


def test_a_key_that_a_row_lacks_is_missing():
    table = table_from([{"a": 1}, {"b": "x"}])
    assert table.names == ("a", "b")
    assert table["b"].value(0) is None


def test_an_arrow_stream_can_be_read_once_only():
    class Once:
        def __init__(self, table):
            self.capsule = table.__arrow_c_stream__()

        def __arrow_c_stream__(self):
            return self.capsule

    stream = Once(pa.table({"a": [1]}))
    assert table_from(stream).n_rows == 1
    with pytest.raises(DataError, match="read before"):
        table_from(stream)


def test_the_input_is_left_as_it_was():
    frame = pd.DataFrame(COLUMNS)
    before = frame.copy(deep=True)
    table_from(frame, categorical_features=["size"])
    pd.testing.assert_frame_equal(frame, before)


def test_borrowed_numbers_outlive_their_frame():
    frame = pl.DataFrame({"a": np.arange(1000.0)})
    column = table_from(frame)["a"]
    del frame
    gc.collect()
    pl.DataFrame({"b": np.ones(1000)})
    np.testing.assert_array_equal(column.values, np.arange(1000.0))
