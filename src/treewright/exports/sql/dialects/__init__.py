"""The dialects of SQL, one module each."""

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
    """The key of a dialect in `DIALECTS`, from any of its names; None if it is unknown.

    >>> dialect_name("SQL Server"), dialect_name("oracle")
    ('tsql', None)
    """
    simple = plain(str(name))
    candidates = (str(name), SYNONYMS.get(simple, simple))
    return next((known for known in candidates if known in DIALECTS), None)


def find_dialect(name: str) -> Dialect:
    """The dialect of that name; an unknown one is an error that suggests the nearest."""
    known = dialect_name(name) if isinstance(name, str) else None
    if known is None:
        hint = nearest(str(name).lower(), DIALECTS, "dialects")
        raise ParameterError(f"no SQL dialect `{name}`", hint=hint)
    return DIALECTS[known]
