"""Scans: tables that are read in blocks, again and again, and never held as a whole.

`scan(source, target=...)` is the interface, and `model.fit(scan)` learns from it. A small scan is
read into memory, a large one comes block by block (`scanned_table.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import joined_format
from treewright.data.formats import in_format
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.scan_sources import file_source, source_of
from treewright.data.sources.type_inference import checked_kinds
from treewright.data.survey import ScanBlocks, Survey, survey
from treewright.data.table import Table
from treewright.data.target import array_of
from treewright.errors import ParameterError, check_whole


class Scan(ScanBlocks):
    """A table that is read in blocks; made by `scan`.

    Every pass reads the same rows in the same order. `model.fit(scan)` learns from all of them,
    `model.predict(scan)` predicts block by block.
    """

    is_scan = True  # by which readers of tables know it

    def __repr__(self) -> str:
        target = f", target `{self.target}`" if self.target is not None else ""
        return f"<Scan of {self.source.name}{target}>"

    def read_target(self) -> tuple[Any, Floats | None]:
        """The target and the weights of all rows, in memory."""
        found = self._survey()
        return self._whole_target(found), found.weights

    def read(self) -> tuple[Table, Any, Floats | None]:
        """All rows as `fit(*scan.read())` takes them: X, y and weights.

        X is in memory, or in temporary files with `memory_map`.
        """
        found = self._survey()
        return ScannedTable(found).read(), self._whole_target(found), found.weights

    def blocks_for(self, schema: Schema) -> Iterator[Table]:
        """The blocks without target and weights; text is read as a model of the schema needs it."""
        source = self.source.read_for(schema) if self.source.has_text else self.source
        for X, _, _ in self.of(source).blocks():
            yield X

    def _survey(self) -> Survey:
        def copied(y: Any, name: str, n_rows: int) -> Any:  # a view would hold the block
            return None if y is None else array_of(y, name).copy()

        return survey(self, copied)

    def _whole_target(self, found: Survey) -> Any:
        """The target of all rows, which knows how the source writes it; None if there is none."""
        if found.targets[0] is None:
            return None
        form = joined_format(found.target_formats, found.target_name or "y")
        return in_format(np.concatenate(found.targets), form)


def stored_rows(path: str, settings: ReadSettings) -> Table:
    """All rows of a file, folder or pattern, read in blocks into temporary files."""
    source = file_source(path, settings, None)
    return Scan(source, target=None, weights=None, memory_map=True).read()[0]


def scan(  # noqa: PLR0913 -- how files are read
    source: Any,
    *,
    target: str | None = None,
    weights: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    block_rows: int | None = None,
    memory_map: bool | str | PathLike[str] = False,
) -> Scan:
    """Read a table in blocks, so that it can be larger than memory.

    `fit` of trees, forests, boosted trees and isolation forests takes a scan. The model file is
    byte for byte the same as for these rows in memory, whatever the size of the blocks.

    Parameters
    ----------
    source
        A file that `read_table` reads, a list of files, a folder of Parquet files, a pattern such
        as `2024-*.csv`, an Arrow dataset, a DuckDB relation, a polars LazyFrame, a Dask DataFrame,
        a list of blocks, or a function that returns an iterator of blocks. Blocks are tables of
        any kind, or tuples (X, y) or (X, y, weights). Every pass must give the same rows in the
        same order.
    target
        The column to predict.
    weights
        The column of row weights.
    columns, na, delimiter, encoding
        How to read files: as in `read_table`.
    block_rows
        Maximum number of rows per block, for files, datasets and queries; by default 100,000, or
        16 MB of text.
    memory_map
        Whether `fit` and `read` store large arrays in temporary files instead of memory. A path
        names the folder for these files.

    Examples
    --------
    >>> import treewright as tw
    >>> blocks = [([[1.0], [2.0]], ["no", "no"]), ([[3.0], [4.0]], ["yes", "yes"])]
    >>> model = tw.RandomForestClassifier(n_estimators=5).fit(tw.scan(blocks))
    >>> model.predict(tw.scan(blocks))
    array(['no', 'no', 'yes', 'yes'], dtype='<U3')
    """
    for name, column in (("target", target), ("weights", weights)):
        if column is not None and not isinstance(column, str):
            raise ParameterError(f"{name} is {column!r}", hint="give the name of a column")
    if block_rows is not None:
        block_rows = int(block_rows) if isinstance(block_rows, np.integer) else block_rows
        check_whole("block_rows", block_rows)
    settings = ReadSettings(
        na=[na] if isinstance(na, str) else na,
        delimiter=delimiter,
        encoding=encoding,
        kinds=checked_kinds(columns),
    )
    return Scan(
        source_of(source, settings, block_rows),
        target=target,
        weights=weights,
        memory_map=checked_memory_map(memory_map),
    )


def checked_memory_map(memory_map: Any) -> bool | str:
    """Whether to use temporary files, or the folder for them."""
    if isinstance(memory_map, bool | np.bool_):
        return bool(memory_map)
    if not isinstance(memory_map, str | PathLike):
        raise ParameterError(f"memory_map={memory_map!r} is not True, False or a folder")
    folder = fspath(memory_map)
    if not Path(folder).is_dir():
        raise ParameterError(
            f"memory_map: there is no folder `{folder}`", hint="create it first, or use True"
        )
    return folder
