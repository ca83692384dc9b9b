"""What a scan can read: each source as parts, which are opened anew for every pass.

A part is what can be read by itself: a file, some rows of a Parquet file, a partition, a block of a
list. A pass for some of the rows opens only the parts that have some.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.data.sources import frame_reader
from treewright.data.sources.blocks import (
    delimiter_of,
    file_blocks,
    lazy_blocks,
    may_have_blocks,
    table_blocks,
    text_kind,
)
from treewright.data.sources.from_columnar import ARROW, BLOCK_ROWS, PARQUET
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.from_files import is_file, source_name
from treewright.data.sources.from_json import LateKeysError
from treewright.data.sources.many_files import (
    check_same_columns,
    files_at,
    has_key_folders,
    is_pattern,
)
from treewright.data.sources.meanings import Meaning, meanings_of, with_meanings
from treewright.data.sources.type_inference import MixedColumnError
from treewright.data.table import Table
from treewright.errors import (
    DataError,
    DataTypeError,
    NoRowsError,
    ParameterError,
    TreewrightError,
    kind_of,
)
from treewright.optional import optional_module

LocatedBlocks = Iterator[tuple[str, Any]]  # where a block is from, for messages; and the block
Part = Callable[[], LocatedBlocks]
ROWS_OF_PART = 2**20  # of a Parquet file; row groups have this many rows, or a power of 2 fewer


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier pass found out about a file."""

    meanings: Mapping[str, Meaning] = field(default_factory=dict)  # of columns read as text
    keys: Sequence[str] = ()  # of JSON Lines, if the first block does not have all


NOTHING = Known()
KnownFiles = Mapping[Path, Known]


@dataclass(frozen=True, slots=True)
class Source:
    """Blocks that can be read again and again, in the same order."""

    name: str
    parts: Callable[[ReadSettings, KnownFiles], Sequence[Part]]
    settings: ReadSettings = field(default_factory=ReadSettings)
    known: KnownFiles = field(default_factory=dict)
    files: Callable[[], Sequence[Path]] = tuple  # of a source of files; none of others
    has_cells: bool = False  # whether columns can be read as text instead
    has_text: bool = False  # whether cells may be text whose type is inferred

    def opened(self) -> Sequence[Part]:
        """The parts of one pass, in their order."""
        return self.parts(self.settings, self.known)

    def with_text(self, columns: Sequence[str]) -> "Source":
        """The same blocks, some columns read letter by letter."""
        text = (*self.settings.text, *columns)
        return replace(self, settings=replace(self.settings, text=text))

    def read_for(self, schema: Schema) -> "Source":
        """The same blocks, with the types that a model knows."""
        return replace(self, settings=replace(self.settings, schema=schema))

    def text_files(self) -> Sequence[Path]:
        """All files, if they are text files that may come in several blocks."""
        files = self.files() if self.has_text else ()
        return files if any(map(may_have_blocks, files)) and all(map(text_kind, files)) else ()

    def can_infer(self, column: str) -> bool:
        """Whether the type of a column that is text in a block may be another one in the file."""
        return self.has_text and column not in self.settings.text

    def has_semicolons(self) -> bool:
        """Whether cells of a text file are separated by semicolons."""
        csv = [file for file in self.text_files() if text_kind(file) == "csv"]
        return any(delimiter_of(file, self.settings) == ";" for file in csv)

    def with_inferred_types(self, columns: Sequence[str]) -> "Source | None":
        """The same blocks, the types of columns inferred from all cells of each file.

        None if that has been done, or cannot be.
        """
        new = [column for column in columns if column not in self.settings.text]
        files = self.text_files() if new else ()
        if not files:
            return None
        source = self.with_text(new)
        known = {}
        try:
            for file in files:
                before = self.known.get(file, NOTHING)
                tables = (table for _, table in tables_of_file(file, source.settings, None, before))
                found: dict[str, Meaning] = {}
                with suppress(NoRowsError):
                    found = meanings_of(tables, new, file, self.settings)
                known[file] = replace(before, meanings={**before.meanings, **found})
        except LateKeysError:
            return self.with_all_keys()  # the types are next
        except MixedColumnError as error:
            more = dict.fromkeys([*new, *error.columns])
            if len(more) == len(new):
                raise
            return self.with_inferred_types([*more])
        return replace(source, known=known)

    def as_text(self, columns: Sequence[str]) -> "Source | None":
        """The same blocks, columns read as text; None if they are already."""
        inferred = {name for one in self.known.values() for name in one.meanings} & {*columns}
        if inferred:
            known = {
                file: replace(one, meanings=without(one.meanings, inferred))
                for file, one in self.known.items()
            }
            return replace(self, known=known)
        new = [column for column in columns if column not in self.settings.text]
        return self.with_text(new) if new and self.has_cells else None

    def with_all_keys(self) -> "Source":
        """The same blocks, with columns for all keys that a file of JSON Lines has."""
        known = dict(self.known)
        for file in self.files():
            before = known.get(file, NOTHING)
            try:
                for _ in tables_of_file(file, self.settings, None, before):
                    pass
            except LateKeysError as error:
                known[file] = replace(before, keys=error.keys)
            except NoRowsError:
                pass
        return replace(self, known=known)


