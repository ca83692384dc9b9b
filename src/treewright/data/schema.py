"""Schema: the columns of the training table, and how a new table is matched to them.

Levels are matched by value, never by code: two tables that hold the same rows get the same codes
here, however their own codes were counted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import distinct
from treewright.cached import cached_property
from treewright.data.column import (
    MISSING,
    UNSEEN,
    Column,
    Kind,
    Level,
    NominalColumn,
    NumericColumn,
    folded,
    level_type_of,
    numeric_as_nominal,
    split_unit,
)
from treewright.data.comparison import ORDINARY, Comparison
from treewright.data.date_parts import with_parts_for
from treewright.data.formats import PLAIN, Format, unit_key
from treewright.data.printed_thresholds import FARTHEST, PrintedThresholds, PrintSearch
from treewright.data.table import Table, generated_names, raise_duplicates
from treewright.errors import DataError, ModelFileError, UnknownColumnError, warn_user

Unseen = Literal["missing", "majority", "error"]


@dataclass(frozen=True)
class ColumnSpec:
    """What a model knows of one column: its name, its kind, its levels or its unit."""

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()
    unit: str = ""
    # How thresholds of a numeric column are printed; None: exactly.
    printed: PrintedThresholds | None = field(default=None, compare=False, repr=False)
    comparison: Comparison = ORDINARY  # of a numeric column with thresholds
    # How the training table wrote the numbers or dates.
    format: Format = field(default=PLAIN, compare=False)
    merges_case: bool = field(default=False, compare=False)  # of a nominal column
    # Whether a numeric column had only 0 and 1 in training, so that texts say no and yes.
    yes_no: bool = field(default=False, compare=False, repr=False)

    @classmethod
    def of(cls, column: Column) -> "ColumnSpec":
        if isinstance(column, NumericColumn):
            return cls(column.name, "numeric", (), column.unit, format=column.format)
        return cls(column.name, column.kind, column.levels, merges_case=column.merges_case)

    @property
    def is_numeric(self) -> bool:
        return self.kind == "numeric"

    @property
    def level_type(self) -> str:
        return level_type_of(self.levels)

    def in_plain_numbers(self) -> "ColumnSpec":
        """The column whose thresholds are written as plain numbers, also that of 0 and 1."""
        form = self.format if self.format.is_part else PLAIN  # it names the column of dates
        return replace(self, format=form, yes_no=False)

    @cached_property
    def code_of(self) -> dict[Level, int]:
        return {level: code for code, level in enumerate(self.levels)}


@dataclass(frozen=True)
class Schema:
    """The columns a model was trained on, in their order."""

    columns: tuple[ColumnSpec, ...]
    has_names: bool = True
    by_name: bool = False  # columns are picked by name out of any table, whatever else it has
    # How the training table wrote a numeric target.
    target_format: Format = field(default=PLAIN, compare=False)

    @classmethod
    def of(cls, table: Table, target_format: Format = PLAIN) -> "Schema":
        """The schema of a training table, and how it writes a numeric target."""
        if table.matrix is None:
            specs = tuple(map(ColumnSpec.of, table.headers))
            return cls(specs, table.has_names, target_format=target_format)
        if not table.has_names and table.n_columns <= 100:
            found = plain_schema(table.n_columns)
            return found if target_format == PLAIN else replace(found, target_format=target_format)
        specs = tuple([ColumnSpec(name, "numeric") for name in table.names])
        return cls(specs, table.has_names, target_format=target_format)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple([spec.name for spec in self.columns])

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @cached_property
    def is_plain(self) -> bool:
        """Whether every column is a number that is used as it is, so that any float array fits."""
        return all(
            spec.kind == "numeric" and not spec.unit and not spec.comparison.zero_is_missing
            for spec in self.columns
        )

    def position(self, name: str) -> int:
        return self.names.index(name)

    def with_printed(self, found: Mapping[int, PrintedThresholds]) -> "Schema":
        """The schema with what is known about printing the thresholds of some columns."""
        if not any(len(printed.at) for printed in found.values()):
            return self
        columns = list(self.columns)
        for at, printed in found.items():
            columns[at] = replace(columns[at], printed=printed)
        return replace(self, columns=tuple(columns))

    def with_yes_no(self, columns: Iterable[int]) -> "Schema":
        """The schema with columns, by position, that had only 0 and 1 in training."""
        chosen = {*columns}
        if not chosen:
            return self
        specs = enumerate(self.columns)
        marked = tuple(replace(spec, yes_no=True) if at in chosen else spec for at, spec in specs)
        return replace(self, columns=marked)

    def without_yes_no(self) -> "Schema":
        """The schema whose conditions compare columns of 0 and 1 with a threshold."""
        if not any(spec.yes_no for spec in self.columns):
            return self
        return replace(self, columns=tuple(replace(spec, yes_no=False) for spec in self.columns))

    def in_plain_numbers(self) -> "Schema":
        """The schema whose conditions and means are written as plain numbers."""
        specs = tuple(spec.in_plain_numbers() for spec in self.columns)
        return replace(self, columns=specs, target_format=PLAIN)

    def with_cuts(
        self, cuts: Mapping[str, ArrayLike], table: Table, n_threads: int = 1
    ) -> "Schema":
        """The schema that knows how to print these cuts, by column, for the rows of the table."""
        numbers: dict[int, NDArray[Any]] = {}
        for name in cuts:
            column = table[name]
            if isinstance(column, NumericColumn) and not column.unit:
                numbers[self.position(name)] = column.values
        own = [np.asarray(cuts[self.names[at]], dtype=np.float64) for at in numbers]
        at = np.concatenate(own) if own else np.zeros(0)
        search = PrintSearch(at, np.repeat(list(numbers), [len(one) for one in own]))
        search.use_for(numbers, n_threads)
        return self.with_printed(search.found())

    def encode(self, table: Table, unseen: Unseen = "missing", *, model: str = "model") -> Table:
        """The table with each column as this schema describes it, levels recoded by value.

        A level that the schema does not know becomes a missing value with one warning
        ("missing"), the code -2 ("majority") or an error that names column, row and value.
        `model` is the name used in error messages.
        """
        table = self.with_date_parts(table)
        self.check_columns(table, model=model)
        if self.by_name and table.has_names and table.names != self.names:
            table = Table([table[name] for name in self.names], table.n_rows)
        if table.matrix is not None and self.is_plain:
            return table
        if self.by_name:
            specs = zip(table.columns, self.columns, strict=True)
            table = Table([in_yes_and_no(column, spec) for column, spec in specs], table.n_rows)
        notes: list[str] = []
        columns = tuple(
            [
                fit_column(column, spec, unseen, notes)
                for column, spec in zip(table.columns, self.columns, strict=True)
            ]
        )
        if notes:
            warn_of_unseen(notes)
        return Table(columns, table.n_rows, has_names=self.has_names)

    def with_date_parts(self, table: Table) -> Table:
        """The table with the year, month ... of its dates, where this schema has these columns."""
        if not self.has_date_parts or table.matrix is not None or not table.has_names:
            return table
        return with_parts_for(table, self.columns)

    @cached_property
    def has_date_parts(self) -> bool:
        return any(spec.format.is_part for spec in self.columns)

    def check_columns(self, table: Table, *, model: str = "model") -> None:
        """Raise unless the table has this schema's columns, in its order."""
        if self.by_name and table.has_names:
            for name in self.names:
                if name not in table.names:
                    raise UnknownColumnError.among(name, table.names, source="X")
        elif self.has_names and table.has_names:
            if table.names != self.names:
                raise DataError(names_differ(self.names, table.names))
        elif table.n_columns != self.n_columns:
            raise DataError(
                f"X has {table.n_columns} features, but {model} is expecting "
                f"{self.n_columns} features as input"
            )

    def to_json(self) -> dict[str, Any]:
        """The schema as a dict of plain lists, strings and numbers."""
        columns: list[dict[str, Any]] = []
        for spec in self.columns:
            entry: dict[str, Any] = {"name": spec.name, "kind": spec.kind}
            if spec.is_numeric:
                entry["unit"] = spec.unit
                if spec.printed is not None and len(spec.printed.at):
                    entry["printed"] = spec.printed.to_json()
                if spec.comparison != ORDINARY:
                    entry["comparison"] = spec.comparison.to_json()
                if spec.format != PLAIN:
                    entry["format"] = spec.format.to_json()
                if spec.yes_no:
                    entry["yes_no"] = True
            else:
                entry["levels"] = list(spec.levels)
                if spec.merges_case:
                    entry["merges_case"] = True
            columns.append(entry)
        data: dict[str, Any] = {"has_names": self.has_names, "columns": columns}
        if self.by_name:
            data["by_name"] = True
        if self.target_format != PLAIN:
            data["target_format"] = self.target_format.to_json()
        return data

    @classmethod
    def from_json(cls, data: object) -> "Schema":
        """The schema that `to_json` wrote; anything else is a `ModelFileError`."""
        by_name = type(data) is dict and data.get("by_name") is True
        keys = {"has_names", "columns", "by_name"} if by_name else {"has_names", "columns"}
        own = {"target_format"} & data.keys() if type(data) is dict else set()
        entry = with_keys(data, keys | own, "schema")
        if type(entry["has_names"]) is not bool:
            raise ModelFileError(
                f"schema: `has_names` is {entry['has_names']!r}, not true or false"
            )
        if type(entry["columns"]) is not list or not entry["columns"]:
            raise ModelFileError("schema: `columns` is not a list of columns")
        specs = tuple(read_column(column, at) for at, column in enumerate(entry["columns"]))
        if len({spec.name for spec in specs}) != len(specs):
            raise ModelFileError("schema: a column name occurs twice")
        if by_name and not entry["has_names"]:
            raise ModelFileError("schema: columns without names cannot be picked by name")
        form = PLAIN
        if "target_format" in entry:
            form = Format.from_json(entry["target_format"], "schema, target")
            if form.kind != "number":
                raise ModelFileError(f"schema: the target is written as a {form.kind}")
        return cls(specs, entry["has_names"], by_name, form)


