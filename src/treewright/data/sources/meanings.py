"""The types of text columns where blocks disagree.

Each block infers the types of its columns by itself. Where blocks find different ones, the column
is read again as text, its distinct values in each file are counted, and the type is inferred from
all of them, as if the file had been read whole.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.sources.blocks import delimiter_of, text_kind
from treewright.data.sources.from_csv import ReadSettings, from_text, plain_numbers
from treewright.data.sources.objects import empty_column
from treewright.data.sources.type_inference import (
    CellError,
    warn_of_lost_cells,
)
from treewright.data.sources.typed_cells import LEADING_ZERO
from treewright.data.table import Table
from treewright.errors import DataError, keeping_warnings


@dataclass(frozen=True, slots=True)
class Meaning:
    """What each different text of a column means."""

    row_of: Mapping[str, int]
    column: Column  # a row for each text, and one for a missing cell

    def of(self, column: Column) -> Column:
        """Convert one block of the text column to the inferred type."""
        if not isinstance(column, NominalColumn):
            return column
        try:
            rows = [self.row_of[str(level)] for level in column.levels]
        except KeyError as error:
            raise changed_source(column.name, error.args[0]) from None
        row_of_code = np.array([*rows, len(self.column) - 1], dtype=np.intp)
        found = self.column.take(row_of_code[np.maximum(column.codes, MISSING)])
        return found.compacted() if isinstance(found, NominalColumn) else found


def changed_source(column: str, value: str) -> DataError:
    """The error for a value that no pass before has returned."""
    return DataError(
        f"column `{column}` holds `{value}`, which was not there in the previous pass",
        hint="every pass over a source must return the same rows in the same order",
    )


def with_meanings(table: Table, meanings: Mapping[str, Meaning]) -> Table:
    """The table, with columns read as text converted to their inferred types."""
    columns = [
        meanings[column.name].of(column) if column.name in meanings else column
        for column in table.columns
    ]
    return Table(columns, table.n_rows, has_names=table.has_names) if meanings else table


def meanings_of(
    tables: Iterable[Table], names: Sequence[str], file: Path, settings: ReadSettings
) -> dict[str, Meaning]:
    """Infer the types of columns that `tables` hold as text; columns that stay text are left out.

    `settings` are those of the user.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    first_rows: dict[str, list[int]] = {name: [] for name in names}  # in the order of `counts`
    n_missing = Counter[str]()
    n_rows = 0
    with keeping_warnings():  # later passes give those that are still true
        for table in tables:
            for name in names:
                column = table[name] if name in table.names else empty_column(name, table.n_rows)
                n_missing[name] += column.n_missing
                if isinstance(column, NominalColumn):
                    add_texts(counts[name], first_rows[name], column, n_rows)
            n_rows += table.n_rows
    known = settings.settled()
    is_json = text_kind(file) == "json"
    delimiter = "," if is_json else delimiter_of(file, settings)
    found = {}
    for name in names:
        texts = tuple(counts[name])
        if is_json and not known.kind_of(name) and any(map(LEADING_ZERO.match, texts)):
            continue
        sizes = np.array([*counts[name].values(), n_missing[name]])
        codes = np.repeat(np.array([*range(len(texts)), MISSING], dtype=np.int32), sizes)
        cells = NominalColumn(name, codes, texts, origin="text", by_appearance=True)
        row_of = {text: row for row, text in enumerate(texts)}
        numbers = plain_numbers(name, texts, delimiter, known)
        if numbers is not None:
            found[name] = Meaning(row_of, with_missing_row(numbers))
            continue
        try:
            wanted = known.wanted(name, comma_is_decimal=delimiter == ";")
            first_row_of = partial(first_row, texts, first_rows[name])
            column = from_text(cells, replace(wanted, first_row_of=first_row_of))
        except CellError as error:
            raise DataError(f"{file.name}: {error.problem}", hint=error.hint) from None
        if column is not cells:
            warn_of_lost_cells([column])
            begins = np.cumsum(sizes) - sizes
            found[name] = Meaning(row_of, with_missing_row(column.take(begins[:-1])))
    return found


def add_texts(
    counts: Counter[str], first_rows: list[int], column: NominalColumn, n_before: int
) -> None:
    """Count the texts of a block of a column, which follows `n_before` rows."""
    codes, rows, numbers = np.unique(column.codes, return_index=True, return_counts=True)
    for code, row, n in sorted(
        zip(codes.tolist(), rows.tolist(), numbers.tolist(), strict=True), key=lambda one: one[1]
    ):
        if code != MISSING:
            text = str(column.levels[code])
            if text not in counts:
                first_rows.append(n_before + row)
            counts[text] += n


def first_row(texts: Sequence[str], rows: Sequence[int], wanted: str) -> int:
    """The first row with a text, which has no spaces around it."""
    return next(row for text, row in zip(texts, rows, strict=True) if text.strip() == wanted)


def with_missing_row(column: Column) -> Column:
    """The column with a missing cell below its rows."""
    if isinstance(column, NumericColumn):
        return replace(column, values=np.append(column.values, np.nan))
    return replace(column, codes=np.append(column.codes, np.int32(MISSING)))
