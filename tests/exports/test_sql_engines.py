"""Queries predict as the model does on real engines: SQLite, DuckDB, PostgreSQL, MariaDB."""

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import treewright as tw
from builders import a_chain, a_mixed_schema, a_random_tree
from exports.database_servers import NoServerError, mariadb, postgresql
from exports.export_models import EXPORT_MODELS, fitted
from exports.sql_names import renamed_columns
from machine import imported
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.exports.sql.dialects import DIALECTS
from treewright.verbs.export import export, verify_export

ENGINES = ("sqlite", "duckdb", "postgresql", "mysql")


@contextlib.contextmanager
def no_server():
    yield None


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    """(dialect, connection) of an engine; None is what `verify_export` has itself."""
    if request.param == "duckdb":
        imported("duckdb")
    servers = {"postgresql": postgresql, "mysql": mariadb}
    with contextlib.ExitStack() as running:
        try:
            connection = running.enter_context(servers.get(request.param, no_server)())
        except NoServerError as reason:
            pytest.skip(str(reason))
        if request.param == "mysql":
            connection.cursor().execute("CREATE DATABASE scratch")
            connection.select_db("scratch")
        yield request.param, connection


def verified(model, engine, **options):
    """What comes of the query for a model; rows in the order of a column made for it."""
    dialect, connection = engine
    options = {"dialect": dialect, "order_by": "row", **options}
    code = export(model, to="sql", **options)
    return verify_export(model, code, to="sql", connection=connection, **options)


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_P16_a_query_predicts_as_the_model(engine, name):
    model = fitted(name)
    tree = model if isinstance(model, tw.Tree) else model.tree_
    columns = renamed_columns(tree.schema.names, engine[0])
    found = verified(model, engine, probabilities=tree.is_classifier, columns=columns)
    assert found, str(found)


@pytest.mark.parametrize("name", ["tennis by CART", "missing fractional", "regression"])
def test_a_query_without_probabilities_gives_the_prediction_alone(engine, name):
    found = verified(fitted(name), engine)
    assert found, str(found)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.booleans())
def test_any_tree_can_be_a_query(engine, seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), is_classifier=is_classifier)
    found = verified(tree, engine, probabilities=is_classifier)
    assert found, str(found)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24_000, 5))
    y = np.where(rng.random(24_000) < 0.5, X[:, 0] + X[:, 1] > 0, rng.integers(0, 2, 24_000))
    return X, y.astype(np.int64)


@pytest.fixture(autouse=True)
def few_witnesses(request, monkeypatch):
    """Large trees are tried on some of their witnesses, evenly chosen."""
    if "large" in request.node.name:
        from treewright.exports.witnesses import witnesses

        monkeypatch.setattr(
            "treewright.verbs.export.witnesses", lambda tree: witnesses(tree, max_rows=500)
        )


def test_a_large_tree_of_thousands_of_leaves(engine, rows):
    model = tw.CARTClassifier(prune=None).fit(*rows)
    assert model.get_n_leaves() > 5000
    assert model.get_depth() > 30
    found = verified(model, engine)
    assert found, str(found)


def test_a_large_tree_that_shares_rows_adds_up_in_the_order_of_the_model(engine, rows):
    X, y = rows[0][:700].copy(), rows[1][:700]
    X[np.random.default_rng(1).random(X.shape) < 0.03] = np.nan
    model = tw.TreeClassifier(missing="fractional").fit(X, y)
    assert model.get_n_leaves() > 300
    found = verified(model, engine, probabilities=True)
    assert found, str(found)


def test_a_wide_node_that_shares_rows(engine):
    """Where a row goes from there has a column of its own."""
    rng = np.random.default_rng(2)
    codes = np.where(rng.random(400) < 0.05, -1, rng.integers(0, 40, size=400)).astype(np.int32)
    town = NominalColumn("town", codes, tuple(f"town {k}" for k in range(41)), declared=True)
    table = Table([town, NumericColumn("x", rng.normal(size=400))])
    y = np.where(codes % 3 == 0, "yes", np.where(table["x"].values > 0, "maybe", "no"))
    model = tw.TreeClassifier(missing="fractional", nominal="branches", max_depth=3).fit(table, y)
    found = verified(model, engine, probabilities=True)
    assert found, str(found)


