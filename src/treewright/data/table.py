"""Table: named columns of equal length, the one data format inside the package."""

from collections.abc import Callable, Sequence
from html import escape
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import (
    Column,
    Level,
    NominalColumn,
    NumericColumn,
    numeric_as_nominal,
    with_order,
)
from treewright.data.formats import PLAIN, format_of, in_format
from treewright.data.frames import arrow_table, pandas_frame, polars_frame
from treewright.errors import DataError, DataTypeError, UnknownColumnError
from treewright.plain_text import aligned, counted, number_text, plain, truncated

Rows = NDArray[Any] | slice | Sequence[int] | Sequence[bool]


class Table:
    """Named columns of equal length, numeric or nominal. Tables are immutable.

    A table can be passed as `X` wherever scikit-learn expects one: it has `shape` and `len`, and
    `table[rows]` is a table.

    Examples
    --------
    >>> from treewright.data.samples import load_sample
    >>> X, y = load_sample("tennis")
    >>> X[:5]
    Table of 5 rows and 4 columns
      outlook   temperature  humidity  wind
      Sunny     Hot          High      Weak
      Sunny     Hot          High      Strong
      Overcast  Hot          High      Weak
      Rain      Mild         High      Weak
      Rain      Cool         Normal    Weak
    >>> X[y == "No"].shape
    (5, 4)
    >>> X["wind"].levels
    ('Weak', 'Strong')
    """

    __slots__ = ("_columns", "_matrix", "_names", "has_names", "n_rows")

    _columns: tuple[Column, ...] | None
    _names: tuple[str, ...] | None
    _matrix: NDArray[Any] | None
    has_names: bool  # False where the names x0, x1 ... were made up
    n_rows: int

    def __init__(
        self, columns: Sequence[Column], n_rows: int | None = None, *, has_names: bool = True
    ) -> None:
        columns = tuple(columns)
        if n_rows is None:
            n_rows = len(columns[0]) if columns else 0
        names = tuple([column.name for column in columns])
        if len(set(names)) != len(names):
            raise_duplicates(names)
        for column in columns:
            if len(column) != n_rows:
                raise DataError(
                    f"column `{column.name}` has {len(column)} rows, others have {n_rows}"
                )
        self._set(columns, names, None, n_rows, has_names=has_names)

    @classmethod
    def of_matrix(cls, matrix: NDArray[Any], names: tuple[str, ...] | None = None) -> "Table":
        """The columns of a 2-D float array, without a copy and without looking at it.

        Columns and made-up names are written out only when someone asks for them: an array of
        four columns becomes a table in a microsecond, one of 100,000 columns too.
        """
        table = cls.__new__(cls)
        table._set(None, names, matrix, matrix.shape[0], has_names=names is not None)
        return table

    def _set(
        self,
        columns: tuple[Column, ...] | None,
        names: tuple[str, ...] | None,
        matrix: NDArray[Any] | None,
        n_rows: int,
        *,
        has_names: bool,
    ) -> None:
        put = object.__setattr__
        put(self, "_columns", columns)
        put(self, "_names", names)
        put(self, "_matrix", matrix)
        put(self, "n_rows", n_rows)
        put(self, "has_names", has_names)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table does not change: cannot set `{name}`")

    def __reduce__(self) -> tuple[Any, ...]:
        if self._matrix is not None:
            return Table.of_matrix, (self._matrix, self._names if self.has_names else None)
        return _unpickled, (self.columns, self.n_rows, self.has_names)

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The 2-D float array whose columns these are, or None if there is none."""
        return self._matrix

    @property
    def columns(self) -> tuple[Column, ...]:
        if self._columns is None:
            assert self._matrix is not None
            columns = tuple(map(NumericColumn, self.names, self._matrix.T))
            object.__setattr__(self, "_columns", columns)
        return self._columns  # type: ignore[return-value]

    @property
    def headers(self) -> tuple[Column, ...]:
        """The columns, of which only names, kinds and categories count."""
        return self.columns

    @property
    def names(self) -> tuple[str, ...]:
        if self._names is None:
            object.__setattr__(self, "_names", generated_names(self.n_columns))
        return self._names  # type: ignore[return-value]

    @property
    def n_columns(self) -> int:
        return self._matrix.shape[1] if self._matrix is not None else len(self._columns or ())

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    @property
    def ndim(self) -> int:
        return 2

    def __len__(self) -> int:
        return self.n_rows

    def __contains__(self, name: object) -> bool:
        return name in self.names

    __iter__ = None  # rows or columns? `table.columns` says which

    def __getitem__(self, key: Any) -> Any:
        """`table["name"]` is a column, `table[rows]` and `table[rows, columns]` are tables."""
        if isinstance(key, str):
            return self.columns[self.position(key)]
        if isinstance(key, tuple):
            if len(key) != 2:
                raise DataTypeError(f"a table has two axes, {len(key)} were given")
            rows, columns = key
            chosen = self if _is_all(columns) else self.select(columns)
            return chosen if _is_all(rows) else chosen.take(rows)
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self.select(key)
        return self.take(key)

    def position(self, name: str) -> int:
        """Where the column `name` stands."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownColumnError.among(name, self.names, source="the table") from None

    def take(self, rows: Rows) -> "Table":
        """The table with these rows: positions, a mask or a slice."""
        picked = self._rows(rows)
        if self._matrix is not None:
            return Table.of_matrix(self._matrix[picked], self._names if self.has_names else None)
        columns = tuple([column.take(picked) for column in self.columns])
        n_rows = len(columns[0]) if columns else len(np.arange(self.n_rows)[picked])
        return self._like(columns, n_rows)

    def _rows(self, rows: Rows) -> NDArray[Any] | slice:
        if isinstance(rows, slice):
            return rows
        picked = np.asarray(rows)
        if picked.ndim != 1 or (picked.dtype.kind not in "iub" and picked.size):
            raise DataTypeError(
                f"rows must be positions, a mask or a slice, not {rows!r}",
                hint="`table[[3]]` is the fourth row as a table",
            )
        if picked.dtype.kind == "b":
            if len(picked) != self.n_rows:
                raise DataError(f"the mask has {len(picked)} rows, the table {self.n_rows}")
            return np.flatnonzero(picked)
        if picked.size and (picked.max() >= self.n_rows or picked.min() < -self.n_rows):
            beyond = picked[(picked >= self.n_rows) | (picked < -self.n_rows)][0]
            raise IndexError(f"there is no row {beyond} in a table of {self.n_rows} rows")
        return picked.astype(np.intp, copy=False)

    def select(self, columns: Any) -> "Table":
        """The table with these columns: names, positions, a mask or a slice."""
        if isinstance(columns, str):
            columns = [columns]
        if isinstance(columns, (slice, np.ndarray)):
            columns = np.arange(self.n_columns)[columns].tolist()
        positions = [self.position(key) if isinstance(key, str) else key for key in columns]
        if positions and isinstance(positions[0], bool):
            positions = np.flatnonzero(positions).tolist()
        return self._like(tuple([self.columns[at] for at in positions]), self.n_rows)

    def drop(self, names: str | Sequence[str]) -> "Table":
        """The table without a column, or without several."""
        gone = {self.position(name) for name in ([names] if isinstance(names, str) else names)}
        kept = [column for at, column in enumerate(self.columns) if at not in gone]
        return self._like(tuple(kept), self.n_rows)

    def with_column(self, column: Column) -> "Table":
        """The table with `column` instead of the one with its name, or at the end."""
        columns = list(self.columns)
        if column.name in self.names:
            columns[self.position(column.name)] = column
        else:
            columns.append(column)
        return Table(columns, has_names=self.has_names)

    def with_order(self, name: str, levels: Sequence[Level]) -> "Table":
        """The table with a nominal column made ordered: from the first level up to the last."""
        column = self[name]
        if isinstance(column, NumericColumn):
            column = numeric_as_nominal(column)
        return self.with_column(with_order(column, tuple(levels)))

    def split_target(self, name: str) -> tuple["Table", NDArray[Any]]:
        """The other columns, and the values of column `name`; whole numbers as integers."""
        return self.drop(name), target_values(self[name])

    def compact_levels(self) -> "Table":
        """The table without levels that no row has, as if other rows had never existed."""
        return self._with_nominal(NominalColumn.compacted)

    def sort_levels(self) -> "Table":
        """The table with levels in the order of their values, not in that of the rows.

        >>> from treewright.data.samples import load_sample
        >>> load_sample("tennis")[0].sort_levels()["wind"].levels
        ('Strong', 'Weak')
        """
        return self._with_nominal(NominalColumn.sorted_levels)

    def _with_nominal(self, change: Callable[[NominalColumn], NominalColumn]) -> "Table":
        if self._matrix is not None:
            return self
        columns = tuple(
            [
                change(column) if isinstance(column, NominalColumn) else column
                for column in self.columns
            ]
        )
        unchanged = all(map(lambda new, old: new is old, columns, self.columns))
        return self if unchanged else self._like(columns, self.n_rows)

    def same_as(self, other: "Table") -> bool:
        """Whether both hold the same names, kinds, levels and values."""
        return (
            self.shape == other.shape
            and self.has_names == other.has_names
            and all(map(same_column, self.columns, other.columns))
        )

    def to_pandas(self) -> Any:
        """A pandas frame: floats, dates, and categories for nominal columns."""
        return pandas_frame(self.columns)

    def to_polars(self) -> Any:
        """A polars frame; a missing value is null.

        Examples
        --------
        >>> from treewright.data.samples import load_sample
        >>> X, y = load_sample("tennis")
        >>> X.to_polars().shape
        (14, 4)
        """
        return polars_frame(self.columns)

    def to_arrow(self) -> Any:
        """A pyarrow table; text is in dictionaries, and a missing value is null."""
        return arrow_table(self.columns)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if self._matrix is not None:
            return np.array(self._matrix, dtype=dtype, copy=copy)
        if all(isinstance(column, NumericColumn) and not column.unit for column in self.columns):
            joined = np.column_stack([column.to_numpy() for column in self.columns])
        else:
            joined = np.empty(self.shape, dtype=object)
            for at, column in enumerate(self.columns):
                joined[:, at] = list(column.to_numpy())
        return joined if dtype is None else joined.astype(dtype)

    def _repr_html_(self) -> str:
        head = head_rows(self)
        names = "".join(f"<th>{escape(one_line(column.name))}</th>" for column in head.columns)
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td>{escape(one_line(shown_cell(column, row)))}</td>" for column in head.columns
            )
            + "</tr>"
            for row in range(len(head))
        )
        size = f"{counted(self.n_rows, 'row')}, {counted(self.n_columns, 'column')}"
        return f"<table><caption>{size}</caption><tr>{names}</tr>{rows}</table>"

    def __repr__(self) -> str:
        rows, columns = self.shape
        head = head_rows(self)
        shown_rows, shown_columns = head.shape
        cells = [
            [column.name, *[shown_cell(column, row) for row in range(shown_rows)]]
            for column in head.columns
        ]
        to_right = [
            isinstance(column, NumericColumn) and not column.unit for column in head.columns
        ]
        lines = [
            f"Table of {counted(rows, 'row')} and {counted(columns, 'column')}",
            *column_lines(cells, to_right),
        ]
        if rows > shown_rows:
            lines.append(f"  ... {counted(rows - shown_rows, 'more row')}")
        if columns > shown_columns:
            lines.append(f"  ... {counted(columns - shown_columns, 'more column')}")
        return "\n".join(lines)

    def _like(self, columns: tuple[Column, ...], n_rows: int) -> "Table":
        """A table of columns that are known to fit together."""
        table = Table.__new__(Table)
        names = tuple([column.name for column in columns])
        table._set(columns, names, None, n_rows, has_names=self.has_names)
        return table