@lru_cache(maxsize=16)
def plain_schema(n_columns: int) -> Schema:
    """Numbers without names: the schema of an array, made once for each width."""
    specs = [ColumnSpec(name, "numeric") for name in generated_names(n_columns)]
    return Schema(tuple(specs), has_names=False)


def in_yes_and_no(column: Column, spec: ColumnSpec) -> Column:
    """Numbers 0 and 1, or booleans, as `no` and `yes` where a written tree asks for these words."""
    if not spec.levels or not {*spec.levels} <= {"no", "yes"}:
        return column
    if isinstance(column, NominalColumn):
        if column.level_type != "boolean":
            return column
        return replace(column, levels=tuple("yes" if level else "no" for level in column.levels))
    values = np.asarray(column.values, dtype=np.float64)
    if column.unit or not (np.isnan(values) | (values == 0) | (values == 1)).all():
        return column
    codes = np.where(np.isnan(values), MISSING, values).astype(np.int32)
    return NominalColumn(column.name, codes, ("no", "yes"))


def fit_column(column: Column, spec: ColumnSpec, unseen: Unseen, notes: list[str]) -> Column:
    """`column` as `spec` describes it; `notes` gets unseen categories."""
    if isinstance(column, NominalColumn) and not column.levels:
        return all_missing(spec, len(column))  # all values are missing
    if spec.is_numeric:
        return fit_numbers(column, spec)
    if isinstance(column, NumericColumn):
        column = levels_from_numbers(column, spec)
    return fit_levels(column, spec, unseen, notes)


