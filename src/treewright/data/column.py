"""Columns: numeric and nominal.

A numeric column holds numbers, NaN where a value is missing. A nominal column holds codes into a
tuple of levels. All data sources are converted to these two types.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import PLAIN, Format, unit_key
from treewright.errors import DataError

Level = str | int | bool
Kind = Literal["numeric", "nominal", "ordered"]
Codes = NDArray[np.int32]

MISSING = -1  # the code of a missing value
UNSEEN = -2  # the code of a level that the schema does not know


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumericColumn:
    """Numbers, dates or durations; NaN is a missing value, infinities are values."""

    name: str
    values: Floats  # any stride: often a view of the user's own array
    unit: str = ""  # "datetime64[D]", "timedelta64[ns]" ...: values count these units
    origin: str = ""  # what the source held, for the column report
    caution: str = ""  # what the values no longer show, such as leading zeros
    format: Format = PLAIN  # how the source wrote the values

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        return f"<numeric column `{self.name}`{unit}: {self.values}>"

    @property
    def kind(self) -> Kind:
        return "numeric"

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.values)

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.is_missing))

    def take(self, rows: Any) -> "NumericColumn":
        """The column with these rows: positions, a mask or a slice."""
        return replace(self, values=self.values[rows])

    def renamed(self, name: str) -> "NumericColumn":
        return replace(self, name=name)

    def value(self, row: int) -> float | np.datetime64 | np.timedelta64 | None:
        """The value of one row; None if it is missing."""
        number = float(self.values[row])
        if number != number:
            return None
        return self.with_unit(number)

    def with_unit(self, number: float) -> float | np.datetime64 | np.timedelta64:
        """`number` as a date or a duration if the column holds such."""
        if not self.unit:
            return number
        kind, step = split_unit(self.unit)
        make = np.datetime64 if kind == "datetime64" else np.timedelta64
        return make(int(number), step)  # type: ignore[call-overload,no-any-return]

    def to_numpy(self) -> NDArray[Any]:
        """The values as NumPy shows them: floats, dates or durations."""
        if not self.unit:
            return self.values
        whole = np.where(self.is_missing, 0, self.values).astype(np.int64)
        dates = whole.astype(self.unit)
        dates[self.is_missing] = "NaT"
        return dates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NominalColumn:
    """Codes into levels. Levels are all strings, all integers or all booleans."""

    name: str
    codes: Codes  # MISSING, UNSEEN, or a position in `levels`
    levels: tuple[Level, ...]
    ordered: bool = False  # the levels stand in an order that a threshold may use
    declared: bool = False  # the source names the levels, so they count even without a row
    origin: str = ""
    caution: str = ""
    by_appearance: bool = False  # the levels stand in the order in which rows first have them,
    by_value: bool = False  # unless they have been sorted since
    merges_case: bool = False  # levels that differ in case are one, also in new tables
    order: tuple[Level, ...] = ()  # all categories of the source, if known; some have no rows

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.levels[:5])) + (", ..." if len(self.levels) > 5 else "")
        return f"<{self.kind} column `{self.name}` of {shown}: {self.codes}>"

    @property
    def kind(self) -> Kind:
        return "ordered" if self.ordered else "nominal"

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        return self.codes < 0

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.is_missing))

    @property
    def level_type(self) -> str:
        """ "string", "integer" or "boolean"; "" without levels."""
        return level_type_of(self.levels)

    def take(self, rows: Any) -> "NominalColumn":
        """The column with these rows: positions, a mask or a slice."""
        return replace(self, codes=self.codes[rows])

    def renamed(self, name: str) -> "NominalColumn":
        return replace(self, name=name)

    def value(self, row: int) -> Level | None:
        """The level of one row; None if it is missing."""
        code = int(self.codes[row])
        return self.levels[code] if code >= 0 else None

    def counts(self) -> NDArray[np.int64]:
        """How many rows each level has."""
        known = self.codes if not self.is_missing.any() else self.codes[self.codes >= 0]
        return np.bincount(known, minlength=len(self.levels)).astype(np.int64)

    def compacted(self) -> "NominalColumn":
        """The column as if it had come with these rows alone; declared levels stay.

        Levels that no row has are gone, and those by appearance stand as these rows have them.
        """
        if self.declared:
            return self
        as_met = self.by_appearance and not self.by_value
        kept = self._levels_as_met() if as_met else np.flatnonzero(self.counts() > 0)
        if np.array_equal(kept, np.arange(len(self.levels))):
            return self
        return self.recoded(kept)

    def _levels_as_met(self) -> NDArray[np.intp]:
        """The codes that occur, each at its first row."""
        first_row = np.full(len(self.levels) + 1, len(self.codes))
        first_row[np.maximum(self.codes[::-1], MISSING)] = np.arange(len(self.codes))[::-1]
        order = np.argsort(first_row[:-1], kind="stable")
        n_met = np.count_nonzero(first_row[:-1] < len(self.codes))
        return order[:n_met]

    def sorted_levels(self) -> "NominalColumn":
        """The column with its levels in the order of their values; an order of its own stays.

        Strings stand in the order of their code points, integers by size, and False before True.
        """
        if self.ordered or self.by_value:
            return self
        order = sorted(range(len(self.levels)), key=self.levels.__getitem__)
        return replace(self.recoded(np.array(order, dtype=np.intp)), by_value=True)

    def recoded(self, kept: NDArray[np.intp]) -> "NominalColumn":
        """The column with only the `kept` levels, in that order; others become missing."""
        new_code = np.full(len(self.levels) + 1, MISSING, dtype=np.int32)
        new_code[kept] = np.arange(len(kept), dtype=np.int32)
        levels = tuple(self.levels[level] for level in kept)
        # A negative code reads the last entry, which stays MISSING.
        codes = new_code[np.maximum(self.codes, MISSING)]
        return replace(self, codes=codes, levels=levels)

    def to_numpy(self) -> NDArray[Any]:
        """The level of each row: a bool, int64 or string array; objects if some are missing."""
        as_objects = self.is_missing.any() or self.level_type == "" or self._is_wordy()
        dtypes = {"string": np.dtype(str), "integer": np.dtype(np.int64)}
        dtype = np.dtype(object) if as_objects else dtypes.get(self.level_type, np.dtype(bool))
        if not as_objects:
            return np.array(self.levels, dtype=dtype)[self.codes]
        by_code = np.empty(len(self.levels) + 1, dtype=object)
        by_code[:-1] = self.levels
        return by_code[np.maximum(self.codes, MISSING)]

    def _is_wordy(self) -> bool:
        """Long strings: an array of fixed width would waste memory, or cut a trailing NUL."""
        return self.level_type == "string" and any(
            len(level) > 64 or level.endswith("\0") for level in map(str, self.levels)
        )


Column = NumericColumn | NominalColumn


def level_type_of(levels: tuple[Level, ...]) -> str:
    """ "string", "integer" or "boolean": what the first level is; "" without levels."""
    if not levels:
        return ""
    names = {str: "string", bool: "boolean"}
    return names.get(type(levels[0]), "integer")


def folded(level: str) -> str:
    """A category without case and repeated spaces.

    >>> folded("New  York") == folded("new york")
    True
    """
    return " ".join(level.casefold().split())


def joined_format(formats: Iterable[Format], name: str) -> Format:
    """The format of values that come in several parts; an error if units or formats differ."""
    given = [one for one in formats if one != PLAIN]
    signs = {unit_key(one.sign): one.sign for one in given if one.sign}
    if len(signs) > 1:
        first, other, *_ = signs.values()
        raise DataError(
            f"column `{name}` is in `{first}` in some rows, but in `{other}` in others",
            hint="convert the numbers to one unit",
        )
    numbers = {one for one in given if one.kind == "number"}
    for form, second in combinations(sorted(numbers, key=repr), 2):
        if form.contradicts(second):
            shown = [written.number_text("1234.5") for written in (form, second)]
            raise DataError(
                f"column `{name}` is written as {shown[0]} in some rows, but as {shown[1]} in "
                "others",
                hint="write all numbers in one format",
            )
    return given[0] if given else PLAIN


def split_unit(unit: str) -> tuple[str, str]:
    """("datetime64", "D") for "datetime64[D]"."""
    kind, _, step = unit.rstrip("]").partition("[")
    return kind, step


def numeric_as_nominal(column: NumericColumn) -> NominalColumn:
    """Numbers as levels in sorted order: integers if all are whole, otherwise their text."""
    missing = column.is_missing
    levels, codes = np.unique(column.values[~missing], return_inverse=True)
    all_codes = np.full(len(column), MISSING, dtype=np.int32)
    all_codes[~missing] = codes
    if np.isfinite(levels).all() and (levels == np.floor(levels)).all() and not column.unit:
        as_levels: tuple[Level, ...] = tuple(int(level) for level in levels.tolist())
    else:
        as_levels = tuple(str(column.with_unit(level)) for level in levels.tolist())
    origin = f"{column.origin or 'numbers'}, declared categorical"
    return NominalColumn(column.name, all_codes, as_levels, origin=origin)


def with_order(column: NominalColumn, levels: tuple[Level, ...]) -> NominalColumn:
    """The column as an ordered one, its levels in the order given."""
    absent = [level for level in column.levels if level not in levels]
    if absent or len(set(levels)) != len(levels):
        problem = f"column `{column.name}` has the level {absent[0]!r}, which the order lacks"
        raise DataError(problem if absent else f"the order of `{column.name}` repeats a level")
    position = {level: code for code, level in enumerate(levels)}
    new_code = np.array([position[level] for level in column.levels] + [MISSING], dtype=np.int32)
    codes = new_code[np.maximum(column.codes, MISSING)]
    return replace(
        column, codes=codes, levels=levels, ordered=True, declared=True, by_appearance=False
    )


def is_masked(array: Any) -> bool:
    """Whether an array may have masked cells; for plain arrays numpy.ma is not loaded."""
    return type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray)


def objects_without_mask(array: Any) -> NDArray[Any]:
    """A masked array as objects, None where it is masked."""
    objects = np.array(array.data, dtype=object)
    objects[np.ma.getmaskarray(array)] = None
    return objects


def is_missing_value(value: Any) -> bool:
    """Whether `value` is None, NaN, NaT, pandas' NA or NumPy's masked."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    # Marks of pandas and numpy.ma, by name: this layer does not import these.
    return type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")
