"""The rows of a scan as a table whose values come block by block.

Its blocks have the columns, categories and units of all rows, wherever blocks begin.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels._native import cancel_if_unwanted
from treewright.data.column import (
    Column,
    NominalColumn,
    NumericColumn,
)
from treewright.data.column_facts import as_categories, categories_of, header_of, unit_of
from treewright.data.schema import ColumnSpec, Unseen, fit_column
from treewright.data.sources.many_files import check_same_columns, in_finer_unit
from treewright.data.sources.scan_sources import errors_of
from treewright.data.stored_table import StoredTable, stored_array, values_of, with_values
from treewright.data.survey import Positions, Survey
from treewright.data.table import Rows, Table
from treewright.errors import DataError


class ScannedTable(Table):
    """The rows of a scan, or some of them, as a table whose values come block by block.

    What asks for its columns gets them if there are few rows. `headers` are the columns without
    values.
    """

    most_rows_read: ClassVar[int] = 200_000  # in memory

    __slots__ = ("_categories", "_headers", "_picked", "_read", "_specs", "survey")

    survey: Survey
    _headers: tuple[Column, ...]
    _specs: tuple[ColumnSpec, ...]
    _categories: tuple[NominalColumn | None, ...]  # of numbers that are categories
    _picked: Positions | range | None  # ascending, or few; None: all
    _read: list[Table]  # none or one: the rows in memory

    def __init__(
        self,
        survey: Survey,
        rows: Positions | range | None = None,
        headers: tuple[Column, ...] | None = None,
    ) -> None:
        own = tuple(map(header_of, survey.columns)) if headers is None else headers
        n_rows = survey.n_rows if rows is None else len(rows)
        names = tuple([header.name for header in own])
        self._set(None, names, None, n_rows, has_names=survey.has_names)
        put = object.__setattr__
        put(self, "survey", survey)
        put(self, "_headers", own)
        put(self, "_specs", tuple(map(ColumnSpec.of, own)))
        put(self, "_categories", tuple(map(as_categories, survey.columns)))
        put(self, "_picked", rows)
        put(self, "_read", [])

    def __reduce__(self) -> tuple[Any, ...]:
        about_columns = replace(self.survey, targets=[], weights=None)
        return ScannedTable, (about_columns, self._picked, self._headers)

    @property
    def headers(self) -> tuple[Column, ...]:
        return self._headers

    @property
    def n_columns(self) -> int:
        return len(self._headers)

    @property
    def folder(self) -> str | None:
        """Where what is as large as the table is put; None: into memory."""
        return self.survey.scan.folder

    @property
    def is_small(self) -> bool:
        """Whether its rows are read into memory."""
        return self.n_rows <= self.most_rows_read

    @property
    def columns(self) -> tuple[Column, ...]:
        if not self.is_small:
            raise DataError(
                f"this needs the values of {self.n_rows:,} rows of a scan in memory",
                hint="read them: fit(*scan.read())",
            )
        return self.read().columns

    @property
    def names_without_values(self) -> list[str]:
        """Columns that are missing in every row."""
        return [facts.header.name for facts in self.survey.columns if not facts.kind]

    def take(self, rows: Rows) -> "ScannedTable":
        """Some of the rows; nothing is read yet."""
        picked = self._rows(rows)
        before = range(self.n_rows) if self._picked is None else self._picked
        own: Positions | range
        if isinstance(picked, slice):
            own = before[picked]
        else:
            own = picked if self._picked is None else np.asarray(before)[picked]
        return ScannedTable(self.survey, own, self._headers)

    def sort_levels(self) -> "ScannedTable":
        """The table with categories in the order of their values, not in that of the rows."""
        sorted_headers = [
            header.sorted_levels() if isinstance(header, NominalColumn) else header
            for header in self._headers
        ]
        return ScannedTable(self.survey, self._picked, tuple(sorted_headers))

    def compact_levels(self) -> "ScannedTable":
        """The table without categories that no row has, which takes a pass over all blocks."""
        if not any(isinstance(one, NominalColumn) and not one.declared for one in self._headers):
            return self
        first_rows = [
            np.full(len(getattr(one, "levels", ())), self.n_rows) for one in self._headers
        ]
        for begin, block in self.blocks():
            for column, first_row in zip(block.columns, first_rows, strict=True):
                if isinstance(column, NominalColumn):
                    codes, rows = np.unique(column.codes, return_index=True)
                    known = codes >= 0
                    first_row[codes[known]] = np.minimum(
                        first_row[codes[known]], begin + rows[known]
                    )
        kept = [
            header.recoded(levels_met(header, first_row, self.n_rows))
            if isinstance(header, NominalColumn) and not header.declared
            else header
            for header, first_row in zip(self._headers, first_rows, strict=True)
        ]
        return ScannedTable(self.survey, self._picked, tuple(kept))

    def sample(self) -> Table:
        """A few thousand rows, evenly spread."""
        return stacked([self._encoded(table, unseen="missing") for table in self.survey.sample])

    def blocks(self) -> Iterator[tuple[int, Table]]:
        """One pass: blocks of these rows, and the number of the first; rows must be ascending."""
        parts, ends, done = self.survey.scan.parts(), self.survey.ends, 0
        self._check_same(len(parts), len(ends))
        for part, (first, end) in zip(parts, pairwise((0, *ends)), strict=True):
            wanted = within(self._picked, first, end)
            if not len(wanted):
                continue
            begin = first
            for where, (X, _, _), _ in part:
                cancel_if_unwanted()
                rows = within(wanted, begin, begin + X.n_rows)
                if len(rows):
                    self._check_same(min(begin + X.n_rows, end), begin + X.n_rows)
                    with errors_of(where):
                        block = self._encoded(X, np.asarray(rows) - begin)
                    yield done, block
                    done += block.n_rows
                begin += X.n_rows
                if wanted[-1] < begin < end:
                    break
            else:
                self._check_same(begin, end)

    def _check_same(self, found: int, before: int) -> None:
        """Raise if a pass does not give the rows of the first pass."""
        if found != before:
            raise DataError(
                f"{self.survey.scan.source.name} did not return the same {self.survey.n_rows:,} "
                "rows as in the first pass",
                hint="every pass over a source must return the same rows in the same order",
            )

    def _encoded(self, X: Table, rows: Positions | None = None, unseen: Unseen = "error") -> Table:
        """A block, or some rows of it, with columns as the whole table has them."""
        check_same_columns(self.names, X.names, "the first block", "this block")
        given = X if X.names == self.names else X.select(list(self.names))
        some = given if rows is None or len(rows) == X.n_rows else given.take(rows)
        every = enumerate(some.columns)
        columns = [self._encoded_column(at, column, unseen) for at, column in every]
        return Table(columns, some.n_rows, has_names=self.has_names)

    def _encoded_column(self, at: int, column: Column, unseen: Unseen) -> Column:
        """A column of a block as that of the whole table: its categories, its unit, its type."""
        header, categories = self._headers[at], self._categories[at]
        if categories is not None and isinstance(column, NumericColumn):
            facts = self.survey.columns[at]
            assert facts.numbers is not None
            unit = unit_of(facts.header)
            values = in_finer_unit(column.values, column.unit, unit)
            column = replace(column, values=values, unit=unit)
            column = categories_of(column, categories, facts.numbers)
        fitted = fit_column(column, self._specs[at], unseen, [])
        if isinstance(header, NominalColumn):
            assert isinstance(fitted, NominalColumn)
            return replace(header, codes=fitted.codes)
        assert isinstance(fitted, NumericColumn)
        dtype = np.float32 if self.survey.columns[at].is_single else np.float64
        return replace(header, values=np.asarray(fitted.values, dtype=dtype))

    def read(self) -> Table:
        """The rows in the order of `take`: in memory, or in the files of a scan that has some."""
        if not self._read:
            self._read.append(self._rows_in_memory())
        return self._read[0]

    def _rows_in_memory(self) -> Table:
        rows = self._picked
        if rows is not None and not is_ascending(rows):
            ascending, place = np.unique(rows, return_inverse=True)
            some = ScannedTable(self.survey, ascending, self._headers)
            return some.read().take(place.ravel())
        folder = self.folder
        cells = [stored_array(self.n_rows, dtype, folder) for dtype in self._dtypes()]
        for begin, block in self.blocks():
            for own, column in zip(cells, block.columns, strict=True):
                own[begin : begin + block.n_rows] = values_of(column)
        columns = list(map(with_values, self._headers, cells))
        if folder is None:
            return Table(columns, self.n_rows, has_names=self.has_names)
        return StoredTable(columns, self.n_rows, folder, has_names=self.has_names)

    def _dtypes(self) -> list[type[np.generic]]:
        """The types of the values of each column."""
        return [
            np.int32
            if isinstance(header, NominalColumn)
            else np.float32
            if facts.is_single
            else np.float64
            for header, facts in zip(self._headers, self.survey.columns, strict=True)
        ]


def within(rows: Positions | range | None, begin: int, end: int) -> Positions | range:
    """Those of some ascending rows that are in a part of all rows."""
    if rows is None:
        return range(begin, end)
    low, high = bisect_left(rows, begin), bisect_left(rows, end)
    return rows[low:high]


def is_ascending(rows: Positions | range) -> bool:
    return rows.step > 0 if isinstance(rows, range) else bool((np.diff(rows) > 0).all())


def levels_met(header: NominalColumn, first_row: NDArray[np.intp], n_rows: int) -> NDArray[np.intp]:
    """The codes of the categories that occur, by the first row of each, as `compacted` has them."""
    kept = np.flatnonzero(first_row < n_rows)
    as_met = header.by_appearance and not header.by_value
    return kept[np.argsort(first_row[kept])] if as_met else kept


def in_memory(table: Table) -> Table:
    """The table itself; of a scan, its rows as `read` has them."""
    return table.read() if isinstance(table, ScannedTable) else table


def stacked(tables: Sequence[Table]) -> Table:
    """Tables of the same columns, one below the other."""
    if len(tables) == 1:
        return tables[0]
    columns: list[Column] = []
    for parts in zip(*(table.columns for table in tables), strict=True):
        first = parts[0]
        if isinstance(first, NumericColumn):
            columns.append(replace(first, values=np.concatenate([one.values for one in parts])))
        else:
            columns.append(replace(first, codes=np.concatenate([one.codes for one in parts])))
    return Table(columns, sum(table.n_rows for table in tables), has_names=tables[0].has_names)