def all_missing(spec: ColumnSpec, n_rows: int) -> Column:
    """A column without a single value."""
    if spec.is_numeric:
        return NumericColumn(spec.name, np.full(n_rows, np.nan), spec.unit)
    codes = np.full(n_rows, MISSING, dtype=np.int32)
    return NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered")


def fit_numbers(column: Column, spec: ColumnSpec) -> NumericColumn:
    """A numeric column in the unit of `spec`."""
    if isinstance(column, NominalColumn):
        row = first_known_row(column)
        raise DataError(
            f"{column.value(row)!r} in column `{spec.name}`, row {row}: "
            f"the model knows this column as numeric, here it holds {column.level_type}s",
            hint="convert the column to numbers before predicting; `read_table` does",
        )
    warn_of_other_sign(column, spec)
    if column.unit == spec.unit and not spec.comparison.zero_is_missing:
        return column if column.name == spec.name else column.renamed(spec.name)
    values: Any = spec.comparison.without_zeros(column.values)
    if column.unit != spec.unit and not np.isnan(values).all():
        values = values * unit_factor(column, spec)
    return NumericColumn(spec.name, values, spec.unit)


def warn_of_other_sign(column: NumericColumn, spec: ColumnSpec) -> None:
    """Warn if the numbers of a new table are in another currency or unit than in training."""
    here, there = column.format.sign, spec.format.sign
    if here and there and unit_key(here) != unit_key(there):
        warn_user(
            f"column `{spec.name}` is in `{here}`, but the model was trained on numbers in "
            f"`{there}`; the numbers are used as they are"
        )
    if there == "%" and not here and are_shares(column.values):
        warn_user(
            f"column `{spec.name}` holds numbers of at most 1, but the model was trained on "
            "percentages such as 22.2%; multiply fractions by 100"
        )


def are_shares(values: Any) -> bool:
    """Whether numbers look like shares: all from 0 to 1, and not all 0 or 1."""
    known = values[~np.isnan(values)]
    return bool(len(known) and ((known >= 0) & (known <= 1)).all() and (known % 1 > 0).any())


