"""`treewright predict`: answers of a saved model for the rows of a table, however many."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from treewright.cli.csv_out import write_rows
from treewright.cli.output import Output, QuietOption, check_can_write
from treewright.cli.saved import ModelArgument, fitting, load_model, schema_of
from treewright.cli.streams import check_one_input, is_standard, text_output
from treewright.cli.tables import (
    TableArgument,
    TableOptions,
    is_file,
    without,
)
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.data.table import Table


def predict(
    model: ModelArgument,
    table: TableArgument,
    *,
    options: TableOptions,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the answers here, not to stdout."),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Write the probability of each class as well.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Copy this column before the answer. Repeatable."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave cells that spreadsheets take for formulas.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object for each row.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Answer for the rows of a table; files larger than memory are read in blocks."""
    output = Output(quiet=quiet)
    if out is not None:
        check_can_write(out)
    check_one_input(model, table)
    fitted = load_model(model, output)
    if proba and not hasattr(fitted, "predict_proba"):
        raise ParameterError("--proba: this model predicts numbers", hint="leave it out")
    answers = answered_blocks(fitted, table, options, (keep or [], proba), output)
    with text_output(out) as file:
        if as_json:
            write_json(file, answers)
        else:
            write_csv(file, answers, raw=raw)


def answered_blocks(
    model: Any, source: str, options: TableOptions, wanted: tuple[list[str], bool], output: Output
) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """(names, rows) of each block: the columns kept, the answer, probabilities."""
    keep, proba = wanted
    for block in blocks_of(source, model, options):
        with output.warnings_as_notes():
            table = fitting(model, block, source, output)
            answers = model.predict(table).tolist()
            shares = model.predict_proba(table).tolist() if proba else None
        output = Output(quiet=True)  # what was said of the first block holds for all
        kept = [block[name].to_numpy().tolist() for name in keep]
        names = [*keep, "prediction", *(proba_names(model) if proba else [])]
        columns = [*kept, answers, *(zip(*shares, strict=True) if shares else [])]
        yield names, list(zip(*columns, strict=True))


def blocks_of(source: str, model: Any, options: TableOptions) -> Iterator["Table"]:
    """The rows of a file in blocks that fit into memory."""
    from treewright.data.sources.blocks import table_blocks

    if options.sql is not None or not (is_standard(source) or is_file(source)):
        yield options.read(source, schema_of(model))
        return
    for block in table_blocks(source, options.settings(schema_of(model))):
        yield without(block, options.drop or [], source)


def proba_names(model: Any) -> list[str]:
    classes = model.classes_ if hasattr(model, "classes_") else model.classes
    return [f"probability_{label}" for label in classes]


def write_csv(file: TextIO, answers: Any, *, raw: bool) -> None:
    header: list[str] | None = None
    for names, rows in answers:
        if header is None:
            header = names
            write_rows(file, [names], raw=raw)
        write_rows(file, rows, raw=raw)


def write_json(file: TextIO, answers: Any) -> None:
    import json

    for names, rows in answers:
        for row in rows:
            file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")
