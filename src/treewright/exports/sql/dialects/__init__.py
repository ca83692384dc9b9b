"""The dialects of SQL, one file each."""

from treewright.errors import ParameterError, nearest
from treewright.exports.sql.dialects.base import Dialect
from treewright.exports.sql.dialects.bigquery import BigQuery
from treewright.exports.sql.dialects.duckdb import DuckDB
from treewright.exports.sql.dialects.mysql import MySQL
from treewright.exports.sql.dialects.postgresql import PostgreSQL
from treewright.exports.sql.dialects.sqlite import SQLite
from treewright.exports.sql.dialects.tsql import TSQL

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (SQLite(), PostgreSQL(), DuckDB(), MySQL(), BigQuery(), TSQL())
}


def dialect_called(name: str) -> Dialect:
    """The dialect of that name, or an error that offers the nearest."""
    found = DIALECTS.get(name) if isinstance(name, str) else None
    if found is None:
        hint = nearest(str(name).lower(), DIALECTS, "dialects")
        raise ParameterError(f"no SQL dialect `{name}`", hint=hint)
    return found
