"""Many files as one table: those that match a pattern, or the Parquet files of a folder."""

import glob
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from errno import ENOENT
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import (
    MISSING,
    Column,
    NominalColumn,
    NumericColumn,
    joined_format,
    split_unit,
)
from treewright.data.sources import table_from
from treewright.data.sources.from_columnar import PARQUET, naming_damage
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.typed_cells import refusing
from treewright.data.table import Table
from treewright.errors import DataError, NoRowsError, ParameterError
from treewright.files import open_regular
from treewright.optional import optional_module

EQUAL_FILES = "a set of Parquet files with the same columns"
KIND_BY_UNIT = {"": "number", "datetime64": "date", "timedelta64": "duration"}
STEPS = ("D", "h", "m", "s", "ms", "us", "ns")


def files_at(path: Any) -> list[Path] | None:
    """The files of a folder or of a pattern, sorted; None if `path` is one file or a stream."""
    if hasattr(path, "read") or str(path) == "-":
        return None
    if Path(path).is_dir():
        return parquet_files(Path(path))
    if not is_pattern(path):
        return None
    found = [Path(name) for name in glob.glob(str(path), recursive=True)]
    files = sorted(file for file in found if file.is_file())
    if not files:
        raise FileNotFoundError(ENOENT, "no file matches the pattern", str(path))
    return files


def is_pattern(path: Any) -> bool:
    return glob.has_magic(str(path)) and not Path(path).exists()


