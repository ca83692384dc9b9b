"""`--sql`: what a query over a table returns, by DuckDB."""

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from treewright.cli.streams import is_standard
from treewright.errors import DataError, ParameterError

if TYPE_CHECKING:
    from treewright.data.table import Table

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".tab", ".txt", "")
# DuckDB would make truth values of yes and no, which are other classes then.
KINDS = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]


def query_result(query: str, source: str, na: Sequence[str]) -> "Table":
    """What `query` returns, where the table of `source` is called `t`."""
    from treewright.data.sources import table_from
    from treewright.optional import optional_module

    duckdb = optional_module("duckdb", extra="sql", purpose="--sql")
    with duckdb.connect() as connection, readable_file(source) as path:
        try:
            found = opened(connection, path, na).query("t", query)
            columns = () if found is None else map(plain_number, found.columns, found.types)
            if found is None or not found.shape[0]:
                raise DataError("--sql: the query returns no rows", hint="use SELECT ... FROM t")
            return table_from(found.project(", ".join(columns)))
        except duckdb.Error as error:
            message = str(error).strip().partition("\n")[0]
            raise ParameterError(
                f"--sql: {message}", hint="the table is called `t` in it"
            ) from None


def opened(connection: Any, path: Path, na: Sequence[str]) -> Any:
    """The file as a relation of DuckDB."""
    if path.suffix.lower() in PARQUET:
        return connection.read_parquet(str(path))
    return connection.read_csv(
        str(path),
        header=True,
        na_values=["", *na],
        auto_type_candidates=KINDS,
        sample_size=-1,
    )


def plain_number(column: str, kind: object) -> str:
    """A column of a query, as a double if it holds exact numbers of any length."""
    name = '"' + column.replace('"', '""') + '"'
    is_exact = str(kind).startswith(("DECIMAL", "HUGEINT", "UHUGEINT"))
    return f"CAST({name} AS DOUBLE) AS {name}" if is_exact else name


@contextmanager
def readable_file(source: str) -> Iterator[Path]:
    """A file that DuckDB can read: the user's own, or what it holds as CSV for the moment."""
    from treewright.cli.tables import is_file, read_source

    path = Path(source)
    kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if not is_standard(source) and is_file(source) and kind.lower() in (*TEXT, *PARQUET):
        with path.open("rb"):  # the system's own error for a folder or a locked file
            pass
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "t.csv"
        if is_standard(source):
            copy.write_bytes(sys.stdin.buffer.read())
        else:
            write_table(read_source(source), copy)
        yield copy


def write_table(table: "Table", path: Path) -> None:
    """The table as CSV; missing values are empty cells."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = ([column.value(row) for column in table.columns] for row in range(table.n_rows))
        csv.writer(file, lineterminator="\n").writerows([table.names, *rows])