def generated_names(n_columns: int) -> tuple[str, ...]:
    """x0, x1 ...: what columns are called that come without names."""
    return tuple([f"x{at}" for at in range(n_columns)])


def target_values(column: Column) -> NDArray[Any]:
    """The values of a target column; whole numbers as integers, so that classes read 0 and 1.

    Numbers that the table writes as `$101,508` know that.
    """
    values = column.to_numpy()
    if values.dtype.kind != "f":
        return values
    if np.isfinite(values).all() and (values == np.floor(values)).all():
        values = values.astype(np.int64) if (np.abs(values) < 2**53).all() else values
    return values if isinstance(column, NominalColumn) else in_format(values, format_of(column))


def same_column(one: Column, other: Column) -> bool:
    """Whether both columns hold the same name, kind, levels and values."""
    if one.name != other.name or one.kind != other.kind or len(one) != len(other):
        return False
    if isinstance(one, NumericColumn) and isinstance(other, NumericColumn):
        return one.unit == other.unit and np.array_equal(one.values, other.values, equal_nan=True)
    assert isinstance(one, NominalColumn)
    assert isinstance(other, NominalColumn)
    same_levels = one.levels == other.levels and one.level_type == other.level_type
    return same_levels and np.array_equal(one.codes, other.codes)


def raise_duplicates(names: Sequence[str]) -> None:
    """Raise the error for column names that occur twice."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(name, []).append(at)
    repeated = [
        f"`{name}` at positions {', '.join(map(str, at))}"
        for name, at in places.items()
        if len(at) > 1
    ]
    raise DataError(
        f"column names occur more than once: {'; '.join(repeated)}",
        hint="rename or drop the copies",
    )


def _is_all(key: object) -> bool:
    return isinstance(key, EllipsisType) or (isinstance(key, slice) and key == slice(None))


def _unpickled(columns: tuple[Column, ...], n_rows: int, has_names: bool) -> Table:  # noqa: FBT001
    return Table(columns, n_rows, has_names=has_names)


WHOLE = 20  # rows of a table that is shown from the first to the last
MAX_ROWS = 5  # of a longer one
MAX_COLUMNS = 10
MAX_WIDTH = 24


def head_rows(table: Table) -> Table:
    """What is shown of a table: small ones whole, the first rows and columns of others."""
    head: Table = table[: WHOLE if table.n_rows <= WHOLE else MAX_ROWS, :MAX_COLUMNS]
    return head


def column_lines(
    columns: list[list[str]], to_right: list[bool], max_width: int = MAX_WIDTH
) -> list[str]:
    """Indented lines from columns of cells, each as wide as its widest cell."""
    cells = [[one_line(cell, max_width) for cell in column] for column in columns]
    lines = aligned([*zip(*cells, strict=True)], "".join("lr"[right] for right in to_right))
    return [f"  {line}".rstrip() for line in lines]


def shown_cell(column: Column, row: int, *, exact: bool = False) -> str:
    """One cell of a column, in the column's own format; with all digits if it is to be `exact`."""
    value = column.value(row)
    if value is None or isinstance(column, NominalColumn) or column.format == PLAIN:
        return cell_text(value)
    number = float(column.values[row])
    if column.unit:
        return column.format.time_text(int(number), column.unit) or cell_text(value)
    text = repr(number).removesuffix(".0") if exact else number_text(number)
    return column.format.bound_text(number, text)


def cell_text(value: object) -> str:
    """One cell; a missing value is shown as `?`."""
    if value is None:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value)


def one_line(text: str, max_width: int = MAX_WIDTH) -> str:
    """`text` on one line, truncated where it is too wide."""
    return truncated(plain(" ".join(text.split())) if text.split() else repr(text), max_width)