def has_key_folders(path: Any, files: Sequence[Path]) -> bool:
    """Whether there are folders such as `year=2024` in a folder of Parquet files."""
    folder = Path(path)
    below = [part for file in files for part in file.parent.parts[len(folder.parts) :]]
    return folder.is_dir() and any("=" in part for part in below)


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder and the folders in it, but for hidden ones."""
    found = [
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in PARQUET
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    ]
    if not found:
        raise ParameterError(
            f"{folder} is a folder without Parquet files",
            hint=f"for other files give a pattern, such as '{folder}/*.csv'",
        )
    return sorted(found)


def scan_of_parquet_files(path: Any, files: Sequence[Path]) -> Any:
    """The files as one lazy polars frame; None if they are of other kinds, or types differ.

    Folders such as `year=2024` below the folder make a column.
    """
    if not all(file.suffix.lower() in PARQUET for file in files):
        return None
    polars = optional_module("polars", extra="files", purpose="reading many Parquet files")
    has_keys = has_key_folders(path, files)
    difference = type_difference(files)
    if difference and has_keys:
        raise DataError(difference, hint="give the column one type in all files")
    if difference:
        return None
    return polars.scan_parquet(list(files), hive_partitioning=has_keys, low_memory=True)


def type_difference(files: Sequence[Path]) -> str:
    """How the column types of a Parquet file differ from those of the first; "" if none do."""
    import polars

    first, types = files[0], None
    for file in files:
        with open_regular(file, DataError) as opened, polars_errors(file.name, "a Parquet file"):
            found = dict(polars.read_parquet_schema(opened))
        types = found if types is None else types
        if found != types:
            check_same_columns(list(types), list(found), first.name, file.name)
            name = next(name for name in types if found[name] != types[name])
            return (
                f"{file.name}: column `{name}` is of type {found[name]}, but of type "
                f"{types[name]} in {first.name}"
            )
    return ""


def frame_of_parquet_files(path: Any, files: Sequence[Path], source: str) -> Table | None:
    """The table of Parquet files; None if the files are of other kinds, or types differ."""
    scan = scan_of_parquet_files(path, files)
    if scan is None:
        return None
    with polars_errors(source, EQUAL_FILES), naming_damage(files):
        frame = scan.collect()
    if frame.height == 0:
        raise NoRowsError(f"{source} has no rows")
    return table_from(frame)


def polars_errors(source: str, kind: str) -> Any:
    import polars

    return refusing(source, kind, polars.exceptions.PolarsError, OSError)


def table_of_many(
    files: Sequence[Path],
    settings: ReadSettings,
    read: Callable[[Path, ReadSettings], Table],
    source: str,
) -> Table:
    """The rows of all files, one after the other."""
    found: dict[Path, Table] = {}
    for file in files:
        with suppress(NoRowsError):
            found[file] = read(file, settings)
    if not found:
        raise NoRowsError(f"{source}: none of the files has rows")
    files, names = [*found], next(iter(found.values())).names
    for file, table in found.items():
        check_same_columns(names, table.names, files[0].name, file.name)
    tables = [table.select(list(names)) for table in found.values()]
    mixed = [name for name in names if len(kinds_of(tables, name)) > 1]
    if mixed:  # numbers in one file and text in another: text in all of them
        as_text = replace(settings, text=(*settings.text, *mixed))
        tables = [read(file, as_text).select(list(names)) for file in files]
    columns = [stacked([table[name] for table in tables], files) for name in names]
    return Table(columns, has_names=tables[0].has_names)


def check_same_columns(names: Sequence[str], others: Sequence[str], first: str, other: str) -> None:
    """Raise if a file lacks a column of the first one, or has another."""
    if tuple(names) == tuple(others):
        return
    for known, found, lacks, has in ((others, names, other, first), (names, others, first, other)):
        all_known = {*known}
        missing = [name for name in found if name not in all_known]
        if missing:
            raise DataError(
                f"{lacks} has no column `{missing[0]}`, which {has} has",
                hint="files that are read together need the same columns",
            )


def kinds_of(tables: Sequence[Table], name: str) -> set[str]:
    """What a column is in the files that have a value in it."""
    return {kind_in(table[name]) for table in tables} - {""}


def kind_in(column: Column) -> str:
    """What a column holds, as a word; "" without a single value."""
    if column.n_missing == len(column):
        return ""
    if isinstance(column, NumericColumn):
        return KIND_BY_UNIT[split_unit(column.unit)[0]]
    return column.level_type


def stacked(columns: Sequence[Column], files: Sequence[Path]) -> Column:
    """The columns of several tables, one below the other."""
    known = [column for column in columns if column.n_missing < len(column)]
    like = known[0] if known else columns[0]
    for column, file in zip(columns, files, strict=True):
        if kind_in(column) not in ("", kind_in(like)):
            raise DataError(
                f"{file.name}: column `{like.name}` holds {kind_in(column)}s, but "
                f"{kind_in(like)}s in other files",
                hint="give the column one type in all files",
            )
    if isinstance(like, NumericColumn):
        return stacked_numbers(like, columns)
    return stacked_levels(like, columns)


def stacked_numbers(like: NumericColumn, columns: Sequence[Column]) -> NumericColumn:
    """Numbers one below the other; dates in the finest unit of all."""
    units = {column.unit for column in columns if isinstance(column, NumericColumn)}
    unit = max(units, key=fineness)
    parts = []
    for column in columns:
        if isinstance(column, NumericColumn):
            values = np.asarray(column.values, dtype=np.float64)
            parts.append(in_finer_unit(values, column.unit, unit))
        else:
            parts.append(np.full(len(column), np.nan))
    form = joined_format(
        [one.format for one in columns if isinstance(one, NumericColumn)], like.name
    )
    return replace(like, values=np.concatenate(parts), unit=unit, format=form)


def fineness(unit: str) -> int:
    return STEPS.index(split_unit(unit)[1]) if unit else -1


def in_finer_unit(values: Floats, unit: str, finer: str) -> Floats:
    """Dates or durations, converted to a finer unit."""
    return values if unit == finer else values * steps_in(unit, finer)


def steps_in(unit: str, finer: str) -> float:
    one = np.timedelta64(1, split_unit(unit)[1])  # type: ignore[call-overload]
    other = np.timedelta64(1, split_unit(finer)[1])  # type: ignore[call-overload]
    return float(one / other)


def stacked_levels(like: NominalColumn, columns: Sequence[Column]) -> NominalColumn:
    """Categories one below the other, in the order in which the files have them."""
    code_of: dict[Any, int] = {level: code for code, level in enumerate(like.levels)}
    parts = []
    for column in columns:
        if isinstance(column, NominalColumn) and column.levels:
            codes = [code_of.setdefault(level, len(code_of)) for level in column.levels]
            new_code = np.array([*codes, MISSING], dtype=np.int32)
            parts.append(new_code[np.maximum(column.codes, MISSING)])
        else:
            parts.append(np.full(len(column), MISSING, dtype=np.int32))
    return replace(like, codes=np.concatenate(parts), levels=tuple(code_of))
