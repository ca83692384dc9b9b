"""`--sql`: query a table with DuckDB."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, ParameterError

if TYPE_CHECKING:
    from treewright.data.column import Column
    from treewright.data.table import Table

EXACT = 2**53  # whole numbers up to this are the same as floats
# A query reads the table and computes; it gets no files, network, extensions or Python variables.
# The last setting locks the others.
CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}


def query_result(query: str, table: "Table") -> "Table":
    """The result of `query`, in which `table` is called `t`.

    DuckDB gets the table as it was read, so cells mean the same with and without a query.
    """
    from treewright.data.sources import table_from
    from treewright.data.table import Table
    from treewright.optional import optional_module

    duckdb = optional_module("duckdb", extra="sql", purpose="--sql")
    with duckdb.connect() as connection, TemporaryDirectory() as folder:
        rows = loaded(table, connection, Path(folder))
        try:
            found = rows.query("t", query)
            columns = () if found is None else map(plain_number, found.columns, found.types)
            if found is None or not found.shape[0]:
                raise DataError("--sql: the query returns no rows", hint="use SELECT ... FROM t")
            result = table_from(found.project(", ".join(columns)))
        except duckdb.Error as error:
            hint = "in the query, the table is called `t`"
            if isinstance(error, duckdb.PermissionException):
                hint = "a query reads the table `t` only: no other files, no network, no extensions"
            first_line = str(error).strip().partition("\n")[0]
            raise ParameterError(f"--sql: {first_line}", hint=hint) from None
    return Table([as_before(column, table) for column in result.columns])


def loaded(table: "Table", connection: Any, folder: Path) -> Any:
    """The table loaded into DuckDB; after this, the connection can access nothing else.

    Large intermediate results may still go to `folder`. Whole numbers become integers, as
    expected in SQL.
    """
    from treewright.data.sources.from_arrow import polars_frame

    whole = {column.name: "Int64" for column in table.columns if holds_whole_numbers(column)}
    path = folder / "t.parquet"
    polars_frame(table, whole).write_parquet(path)
    connection.read_parquet(str(path)).create("rows")
    path.unlink()
    connection.execute("SET temp_directory = '{}'".format(str(folder).replace("'", "''")))
    for setting, value in CLOSED.items():
        connection.execute(f"SET {setting} = {value}")
    return connection.table("rows")


def holds_whole_numbers(column: "Column") -> bool:
    """Whether every non-missing value is a whole number, and not a date."""
    import numpy as np

    from treewright.data.column import NumericColumn

    if not isinstance(column, NumericColumn) or column.unit:
        return False
    known = column.values[~column.is_missing]
    return bool(np.all((np.abs(known) <= EXACT) & (known == np.floor(known))))


def plain_number(column: str, kind: object) -> str:
    """A column of a query, as a double if it holds exact numbers of any length."""
    name = '"' + column.replace('"', '""') + '"'
    is_exact = str(kind).startswith(("DECIMAL", "HUGEINT", "UHUGEINT"))
    return f"CAST({name} AS DOUBLE) AS {name}" if is_exact else name


def as_before(column: "Column", table: "Table") -> "Column":
    """The column with the level order and origin that it has in the table."""
    import numpy as np

    from treewright.data.column import MISSING, NominalColumn, NumericColumn, numeric_as_nominal

    if column.name not in table.names:
        return column
    before: Column = table[column.name]
    if isinstance(before, NumericColumn):
        if not isinstance(column, NumericColumn) or column.unit != before.unit:
            return column
        return replace(before, values=column.values)
    if column.n_missing == len(column):
        codes = np.full(len(column), MISSING, dtype=np.int32)
        return replace(before, codes=codes).compacted()
    if isinstance(column, NumericColumn) and before.level_type == "integer":
        column = numeric_as_nominal(column)
    if not isinstance(column, NominalColumn) or column.level_type != before.level_type:
        return column
    code_of = {level: code for code, level in enumerate(before.levels)}
    if not code_of.keys() >= set(column.levels):
        return column
    new_codes = np.array([code_of[level] for level in column.levels] + [MISSING], dtype=np.int32)
    return replace(before, codes=new_codes[np.maximum(column.codes, MISSING)]).compacted()
