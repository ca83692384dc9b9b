"""One pass over the blocks of a scan, and what it finds out about all rows.

    ScanBlocks      the source, and which columns are the target and the weights
    survey          kinds of columns, categories by value, the target, the number of rows

Facts about blocks (`column_facts`) can be joined, so any worker can survey some of the blocks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import accumulate, chain, pairwise, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._kernels._native import cancel_if_unwanted
from treewright._kernels.shared_work import elsewhere
from treewright.arrays import Floats
from treewright.data.column import NominalColumn
from treewright.data.column_facts import (
    ColumnFacts,
    check_not_mixed,
    facts_of,
    joined,
    with_levels,
)
from treewright.data.formats import Format, format_of
from treewright.data.sources import check_word, positions_of, table_from
from treewright.data.sources.from_json import LateKeysError
from treewright.data.sources.many_files import check_same_columns, kind_in
from treewright.data.sources.scan_sources import Part, Source, errors_of, n_rows_of
from treewright.data.sources.type_inference import (
    AS_WRITTEN,
    MixedColumnError,
    MixedFormatError,
    mix_yes_no_spellings,
)
from treewright.data.stored_table import temporary_folder
from treewright.data.table import Table
from treewright.data.target import own_name
from treewright.data.weights import weight_numbers
from treewright.errors import (
    DataError,
    DataTypeError,
    TreewrightError,
    UnknownColumnError,
    keeping_warnings,
    warn_user,
)

SAMPLE_ROWS = 8_000  # at least; at most twice as many
Positions = NDArray[np.intp]


class Block(NamedTuple):
    """Some rows of a scan."""

    X: Table
    y: Any  # None without a target
    weights: Floats | None


# What to call a block, and facts about the columns of text files that became y and weights.
Located = tuple[str, Block, tuple[ColumnFacts, ...]]


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

    def of(self, source: Source) -> "ScanBlocks":
        """The same columns of another source."""
        return ScanBlocks(
            source, target=self.target, weights=self.weights, memory_map=self.memory_map
        )

    @property
    def folder(self) -> str | None:
        """Where large arrays are put; None: into memory."""
        if isinstance(self.memory_map, str):
            return self.memory_map
        return temporary_folder() if self.memory_map else None

    def blocks(self) -> Iterator[Block]:
        """The blocks, each as it is read: X, y and weights."""
        for _, block, _ in chain.from_iterable(self.parts()):
            yield block

    def parts(self) -> list[Iterator[Located]]:
        """The blocks of each part of the source, with what to call them in messages."""
        return [self._blocks_of(part) for part in self.source.opened()]

    def _blocks_of(self, part: Part) -> Iterator[Located]:
        """The blocks that have rows."""
        for where, given in part():
            with errors_of(where):
                n_rows = n_rows_of(given[0] if isinstance(given, tuple) else given)
                found = self._split(given, where) if n_rows else None
            if found is not None:
                yield where, *found

    def _split(self, given: Any, where: str) -> tuple[Block, tuple[ColumnFacts, ...]]:
        """A block as the source gives it, split into X, y and weights."""
        if isinstance(given, tuple):
            if len(given) not in (2, 3) or self.target is not None or self.weights is not None:
                raise DataTypeError(
                    f"a block is a tuple of {len(given)}",
                    hint="pass data frames and set `target`, or pass (X, y) or (X, y, weights) and "
                    "leave out `target` and `weights`",
                )
            X, y, weights = (*given, None)[:3]
            table = table_from(X)
            own = None if weights is None else weight_numbers(weights, table.n_rows, "weights")
            if own is not None and own.shape != (table.n_rows,):
                raise DataError(f"weights of shape {own.shape} for {table.n_rows} rows")
            return Block(table, y, None if own is None else own.copy()), ()
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
        names = [self.weights] if own_y is not None else [self.target, self.weights]
        taken = [name for name in names if name is not None]
        for name in taken:
            if name not in table.names:
                raise UnknownColumnError.among(name, table.names, source=where)
        facts = facts_of(table.select(taken), frozenset()) if self.source.has_text and taken else ()
        if self.target is not None and own_y is None:
            table, own_y = table.split_target(self.target)
        if self.weights is None:
            return Block(table, own_y, None), facts
        column = table[self.weights]
        if kind_in(column) == "string" and self.source.can_infer(self.weights):
            raise MixedColumnError.of([self.weights], "string", "number")
        what = f"the weights in `{self.weights}`"
        weights = weight_numbers(column.to_numpy(), table.n_rows, what).copy()
        return Block(table.drop(self.weights), own_y, weights), facts


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass finds out about a scan."""

    scan: ScanBlocks  # as later passes read it
    columns: tuple[ColumnFacts, ...]
    own_facts: tuple[ColumnFacts, ...]  # of the columns of target and weights, in text files
    has_names: bool
    ends: tuple[int, ...]  # the number of rows up to the end of each part of the source
    targets: list[Any]  # of each block
    target_formats: tuple[Format, ...]
    target_error: TreewrightError | None  # of the first block whose target cannot be learned
    target_name: str | None
    weights: Floats | None
    sample: tuple[Table, ...]  # some rows, as they were read

    @property
    def n_rows(self) -> int:
        return self.ends[-1]


