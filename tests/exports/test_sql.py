"""What a query looks like, its options, and what is refused."""

import sqlite3

import numpy as np
import pytest

import treewright as tw
from builders import build, leaf, numeric_schema, oblique, threshold
from exports.export_models import fitted
from machine import imported
from treewright.data.column import NominalColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError, UnknownColumnError
from treewright.verbs.export import export, verify_export


def a_stump(name="x"):
    return build(
        threshold(0, 0.8, leaf(5, 0), leaf(0, 5), missing=0), numeric_schema(name), ("no", "yes")
    )


def predictions(query, table="data", **columns):
    """The rows that SQLite gives for a query on a small table."""
    with sqlite3.connect(":memory:") as database:
        names = ", ".join(f'"{name}"' for name in columns)
        database.execute(f'CREATE TABLE "{table}" ({names})')
        marks = ", ".join("?" * len(columns))
        rows = zip(*columns.values(), strict=True)
        database.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        return database.execute(query).fetchall()


def test_a_stump_is_read_at_a_glance():
    assert export(a_stump("petal width"), to="sql", keep=()) == (
        "WITH tw_stage_1 AS (\n"
        "  SELECT\n"
        '    CAST(NULLIF("petal width", \'\') AS REAL) AS "petal width"\n'
        '  FROM "data"\n'
        ")\n"
        "SELECT\n"
        "  CASE\n"
        "    WHEN \"petal width\" > 0.8e0 THEN 'yes'\n"
        "    ELSE 'no'\n"
        '  END AS "prediction"\n'
        "FROM tw_stage_1\n"
    )


def test_the_prediction_comes_first_then_probabilities_then_what_is_kept():
    query = export(a_stump(), to="sql", probabilities=True, keep=["id", "x"])
    found = predictions(query, id=[7, 8, 9], x=[0.5, 0.9, None])
    assert found == [("no", 1.0, 0.0, 7, 0.5), ("yes", 0.0, 1.0, 8, 0.9), ("no", 1.0, 0.0, 9, None)]


def test_rows_come_in_the_order_of_the_table_or_of_a_column():
    number = np.arange(500)
    x = np.random.default_rng(0).normal(size=500).tolist()
    plain = predictions(export(a_stump(), to="sql", keep="id"), id=number.tolist(), x=x)
    assert [row[1] for row in plain] == number.tolist()
    backwards = predictions(
        export(a_stump(), to="sql", keep="id", order_by="other"),
        id=number.tolist(),
        x=x,
        other=(-number).tolist(),
    )
    assert [row[1] for row in backwards] == number[::-1].tolist()


def test_rows_that_are_shared_stay_in_the_order_of_the_table():
    query = export(fitted("missing fractional"), to="sql", keep="id")
    columns = dict.fromkeys(("width", "height", "color", "shape", "size"), [None] * 300)
    found = predictions(query, id=list(range(300)), **columns)
    assert [row[1] for row in found] == list(range(300))


def test_columns_may_be_called_otherwise_in_the_table():
    query = export(a_stump("the width\n of it"), to="sql", columns={"the width\n of it": "w"})
    assert predictions(query, w=[0, 1]) == [("no", 0), ("yes", 1)]
    assert verify_export(
        a_stump("the width\n of it"), query, to="sql", columns={"the width\n of it": "w"}
    )


def test_a_table_may_be_in_a_schema():
    options = {"table": ("my schema", "my.table")}
    query = export(a_stump(), to="sql", **options)
    assert '"my schema"."my.table"' in query
    assert verify_export(a_stump(), query, to="sql", **options)


def test_names_of_the_query_keep_clear_of_names_of_the_table():
    model = a_stump("tw_stage_1")
    options = {"table": "tw__stage_1", "keep": ["tw_kept_0"], "order_by": "TW_ORDER_0"}
    assert verify_export(model, export(model, to="sql", **options), to="sql", **options)


