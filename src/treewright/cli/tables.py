"""Read the table named on the command line: a file, a query result or a bundled sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.groups import flag, target_flag
from treewright.cli.output import Output
from treewright.cli.queries import query_result
from treewright.cli.streams import is_standard, matching_files
from treewright.errors import DataError, ParameterError, UnknownColumnError, nearest

if TYPE_CHECKING:
    from treewright.data.schema import Schema
    from treewright.data.sources.from_csv import ReadSettings
    from treewright.data.table import Table

IRIS_TARGET = "species"
USUAL_FOLDS = 10
TEXT_ENDINGS = (".csv", ".tsv", ".tab", ".txt", ".data", ".arff", ".jsonl", ".ndjson")
COLUMNAR_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".xlsx", ".xlsm")
TABLE_ENDINGS = frozenset([*TEXT_ENDINGS, *COLUMNAR_ENDINGS])

Repeated = list[str] | None  # the values of a flag that may be repeated
TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Excel, JSON Lines, Parquet, Arrow or ARFF file, a folder of Parquet files, "
        "a quoted pattern such as '2024-*.csv', a sample name, or - for standard input.",
    ),
]


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """The target, and what to do where it is missing."""

    target: Annotated[str | None, target_flag("Column to predict.")] = None
    drop_missing_target: Annotated[
        bool, flag("Leave out rows with a missing target.", "--drop-missing-target")
    ] = False

    def known_rows(self, target: str, whole: "Table", source: str, output: Output) -> "Table":
        """The rows whose target is known: all of them, or those that are left."""
        n_missing = whole[target].n_missing
        if not n_missing:
            return whole
        share = f"{n_missing:,} of {whole.n_rows:,} rows"
        if not self.drop_missing_target or n_missing == whole.n_rows:
            raise DataError(
                f"target `{target}` is missing in {share} of {source}, first in row "
                f"{int(whole[target].is_missing.argmax())}",
                hint="--drop-missing-target leaves these rows out"
                if n_missing < whole.n_rows
                else "choose another column with --target",
            )
        output.note(f"left out: {share}, where `{target}` is missing")
        return whole.take(~whole[target].is_missing).compact_levels()


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is read, and which columns are used."""

    categorical: Annotated[
        Repeated, flag("Treat this column as nominal. Repeatable.", "COLUMN")
    ] = None
    numeric: Annotated[Repeated, flag("Treat this column as numeric. Repeatable.", "COLUMN")] = None
    column: Annotated[
        Repeated,
        flag(
            "What a column holds: number, decimal-comma, decimal-point, date, day-first, "
            "month-first, year-first, time, yes-no, text or category. Repeatable.",
            "NAME=KIND",
        ),
    ] = None
    merge_case: Annotated[
        bool, flag("Merge categories that differ only in case.", "--merge-case")
    ] = False
    dates: Annotated[
        Literal["numbers", "parts"],
        flag("Use dates as numbers, or as parts (year, month, weekday, hour)."),
    ] = "numbers"
    na: Annotated[Repeated, flag("Cell text that means missing. Repeatable.", "TOKEN")] = None
    drop: Annotated[Repeated, flag("Leave out this column. Repeatable.", "COLUMN")] = None
    weight: Annotated[str | None, flag("Column of row weights.", "COLUMN")] = None
    sheet: Annotated[
        str | None, flag("Sheet of a workbook: name, or number from 1; default the first.", "SHEET")
    ] = None
    encoding: Annotated[
        str | None, flag("Encoding of a text file, such as cp1252; default detected.", "NAME")
    ] = None
    delimiter: Annotated[
        str | None, flag("Separator of a text file; default detected.", "TEXT")
    ] = None
    no_header: Annotated[
        bool, flag("The first line is data; columns are named x0, x1 ...", "--no-header")
    ] = False
    sql: Annotated[
        str | None, flag("Query the table with DuckDB first; it is called `t`.", "QUERY")
    ] = None
    scan: Annotated[
        bool,
        flag("Read the table in blocks, to save memory.", "--scan"),
    ] = False

    def read(self, source: str, schema: "Schema | None" = None) -> "Table":
        """The table, with all its columns but those left out.

        With the `schema` of a model, columns are read as what they were in training.
        """
        settings = self.settings(schema)
        if self.scan:
            table = self.scanned(source, settings)
        elif self.sql is None:
            table = read_source(source, settings)
        else:
            from treewright.data.sources.typed_cells import chosen_kinds

            asked = query_result(self.sql, read_source(source, self.before_query(schema)))
            table = chosen_kinds(asked, settings, source)
        return without(table, self.drop or [], source)

    def scanned(self, source: str, settings: "ReadSettings") -> "Table":
        """The table, its values in temporary files."""
        from treewright.data.scan import stored_rows

        for name, is_given in (("--sql", self.sql is not None), ("--merge-case", self.merge_case)):
            if is_given:
                raise ParameterError(f"{name} and --scan cannot be combined", hint="give one")
        if not is_standard(source) and not is_file(source):
            return read_source(source, settings)
        return stored_rows(source, settings)

    def settings(self, schema: "Schema | None" = None) -> "ReadSettings":
        """How the cells of a file are read."""
        from treewright.data.sources.from_csv import ReadSettings
        from treewright.data.sources.type_inference import checked_kinds

        return ReadSettings(
            kinds=dict.fromkeys(self.drop or (), "text")  # nobody asks what they mean
            | checked_kinds(dict(map(name_and_kind, self.column or ()))),
            merge_case=self.merge_case,
            na=self.na or None,
            categorical=self.categorical or (),
            numeric=self.numeric or (),
            header=not self.no_header,
            delimiter=delimiter_of(self.delimiter),
            encoding=self.encoding,
            sheet=self.sheet,
            schema=schema,
        )

    def features(self, table: "Table") -> "Table":
        """The columns to learn from: dates as they are, or their parts."""
        from treewright.data.date_parts import with_date_parts

        return with_date_parts(table) if self.dates == "parts" else table

    def keeping(self, names: Sequence[str]) -> "TableOptions":
        """The same, but these columns are read even if they are not to be learned from."""
        return replace(self, drop=[name for name in self.drop or () if name not in names])

    def before_query(self, schema: "Schema | None") -> "ReadSettings":
        """How a file is read before a query: text that looks like a number stays text where the
        user or a model says so, and columns may be named that only the query creates.
        """
        if schema is not None:
            nominal = tuple(spec for spec in schema.columns if not spec.is_numeric)
            schema = replace(schema, columns=nominal)
        return replace(self.settings(schema), numeric=(), strict=False)

    def weights_in(self, table: "Table", source: str) -> "tuple[Table, Any]":
        """The table without the column of weights, and the weights; None without one."""
        from treewright.data.column import NumericColumn

        if self.weight is None:
            return table, None
        check_column(self.weight, table, source)
        column = table[self.weight]
        if not isinstance(column, NumericColumn):
            raise DataError(
                f"column `{self.weight}` of {source} holds text, but weights are numbers"
            )
        return table.drop(self.weight), column.values


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How rows are split into training and test rows."""

    folds: Annotated[
        int | None, flag(f"Number of cross-validation folds; default {USUAL_FOLDS}.", min=2)
    ] = None
    repeats: Annotated[int, flag("How often the cross-validation is repeated.", min=1)] = 1
    hold_out: Annotated[
        float | None, flag("Hold out this share of the rows instead of cross-validation.", "SHARE")
    ] = None
    groups: Annotated[
        str | None, flag("Keep rows with equal values of this column in one fold.", "COLUMN")
    ] = None
    times: Annotated[str | None, flag("Test on rows that are later by this column.", "COLUMN")] = (
        None
    )
    stratified: Annotated[bool, flag("Give every fold the same class proportions.")] = True
    seed: Annotated[int, flag("Seed of the splits.", min=0)] = 0
    jobs: Annotated[int | None, flag("Splits to run in parallel; default all cores.", min=1)] = None

    def arguments(self, whole: "Table", source: str) -> dict[str, Any]:
        """Arguments of `treewright.evaluate`; groups and times are columns of `whole`."""
        from treewright.evaluation.protocol import moments

        times = self._column(self.times, whole, source, "--times")
        return {
            "folds": USUAL_FOLDS if self.folds is None else self.folds,
            "repeats": self.repeats,
            "hold_out": self.hold_out,
            "groups": self._column(self.groups, whole, source, "--groups"),
            "times": None if times is None else moments(times, f"column `{self.times}`"),
            "stratified": self.stratified,
            "random_state": self.seed,
            "n_jobs": self.jobs,
        }

    def _column(self, name: str | None, whole: "Table", source: str, role: str) -> Any:
        if name is None:
            return None
        check_column(name, whole, source)
        column = whole[name]
        if column.n_missing:
            raise DataError(
                f"{role}: column `{name}` is missing in {column.n_missing:,} rows, first in"
                f" row {int(column.is_missing.argmax())}",
                hint="fill in these values, or leave the rows out",
            )
        return column.to_numpy()

    @property
    def own_columns(self) -> list[str]:
        """Columns that define the splits; they are not used as features."""
        return [name for name in (self.groups, self.times) if name is not None]

    def check(self, in_use: Mapping[str, str]) -> None:
        """Raise if flags contradict each other; `in_use` says what columns are used for."""
        if self.hold_out is not None and self.folds is not None:
            raise ParameterError(
                "--hold-out and --folds cannot be combined", hint="give one of them"
            )
        if self.groups is not None and self.times is not None:
            raise ParameterError("--groups and --times cannot be combined", hint="give one of them")
        for role, name in (("--groups", self.groups), ("--times", self.times)):
            if name is not None and name in in_use:
                raise ParameterError(
                    f"{role} `{name}`: the column is {in_use[name]}",
                    hint="choose a column that has no other role",
                )


def delimiter_of(word: str | None) -> str | None:
    """The separator as one character; `tab` is easier to type in a shell than a tab."""
    letter = {"\\t": "\t", "tab": "\t"}.get(word or "", word)
    if letter is not None and (len(letter) != 1 or not letter.isascii() or letter in '"\r\n'):
        raise ParameterError(
            f"--delimiter {word!r} is not one character", hint="use , ; | or tab, for example"
        )
    return letter


def name_and_kind(text: str) -> tuple[str, str]:
    """The column and the kind in `NAME=KIND`."""
    name, equals, kind = text.rpartition("=")
    if not equals:
        raise ParameterError(
            f"--column {text!r} does not name a column and a kind", hint="write --column NAME=KIND"
        )
    return name, kind


def read_source(source: str, settings: "ReadSettings") -> "Table":
    """The table of a file, or the bundled table of that name if there is no such file."""
    from treewright.data.sources.from_files import table_at
    from treewright.data.sources.typed_cells import chosen_kinds

    if not is_standard(source) and not is_file(source):
        return chosen_kinds(sample_table(source), settings, source)
    return table_at(source, settings)


def is_file(source: str) -> bool:
    """Whether `source` is a file, a folder, or a pattern that matches files.

    If not, it may be the name of a sample.
    """
    return Path(source).exists() or bool(matching_files(source))


def is_table(source: str) -> bool:
    """Whether an argument is a table file, by its extension, or a bundled sample."""
    endings = {suffix.lower() for suffix in Path(source).suffixes[-2:]}
    return bool(endings & TABLE_ENDINGS) or is_sample(source)


def is_sample(source: str) -> bool:
    """Whether an argument is a bundled sample; a file of that name takes precedence."""
    from treewright.data.samples import ALIASES, sample_names

    return source in (*sample_names(), *ALIASES) and not is_file(source)


def sample_table(name: str) -> "Table":
    """A bundled table with its target as the last column."""
    from treewright.data.samples import ALIASES, load_sample, read_sample, sample_names
    from treewright.data.sources import table_from

    known = [*sample_names(), *ALIASES]
    if name not in known and has_magic(name):
        raise ParameterError(f"no file matches `{name}`", hint="check the folder and the pattern")
    if name not in known:
        hint = nearest(name, known, "samples").replace("did you mean", "did you mean the sample")
        raise ParameterError(f"there is no file or sample `{name}`", hint=hint)
    if name == "iris":
        features, species = load_sample(name)
        return features.with_column(table_from({IRIS_TARGET: species})[IRIS_TARGET])
    return read_sample(ALIASES.get(name, name))


def target_of_sample(source: str, table: "Table") -> str | None:
    """The target of a bundled sample; None for a file."""
    from treewright.data.samples import WITHOUT_TARGET

    if is_standard(source) or is_file(source) or source in WITHOUT_TARGET:
        return None
    return table.names[-1]


def check_column(name: str, table: "Table", source: str) -> None:
    """Raise unless the table has the column."""
    if name not in table.names:
        raise UnknownColumnError.among(name, table.names, source=source)


def without(table: "Table", names: Sequence[str], source: str) -> "Table":
    """The table without these columns."""
    for name in names:
        check_column(name, table, source)
        table = table.drop(name)
    return table