def without(meanings: Mapping[str, Meaning], columns: Collection[str]) -> dict[str, Meaning]:
    return {name: meaning for name, meaning in meanings.items() if name not in columns}


def source_of(source: Any, settings: ReadSettings, block_rows: int | None) -> Source:
    """The source that a user gives."""
    size = BLOCK_ROWS if block_rows is None else block_rows
    if is_file(source):
        return file_source(source, settings, block_rows)
    if isinstance(source, list | tuple) and source and all(map(is_path, source)):
        return list_source([*map(Path, source)], settings, block_rows)
    package, name = type(source).__module__.partition(".")[0], type(source).__name__
    if package == "polars" and hasattr(source, "collect"):
        return undivided("the LazyFrame", lambda: frames_of(source, size))
    if package == "pyarrow" and hasattr(source, "get_fragments"):
        return dataset_source(source, size)
    if "duckdb" in package and hasattr(source, "fetch_arrow_reader"):
        return undivided("the relation", lambda: relation_blocks(source, size))
    if package.startswith("dask") and hasattr(source, "to_delayed"):
        return Source("the Dask DataFrame", lambda *_: partitions_of(source))
    if isinstance(source, Table | np.ndarray | Mapping) or frame_reader(source) is not None:
        return undivided(f"the {name}", lambda: slices(source, size))
    if isinstance(source, Iterator):
        raise DataTypeError(
            f"the source is {kind_of(source)}, which can be read only once",
            hint="pass a function that returns a new iterator, or a list: a scan reads all rows "
            "several times",
        )
    if callable(source):
        return undivided("the function", lambda: blocks_returned(source()))
    if isinstance(source, list | tuple):
        return Source(
            "the list of blocks",
            lambda *_: [
                partial(located, f"block {number}", block) for number, block in enumerate(source, 1)
            ],
        )
    if isinstance(source, Iterable):
        return undivided("the list of blocks", lambda: source)
    raise DataTypeError(
        f"a scan cannot read {kind_of(source)}",
        hint="pass files, an Arrow dataset, a DuckDB relation, a polars LazyFrame, a Dask "
        "DataFrame, a list of data frames, or a function that returns an iterator of them",
    )


def undivided(name: str, blocks: Callable[[], Iterable[Any]]) -> Source:
    """A source of one part."""
    return Source(name, lambda *_: [lambda: numbered("block", blocks())])


def blocks_returned(returned: Any) -> Iterable[Any]:
    """What a user's function returns, if it is an iterator of blocks."""
    is_table = isinstance(returned, Table | np.ndarray | Mapping) or frame_reader(returned)
    if is_table or isinstance(returned, str) or not isinstance(returned, Iterable):
        raise DataTypeError(
            f"the function returned {kind_of(returned)}, not an iterator of blocks",
            hint="yield one data frame after another",
        )
    return returned


def is_path(one: Any) -> bool:
    return isinstance(one, str | PathLike)


def located(where: str, block: Any) -> LocatedBlocks:
    yield where, block


def numbered(noun: str, blocks: Iterable[Any]) -> LocatedBlocks:
    """Blocks as `block 1`, `block 2`, and so on."""
    for number, block in enumerate(blocks, 1):
        yield f"{noun} {number}", block


def file_source(path: Any, settings: ReadSettings, block_rows: int | None) -> Source:
    """A file, a folder of Parquet files, or a pattern."""
    if hasattr(path, "read") or str(path) == "-":
        raise ParameterError(
            "a stream can be read only once, and a scan reads all rows several times",
            hint="write it to a file first",
        )
    return Source(
        source_name(path),
        partial(parts_of_files, path, block_rows),
        settings,
        files=partial(files_of, path),
        has_cells=True,
        has_text=not is_columnar(Path(path)) and not Path(path).is_dir(),
    )