def unit_factor(column: NumericColumn, spec: ColumnSpec) -> float:
    """What turns counts of the column's unit into counts of the spec's."""
    here, step = split_unit(column.unit)
    there, wanted = split_unit(spec.unit)
    if here != there:
        words = {"": "plain numbers", "datetime64": "dates", "timedelta64": "durations"}
        row = first_known_row(column)
        raise DataError(
            f"{column.value(row)} in column `{spec.name}`, row {row}: "
            f"the model knows this column as {words[there]}, here it holds {words[here]}"
        )
    one, other = np.timedelta64(1, step), np.timedelta64(1, wanted)  # type: ignore[call-overload]
    return float(one / other)


def levels_from_numbers(column: NumericColumn, spec: ColumnSpec) -> NominalColumn:
    """Numbers given for a nominal column: fine where its levels are integers."""
    if not spec.levels or np.isnan(column.values).all():
        codes = np.full(len(column), MISSING, dtype=np.int32)
        return NominalColumn(spec.name, codes, spec.levels)
    if spec.level_type != "integer":
        row = first_known_row(column)
        raise DataError(
            f"{column.value(row)} in column `{spec.name}`, row {row}: the model knows this column "
            f"by {spec.level_type} categories such as {spec.levels[0]!r}, here it holds numbers",
            hint="convert the column to the type it had in training",
        )
    return numeric_as_nominal(column)


def fit_levels(
    column: NominalColumn, spec: ColumnSpec, unseen: Unseen, notes: list[str]
) -> NominalColumn:
    """A nominal column with the levels of `spec`, matched by value."""
    ordered = spec.kind == "ordered"
    if column.levels == spec.levels and column.level_type == spec.level_type:
        if column.ordered == ordered and column.name == spec.name:
            return column
        return NominalColumn(spec.name, column.codes, spec.levels, ordered)
    if spec.levels and column.level_type != spec.level_type:
        raise_level_type(column, spec)
    code_of = spec.code_of
    if spec.merges_case:
        by_fold = {folded(str(level)): code for level, code in code_of.items()}
        code_of = {
            level: code_of.get(level, by_fold.get(folded(str(level)), UNSEEN))
            for level in column.levels
        }
    new_code = np.array(
        [code_of.get(level, UNSEEN) for level in column.levels] + [MISSING], dtype=np.int32
    )
    codes = new_code[np.maximum(column.codes, MISSING)]
    if spec.levels and new_code.min() == UNSEEN:
        codes = handle_unseen(column, codes, unseen, notes)
    else:
        codes = np.maximum(codes, MISSING)
    return NominalColumn(spec.name, codes, spec.levels, ordered)


def handle_unseen(column: NominalColumn, codes: Any, unseen: Unseen, notes: list[str]) -> Any:
    """Codes, with categories that the schema does not know treated as `unseen` says."""
    unknown = codes == UNSEEN
    if not unknown.any():
        return codes
    row = int(unknown.argmax())
    where = f"{column.value(row)!r} in column `{column.name}`, row {row}"
    if unseen == "error":
        raise DataError(
            f"{where}: the model has not seen this category in training",
            hint='handle_unknown="missing" treats such a category as a missing value',
        )
    if unseen == "majority":
        return codes
    n_more = len(distinct(column.codes[unknown])) - 1
    notes.append(where + (f" (and {n_more} more categories of that column)" if n_more else ""))
    return np.maximum(codes, MISSING)


def warn_of_unseen(notes: Sequence[str]) -> None:
    shown = "; ".join(notes[:5]) + ("; ..." if len(notes) > 5 else "")
    warn_user(f"categories not seen in training count as missing: {shown}")


def raise_level_type(column: NominalColumn, spec: ColumnSpec) -> None:
    row = first_known_row(column)
    raise DataError(
        f"{column.value(row)!r} in column `{spec.name}`, row {row}: the model knows this column "
        f"by {spec.level_type} categories such as {spec.levels[0]!r}, here they are "
        f"{column.level_type}s",
        hint="convert the column to the type it had in training",
    )


def first_known_row(column: Column) -> int:
    return int(np.argmin(column.is_missing))


def names_differ(known: tuple[str, ...], found: tuple[str, ...]) -> str:
    """What is missing, unexpected or moved, worded as scikit-learn does."""
    if len(set(found)) != len(found):
        raise_duplicates(found)
    lines = ["The feature names should match those that were passed during fit."]
    unexpected = sorted(set(found) - set(known))
    missing = sorted(set(known) - set(found))
    lines += listed("Feature names unseen at fit time:", unexpected)
    lines += listed("Feature names seen at fit time, yet now missing:", missing)
    if not unexpected and not missing:
        moved = [name for name, other in zip(found, known, strict=True) if name != other]
        lines.append("Feature names must be in the same order as they were in fit.")
        lines += listed("Feature names that moved:", moved)
    return "\n".join(lines) + "\n"