def test_a_large_tree_that_is_one_chain(engine):
    found = verified(a_chain(3000), engine)
    assert found, str(found)


def test_names_are_compared_letter_by_letter(engine):
    """Case, accents and spaces at the end make another level, whatever the collation."""
    levels = ["a", "A", "a ", "ä", " a", "ss", "ß", ""]
    X = np.array([[level] for level in levels * 10], dtype=object)
    y = np.array([f"is {level}" for level in levels * 10], dtype=object)
    model = tw.TreeClassifier(nominal="branches").fit(X, y)
    found = verified(model, engine)
    assert found, str(found)
    assert found.n_rows > len(levels)


SETTINGS = {
    "postgresql": ["SET standard_conforming_strings = off", "SET standard_conforming_strings = on"],
    "mysql": ["SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "SET sql_mode = DEFAULT"],
}


def test_strings_mean_the_same_under_other_settings_of_the_server(engine):
    if engine[0] not in SETTINGS:
        return
    other, usual = SETTINGS[engine[0]]
    cursor = engine[1].cursor()
    cursor.execute(other)
    found = verified(fitted("odd levels and classes"), engine)
    cursor.execute(usual)
    assert found, str(found)


COLLATED = {
    "sqlite": "TEXT COLLATE NOCASE",
    "duckdb": "VARCHAR COLLATE NOCASE",
    "postgresql": "TEXT COLLATE without_case",
    "mysql": "VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_general_ci",
}


def test_the_collation_of_a_column_does_not_count(engine):
    dialect, connection = engine
    model = tw.TreeClassifier(nominal="branches").fit(
        np.array([["a"], ["A"], ["ä"]] * 5, dtype=object), ["lower", "upper", "umlaut"] * 5
    )
    with contextlib.ExitStack() as opened:
        if connection is None:
            connection = opened.enter_context(contextlib.closing(DIALECTS[dialect].connect()))
        cursor = connection.cursor()
        if dialect == "postgresql":
            cursor.execute(
                "CREATE COLLATION without_case "
                "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
            )
        name = DIALECTS[dialect].identifier("x0")
        cursor.execute(f"CREATE TABLE levels ({name} {COLLATED[dialect]})")
        cursor.execute("INSERT INTO levels VALUES ('A'), ('a'), ('ä')")
        cursor.execute(export(model, to="sql", dialect=dialect, table="levels"))
        assert [row[0] for row in cursor.fetchall()] == ["upper", "lower", "umlaut"]
        cursor.execute("DROP TABLE levels")


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_dates_are_compared_with_dates(engine, unit):
    days = np.arange("1969-12-20", "1970-01-15", dtype="datetime64[D]").astype(
        f"datetime64[{unit}]"
    )
    X = tw.table_from({"day": days})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = tw.CARTClassifier(prune=None).fit(X, np.arange(len(days)) // 3 % 2)
    assert model.get_n_leaves() > 5
    found = verified(model, engine)
    assert found, str(found)


def test_a_row_that_the_model_refuses_has_no_prediction(engine):
    found = verified(fitted("unseen is an error"), engine, probabilities=True)
    assert found, str(found)


def two_hundred_categories() -> tuple[dict[str, Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 200, 2000)
    X = {"text": [f"text {code}" for code in codes], "number": rng.normal(size=2000)}
    return X, np.where((codes % 3 > 0) ^ (X["number"] > 1), "a", "b")


@pytest.mark.parametrize(
    "model",
    [
        tw.CARTClassifier(max_depth=3),
        tw.RandomForestClassifier(n_estimators=3, max_leaf_nodes=4, random_state=0),
    ],
    ids=["tree", "forest"],
)
def test_duckdb_returns_rows_in_the_order_of_the_table_with_several_threads(model):
    query = export(model.fit(*two_hundred_categories()), to="sql", dialect="duckdb", keep="row")
    with imported("duckdb").connect() as connection:
        connection.execute("SET threads = 4")
        connection.execute(
            "CREATE TABLE data AS SELECT range AS row, 'text ' || range * 7919 % 200 AS text, "
            "random() * 3 AS number FROM range(200000)"
        )
        found = connection.execute(query).fetchnumpy()["row"]
    assert (found == np.arange(200_000)).all()