def test_an_empty_cell_of_an_untyped_import_is_missing():
    model = build(
        threshold(0, 1.0, leaf(5, 0), leaf(0, 5), missing=1), numeric_schema("x"), ("low", "high")
    )
    found = predictions(export(model, to="sql"), x=["", "0.5", "3"])
    assert [row[0] for row in found] == ["high", "low", "high"]


def test_classes_keep_their_type():
    X = np.array([[0.0], [1.0]] * 5)
    for classes in ([3, -4], [True, False]):
        model = tw.CARTClassifier(prune=None).fit(X, np.array(classes * 5))
        found = predictions(export(model, to="sql"), x0=[0, 1])
        assert [row[0] for row in found] == classes


def test_a_broken_query_is_told_apart():
    query = export(a_stump(), to="sql").replace("> 0.8", "> 0.9")
    found = verify_export(a_stump(), query, to="sql")
    assert not found
    assert "differs on" in str(found)


def test_a_query_that_does_not_run_is_told_and_leaves_nothing_behind():
    with sqlite3.connect(":memory:") as database:
        found = verify_export(a_stump(), "SELECT FROM", to="sql", connection=database)
        assert not found
        assert found.failure.startswith("SQLite does not run the query: near")
        assert database.execute("SELECT * FROM sqlite_temp_schema").fetchall() == []


@pytest.mark.parametrize(
    ("query", "failure"),
    [
        ("", "rows were given, 0 predicted"),
        ("DROP TABLE data", "rows were given, 0 predicted"),
        ("SELECT 'no', 1.0, 0.0 FROM data LIMIT 3", "rows were given, 3 predicted"),
        ("SELECT 'no', 1.0 FROM data", "the query returns 2 columns, not 3"),
    ],
)
def test_a_query_that_gives_something_else_is_told(query, failure):
    found = verify_export(a_stump(), query, to="sql", probabilities=True)
    assert not found
    assert found.failure.endswith(failure)


def test_a_class_that_is_not_of_the_models_type_is_a_wrong_prediction():
    tree = build(threshold(0, 1.0, leaf(1, 0), leaf(0, 1)), numeric_schema("x"), (3, 4))
    found = verify_export(tree, "SELECT 'three' FROM data", to="sql")
    assert len(found.differing) == found.n_rows
    assert found.differing[0].got == ("three", None)


ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n",
    "duckdb": "SELECT max(a.range * b.range) FROM range(10000000000) a, range(1000000) b",
}


@pytest.mark.parametrize("dialect", ENDLESS)
def test_a_query_without_end_is_ended(dialect):
    found = verify_export(a_stump(), ENDLESS[dialect], to="sql", dialect=dialect, timeout=0.3)
    assert found.failure == "the query did not end within 0.3 seconds"


def test_a_connection_is_left_open_and_its_tables_alone():
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE data (x)")
        database.execute("INSERT INTO data VALUES (0.5)")
        assert verify_export(a_stump(), export(a_stump(), to="sql"), to="sql", connection=database)
        assert database.execute("SELECT x FROM data").fetchall() == [(0.5,)]


@pytest.mark.parametrize("name", ["tennis by ID3", "missing as a branch", "odd levels and classes"])
def test_the_binary_form_of_a_tree_is_a_query_too(name):
    tree = fitted(name).tree_.to_binary()
    found = verify_export(tree, export(tree, to="sql"), to="sql")
    assert found, str(found)


# ---------------------------------------------------------------------------- refusals


def test_an_unknown_dialect_names_the_nearest():
    with pytest.raises(ParameterError, match="did you mean `postgresql`"):
        export(a_stump(), to="sql", dialect="postgresqul")
    with pytest.raises(ParameterError, match="dialects are: sqlite, postgresql"):
        export(a_stump(), to="sql", dialect="klingon")


