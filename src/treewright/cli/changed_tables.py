"""Tables that a command changes and writes back: unchanged cells keep their exact text."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import MANY_CLASSES, distinct_numbers
from treewright.cli.output import NumberText, Output, csv_header, csv_lines, write_text
from treewright.cli.saved import columns_for
from treewright.cli.streams import is_standard, text_output
from treewright.cli.tables import TableOptions, check_column, is_file, target_of_sample, without
from treewright.errors import DataError, ModelTableError, ParameterError

if TYPE_CHECKING:
    from treewright.data.schema import Schema
    from treewright.data.table import Table

FromOption = Annotated[
    str | None,
    flag("Compute the values from this table, such as the training rows.", "TABLE", "--from"),
]
OutOption = Annotated[Path | None, out_flag("Write the table here as CSV; - is stdout.")]
RawOption = Annotated[
    bool, flag("Do not escape cells that a spreadsheet reads as formulas.", "--raw")
]
FORMS = {".md": "markdown", ".tex": "latex", ".html": "html"}


def write_worksheet(sheet: Any, path: Path, output: Output) -> None:
    """Write the worksheet of a step in the form that the ending says."""
    form = FORMS.get(path.suffix, "text")
    text = getattr(sheet, f"to_{form}")()
    write_text(text, path, output, for_programs=form != "text")


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table, and the text of its cells in the file; None if the source is not text."""

    typed: "Table"
    text: "Table | None"

    def cells(self, name: str) -> list[Any]:
        """The cells of a column as they were."""
        if self.text is None:
            return kept_values(self.typed[name])
        written: list[Any] = self.text[name].to_numpy().tolist()
        typed = self.typed[name]
        if typed.kind != "numeric" and all(isinstance(level, str) for level in typed.levels):
            return written
        missing = typed.is_missing.tolist()  # any text may stand for them
        return [
            cell if is_missing else NumberText(cell)
            for cell, is_missing in zip(written, missing, strict=True)
        ]


def read_with_text(source: str, options: TableOptions, schema: "Schema | None" = None) -> ReadTable:
    """The table of a source; for a text file also the exact text of its cells."""
    from treewright.data.sources.from_files import kind_of, opened, table_from_content
    from treewright.data.sources.many_files import files_at

    is_one_file = is_standard(source) or (is_file(source) and files_at(source) is None)
    if options.sql is not None or not is_one_file:
        return ReadTable(options.read(source, schema), None)
    name, suffix, content = opened(source)
    settings = options.settings(schema)
    typed = table_from_content(content, suffix, settings, source=name)
    dropped = options.drop or []
    if kind_of(content, suffix, name) != "csv":
        return ReadTable(without(typed, dropped, source), None)
    plain = replace(settings, text=typed.names, categorical=(), numeric=(), schema=None)
    text = table_from_content(content, suffix, plain, source=name)
    return ReadTable(without(typed, dropped, source), without(text, dropped, source))


@dataclass(frozen=True, slots=True)
class Features:
    """The columns of a table that may change, and its target and weights."""

    table: "Table"
    y: Any
    weights: Any


def features_of(whole: "Table", source: str, target: str | None, options: TableOptions) -> Features:
    """All columns but the target and the weights; a sample knows its target."""
    table, weights = options.weights_in(whole, source)
    target = target if target is not None else target_of_sample(source, whole)
    if target is None:
        return Features(table, None, weights)
    check_column(target, table, source)
    return Features(*table.split_target(target), weights)


def check_are_classes(target: str | None, whole: "Table", source: str) -> None:
    """Raise unless the target holds a class for every row."""
    name = target if target is not None else target_of_sample(source, whole)
    if name is None:
        return
    column = whole[name]
    if column.n_missing:
        raise DataError(
            f"target `{name}` is missing in {column.n_missing:,} of {whole.n_rows:,} rows of "
            f"{source}, first in row {int(column.is_missing.argmax())}",
            hint=f"--sql 'SELECT * FROM t WHERE \"{name}\" IS NOT NULL' leaves them out",
        )
    if column.kind != "numeric" or column.unit:
        return
    values = distinct_numbers(column.to_numpy())
    if len(values) > max(MANY_CLASSES, whole.n_rows / 10) or any(one % 1 > 0 for one in values):
        raise ParameterError(
            f"target `{name}` is numeric with {len(values):,} different values: these are not "
            "classes",
            hint="choose another column with --target, or a method that needs no classes",
        )


def transformed(step: Any, whole: "Table", source: str, output: Output) -> "Table":
    """The result of a fitted step for its columns of another table."""
    table = columns_for(step, whole, source)
    try:
        with output.warnings_as_notes():
            changed: Table = step.transform(table)
    except DataError as error:
        raise ModelTableError(f"{source}: {error.args[0]}", hint=error.hint) from None
    return changed


def write_changed(
    before: ReadTable, after: "Table", out: Path, output: Output, *, raw: bool
) -> None:
    """Write the table with the columns of `after` instead of its own, and new ones at the end."""
    names = [*before.typed.names, *(name for name in after.names if name not in before.typed.names)]
    columns = [cells_of(before, after, name) for name in names]
    with text_output(out) as file:
        file.write(csv_header(names, raw=raw))
        file.write(csv_lines(columns, raw=raw))
    output.wrote(out, f"{before.typed.n_rows:,} rows written to {out}")


def cells_of(before: ReadTable, after: "Table", name: str) -> list[Any]:
    """The cells of a column: new ones where it has changed."""
    if name not in after.names:
        return before.cells(name)
    new = kept_values(after[name])
    if name not in before.typed.names or before.typed[name].kind != after[name].kind:
        return new
    missing = before.typed[name].is_missing.tolist()
    cells = zip(missing, new, before.cells(name), strict=True)
    return [fill if is_missing else cell for is_missing, fill, cell in cells]


def kept_values(column: Any) -> list[Any]:
    """The cells of a column that is copied; a whole number has no decimal point."""
    from treewright.data.formats import PLAIN
    from treewright.data.table import shown_cell

    if column.kind == "numeric" and (column.unit or column.format != PLAIN):
        return [
            NumberText(shown_cell(column, row, exact=True)) if known else None
            for row, known in enumerate(~column.is_missing)
        ]
    values: list[Any] = column.to_numpy().tolist()
    if column.kind != "numeric":
        return values
    return [int(value) if value.is_integer() else value for value in values]


def facts_of_step(
    before: ReadTable, strategy: str, columns: list[dict[str, Any]], out: Path | None
) -> dict[str, Any]:
    """What was done to a table, for JSON."""
    facts = {"rows": before.typed.n_rows, "strategy": strategy, "columns": columns}
    return {**facts, "file": str(out) if out else None}