EncodeTarget = Callable[..., Any]  # (y, n_rows=...) of a block; what it returns holds no block


def survey(scan: ScanBlocks, encode: EncodeTarget, categorical: Any = "from_dtype") -> Survey:
    """One pass over all blocks; more if a file mixes types in a column, or adds columns later."""
    messages: list[str] = []
    try:
        while True:
            try:
                with keeping_warnings() as messages:
                    found = survey_once(scan, encode, categorical)
            except MixedColumnError as error:
                source = scan.source.with_inferred_types(error.columns)
                if source is None and not isinstance(error, MixedFormatError):
                    source = scan.source.as_text(error.columns)
                if source is None:
                    raise
            except LateKeysError:
                source = scan.source.with_all_keys()
            else:
                source = scan.source.with_inferred_types(ambiguous_columns(found))
                if source is None and found.target_error is not None:
                    raise found.target_error
                if source is None:
                    return found
            scan = scan.of(source)
    finally:
        for message in dict.fromkeys(messages):  # those of the last pass
            warn_user(message)


def ambiguous_columns(found: Survey) -> list[str]:
    """Columns of text files whose types may change if they are inferred from all blocks."""
    source = found.scan.source
    if not source.has_text:
        return []
    columns = [*found.columns, *found.own_facts]
    names = [facts.header.name for facts in columns if is_ambiguous(facts, source)]
    settings = source.settings.settled()
    in_model = settings.schema.names if settings.schema is not None else ()
    return [
        name for name in names if settings.kind_of(name) not in AS_WRITTEN and name not in in_model
    ]


def is_ambiguous(facts: ColumnFacts, source: Source) -> bool:
    """Whether blocks of text files may disagree on the type or unit of a column."""
    header = facts.header
    if facts.is_ambiguous:
        return True
    if isinstance(header, NominalColumn) and mix_yes_no_spellings(header.levels):
        return True
    if not {"written", "plain"} <= facts.ways:
        return False
    return "doubtful" in facts.ways or source.has_semicolons()


def survey_once(scan: ScanBlocks, encode: EncodeTarget, categorical: Any) -> Survey:
    """One pass over all blocks, by other workers if there are some."""
    n_parts = len(scan.source.opened())
    work = partial(survey_of_parts, scan, encode, categorical)
    others = elsewhere.get()
    n_shares = 1 if others is None else max(1, min(others.n_workers(), n_parts))
    if others is None or n_shares == 1:
        shares = [work(range(n_parts))]
    else:
        edges = np.linspace(0, n_parts, n_shares + 1).astype(np.intp).tolist()
        shares = others.spread(work, list(starmap(range, pairwise(edges))))
    surveyed = reduce(joined_shares, shares)
    if not surveyed.targets:
        raise DataError(f"{scan.source.name} has no rows")
    check_not_mixed([*surveyed.columns, *surveyed.own_facts])
    weights = surveyed.weights
    if any((own is None) != (weights[0] is None) for own in weights):
        raise DataError("some blocks have weights and others have none")
    return Survey(
        scan,
        tuple(map(with_levels, surveyed.columns)),
        tuple(map(with_levels, surveyed.own_facts)),
        surveyed.has_names,
        tuple(accumulate(surveyed.sizes)),
        surveyed.targets,
        surveyed.target_formats,
        surveyed.target_error,
        surveyed.target_name,
        None if weights[0] is None else np.concatenate(weights),
        surveyed.sample.tables(),
    )


@dataclass(slots=True)
class SurveyShare:
    """What neighboring parts of a source say."""

    sizes: list[int]  # rows of each part
    has_cells: bool
    sample: "RowSample"
    # Of the first block:
    names: tuple[str, ...] = ()
    place: str = ""
    has_names: bool = True
    target_name: str | None = None
    target_kind: str = ""
    # Of all blocks:
    columns: tuple[ColumnFacts, ...] = ()
    own_facts: tuple[ColumnFacts, ...] = ()
    targets: list[Any] = field(default_factory=list)
    target_formats: tuple[Format, ...] = ()  # distinct, in order of first occurrence
    target_error: TreewrightError | None = None
    weights: list[Any] = field(default_factory=list)

    def check_target(self, name: str | None, kind: str) -> None:
        """Raise if a file has another kind of target than earlier files."""
        if self.has_cells and kind and self.target_kind and kind != self.target_kind:
            raise MixedColumnError.of([str(name)], kind, self.target_kind)
        self.target_kind = self.target_kind or kind