@pytest.mark.parametrize(
    ("dialect", "name", "problem"),
    [
        ("postgresql", "", "is empty"),
        ("postgresql", "é" * 40, "over 63 bytes"),
        ("mysql", "x" * 65, "over 64 letters"),
        ("mysql", "ends with ", "ends with a space"),
        ("mysql", "🌳", "beyond U"),
        ("tsql", "x" * 129, "over 128 letters"),
        ("bigquery", "a.b", "has the letter '.'"),
        ("duckdb", "", "is empty"),
        ("sqlite", "a\0b", "NUL"),
        ("sqlite", "\ud800", "surrogate"),
    ],
)
def test_a_name_that_an_engine_cannot_have_is_refused(dialect, name, problem):
    with pytest.raises(ExportError, match=problem):
        export(a_stump(name), to="sql", dialect=dialect)


def a_model_of_levels(*levels):
    codes = np.arange(40, dtype=np.int32) % len(levels)
    table = Table([NominalColumn("level", codes, levels)])
    return tw.TreeClassifier(nominal="branches").fit(table, codes.astype(np.int64))


@pytest.mark.parametrize("dialect", ["postgresql", "tsql"])
def test_a_level_that_an_engine_cannot_have_is_refused(dialect):
    with pytest.raises(ExportError, match="NUL"):
        export(a_model_of_levels("a\0", "b"), to="sql", dialect=dialect)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_level_with_a_nul_is_compared_to_its_end(dialect):
    if dialect == "duckdb":
        imported("duckdb")
    model = a_model_of_levels("a\0", "a", "a\0b", "\0")
    query = export(model, to="sql", dialect=dialect)
    found = verify_export(model, query, to="sql", dialect=dialect)
    assert found, str(found)


def test_two_names_that_are_one_to_the_engine_are_refused():
    root = threshold(
        0, 0.0, leaf(5, 0), threshold(1, 0.0, leaf(0, 5), leaf(5, 0), missing=0), missing=0
    )
    model = build(root, numeric_schema("Größe", "größe"), ("no", "yes"))
    with pytest.raises(ExportError, match="one and the same name"):
        export(model, to="sql", dialect="mysql")
    assert export(model, to="sql", dialect="postgresql")


def test_a_sum_of_dates_is_refused():
    schema = Schema(
        (ColumnSpec("x", "numeric"), ColumnSpec("day", "numeric", unit="datetime64[D]"))
    )
    root = oblique([(0, 1.0), (1, 0.5)], 1.0, leaf(4, 1), leaf(1, 3), missing=0)
    with pytest.raises(ExportError, match="`day` is a date"):
        export(build(root, schema, ("no", "yes")), to="sql")


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="predicts a number"):
        export(fitted("regression"), to="sql", probabilities=True)
    with pytest.raises(UnknownColumnError, match="no column `y` in the model"):
        export(a_stump(), to="sql", columns={"y": "z"})
    with pytest.raises(ParameterError, match="has a column `Prediction` of its own"):
        export(a_stump(), to="sql", keep=["Prediction"])
    with pytest.raises(ParameterError, match="table is 5, neither a name"):
        export(a_stump(), to="sql", table=5)
    with pytest.raises(ParameterError, match="table is empty"):
        export(a_stump(), to="sql", table=())
    with pytest.raises(ParameterError, match="the name of `x` is None"):
        export(a_stump(), to="sql", columns={"x": None})
    with pytest.raises(ParameterError, match="did you mean `dialect`"):
        export(a_stump(), to="sql", dialekt="sqlite")


def test_an_engine_that_is_not_here_needs_a_connection():
    query = export(a_stump(), to="sql", dialect="postgresql")
    with pytest.raises(ExportError, match="give a DB-API connection"):
        verify_export(a_stump(), query, to="sql", dialect="postgresql")


def test_rows_without_an_order_cannot_be_verified():
    query = export(a_stump(), to="sql", dialect="mysql")
    with pytest.raises(ExportError, match="order_by"):
        verify_export(a_stump(), query, to="sql", dialect="mysql")
