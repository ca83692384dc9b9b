"""The plain style of SQL: one CASE that predicts as the model does."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import build, leaf, numeric_schema, threshold
from exports.export_models import EXPORT_MODELS, fitted
from machine import imported
from treewright.errors import ExportError, ParameterError
from treewright.exports.program import Program
from treewright.exports.sql.dialects import find_dialect
from treewright.exports.sql.plain import PlainColumns

PLAIN = {"to": "sql", "style": "plain"}


def a_stump(name="x", at=0.8):
    return build(
        threshold(0, at, leaf(5, 0), leaf(0, 5), missing=0), numeric_schema(name), ("no", "yes")
    )


def test_a_stump_is_read_at_a_glance():
    assert tw.export(a_stump("petal width"), **PLAIN) == (
        "SELECT\n"
        "  CASE\n"
        "    WHEN \"petal width\" > 0.8 THEN 'yes'\n"
        "    ELSE 'no'\n"
        '  END AS "prediction",\n'
        '  "petal width"\n'
        'FROM "data"\n'
    )


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_it_predicts_as_the_model_does_or_says_why_not(name, dialect):
    imported("duckdb") if dialect == "duckdb" else None
    model = fitted(name)
    options = {"dialect": dialect, "style": "plain"}
    try:
        query = tw.export(model, "sql", **options)
    except ExportError as refused:
        query = ""
        reason = str(refused)
    if not query:
        assert any(words in reason for words in ("plain CASE", "name", "date", "surrogate", "NUL"))
        return
    assert not query.startswith("WITH")
    found = tw.verify_export(model, query, "sql", **options)
    assert found, found


def test_most_models_have_a_plain_query():
    n_written = 0
    for name in EXPORT_MODELS:
        try:
            n_written += bool(tw.export(fitted(name), **PLAIN))
        except ExportError:
            continue
    assert n_written >= 0.7 * len(EXPORT_MODELS)


def test_a_row_that_several_leaves_share_gets_the_prediction_of_all():
    X, y = tw.load_sample("tennis")
    model = tw.C45Classifier().fit(X, y)  # a missing value sends shares of a row everywhere
    options = {"style": "plain", "probabilities": True}
    query = tw.export(model, "sql", **options)
    assert tw.verify_export(model, query, "sql", **options)


def test_a_number_that_is_missing_is_not_asked_again():
    X = {"x": np.arange(40.0)}
    y = np.repeat(["a", "b", "a", "c"], 10)
    model = tw.C45Classifier(min_samples_leaf=2, prune=None).fit(X, y)
    query = tw.export(model, **PLAIN)
    assert query.count("WHEN") == model.get_n_leaves()  # the first split has an ELSE for NULL


def columns_of(model, dialect="sqlite"):
    return PlainColumns(Program(model), find_dialect(dialect), {}, "data")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimals_are_read_back_as_the_same_number(number):
    for dialect in ("sqlite", "duckdb", "bigquery"):
        assert float(columns_of(a_stump(), dialect).decimal(number)) == number


@given(st.floats(min_value=-1e6, max_value=1e6).map(lambda number: round(number, 6)))
def test_sqlite_reads_short_decimals_exactly(number):
    text = columns_of(a_stump()).decimal(number)
    with sqlite3.connect(":memory:") as database:
        assert database.execute(f"SELECT {text} = ?", (number,)).fetchone() == (1,)


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_duckdb_reads_decimals_exactly(number):
    duckdb = imported("duckdb")
    text = columns_of(a_stump(), "duckdb").decimal(number)
    with duckdb.connect() as database:
        assert database.execute(f"SELECT {text}::DOUBLE = ?::DOUBLE", [number]).fetchone() == (
            True,
        )


def test_rows_can_be_sorted_and_columns_kept():
    query = tw.export(a_stump(), **PLAIN, keep=["id"], order_by="id")
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE data (id, x)")
        database.executemany("INSERT INTO data VALUES (?, ?)", [(3, 0.5), (1, None), (2, 0.9)])
        assert database.execute(query).fetchall() == [("no", 1), ("yes", 2), ("no", 3)]


def test_a_column_called_prediction_is_not_kept_without_being_asked_for():
    assert tw.export(a_stump("prediction"), **PLAIN).count('"prediction"') == 2
    with pytest.raises(ParameterError, match="of its own"):
        tw.export(a_stump("prediction"), **PLAIN, keep="prediction")


def test_an_unknown_style_and_a_tree_too_deep_are_refused():
    with pytest.raises(ParameterError, match="style='plane'") as refused:
        tw.export(a_stump(), "sql", style="plane")
    assert "plain" in str(refused.value)
    deep = leaf(1, 0)
    for at in range(20):
        deep = threshold(0, float(20 - at), leaf(0, 1), deep, missing=0)
    tree = build(deep, numeric_schema("x"), ("no", "yes"))
    with pytest.raises(ExportError, match="levels deep") as refused:
        tw.export(tree, **PLAIN)
    assert "exact" in str(refused.value)
