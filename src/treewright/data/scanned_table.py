"""The rows of a scan as training reads them, block by block.

    ScanBlocks      the source, and which columns are the target and the weights
    survey          one pass: kinds of columns, categories by value, the target, the number of rows
    ScannedTable    the rows as a table: its blocks have the columns, categories and units of all
                    rows, wherever blocks begin

`facts_of` is a function of one block, `joined` of the facts of neighbors: they can run anywhere.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from tempfile import gettempdir
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import (
    MISSING,
    Column,
    NominalColumn,
    NumericColumn,
    numeric_as_nominal,
    split_unit,
)
from treewright.data.formats import PLAIN
from treewright.data.schema import ColumnSpec, Unseen, fit_column
from treewright.data.sources import check_word, positions_of, table_from
from treewright.data.sources.many_files import STEPS, check_same_columns, kind_in
from treewright.data.sources.scan_sources import Part, Source, errors_of, n_rows_of
from treewright.data.stored_table import StoredTable, stored_array, values_of, with_values
from treewright.data.table import Rows, Table
from treewright.data.target import (
    own_name,
)
from treewright.data.weights import weight_numbers
from treewright.errors import DataError, DataTypeError, UnknownColumnError

SAMPLE_ROWS = 8_000  # at least; at most twice as many
Positions = NDArray[np.intp]


class Block(NamedTuple):
    """Some rows of a scan."""

    X: Table
    y: Any  # None without a target
    weights: Floats | None


class ScanBlocks:
    """The blocks of a scan: what is read, and what the columns are for."""

    def __init__(
        self,
        source: Source,
        *,
        target: str | None,
        weights: str | None,
        memory_map: bool | str,
    ) -> None:
        self.source = source
        self.target = target
        self.weights = weights
        self.memory_map = memory_map

    @property
    def folder(self) -> str | None:
        """Where large arrays are put; None: into memory."""
        if isinstance(self.memory_map, str):
            return self.memory_map
        return gettempdir() if self.memory_map else None

    def blocks(self) -> Iterator[Block]:
        """The blocks, each as it is read: X, y and weights."""
        for _, block in chain.from_iterable(self.parts()):
            yield block

    def parts(self) -> list[Iterator[tuple[str, Block]]]:
        """The blocks of each part of the source, with what to call them in messages."""
        return [self._blocks_of(part) for part in self.source.opened()]

    def _blocks_of(self, part: Part) -> Iterator[tuple[str, Block]]:
        """The blocks that have rows."""
        for where, given in part():
            with errors_of(where):
                n_rows = n_rows_of(given[0] if isinstance(given, tuple) else given)
                block = self._split(given, where) if n_rows else None
            if block is not None:
                yield where, block

    def _split(self, given: Any, where: str) -> Block:
        """A block as the source gives it, split into X, y and weights."""
        if isinstance(given, tuple):
            if len(given) not in (2, 3) or self.target is not None or self.weights is not None:
                raise DataTypeError(
                    f"a block is a tuple of {len(given)}",
                    hint="give data frames and the name of the target, or (X, y) or "
                    "(X, y, weights) and no name",
                )
            X, y, weights = (*given, None)[:3]
            table = table_from(X)
            own = None if weights is None else weight_numbers(weights, table.n_rows, "weights")
            if own is not None and own.shape != (table.n_rows,):
                raise DataError(f"weights of shape {own.shape} for {table.n_rows} rows")
            return Block(table, y, None if own is None else own.copy())
        own_y, frame = None, given
        package = type(given).__module__.partition(".")[0]
        if self.target is not None and package in ("pandas", "polars"):
            if self.target not in given.columns:  # a series keeps the type of its labels
                raise UnknownColumnError.among(self.target, [*given.columns], source=where)
            own_y = given[self.target]
            frame = (
                given.drop(columns=self.target) if package == "pandas" else given.drop(self.target)
            )
        table = table_from(frame)
        if self.target is not None and own_y is None:
            if self.target not in table.names:
                raise UnknownColumnError.among(self.target, table.names, source=where)
            table, own_y = table.split_target(self.target)
        if self.weights is None:
            return Block(table, own_y, None)
        if self.weights not in table.names:
            raise UnknownColumnError.among(self.weights, table.names, source=where)
        column = table[self.weights]
        if isinstance(column, NominalColumn):
            raise DataTypeError(f"the weights in `{self.weights}` are not numbers")
        weights = np.array(column.values, dtype=np.float64)  # a view would hold the block
        return Block(table.drop(self.weights), own_y, weights)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What some blocks say about a column."""

    header: Column  # without rows, with all categories so far
    kind: str  # as `kind_in` says; "" without a value
    is_single: bool  # float32 in all blocks
    numbers: Floats | None = None  # the different ones, if they are to be categories


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass finds out about a scan."""

    scan: ScanBlocks  # as later passes read it
    columns: tuple[ColumnFacts, ...]
    has_names: bool
    ends: tuple[int, ...]  # the number of rows up to the end of each part of the source
    targets: list[Any]  # of each block
    target_name: str | None
    weights: Floats | None
    sample: tuple[Table, ...]  # some rows, as they were read

    @property
    def n_rows(self) -> int:
        return self.ends[-1]


class MixedColumnError(DataError):
    """A column that holds numbers in one block and text in another."""

    column: str = ""

    @classmethod
    def of(cls, column: str, kind: str, before: str) -> "MixedColumnError":
        """The error for a column that holds another kind of values than before."""
        error = cls(
            f"column `{column}` holds {kind}s, but {before}s before",
            hint="give the column one type in all blocks",
        )
        error.column = column
        return error


EncodeTarget = Callable[..., Any]  # (y, n_rows=...) of a block; what it returns holds no block


def survey(scan: ScanBlocks, encode: EncodeTarget, categorical: Any = "from_dtype") -> Survey:
    """One pass over all blocks, or more if a text file mixes numbers and text in a column."""
    while True:
        try:
            return survey_once(scan, encode, categorical)
        except MixedColumnError as error:
            if not scan.source.has_cells or error.column in scan.source.settings.text:
                raise
            source = scan.source.with_text(error.column)
            scan = ScanBlocks(
                source, target=scan.target, weights=scan.weights, memory_map=scan.memory_map
            )


def survey_once(scan: ScanBlocks, encode: EncodeTarget, categorical: Any) -> Survey:
    """One pass over all blocks."""
    columns: tuple[ColumnFacts, ...] = ()
    names: tuple[str, ...] = ()
    first_place, has_names, target_name, n_rows = "", True, scan.target, 0
    target_kind = ""
    targets: list[Any] = []
    weights: list[Any] = []
    sample = RowSample()
    parts = scan.parts()
    sizes = [0] * len(parts)
    for at, (where, (X, y, own)) in numbered_blocks(parts):
        if not n_rows:
            names, first_place, has_names = X.names, where, X.has_names
            chosen = chosen_positions(X, categorical)
            target_name = target_name or own_name(y)
            target_kind = kind_of_target(y)
        check_same_columns(names, X.names, first_place, where)
        table = X if X.names == names else X.select(list(names))
        with errors_of(where):
            own_facts = facts_of(table, chosen)
            columns = joined(columns, own_facts) if columns else own_facts
            if scan.source.has_cells and kind_of_target(y) != target_kind:
                raise MixedColumnError.of(str(scan.target), kind_of_target(y), target_kind)
            targets.append(encode(y, name=target_name or "y", n_rows=table.n_rows))
        weights.append(own)
        sample.add(n_rows, table)
        n_rows += table.n_rows
        sizes[at] += table.n_rows
    if not n_rows:
        raise DataError(f"{scan.source.name} has no rows")
    if any((own is None) != (weights[0] is None) for own in weights):
        raise DataError("some blocks have weights and others have none")
    all_weights = None if weights[0] is None else np.concatenate(weights)
    ends = tuple(accumulate(sizes))
    return Survey(
        scan, columns, has_names, ends, targets, target_name, all_weights, sample.tables()
    )


def numbered_blocks(
    parts: Sequence[Iterator[tuple[str, Block]]],
) -> Iterator[tuple[int, tuple[str, Block]]]:
    """The blocks of all parts, with the number of the part."""
    for at, part in enumerate(parts):
        for block in part:
            yield at, block


def kind_of_target(y: Any) -> str:
    """What the target of a block is, as far as files can mix it up."""
    return "string" if getattr(getattr(y, "dtype", None), "kind", "") in ("O", "U") else "number"


def chosen_positions(table: Table, categorical: Any) -> frozenset[int]:
    """The columns that `categorical_features` names."""
    if categorical is None or isinstance(categorical, str):
        check_word(categorical)
        return frozenset()
    return frozenset(positions_of(table, categorical))


def facts_of(table: Table, categorical: frozenset[int]) -> tuple[ColumnFacts, ...]:
    """What one block says about its columns."""
    found = []
    for at, column in enumerate(table.columns):
        is_single = isinstance(column, NumericColumn) and column.values.dtype == np.float32
        numbers = None
        if at in categorical and isinstance(column, NumericColumn):
            known = column.values[~column.is_missing]
            numbers = np.unique(np.asarray(known, dtype=np.float64))
        found.append(ColumnFacts(without_rows(column), kind_in(column), is_single, numbers))
    return tuple(found)


def without_rows(column: Column) -> Column:
    """The column with its categories and no rows; it does not hold on to a block."""
    if isinstance(column, NumericColumn):
        return replace(column, values=np.zeros(0))
    return replace(column, codes=np.zeros(0, dtype=np.int32))


def joined(
    before: tuple[ColumnFacts, ...], after: tuple[ColumnFacts, ...]
) -> tuple[ColumnFacts, ...]:
    """What two sequences of blocks say together; those of `before` come first."""
    return tuple(map(joined_column, before, after))


def joined_column(before: ColumnFacts, after: ColumnFacts) -> ColumnFacts:
    if not before.kind or not after.kind:
        known = before if before.kind else after
        return replace(known, is_single=before.is_single and after.is_single)
    if before.kind != after.kind:
        raise MixedColumnError.of(before.header.name, after.kind, before.kind)
    numbers = before.numbers
    if numbers is not None and after.numbers is not None:
        numbers = np.union1d(numbers, after.numbers)
    is_single = before.is_single and after.is_single
    header = joined_header(before.header, after.header)
    return ColumnFacts(header, before.kind, is_single, numbers)


def joined_header(before: Column, after: Column) -> Column:
    """The column of all rows: the finer unit, and the categories of both."""
    if isinstance(before, NumericColumn):
        assert isinstance(after, NumericColumn)
        unit = max(before.unit, after.unit, key=fineness)
        form = before.format if before.format != PLAIN else after.format
        return replace(before, unit=unit, format=form)
    assert isinstance(after, NominalColumn)
    if before.levels == after.levels:
        return before
    if before.ordered or after.ordered:
        levels = joined_order(before, after)
    else:
        levels = tuple(dict.fromkeys((*before.levels, *after.levels)))
    return replace(before, levels=levels, declared=False)


def joined_order(before: NominalColumn, after: NominalColumn) -> tuple[Any, ...]:
    """The longer of two orders that agree."""
    short, long = sorted((before.levels, after.levels), key=len)
    if tuple(one for one in long if one in {*short}) == short:
        return long
    raise DataError(
        f"the ordered categories of column `{before.name}` are {after.levels}, but "
        f"{before.levels} before, which does not tell the order of all",
        hint="give larger blocks, or numbers instead of ordered categories",
    )


def fineness(unit: str) -> int:
    return STEPS.index(split_unit(unit)[1]) if unit else -1


def header_of(facts: ColumnFacts) -> Column:
    """The column of all rows, without rows."""
    return without_rows(as_categories(facts) or facts.header)


def as_categories(facts: ColumnFacts) -> NominalColumn | None:
    """The different numbers of a column as categories, a row for each, if they are to be some."""
    header = facts.header
    if facts.numbers is None or not isinstance(header, NumericColumn):
        return None
    return numeric_as_nominal(replace(header, values=facts.numbers))


def categories_of(
    column: NumericColumn, categories: NominalColumn, numbers: Floats
) -> NominalColumn:
    """Numbers as categories, of which `numbers` has one for each row of `categories`."""
    codes = np.full(len(column), MISSING, dtype=np.int32)
    known = ~column.is_missing
    codes[known] = categories.codes[np.searchsorted(numbers, column.values[known])]
    return replace(categories, codes=codes)


class RowSample:
    """Rows in even steps, wherever blocks begin: every 1st, 2nd, 4th ... row."""

    def __init__(self) -> None:
        self._step = 1
        self._n_rows = 0
        self._parts: list[tuple[Positions, Table]] = []

    def add(self, first: int, table: Table) -> None:
        """Rows `first` and after."""
        rows = np.arange(-first % self._step, table.n_rows, self._step)
        if len(rows):
            self._parts.append((first + rows, table[rows]))
            self._n_rows += len(rows)
        while self._n_rows > 2 * SAMPLE_ROWS:
            self._step *= 2
            kept = [(rows, rows % self._step == 0, part) for rows, part in self._parts]
            self._parts = [(rows[some], part[some]) for rows, some, part in kept if some.any()]
            self._n_rows = sum(len(rows) for rows, _ in self._parts)

    def tables(self) -> tuple[Table, ...]:
        return tuple(table for _, table in self._parts)


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
            for where, (X, _, _) in part:
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
                f"{self.survey.scan.source.name} does not give the {self.survey.n_rows:,} rows of "
                "the first pass again",
                hint="a source must give the same rows in the same order in every pass",
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
            numbers = self.survey.columns[at].numbers
            assert numbers is not None
            column = categories_of(column, categories, numbers)
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
