"""Columnar files: Parquet, and Arrow IPC, which is also Feather."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from treewright.data.sources import table_from
from treewright.data.sources.arrow_messages import check_file, frames
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.typed_cells import chosen_kinds, refusing
from treewright.data.table import Table
from treewright.errors import DataError, MissingExtraError

PARQUET = (".parquet", ".pq")
PARQUET_START = b"PAR1"
ARROW = (".arrow", ".feather", ".ipc", ".arrows")
ARROW_START = b"ARROW1"
BLOCK_ROWS = 100_000  # read at a time, if the file is not read whole
STREAM_START = b"\xff\xff\xff\xff"  # of Arrow's format without an index
FEATHER_1_START = b"FEA1"


def table_from_parquet(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    """A Parquet file, by polars or pyarrow, whichever is there."""
    try:
        import polars
    except ModuleNotFoundError:
        return chosen_kinds(table_from(parquet_by_pyarrow(content)), settings, source)
    with refusing(source, "a Parquet file", polars.exceptions.PolarsError, OSError):
        table = table_from(polars.read_parquet(BytesIO(content)))
    return chosen_kinds(table, settings, source)


def table_from_arrow_file(content: bytes, settings: ReadSettings, *, source: str) -> Table:
    """An Arrow or Feather file, with or without an index, by polars or pyarrow."""
    check_feather(content, source)
    try:
        import polars
    except ModuleNotFoundError:
        return chosen_kinds(table_from(arrow_by_pyarrow(content)), settings, source)
    with refusing(source, "an Arrow or Feather file", polars.exceptions.PolarsError, OSError):
        file = BytesIO(content)
        if content.startswith(ARROW_START):
            check_file(file, source)
            frame = polars.read_ipc(content)
        else:
            frame = polars.concat(list(frames(file, source, polars)))
        table = table_from(frame)
    return chosen_kinds(table, settings, source)


def check_feather(start: bytes, source: str) -> None:
    if start.startswith(FEATHER_1_START):
        raise DataError(
            f"{source} is a Feather file of version 1, which is not supported",
            hint="write it again as version 2 or Parquet, with pandas or pyarrow",
        )


def parquet_by_pyarrow(content: bytes) -> Any:
    pyarrow = pyarrow_module("Parquet")
    from pyarrow import parquet

    return parquet.read_table(pyarrow.BufferReader(content))


def arrow_by_pyarrow(content: bytes) -> Any:
    pyarrow = pyarrow_module("Arrow")
    is_stream = content.startswith(STREAM_START)
    read = pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file
    return read(pyarrow.BufferReader(content)).read_all()


def pyarrow_module(kind: str) -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingExtraError(
            f"reading {kind} files needs the package `polars`",
            hint="pip install 'treewright[files]'",
        ) from None
    return pyarrow


@contextmanager
def naming_damage(files: Sequence[Path]) -> Iterator[None]:
    """Replace an error of polars by one that names the file, block and column it is about."""
    import polars

    try:
        yield
    except BaseException as error:
        is_panic = type(error).__name__ == "PanicException"  # a bug that Rust code stops at
        if is_panic or isinstance(error, polars.exceptions.PolarsError | OSError):
            damage = next(filter(None, map(first_damage, files)), None)
            if damage is not None:
                raise damage from None
        raise


def first_damage(file: Path) -> DataError | None:
    """The error for the first block of a Parquet file that cannot be read, and its column.

    None if there is no such block, or if the file as a whole cannot be read.
    """
    import polars

    if file.suffix.lower() not in PARQUET:
        return None
    try:
        scan = polars.scan_parquet(file, hive_partitioning=False, low_memory=True)
        names, n_rows = scan.collect_schema().names(), scan.select(polars.len()).collect().item()
    except Exception:
        return None
    for begin in range(0, n_rows, BLOCK_ROWS):
        for name in names:
            block = f"{file.name}, block {begin // BLOCK_ROWS + 1}"
            try:
                with refusing(block, "readable", polars.exceptions.PolarsError, OSError):
                    scan.select(name).slice(begin, BLOCK_ROWS).collect()
            except DataError as error:
                said = str(error.args[0]).partition(": ")[2]
                return DataError(
                    f"{block}: column `{name}` cannot be read: {said}",
                    hint="was the file damaged?",
                )
    return None
