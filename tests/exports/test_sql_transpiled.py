"""Queries for BigQuery and T-SQL, which cannot be had here: parsed, put into DuckDB's words, run.

What DuckDB has no word for is replaced: collations that compare bytes, strings of national letters,
and the types of T-SQL by DuckDB's types of the same values.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, a_mixed_schema, a_random_tree
from exports.export_models import EXPORT_MODELS, fitted
from exports.sql_names import renamed_columns
from machine import imported
from treewright.errors import ExportError
from treewright.exports.sql.dialects import DIALECTS, DuckDB
from treewright.verbs.export import export, verify_export

sqlglot = imported("sqlglot")
imported("duckdb")
exp = sqlglot.exp

DIALECTS_READ = ("bigquery", "tsql")
REFUSED = {("tsql", "regression of extreme numbers"): "no numbers as small as"}
DUCKDB_TYPES = {
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "NVARCHAR": "TEXT",
    "BIT": "BOOLEAN",
    "DATETIME2": "TIMESTAMP",
}


class DuckDBWithoutSpecialNumbers(DuckDB):
    """DuckDB with the values of T-SQL: no NaN, no infinities."""

    name = "duckdb as T-SQL"
    has_infinity = False


def in_duckdb(query: str, dialect: str) -> str:
    """A query of another dialect as DuckDB says it."""
    [tree] = sqlglot.parse(query, read=dialect)
    return tree.transform(in_duckdb_words).sql(dialect="duckdb")


def in_duckdb_words(node):
    if isinstance(node, exp.Anonymous) and node.name.upper() == "COLLATE":
        node = exp.Collate(this=node.expressions[0], expression=exp.var("C"))
    elif isinstance(node, exp.Collate):
        node.set("expression", exp.var("C"))
    elif isinstance(node, exp.National):
        return exp.Literal.string(node.name)
    elif isinstance(node, exp.DataType) and node.this.name in DUCKDB_TYPES:
        return exp.DataType.build(DUCKDB_TYPES[node.this.name])
    return node


def verified(model, dialect, monkeypatch, **options):
    stand_in = "duckdb"
    if not DIALECTS[dialect].has_infinity:
        stand_in = DuckDBWithoutSpecialNumbers.name
        monkeypatch.setitem(DIALECTS, stand_in, DuckDBWithoutSpecialNumbers())
    options = {"order_by": "row", **options}
    code = export(model, to="sql", dialect=dialect, **options)
    return verify_export(model, in_duckdb(code, dialect), to="sql", dialect=stand_in, **options)


def by_turns():
    """Every model in one dialect; in the other when there is time."""
    for at, (name, dialect) in enumerate(product(EXPORT_MODELS, DIALECTS_READ)):
        is_usual = at % 4 in (0, 3) or (dialect, name) in REFUSED
        yield pytest.param(name, dialect, marks=() if is_usual else pytest.mark.large)


@pytest.mark.parametrize(("name", "dialect"), by_turns())
def test_P16_a_query_predicts_as_the_model(name, dialect, monkeypatch):
    model = fitted(name)
    tree = model if isinstance(model, tw.Tree) else model.tree_
    options = {
        "probabilities": tree.is_classifier and name != "a chain of 1,200 splits",
        "columns": renamed_columns(tree.schema.names, dialect),
    }
    if (dialect, name) in REFUSED:
        with pytest.raises(ExportError, match=REFUSED[dialect, name]):
            export(model, to="sql", dialect=dialect, **options)
        return
    found = verified(model, dialect, monkeypatch, **options)
    assert found, str(found)


@pytest.mark.parametrize("dialect", DIALECTS_READ)
def test_names_are_compared_letter_by_letter(dialect, monkeypatch):
    levels = ["a", "A", "a ", "ä", " a", "ss", "ß", "", "\\", "'", "\n"]
    X = np.array([[level] for level in levels * 10], dtype=object)
    y = np.array([f"is {level}" for level in levels * 10], dtype=object)
    found = verified(tw.TreeClassifier(nominal="branches").fit(X, y), dialect, monkeypatch)
    assert found, str(found)


@settings(max_examples=4)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(DIALECTS_READ))
def test_any_tree_can_be_a_query(seed, is_classifier, dialect):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), is_classifier=is_classifier)
    with pytest.MonkeyPatch.context() as patch:
        found = verified(tree, dialect, patch, probabilities=is_classifier)
    assert found, str(found)


def test_tsql_nests_no_case_deeper_than_ten():
    """The engine refuses more."""
    models = [a_chain(300), fitted("numbers grown to the end"), fitted("missing by surrogates")]
    for model in models:
        tree = sqlglot.parse_one(export(model, to="sql", dialect="tsql"), read="tsql")
        deepest = max(
            sum(isinstance(above, exp.Case) for above in ancestors(case))
            for case in tree.find_all(exp.Case)
        )
        assert deepest < 10


def ancestors(node):
    while node is not None:
        yield node
        node = node.parent
