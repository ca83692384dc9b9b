"""Readers of tables by compiled code."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import _native


class ArrowColumn(NamedTuple):
    """One column of an Arrow stream."""

    name: str
    data: NDArray[Any]  # float64 or float32 numbers, or int32 codes with -1 for null
    levels: tuple[str, ...] | tuple[int, ...] | tuple[bool, ...] | None  # None for numbers
    unit: str
    format: str  # the Arrow format string
    is_dictionary: bool
    is_ordered: bool


def read_arrow_stream(capsule: Any) -> list[ArrowColumn]:
    """The columns of an Arrow C stream, which is read to its end.

    Raises TypeError for a column of a type that is not flat, ValueError if the stream fails.
    """
    return [ArrowColumn(*column) for column in _native.read_arrow_stream(capsule)]


def group_cells(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes of an array of fixed-width strings by first appearance, and each code's first row."""
    cells = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    codes, first_rows = _native.group_cells(cells)
    return codes, first_rows


class CsvType(IntEnum):
    """What a column of a text file is to be read as."""

    AUTOMATIC = 0  # numbers if every cell is one, otherwise text
    NUMBERS = 1  # numbers, or an error that names the line
    TEXT = 2  # text, whatever the cells look like
    CATEGORICAL = 3  # whole numbers without leading zeros as numbers, everything else as text


class CsvColumn(NamedTuple):
    """One column of a text file."""

    data: NDArray[Any]  # float64 numbers, or int32 codes with -1 for missing
    levels: list[str] | None  # None for numbers
    n_missing_words: int  # cells that hold one of the words for missing
    leading_zero: str  # the first number such as 07; empty if there is none
    all_whole: bool
    any_number: bool


def guess_delimiter(text: bytes) -> str:
    """The delimiter among comma, semicolon, tab and bar that occurs most in the first line."""
    return str(_native.guess_delimiter(text))


def read_csv_header(text: bytes, delimiter: str) -> list[str]:
    """The cells of the first record."""
    return list(_native.read_csv_header(text, delimiter))


def read_csv(  # noqa: PLR0913 (one call for all that can be said of the cells)
    text: bytes,
    delimiter: str,
    *,
    has_header: bool,
    columns: Sequence[tuple[str, CsvType]],
    missing: Sequence[str],
    missing_in_text: bool,
) -> list[CsvColumn]:
    """The columns of delimited text; ValueError names the line that is wrong."""
    names, types = zip(*columns, strict=True)
    read = _native.read_csv(
        text,
        delimiter,
        has_header=has_header,
        names=list(names),
        types=list(types),
        missing=list(missing),
        missing_in_text=missing_in_text,
    )
    return [CsvColumn(*column) for column in read]
