"""Read the table named on the command line: a file, a query result or a bundled sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.output import Output
from treewright.cli.queries import query_result
from treewright.cli.streams import is_standard
from treewright.errors import DataError, ParameterError, UnknownColumnError, nearest

if TYPE_CHECKING:
    from treewright.data.schema import Schema
    from treewright.data.sources.from_csv import ReadSettings
    from treewright.data.table import Table

IRIS_TARGET = "species"
TABLE_ENDINGS = frozenset([".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".pq", ".arff"])

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet or ARFF file, a sample name, or - for standard input.",
    ),
]


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """The target, and what to do where it is missing."""

    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.")
    ] = None
    drop_missing_target: Annotated[
        bool, typer.Option("--drop-missing-target", help="Leave out rows with a missing target.")
    ] = False

    def known_rows(self, target: str, whole: "Table", source: str, output: Output) -> "Table":
        """The rows whose target is known: all of them, or those that are left."""
        from treewright.data.column import NominalColumn
        from treewright.data.table import Table

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
        left = whole.take(~whole[target].is_missing)
        return Table(
            [
                column.compacted() if isinstance(column, NominalColumn) else column
                for column in left.columns
            ]
        )


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is read, and which columns are used."""

    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Treat this column as nominal. Repeatable."),
    ] = None
    numeric: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Treat this column as numeric. Repeatable."),
    ] = None
    na: Annotated[
        list[str] | None,
        typer.Option(metavar="TOKEN", help="Cell text that means missing. Repeatable."),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave out this column. Repeatable."),
    ] = None
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of row weights.")] = (
        None
    )
    sql: Annotated[
        str | None,
        typer.Option(metavar="QUERY", help="Query the table with DuckDB first; it is called `t`."),
    ] = None

    def read(self, source: str, schema: "Schema | None" = None) -> "Table":
        """The table, with all its columns but those left out.

        With the `schema` of a model, columns are read as what they were in training.
        """
        settings = self.settings(schema)
        if self.sql is None:
            table = read_source(source, settings)
        else:
            asked = query_result(self.sql, read_source(source, self.before_query(schema)))
            table = chosen(asked, settings, source)
        return without(table, self.drop or [], source)

    def settings(self, schema: "Schema | None" = None) -> "ReadSettings":
        """How the cells of a file are read."""
        from treewright.data.sources.from_csv import ReadSettings

        return ReadSettings(
            na=self.na or None,
            categorical=self.categorical or (),
            numeric=self.numeric or (),
            schema=schema,
        )

    def keeping(self, names: Sequence[str]) -> "TableOptions":
        """The same, but these columns are read even if they are not to be learned from."""
        return replace(self, drop=[name for name in self.drop or () if name not in names])

    def before_query(self, schema: "Schema | None") -> "ReadSettings":
        """How a file is read before a query: text that looks like a number stays text where the
        user or a model says so, and columns may be named that only the query creates.
        """
        words = [spec for spec in (schema.columns if schema else ()) if not spec.is_numeric]
        return replace(
            self.settings(replace(schema, columns=tuple(words)) if schema else None),
            numeric=(),
            strict=False,
        )

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


def read_source(source: str, settings: "ReadSettings | None" = None) -> "Table":
    """The table of a file, or the bundled table of that name if there is no such file."""
    from treewright.data.sources.from_csv import ReadSettings
    from treewright.data.sources.from_files import opened, table_from_content

    settings = settings or ReadSettings()
    if not is_standard(source) and not is_file(source):
        return chosen(sample_table(source), settings, source)
    name, suffix, content = opened(source)
    return table_from_content(content, suffix, settings, source=name)


def chosen(table: "Table", settings: "ReadSettings", source: str) -> "Table":
    """The table with the column types that the user chose."""
    from treewright.data.sources.chosen_kinds import chosen_kinds

    return chosen_kinds(table, settings, source)


def is_file(source: str) -> bool:
    """Whether `source` names a file; only if not may it be the name of a sample."""
    return Path(source).exists()


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
