"""Literals and names mean in the engine what they mean here."""

import math
import sqlite3
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from machine import imported
from treewright.errors import ParameterError
from treewright.exports.sql.dialects import (
    DIALECTS,
    SYNONYMS,
    exact_text,
    find_dialect,
    is_read_right,
    rounded,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.fixture(scope="module")
def duckdb():
    return imported("duckdb").connect()


def in_sqlite(expression):
    with sqlite3.connect(":memory:") as database:
        return database.execute(f"SELECT {expression}").fetchone()[0]


@given(finite)
@example(5e-324)
@example(-1.7976931348623157e308)
@example(0.1 + 0.2)
@example(-0.0)
def test_sqlite_reads_a_number_as_it_was(number):
    assert in_sqlite(DIALECTS["sqlite"].number(number)) == number
    if number:
        assert in_sqlite(exact_text(number)) == number


def test_an_exact_quotient_has_the_short_number_beside_it():
    exact = "(1351079888211149.0 / 4503599627370496.0 /* 0.3 */)"
    assert DIALECTS["sqlite"].number(0.1 + 0.2) == exact
    assert DIALECTS["sqlite"].number(0.3) == "0.3e0"
    sqlglot = imported("sqlglot")
    again = sqlglot.transpile(f"SELECT {exact} AS x", read="sqlite", write="sqlite")[0]
    assert in_sqlite(f"x FROM ({again})") == 0.1 + 0.2


@given(finite)
@example(5e-324)
def test_duckdb_reads_a_number_as_it_was(duckdb, number):
    query = f"SELECT {DIALECTS['duckdb'].number(number)}"
    assert duckdb.execute(query).fetchone()[0] == number


@given(texts)
@example("'; DROP TABLE data; --")
@example("a\0b\0")
@example("\\'")
def test_sqlite_reads_a_string_as_it_was(text):
    assert in_sqlite(DIALECTS["sqlite"].string(text)) == text


@given(texts)
@example("'; DROP TABLE data; --")
@example("a\0b\0")
@example("\\'")
def test_duckdb_reads_a_string_as_it_was(duckdb, text):
    assert duckdb.execute(f"SELECT {DIALECTS['duckdb'].string(text)}").fetchone()[0] == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
@example('"; DROP TABLE data; --')
def test_a_name_is_a_name_and_nothing_else(text):
    with sqlite3.connect(":memory:") as database:
        name = DIALECTS["sqlite"].identifier(text)
        database.execute(f"CREATE TABLE {name} ({name})")
        assert database.execute("SELECT name FROM sqlite_schema").fetchone()[0] == text
        assert database.execute(f"SELECT * FROM {name}").description[0][0] == text


@pytest.mark.parametrize(
    ("dialect", "text", "literal"),
    [
        ("postgresql", "it's", "'it''s'"),
        ("postgresql", "a\\'b", "E'a\\\\''b'"),
        ("mysql", "it's", "'it''s'"),
        ("mysql", "a\\b", "_utf8mb4 X'615C62'"),
        ("mysql", "größe", "_utf8mb4 X'6772C3B6C39F65'"),
        ("bigquery", "a\\b'\n", "'a\\\\b\\'\\u000a'"),
        ("bigquery", "🌳", "'🌳'"),
        ("tsql", "it's", "N'it''s'"),
    ],
)
def test_each_dialect_quotes_strings_in_its_way(dialect, text, literal):
    assert DIALECTS[dialect].string(text) == literal


@pytest.mark.parametrize(
    ("dialect", "name", "quoted"),
    [
        ("sqlite", 'say "hi"', '"say ""hi"""'),
        ("mysql", "a`b", "`a``b`"),
        ("bigquery", "select", "`select`"),
        ("tsql", "[a]<b>", "[[a]]<b>]"),
    ],
)
def test_each_dialect_quotes_names_in_its_way(dialect, name, quoted):
    assert DIALECTS[dialect].identifier(name) == quoted


def test_numbers_are_doubles_not_decimals():
    assert DIALECTS["postgresql"].number(0.8) == "float8 '0.8'"
    for dialect in ("sqlite", "duckdb", "mysql", "bigquery", "tsql"):
        assert DIALECTS[dialect].number(0.8) == "0.8e0"


@given(finite)
def test_what_is_said_to_be_read_right_is_safe_in_plain_doubles_too(number):
    """Old releases compute digits * or / a power of ten in doubles, or in long doubles."""
    if not is_read_right(number):
        return
    digits, _, exponent = f"{abs(number)!r}e0".replace("e0", "", 1).partition("e")
    whole, _, decimals = digits.partition(".")
    power = int(exponent or 0) - len(decimals.rstrip("0"))
    significand = float(whole + decimals.rstrip("0"))
    found = significand * 10.0**power if power >= 0 else significand / 10.0**-power
    assert found == abs(number)


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30), st.integers(10, 70))
def test_rounding_to_bits_is_to_the_nearest(exact, bits):
    near = rounded(exact, bits)
    size = math.floor(math.log2(near.numerator) - math.log2(near.denominator))
    assert abs(near - exact) <= Fraction(2) ** (size + 1 - bits)
    if bits == 53:
        assert near == Fraction(float(exact))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("mssql", "tsql"),
        ("sqlserver", "tsql"),
        ("SQL Server", "tsql"),
        ("T-SQL", "tsql"),
        ("postgres", "postgresql"),
        ("PostgreSQL", "postgresql"),
        ("mariadb", "mysql"),
        ("sqlite3", "sqlite"),
    ],
)
def test_a_dialect_has_the_names_that_people_use(name, meant):
    assert find_dialect(name).name == meant


def test_every_synonym_is_of_a_dialect_and_no_dialect_itself():
    assert {*SYNONYMS.values()} <= {*DIALECTS}
    assert not {*SYNONYMS} & {*DIALECTS}


def test_an_unknown_dialect_is_told_with_those_there_are():
    with pytest.raises(ParameterError, match=r"(?s)no SQL dialect `oracle`.*tsql"):
        find_dialect("oracle")