def list_source(files: list[Path], settings: ReadSettings, block_rows: int | None) -> Source:
    """A list of files with the same columns."""
    for file in files:
        if file.is_dir() or is_pattern(file):
            raise ParameterError(
                f"`{file}` in the list of files is not one file",
                hint="pass a folder or a pattern without a list, or list its files",
            )
    return Source(
        f"the list of {len(files)} files",
        partial(parts_of_list, files, block_rows),
        settings,
        files=partial(list, files),
        has_cells=True,
        has_text=not all(map(is_columnar, files)),
    )


def files_of(path: Any) -> Sequence[Path]:
    """The file, or those of a folder or a pattern."""
    return files_at(path) or [Path(path)]


def is_columnar(file: Path) -> bool:
    return file.suffix.lower() in (*PARQUET, *ARROW)


def parts_of_files(
    path: Any, block_rows: int | None, settings: ReadSettings, known: KnownFiles
) -> list[Part]:
    """The files, and pieces of large Parquet files; errors name the file and the block."""
    many = files_at(path)
    if many is None:
        found = [*parts_of_file(Path(path), settings, None, known)]
    elif has_key_folders(path, many):
        noun = f"{source_name(path)}, block"
        found = [lambda: numbered(noun, table_blocks(str(path), settings))]
    else:
        return parts_of_list(many, block_rows, settings, known)
    return [partial(in_blocks, part, block_rows) for part in found]


def parts_of_list(
    files: list[Path], block_rows: int | None, settings: ReadSettings, known: KnownFiles
) -> list[Part]:
    """Files with the same columns."""
    first: FirstFile = []
    found = [part for file in files for part in parts_of_file(file, settings, first, known)]
    return [partial(in_blocks, part, block_rows) for part in found]


def in_blocks(part: Part, block_rows: int | None) -> LocatedBlocks:
    """A part in blocks of at most so many rows."""
    for where, table in part():
        for block in [table] if block_rows is None else slices(table, block_rows):
            yield where, block


FirstFile = list[tuple[str, tuple[str, ...]]]  # that this pass reads, and its columns; or nothing


def parts_of_file(
    file: Path, settings: ReadSettings, first: FirstFile | None, known: KnownFiles
) -> Iterator[Part]:
    """A file, which may be one of many with the same columns."""
    own = known.get(file, NOTHING)
    n_rows = n_rows_of_parquet(file) if file.suffix.lower() in PARQUET else None
    if n_rows == 0 and first is not None:
        return
    if n_rows is None or n_rows <= ROWS_OF_PART:
        yield partial(tables_of_file, file, settings, first, own)
        return
    for begin in range(0, n_rows, ROWS_OF_PART):
        yield partial(tables_of_file, file, settings, first, own, begin)


def tables_of_file(
    file: Path,
    settings: ReadSettings,
    first: FirstFile | None,
    known: Known,
    begin: int | None = None,
) -> LocatedBlocks:
    """The blocks of a file, or of the rows of a part of it."""
    rows = None if begin is None else (begin, ROWS_OF_PART)
    number = 1 if begin is None else 1 + begin // BLOCK_ROWS
    blocks = file_blocks(file, replace(settings, keys=known.keys), None, rows)
    for block in blocks if first is None else skipping_empty_file(blocks):
        if first is not None:
            first[:] = first or [(file.name, block.names)]
            name, columns = first[0]
            try:
                check_same_columns(columns, block.names, name, file.name)
            except DataError:
                for _ in blocks:  # an error for keys that come late is the better one
                    pass
                raise
            block = block.select(list(columns))
        yield f"{file.name}, block {number}", with_meanings(block, known.meanings)
        number += 1


def skipping_empty_file(blocks: Iterator[Table]) -> Iterator[Table]:
    """The blocks of a file; nothing if the file has no rows."""
    with suppress(NoRowsError):
        yield from blocks


def n_rows_of_parquet(file: Path) -> int | None:
    """The number of rows of a file; None if only reading it can tell."""
    try:
        state = file.stat()
        return counted_rows(file, state.st_mtime_ns, state.st_size)
    except Exception:
        return None


@lru_cache(maxsize=2**17)
def counted_rows(file: Path, changed: int, n_bytes: int) -> int:
    """The rows of a file as it was then: every pass asks for those of all files."""
    import polars

    return int(polars.scan_parquet(file).select(polars.len()).collect().item())


