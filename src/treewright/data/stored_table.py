"""Tables whose values are in temporary files instead of memory.

The files have no name, so that no crash can leave one behind, and the system reads and writes their
pages as it needs.
"""

import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from treewright.data.column import Column, NumericColumn
from treewright.data.table import Rows, Table
from treewright.errors import DataError, warn_user

SMALL = 2**21  # bytes that are not worth a file
ROWS_AT_ONCE = 2**20


class StoredTable(Table):
    """A table with its values in files of a folder. Rows that are taken out of it are, too."""

    __slots__ = ("folder",)

    folder: str

    def __init__(
        self, columns: Sequence[Column], n_rows: int, folder: str, *, has_names: bool = True
    ) -> None:
        super().__init__(columns, n_rows, has_names=has_names)
        object.__setattr__(self, "folder", folder)

    def take(self, rows: Rows) -> "StoredTable":
        picked = self._rows(rows)
        if isinstance(picked, slice):
            return self._like(tuple([column.take(picked) for column in self.columns]))
        return self._like(tuple([self._taken(column, picked) for column in self.columns]))

    def _taken(self, column: Column, rows: NDArray[np.intp]) -> Column:
        values = values_of(column)
        taken = stored_array(len(rows), values.dtype, self.folder)
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            end = begin + ROWS_AT_ONCE
            taken[begin:end] = values[rows[begin:end]]
        return with_values(column, taken)

    def _like(self, columns: tuple[Column, ...], n_rows: int | None = None) -> "StoredTable":
        own = len(columns[0]) if columns else n_rows or 0
        return StoredTable(columns, own, self.folder, has_names=self.has_names)


def folder_of(table: object) -> str | None:
    """Where what is as large as the table is put; None: into memory."""
    folder: str | None = getattr(table, "folder", None)
    return folder


def table_like(table: Table, columns: Sequence[Column]) -> Table:
    """Other columns for the rows of a table; what they need goes where that of the table does."""
    folder = folder_of(table)
    if folder is None:
        return Table(columns, table.n_rows, has_names=table.has_names)
    return StoredTable(columns, table.n_rows, folder, has_names=table.has_names)


def stored(column: Column, folder: str | None) -> Column:
    """A column with its values in a file; without a folder, the column itself."""
    if folder is None:
        return column
    values = values_of(column)
    copy = stored_array(len(values), values.dtype, folder)
    copy[:] = values
    return with_values(column, copy)


def stored_array(n: int, dtype: DTypeLike, folder: str | None) -> NDArray[Any]:
    """An array to be filled: in a file, unless it is small or there is no folder."""
    n_bytes = n * np.dtype(dtype).itemsize
    if folder is None or n_bytes < SMALL:
        return np.empty(n, dtype=dtype)
    return mapped_array(n, dtype, folder)


@cache
def temporary_folder() -> str:
    """The folder for temporary files; a warning if it is not the one that the user named."""
    folder, wanted = gettempdir(), os.environ.get("TMPDIR")
    if wanted and Path(wanted).resolve() != Path(folder).resolve():
        warn_user(
            f"TMPDIR names `{wanted}`, where no file can be written; temporary files go to "
            f"`{folder}`"
        )
    return folder


def mapped_array(n: int, dtype: DTypeLike, folder: str) -> NDArray[Any]:
    """An array in a file without a name."""
    n_bytes = n * np.dtype(dtype).itemsize
    with room_in_folder():
        try:
            with TemporaryFile(dir=folder) as file:
                if hasattr(os, "posix_fallocate"):  # a disk that is full says so here, not later
                    os.posix_fallocate(file.fileno(), 0, n_bytes)
                else:
                    os.ftruncate(file.fileno(), n_bytes)
                mapped = mmap.mmap(file.fileno(), n_bytes)
        except OSError as error:
            problem = f"no room for {n_bytes:,} bytes in {folder}: {error.strerror}"
            raise OSError(problem) from None
    if hasattr(mmap, "MADV_SEQUENTIAL"):
        mapped.madvise(mmap.MADV_SEQUENTIAL)  # otherwise pages before the wanted one are read, too
    return np.frombuffer(mapped, dtype=dtype)


@contextmanager
def room_in_folder() -> Iterator[None]:
    """Without room for large arrays in a folder, the error says what to do."""
    try:
        yield
    except OSError as error:
        raise DataError(
            str(error), hint="free some space, or set `memory_map` of the scan to another folder"
        ) from None


def values_of(column: Column) -> NDArray[Any]:
    """The numbers of a column, or its codes."""
    return column.values if isinstance(column, NumericColumn) else column.codes


def with_values(column: Column, values: NDArray[Any]) -> Column:
    """The column with other numbers or codes."""
    if isinstance(column, NumericColumn):
        return replace(column, values=values)
    return replace(column, codes=values)