def listed(title: str, names: Sequence[str], most: int = 5) -> list[str]:
    """A title and the first names below it; nothing without names."""
    if not names:
        return []
    shown = [f"- {name}" for name in names[:most]]
    return [title, *shown, *(["- ..."] if len(names) > most else [])]


UNIT = re.compile(r"|(datetime64|timedelta64)\[(D|h|m|s|ms|us|ns)\]")
LEVEL_TYPES = (str, bool, int)
MOST_SHOWN = 5  # a malicious file may hold a million other keys


def read_column(data: object, at: int) -> ColumnSpec:
    where = f"schema, column {at}"
    kind = data.get("kind") if type(data) is dict else None
    if kind == "numeric":
        assert type(data) is dict  # it has a kind
        keys = {"name", "kind", "unit"}
        entry = with_keys(
            data, keys | {"printed", "comparison", "format", "yes_no"} & data.keys(), where
        )
        unit = entry["unit"]
        if type(unit) is not str or not UNIT.fullmatch(unit):
            raise ModelFileError(f"{where}: `unit` is {unit!r}")
        printed = read_printed(entry["printed"], where) if "printed" in entry else None
        comparison = ORDINARY
        if "comparison" in entry:
            comparison = Comparison.from_json(entry["comparison"], where)
        form = Format.from_json(entry["format"], where) if "format" in entry else PLAIN
        yes_no = entry.get("yes_no", False)
        if type(yes_no) is not bool:
            raise ModelFileError(f"{where}: `yes_no` is {yes_no!r}")
        name = read_name(entry["name"], where)
        return ColumnSpec(name, "numeric", (), unit, printed, comparison, form, yes_no=yes_no)
    if kind in ("nominal", "ordered"):
        assert type(data) is dict
        merges_case = data.get("merges_case") is True
        own = {"merges_case"} if merges_case else set()
        entry = with_keys(data, {"name", "kind", "levels"} | own, where)
        name = read_name(entry["name"], where)
        levels = read_levels(entry["levels"], where)
        return ColumnSpec(name, kind, levels, merges_case=merges_case)
    raise ModelFileError(f"{where}: `kind` is {kind!r}, not numeric, nominal or ordered")


def read_printed(data: object, where: str) -> PrintedThresholds:
    """What is printed for thresholds: numbers that rise as they do, and are close to them."""
    where = f"{where}, `printed`"
    entry = with_keys(data, {"threshold", "printed"}, where)
    at, shown = entry["threshold"], entry["printed"]
    if type(at) is not list or type(shown) is not list or len(at) != len(shown):
        raise ModelFileError(f"{where}: not two lists of equal length")
    for number in (*at, *shown):
        if type(number) is not float or not isfinite(number):
            raise ModelFileError(f"{where}: {str(number)[:50]!r} is not a finite number")
    for numbers in (at, shown):
        if any(low >= high for low, high in pairwise(numbers)):
            raise ModelFileError(f"{where}: the numbers do not rise")
    for exact, number in zip(at, shown, strict=True):
        if abs(exact - number) > 1.01 * FARTHEST * abs(exact):
            raise ModelFileError(f"{where}: {number!r} is too far from the threshold {exact!r}")
    return PrintedThresholds(np.array(at, dtype=np.float64), np.array(shown, dtype=np.float64))


def read_name(name: object, where: str) -> str:
    if type(name) is not str:
        raise ModelFileError(f"{where}: `name` is {name!r}, not a string")
    return name


def read_levels(levels: object, where: str) -> tuple[Level, ...]:
    if type(levels) is not list:
        raise ModelFileError(f"{where}: `levels` is not a list")
    types = set(map(type, levels))
    if len(types) > 1 or not types <= set(LEVEL_TYPES):
        raise ModelFileError(f"{where}: levels are not all strings, all integers or all booleans")
    if len(set(levels)) != len(levels):
        raise ModelFileError(f"{where}: a level occurs twice")
    return tuple(levels)


def with_keys(data: object, keys: set[str], where: str) -> dict[str, Any]:
    """`data` as a dict of exactly these keys."""
    if type(data) is not dict:
        raise ModelFileError(f"{where}: not an object with keys")
    if set(data) != keys:
        odd = sorted(key[:50] for key in islice(set(data) ^ keys, MOST_SHOWN))
        raise ModelFileError(f"{where}: keys missing or not known: {', '.join(odd)}")
    return data