def survey_of_parts(
    scan: ScanBlocks, encode: EncodeTarget, categorical: Any, parts: range
) -> SurveyShare:
    """One pass over some parts of the source."""
    opened = scan.parts()[parts.start : parts.stop]
    found = SurveyShare([0] * len(opened), scan.source.has_cells, RowSample())
    for at, (where, (X, y, own), own_facts) in numbered_blocks(opened):
        if not found.targets:
            found.names, found.place, found.has_names = X.names, where, X.has_names
            found.target_name = scan.target or own_name(y)
            chosen = chosen_positions(X, categorical)
        check_same_columns(found.names, X.names, found.place, where)
        table = X if X.names == found.names else X.select(list(found.names))
        with errors_of(where):
            facts = facts_of(table, chosen)
            found.columns = joined(found.columns, facts) if found.columns else facts
            found.own_facts = joined(found.own_facts, own_facts) if found.own_facts else own_facts
            if not scan.source.has_text:
                check_not_mixed(found.columns)
            found.check_target(scan.target, kind_of_target(y))
            found.target_formats = distinct([*found.target_formats, format_of(y)])
        try:
            with errors_of(where):
                encoded = encode(y, name=found.target_name or "y", n_rows=table.n_rows)
        except TreewrightError as error:
            if not scan.source.has_text:
                raise
            encoded = None  # until other blocks show that the target has another type
            found.target_error = found.target_error or error
        found.targets.append(encoded)
        found.weights.append(own)
        found.sample.add(table)
        found.sizes[at] += table.n_rows
    return found


def joined_shares(before: SurveyShare, after: SurveyShare) -> SurveyShare:
    """What two shares of neighboring parts say together."""
    sizes = before.sizes + after.sizes
    if not before.targets or not after.targets:
        return replace(before if before.targets else after, sizes=sizes)
    check_same_columns(before.names, after.names, before.place, after.place)
    by_name = {facts.header.name: facts for facts in after.columns}
    with errors_of(after.place):
        columns = joined(before.columns, tuple([by_name[name] for name in before.names]))
        if not before.has_cells:
            check_not_mixed(columns)
        before.check_target(before.target_name, after.target_kind)
    return replace(
        before,
        sizes=sizes,
        columns=columns,
        own_facts=joined(before.own_facts, after.own_facts),
        targets=before.targets + after.targets,
        target_formats=distinct([*before.target_formats, *after.target_formats]),
        target_error=before.target_error or after.target_error,
        weights=before.weights + after.weights,
        sample=before.sample.joined(after.sample, before.names),
    )


def distinct(formats: Iterable[Format]) -> tuple[Format, ...]:
    return tuple(dict.fromkeys(formats))


def numbered_blocks(
    parts: Sequence[Iterator[Located]],
) -> Iterator[tuple[int, Located]]:
    """The blocks of all parts, with the number of the part."""
    for at, part in enumerate(parts):
        for block in part:
            cancel_if_unwanted()
            yield at, block


def kind_of_target(y: Any) -> str:
    """The kind of values in the target of a block; "" if all are missing."""
    kind = getattr(getattr(y, "dtype", None), "kind", "")
    if kind == "O" and isinstance(y, np.ndarray) and all(value is None for value in y.tolist()):
        return ""
    return {"O": "string", "U": "string", "M": "date", "m": "duration"}.get(kind, "number")


def chosen_positions(table: Table, categorical: Any) -> frozenset[int]:
    """The columns that `categorical_features` names."""
    if categorical is None or isinstance(categorical, str):
        check_word(categorical)
        return frozenset()
    return frozenset(positions_of(table, categorical))


class RowSample:
    """Rows in even steps, wherever blocks begin: every 1st, 2nd, 4th ... row."""

    def __init__(self) -> None:
        self._step = 1
        self._n_seen = 0
        self._parts: list[tuple[Positions, Table]] = []

    def add(self, table: Table) -> None:
        """The rows of the next block."""
        rows = np.arange(-self._n_seen % self._step, table.n_rows, self._step)
        if len(rows):
            self._parts.append((self._n_seen + rows, table[rows]))
        self._n_seen += table.n_rows
        self._thin()

    def joined(self, other: "RowSample", names: tuple[str, ...]) -> "RowSample":
        """The rows of both, in steps from the first row of each."""
        both = RowSample()
        both._parts = self._parts + [(rows, one.select(list(names))) for rows, one in other._parts]
        both._step = max(self._step, other._step)
        both._keep_steps()
        both._thin()
        return both

    def _thin(self) -> None:
        while sum(len(rows) for rows, _ in self._parts) > 2 * SAMPLE_ROWS:
            self._step *= 2
            self._keep_steps()

    def _keep_steps(self) -> None:
        kept = [(rows, rows % self._step == 0, part) for rows, part in self._parts]
        self._parts = [(rows[some], part[some]) for rows, some, part in kept if some.any()]

    def tables(self) -> tuple[Table, ...]:
        return tuple(table for _, table in self._parts)
