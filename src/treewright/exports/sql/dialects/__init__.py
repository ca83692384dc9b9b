"""The dialects of SQL, one file each."""

from treewright.errors import ParameterError, nearest, plain
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
# Other names of the dialects.
SYNONYMS = {
    "sqlite3": "sqlite",
    "postgres": "postgresql",
    "pgsql": "postgresql",
    "psql": "postgresql",
    "pg": "postgresql",
    "duck": "duckdb",
    "mariadb": "mysql",
    "bq": "bigquery",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "transactsql": "tsql",
    "azuresql": "tsql",
}


def dialect_name(name: object) -> str | None:
    """The name of a dialect as `DIALECTS` has it, from any of its names; None if there is none.

    >>> dialect_name("SQL Server"), dialect_name("oracle")
    ('tsql', None)
    """
    simple = plain(str(name))
    ways = (str(name), SYNONYMS.get(simple, simple))
    return next((known for known in ways if known in DIALECTS), None)


def dialect_called(name: str) -> Dialect:
    """The dialect of that name, or an error that offers the nearest."""
    known = dialect_name(name) if isinstance(name, str) else None
    found = None if known is None else DIALECTS[known]
    if found is None:
        hint = nearest(str(name).lower(), DIALECTS, "dialects")
        raise ParameterError(f"no SQL dialect `{name}`", hint=hint)
    return found
