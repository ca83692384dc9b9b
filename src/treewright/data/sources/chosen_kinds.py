"""The user's choices for columns of a table already read: missing, nominal, numeric."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.sources import with_nominal
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.table import Table
from treewright.errors import DataError, UnknownColumnError


def chosen_kinds(table: Table, settings: ReadSettings, source: str) -> Table:
    """The table as the settings want it: cells that mean missing, nominal and numeric columns."""
    categorical = [name for name in settings.categorical if settings.strict or name in table.names]
    for name in (*categorical, *settings.numeric):
        if name not in table.names:
            raise UnknownColumnError.among(name, table.names, source=source)
    if settings.na:
        columns = [without_words(column, settings.na) for column in table.columns]
        table = Table(columns, table.n_rows, has_names=table.has_names)
    for name in settings.numeric:
        column = table[name]
        if isinstance(column, NominalColumn):
            table = table.with_column(numbers_from_levels(column, source))
    return with_nominal(table, categorical)


def without_words(column: Column, words: Sequence[str]) -> Column:
    """The column with the cells that hold one of the words made missing."""
    if isinstance(column, NominalColumn):
        kept = [at for at, level in enumerate(column.levels) if str(level) not in words]
        is_same = len(kept) == len(column.levels)
        return column if is_same else column.recoded(np.array(kept, dtype=np.intp))
    if column.unit:
        return column
    numbers = [number for number in map(number_in, words) if number is not None]
    stands_for_missing = np.isin(column.values, numbers)
    if not stands_for_missing.any():
        return column
    return replace(column, values=np.where(stands_for_missing, np.nan, column.values))


def number_in(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def numbers_from_levels(column: NominalColumn, source: str) -> NumericColumn:
    """A nominal column whose levels are all numbers as a numeric one."""
    try:
        numbers = np.array([*map(float, column.levels), np.nan])
    except ValueError:
        raise DataError(f"{source}: column `{column.name}` holds text, not numbers") from None
    values = numbers[np.maximum(column.codes, -1)]
    return NumericColumn(column.name, values, origin="levels read as numbers")
