"""Columns: what they hold, and what becomes of them when rows or levels go."""

import numpy as np
import pandas as pd
import pytest

from treewright.data.column import (
    MISSING,
    UNSEEN,
    NominalColumn,
    NumericColumn,
    numeric_as_nominal,
    with_order,
)
from treewright.data.sources import table_from
from treewright.errors import DataError


def a_color(codes=(0, 1, -1, 1)) -> NominalColumn:
    return NominalColumn("color", np.array(codes, dtype=np.int32), ("red", "green", "blue"))


def test_nan_is_missing_and_infinity_is_a_value():
    column = NumericColumn("x", np.array([1.0, np.nan, np.inf, -np.inf]))
    assert column.n_missing == 1
    assert column.value(1) is None
    assert column.value(2) == np.inf


def test_taking_rows_by_a_slice_keeps_a_view():
    values = np.arange(6.0)
    column = NumericColumn("x", values).take(slice(1, 4))
    assert np.shares_memory(column.values, values)


def test_a_date_column_shows_dates():
    column = NumericColumn("day", np.array([0.0, np.nan, 365.0]), "datetime64[D]")
    assert column.value(2) == np.datetime64("1971-01-01")
    expected = np.array(["1970-01-01", "NaT", "1971-01-01"], dtype="datetime64[D]")
    np.testing.assert_array_equal(column.to_numpy(), expected)


def test_compacting_drops_levels_without_rows_and_keeps_the_order():
    column = NominalColumn("c", np.array([2, 0, -1], dtype=np.int32), ("a", "b", "c"))
    compact = column.compacted()
    assert compact.levels == ("a", "c")
    assert compact.codes.tolist() == [1, 0, MISSING]


def test_declared_levels_stay_without_rows():
    column = NominalColumn("c", np.array([0], dtype=np.int32), ("a", "b"), declared=True)
    assert column.compacted().levels == ("a", "b")


def test_an_unseen_level_counts_as_missing_when_levels_are_recoded():
    column = a_color((0, UNSEEN, 1))
    assert column.recoded(np.array([1, 0])).codes.tolist() == [1, MISSING, 0]


def test_numbers_become_integer_levels_in_sorted_order():
    column = numeric_as_nominal(NumericColumn("n", np.array([3.0, 1.0, np.nan, 3.0])))
    assert column.levels == (1, 3)
    assert column.codes.tolist() == [1, 0, MISSING, 1]
    assert column.level_type == "integer"


def test_fractions_become_levels_of_text():
    assert numeric_as_nominal(NumericColumn("n", np.array([0.5, 2.0]))).levels == ("0.5", "2.0")


def test_an_order_puts_the_levels_in_line():
    column = with_order(a_color(), ("blue", "green", "red"))
    assert column.ordered
    assert column.kind == "ordered"
    assert [column.value(row) for row in range(4)] == ["red", "green", None, "green"]


def test_an_order_must_name_every_level():
    with pytest.raises(DataError, match="has the level 'blue', which the order lacks"):
        with_order(a_color(), ("red", "green"))


def test_values_come_back_in_the_type_of_the_levels():
    assert a_color((0, 1)).to_numpy().dtype.kind == "U"
    assert a_color().to_numpy().tolist() == ["red", "green", None, "green"]
    codes = np.array([1, 0], dtype=np.int32)
    assert NominalColumn("b", codes, (False, True)).to_numpy().dtype == bool
    assert NominalColumn("i", codes, (7, 9)).to_numpy().tolist() == [9, 7]


def test_a_column_shows_its_name_and_what_it_holds():
    assert repr(a_color((0, 1))) == "<nominal column `color` of 'red', 'green', 'blue': [0 1]>"
    assert repr(NumericColumn("x", np.array([1.5]))) == "<numeric column `x`: [1.5]>"


def test_levels_by_appearance_stand_as_the_rows_left_have_them():
    column = table_from({"color": ["red", "blue", None, "green", "blue", "red"]})["color"]
    assert column.take(slice(3, None)).compacted().levels == ("green", "blue", "red")
    assert column.take(slice(4, None)).compacted().codes.tolist() == [0, 1]
    assert column.compacted() is column
    category = pd.Series(["b", "a", "b"], dtype=pd.CategoricalDtype(["a", "b", "c"]))
    given = table_from(pd.DataFrame({"letter": category}))["letter"]
    assert given.take(slice(0, 2)).compacted().levels == ("a", "b")
