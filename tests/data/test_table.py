"""Table: rows and columns picked, and its life among scikit-learn's tools."""

import pickle

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.samples import load_sample
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, DataTypeError, UnknownColumnError


def a_table() -> Table:
    return table_from(
        {
            "size": [1.5, None, 3.0, 4.0],
            "color": ["red", "blue", None, "red"],
            "old": [True, False, True, None],
        }
    )


def test_a_float_array_is_not_copied():
    for order in "CF":
        array = np.array([[1.0, 2.0], [3.0, 4.0]], order=order)
        table = table_from(array)
        assert table.matrix is array
        assert all(np.shares_memory(column.values, array) for column in table.columns)


@pytest.mark.parametrize(
    "rows", [[0, 2], np.array([0, 2]), np.array([True, False, True, False]), slice(0, 4, 2)]
)
def test_rows_are_picked_by_position_mask_or_slice(rows):
    expected = table_from({"size": [1.5, 3.0], "color": ["red", None], "old": [True, True]})
    assert a_table()[rows].compact_levels().same_as(expected)


def test_rows_picked_from_an_array_keep_it_an_array():
    array = np.arange(12.0).reshape(4, 3)
    picked = table_from(array)[[3, 0]]
    np.testing.assert_array_equal(picked.matrix, array[[3, 0]])


def test_columns_are_picked_by_name_position_and_slice():
    table = a_table()
    assert table[["color", "size"]].names == ("color", "size")
    assert table[:, [2, 0]].names == ("old", "size")
    assert table[:, 1:].names == ("color", "old")
    assert table[:, np.array([True, False, False])].names == ("size",)
    assert table.drop("color").names == ("size", "old")
    assert table.drop(["old", "color"]).names == ("size",)
    assert table.drop([]).names == table.names


def test_an_unknown_column_is_answered_with_the_nearest():
    with pytest.raises(UnknownColumnError, match=r"no column `colour`[\s\S]*did you mean `color`"):
        a_table()["colour"]


def test_rows_that_do_not_exist_are_an_error():
    with pytest.raises(IndexError, match="no row 9 in a table of 4 rows"):
        a_table()[[0, 9]]
    with pytest.raises(DataError, match="the mask has 2 rows, the table 4"):
        a_table()[np.array([True, False])]
    with pytest.raises(DataTypeError, match=r"`table\[\[3\]\]` is the fourth row"):
        a_table()[3]


def test_columns_of_different_lengths_are_an_error():
    columns = [NumericColumn("a", np.zeros(2)), NumericColumn("b", np.zeros(3))]
    with pytest.raises(DataError, match="column `b` has 3 rows, others have 2"):
        Table(columns)


def test_names_that_occur_twice_are_an_error():
    columns = [NumericColumn(name, np.zeros(2)) for name in "aba"]
    with pytest.raises(DataError, match="`a` at positions 0, 2"):
        Table(columns)


def test_a_table_does_not_change():
    with pytest.raises(AttributeError):
        a_table().n_rows = 3


def test_compact_levels_leave_no_trace_of_a_row():
    table = a_table()[[0, 2, 3]].compact_levels()
    assert table["color"].levels == ("red",)
    assert table["old"].levels == (True,)


def test_the_target_comes_back_in_its_own_type():
    table = table_from({"x": [1.0, 2.0], "label": ["b", "a"], "count": [3, 4], "ratio": [0.5, 1]})
    assert table.split_target("label")[1].tolist() == ["b", "a"]
    assert table.split_target("count")[1].dtype == np.int64
    assert table.split_target("ratio")[1].dtype == np.float64
    assert table.split_target("label")[0].names == ("x", "count", "ratio")


def test_an_array_of_a_table_holds_its_values():
    numbers = table_from([[1.0, 2.0], [3.0, np.nan]])
    np.testing.assert_array_equal(np.asarray(numbers), [[1.0, 2.0], [3.0, np.nan]])
    mixed = np.asarray(a_table())
    assert mixed.dtype == object
    assert mixed[0].tolist() == [1.5, "red", True]


@pytest.mark.parametrize("table", [a_table(), table_from(np.eye(3)), load_sample("iris")[0]])
def test_a_table_survives_pickling(table):
    assert pickle.loads(pickle.dumps(table)).same_as(table)


def test_an_order_can_be_given_to_a_column():
    table = a_table().with_order("color", ["blue", "red"])
    assert table["color"].kind == "ordered"
    assert table["color"].codes.tolist() == [1, 0, -1, 1]


def test_pandas_and_back():
    table = a_table()
    back = table_from(table.to_pandas())
    assert [column.kind for column in back.columns] == ["numeric", "nominal", "nominal"]
    assert back["color"].to_numpy().tolist() == table["color"].to_numpy().tolist()


def test_the_head_of_a_table_is_readable():
    lines = repr(a_table()).splitlines()
    assert lines[0] == "Table of 4 rows and 3 columns"
    assert lines[1].split() == ["size", "color", "old"]
    assert lines[3].split() == ["?", "blue", "False"]


def test_a_small_table_is_shown_whole_and_a_long_one_by_its_first_rows():
    assert len(repr(table_from(np.zeros((20, 2)))).splitlines()) == 22
    assert repr(table_from(np.zeros((21, 2)))).endswith("... 16 more rows")
    assert table_from(np.zeros((20, 2)))._repr_html_().count("<tr>") == 21


def test_names_and_levels_are_escaped_in_notebooks():
    text = table_from({"<b>": ["<script>"]})._repr_html_()
    assert "<script>" not in text
    assert "<th>&lt;b&gt;</th>" in text


def test_a_wide_table_shows_its_first_columns():
    assert "... 90 more columns" in repr(table_from(np.zeros((2, 100))))


@pytest.mark.parametrize("name", ["tennis", "iris", "weekend"])
def test_cross_validation_takes_a_table(name):
    X, y = load_sample(name)
    scores = cross_val_score(DummyClassifier(), X, y, cv=2)
    assert scores.shape == (2,)


def test_train_test_split_takes_a_table():
    X, y = load_sample("tennis")
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=4, random_state=0)
    assert isinstance(X_train, Table)
    assert X_train.shape == (10, 4)
    assert len(y_test) == len(X_test) == 4
    order = [*y_train, *y_test]
    assert sorted(order) == sorted(y)


def test_grid_search_and_pipelines_take_a_table():
    X, y = load_sample("iris")
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "stratified"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0
    assert make_pipeline(StandardScaler(), DummyClassifier()).fit(X, y).predict(X[:2]).shape == (2,)


def test_iterating_is_refused_because_it_could_mean_two_things():
    with pytest.raises(TypeError):
        iter(a_table())


def test_replacing_a_column_keeps_its_place():
    new = NominalColumn("size", np.zeros(4, dtype=np.int32), ("s",))
    assert a_table().with_column(new).names == ("size", "color", "old")
    assert a_table().with_column(new.renamed("last")).names[-1] == "last"
