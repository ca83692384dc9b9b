"""From the words of a command line to a table: a file or a bundled sample, and its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.errors import ParameterError, UnknownColumnError

if TYPE_CHECKING:
    from treewright.data.table import Table

IRIS_TARGET = "species"

TableArgument = Annotated[
    str, typer.Argument(metavar="TABLE", help="CSV, TSV, Parquet or ARFF file, or a sample's name.")
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Take this column as nominal. Repeatable."),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Take this column as numeric. Repeatable."),
]
NaOption = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A cell that means missing. Repeatable."),
]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How the cells of a file are to be understood."""

    categorical: Sequence[str] | None = None
    numeric: Sequence[str] | None = None
    na: Sequence[str] | None = None


def read_source(source: str, options: ReadOptions) -> "Table":
    """The table of a file, or the bundled table of that name if there is no such file."""
    from treewright.data.sources.from_files import read_table

    if not is_file(source):
        return sample_table(source)
    return read_table(
        source,
        na=options.na or None,
        categorical=options.categorical or (),
        numeric=options.numeric or (),
    )


def is_file(source: str) -> bool:
    """Whether `source` names a file; a sample's name stands for the sample only if not."""
    return Path(source).exists()


def sample_table(name: str) -> "Table":
    """A bundled table with its target as the last column."""
    from treewright.data.samples import ALIASES, load_sample, read_sample, sample_names
    from treewright.data.sources import table_from

    known = [*sample_names(), *ALIASES]
    if name not in known:
        near = get_close_matches(name, known, n=1)
        listed = f"samples are: {', '.join(sample_names())}"
        hint = f"did you mean the sample `{near[0]}`?" if near else listed
        raise ParameterError(f"there is no file or sample `{name}`", hint=hint)
    if name == "iris":
        features, species = load_sample(name)
        return features.with_column(table_from({IRIS_TARGET: species})[IRIS_TARGET])
    return read_sample(ALIASES.get(name, name))


def target_of_sample(source: str, table: "Table") -> str | None:
    """The column that a bundled table is about; None for a file."""
    from treewright.data.samples import WITHOUT_TARGET

    return None if is_file(source) or source in WITHOUT_TARGET else table.names[-1]


def without(table: "Table", names: Sequence[str], source: str) -> "Table":
    """The table without these columns."""
    for name in names:
        if name not in table.names:
            raise UnknownColumnError.among(name, table.names, source=source)
        table = table.drop(name)
    return table
