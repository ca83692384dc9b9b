"""Delimited text: a table, or a `DataError`. The first byte chooses the settings."""

import warnings
from contextlib import suppress

import treewright as tw
from treewright.data.column import NominalColumn
from treewright.data.sources.from_csv import ReadSettings, table_from_csv

SETTINGS = (
    ReadSettings(),
    ReadSettings(header=False),
    ReadSettings(na=("", "?", "none")),
    ReadSettings(delimiter=";"),
    ReadSettings(delimiter="\t", categorical=("a",), numeric=("b",), strict=False),
    ReadSettings(text=("a",), strict=False),
)


def check(data: bytes) -> None:
    settings = SETTINGS[data[0] % len(SETTINGS)] if data else SETTINGS[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(tw.DataError):
            check_table(table_from_csv(data[1:], settings, source="the fuzzed file"))


def check_table(table: tw.Table) -> None:
    """Columns of equal length whose codes have levels, and a table that can be shown."""
    if not table.n_rows or len(set(table.names)) != table.n_columns:
        raise AssertionError(f"{table.n_rows} rows, columns {table.names}")
    for column in table.columns:
        if len(column) != table.n_rows:
            raise AssertionError(f"column `{column.name}` has {len(column)} rows")
        if isinstance(column, NominalColumn) and not (
            column.codes.min() >= -1 and column.codes.max() < len(column.levels)
        ):
            raise AssertionError(f"column `{column.name}` has a code without a level")
    repr(table)
