"""What the text of a column means where blocks of one file disagree.

Each block infers the types of its columns by itself. Where blocks find different ones, the column
is read again as text, its different cells are counted, and the type is inferred from all of them,
as if the file had been read at once.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.data.column import MISSING, Column, NominalColumn, NumericColumn
from treewright.data.sources.blocks import delimiter_of
from treewright.data.sources.from_csv import ReadSettings, from_text, plain_numbers
from treewright.data.sources.type_inference import (
    CellError,
    is_token,
    side_of,
    warn_of_lost_cells,
)
from treewright.data.table import Table
from treewright.errors import DataError

MOST_WORDS = 100  # more than there are for yes, no and missing


@dataclass(frozen=True, slots=True)
class Meaning:
    """What each different text of a column means."""

    row_of: Mapping[str, int]
    column: Column  # a row for each text, and one for a missing cell

    def of(self, column: Column) -> Column:
        """A block of the column, which is text, as what it means."""
        if not isinstance(column, NominalColumn):
            return column
        try:
            rows = [self.row_of[str(level)] for level in column.levels]
        except KeyError as error:
            raise DataError(
                f"column `{column.name}` holds {error.args[0]!r}, which the pass before did not "
                "return",
                hint="every pass over a source must return the same rows in the same order",
            ) from None
        row_of_code = np.array([*rows, len(self.column) - 1], dtype=np.intp)
        found = self.column.take(row_of_code[np.maximum(column.codes, MISSING)])
        return found.compacted() if isinstance(found, NominalColumn) else found


def meanings_of(
    tables: Iterable[Table], names: Sequence[str], file: Path, settings: ReadSettings
) -> dict[str, Meaning]:
    """What the text of columns means, from tables where they are text; not where it is just text.

    `settings` are those of the user.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    n_missing = Counter[str]()
    for table in tables:
        for name in names:
            column = table[name]
            n_missing[name] += column.n_missing
            if isinstance(column, NominalColumn):
                levels = map(str, column.levels)
                counts[name].update(dict(zip(levels, column.counts().tolist(), strict=True)))
    known = settings.settled()
    comma_is_decimal = delimiter_of(file, settings) == ";"
    found = {}
    for name in names:
        texts = tuple(counts[name])
        sizes = np.array([*counts[name].values(), n_missing[name]])
        codes = np.repeat(np.array([*range(len(texts)), MISSING], dtype=np.int32), sizes)
        whole = NominalColumn(name, codes, texts, origin="text", by_appearance=True)
        row_of = {text: row for row, text in enumerate(texts)}
        numbers = plain_numbers(name, texts, known)
        if numbers is not None:
            found[name] = Meaning(row_of, with_missing_row(numbers))
            continue
        try:
            column = from_text(whole, known.wanted(name, comma_is_decimal=comma_is_decimal))
        except CellError as error:
            raise DataError(f"{file.name}: {error.problem}", hint=error.hint) from None
        if column is not whole:
            warn_of_lost_cells([column])
            first_rows = np.cumsum(sizes) - sizes
            found[name] = Meaning(row_of, with_missing_row(column.take(first_rows[:-1])))
    return found


def with_missing_row(column: Column) -> Column:
    """The column with a missing cell below its rows."""
    if isinstance(column, NumericColumn):
        return replace(column, values=np.append(column.values, np.nan))
    return replace(column, codes=np.append(column.codes, np.int32(MISSING)))


def are_yes_no(levels: Collection[Any]) -> bool:
    """Whether all words say yes, no or that nothing is known."""
    if len(levels) > MOST_WORDS:
        return False
    words = [*map(str, levels)]
    return any(map(side_of, words)) and all(side_of(word) or is_token(word) for word in words)


def are_spellings(levels: Collection[Any]) -> bool:
    """Whether there are several words for yes or for no."""
    sides = [side for level in levels if (side := side_of(str(level)))]
    return are_yes_no(levels) and len(sides) > len({*sides})