def partitions_of(frame: Any) -> list[Part]:
    """The partitions of a Dask DataFrame; if there is a cluster, it computes them."""
    return [
        partial(computed, f"partition {number}", partition)
        for number, partition in enumerate(frame.to_delayed(), 1)
    ]


def computed(where: str, partition: Any) -> LocatedBlocks:
    with errors_of(where, Exception):
        block = partition.compute()
    yield where, block


def frames_of(lazy: Any, size: int) -> Iterator[Any]:
    """The rows of a polars LazyFrame."""
    import polars

    number, blocks = 0, lazy_blocks(lazy, size)
    while True:
        number += 1
        where = f"the LazyFrame, block {number}"
        with errors_of(where, polars.exceptions.PolarsError, OSError):
            block = next(blocks, None)
        if block is None:
            return
        yield block


def dataset_source(dataset: Any, size: int) -> Source:
    """An Arrow dataset, file by file; as a whole if it is filtered or projected."""
    try:
        dataset.get_fragments()
    except ValueError:
        return undivided("the dataset", lambda: batches_of(dataset, size))
    return Source("the dataset", lambda *_: fragments(dataset, size))


def batches_of(dataset: Any, size: int) -> Iterator[Any]:
    pyarrow = optional_module("pyarrow", extra="files", purpose="an Arrow dataset")
    with errors_of("the dataset", pyarrow.ArrowException, OSError):
        for batch in dataset.to_batches(batch_size=size):
            yield pyarrow.Table.from_batches([batch])


def fragments(dataset: Any, size: int) -> list[Part]:
    """The files of an Arrow dataset."""
    return [
        partial(fragment_blocks, dataset, fragment, at, size)
        for at, fragment in enumerate(dataset.get_fragments(), 1)
    ]


def fragment_blocks(dataset: Any, fragment: Any, at: int, size: int) -> LocatedBlocks:
    """The batches of one file of an Arrow dataset."""
    pyarrow = optional_module("pyarrow", extra="files", purpose="an Arrow dataset")
    name = Path(getattr(fragment, "path", "") or f"part {at}").name
    with errors_of(name, pyarrow.ArrowException, OSError):
        batches = fragment.to_batches(schema=dataset.schema, batch_size=size)
        for number, batch in enumerate(batches, 1):
            yield f"{name}, block {number}", pyarrow.Table.from_batches([batch])


def relation_blocks(relation: Any, size: int) -> Iterator[Any]:
    """The result of a DuckDB query; it runs again in every pass."""
    pyarrow = optional_module("pyarrow", extra="files", purpose="a DuckDB relation in blocks")
    duckdb = optional_module("duckdb", extra="sql", purpose="a DuckDB relation")
    # Version 1.4 gave the method another name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    with errors_of("the relation", duckdb.Error, pyarrow.ArrowException, OSError):
        for batch in read(size):
            yield from slices(pyarrow.Table.from_batches([batch]), size)


def slices(frame: Any, size: int) -> Iterator[Any]:
    """The rows of a frame in memory, some at a time."""
    n_rows = n_rows_of(frame)
    if n_rows <= size or isinstance(frame, Mapping):
        yield frame
        return
    for begin in range(0, n_rows, size):
        if hasattr(frame, "iloc"):
            yield frame.iloc[begin : begin + size]
        elif isinstance(frame, Table | np.ndarray):
            yield frame[begin : begin + size]
        else:
            yield frame.slice(begin, size)


def n_rows_of(block: Any) -> int:
    """The number of rows of a table of any kind."""
    if isinstance(block, Mapping) and all(hasattr(one, "__len__") for one in block.values()):
        return len(next(iter(block.values()))) if block else 0
    if isinstance(block, Mapping):
        raise DataTypeError(
            "a block is a dict of single values, not of columns",
            hint="combine the rows into one data frame, such as `pandas.DataFrame(rows)`",
        )
    if not hasattr(block, "num_rows") and not hasattr(block, "__len__"):
        raise DataTypeError(
            f"a block is {kind_of(block)}, not a table",
            hint="pass a list of data frames",
        )
    return int(block.num_rows if hasattr(block, "num_rows") else len(block))


@contextmanager
def errors_of(where: str, *others: type[Exception]) -> Iterator[None]:
    """Errors name the block that they come from."""
    try:
        yield
    except TreewrightError as error:
        problem = str(error.args[0])
        if where not in problem and not problem.startswith(where.partition(",")[0]):
            error.args = (f"{where}: {problem}",)
        raise
    except others as error:
        raise DataError(f"{where}: {error}") from None
