"""What a scan can read: each source as a function that opens it anew for every pass."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.data.sources import frame_reader
from treewright.data.sources.blocks import BLOCK_ROWS, file_blocks, lazy_blocks, table_blocks
from treewright.data.sources.from_columnar import PARQUET
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.from_files import is_file, source_name
from treewright.data.sources.many_files import check_same_columns, files_at
from treewright.data.table import Table
from treewright.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    TreewrightError,
    kind_of,
)
from treewright.optional import optional_module

LocatedBlocks = Iterator[tuple[str, Any]]  # where a block is from, for messages; and the block


@dataclass(frozen=True, slots=True)
class Source:
    """Blocks that can be read again and again, in the same order."""

    name: str
    blocks: Callable[[ReadSettings], LocatedBlocks]
    settings: ReadSettings = field(default_factory=ReadSettings)
    has_cells: bool = False  # whether columns can be read as text instead

    def opened(self) -> LocatedBlocks:
        """One pass over the blocks."""
        return self.blocks(self.settings)

    def with_text(self, column: str) -> "Source":
        """The same blocks, a column read letter by letter."""
        text = (*self.settings.text, column)
        return replace(self, settings=replace(self.settings, text=text))


def source_of(source: Any, settings: ReadSettings, block_rows: int | None) -> Source:
    """The source that a user gives."""
    size = BLOCK_ROWS if block_rows is None else block_rows
    if is_file(source):
        return file_source(source, settings, block_rows)
    package, name = type(source).__module__.partition(".")[0], type(source).__name__
    if package == "polars" and hasattr(source, "collect"):
        return Source("the LazyFrame", lambda _: numbered("block", frames_of(source, size)))
    if package == "pyarrow" and hasattr(source, "get_fragments"):
        return Source("the dataset", lambda _: fragment_blocks(source, size))
    if "duckdb" in package and hasattr(source, "fetch_arrow_reader"):
        return Source("the relation", lambda _: numbered("block", relation_blocks(source, size)))
    if package.startswith("dask") and hasattr(source, "to_delayed"):
        return Source("the Dask DataFrame", lambda _: numbered("partition", partitions_of(source)))
    if isinstance(source, Table | np.ndarray | Mapping) or frame_reader(source) is not None:
        return Source(f"the {name}", lambda _: numbered("block", slices(source, size)))
    if isinstance(source, Iterator):
        raise DataTypeError(
            f"the source is {kind_of(source)}, which can be read only once",
            hint="give a function that returns it, or a list: a scan reads all rows several times",
        )
    if callable(source):
        return Source("the function", lambda _: numbered("block", iter(source())))
    if isinstance(source, Iterable):
        return Source("the list of blocks", lambda _: numbered("block", iter(source)))
    raise DataTypeError(
        f"a scan cannot read {kind_of(source)}",
        hint="give files, an Arrow dataset, a DuckDB relation, a polars LazyFrame, a Dask "
        "DataFrame, a list of data frames, or a function that returns an iterator of them",
    )


def numbered(noun: str, blocks: Iterable[Any]) -> LocatedBlocks:
    """Blocks as `block 1`, `block 2`, and so on."""
    for number, block in enumerate(blocks, 1):
        yield f"{noun} {number}", block


def file_source(path: Any, settings: ReadSettings, block_rows: int | None) -> Source:
    """Files, a folder of Parquet files, or a pattern."""
    if hasattr(path, "read") or str(path) == "-":
        raise ParameterError(
            "a stream can be read only once, and a scan reads all rows several times",
            hint="write it to a file first",
        )

    def blocks(settings: ReadSettings) -> LocatedBlocks:
        for where, table in tables_of_files(str(path), settings):
            yield from slices_at(where, table, block_rows)

    return Source(source_name(path), blocks, settings, has_cells=True)


def slices_at(where: str, table: Table, block_rows: int | None) -> LocatedBlocks:
    if block_rows is None or table.n_rows <= block_rows:
        yield where, table
        return
    for part in slices(table, block_rows):
        yield where, part


def tables_of_files(path: str, settings: ReadSettings) -> Iterator[tuple[str, Table]]:
    """The blocks of each file, which errors name."""
    many = files_at(path)
    is_one_frame = many is not None and any("=" in part for file in many for part in file.parts)
    if many is None or (is_one_frame and Path(path).is_dir()):  # folders as `year=2024`
        for number, block in enumerate(table_blocks(path, settings), 1):
            yield f"{source_name(path)}, block {number}", block
        return
    names: tuple[str, ...] = ()
    for file in many:
        if file.suffix.lower() in PARQUET and not n_rows_of_parquet(file):
            continue
        for number, block in enumerate(file_blocks(file, settings, None), 1):
            names = names or block.names
            check_same_columns(names, block.names, many[0].name, file.name)
            yield f"{file.name}, block {number}", block.select(list(names))


def n_rows_of_parquet(file: Path) -> int:
    """The number of rows of a file; 1 if only reading it can tell."""
    try:
        import polars

        return int(polars.scan_parquet(file).select(polars.len()).collect().item())
    except Exception:
        return 1


def partitions_of(frame: Any) -> Iterator[Any]:
    """The partitions of a Dask DataFrame; if there is a cluster, it computes them."""
    for part in frame.to_delayed():
        yield part.compute()


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


def fragment_blocks(dataset: Any, size: int) -> LocatedBlocks:
    """The batches of an Arrow dataset, file by file."""
    pyarrow = optional_module("pyarrow", extra="files", purpose="an Arrow dataset")
    for at, fragment in enumerate(dataset.get_fragments(), 1):
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
    if isinstance(block, Mapping):
        return len(next(iter(block.values()))) if block else 0
    if not hasattr(block, "num_rows") and not hasattr(block, "__len__"):
        raise DataTypeError(
            f"a block is {kind_of(block)}",
            hint="give a list of data frames",
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
