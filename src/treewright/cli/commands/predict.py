"""`treewright predict`: predictions of a saved model for a table of any size."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli.changed_tables import RawOption, kept_values
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import (
    Output,
    QuietOption,
    check_files,
    csv_header,
    csv_lines,
    json_lines,
    with_rows_of_file,
)
from treewright.cli.progress import Progress, progress_bar
from treewright.cli.saved import ModelArgument, fitting, load_reader, schema_of
from treewright.cli.streams import is_standard, text_output
from treewright.cli.tables import (
    Repeated,
    TableArgument,
    TableOptions,
    check_column,
    is_file,
    without,
)
from treewright.errors import ModelTableError, ParameterError

if TYPE_CHECKING:
    from treewright.cli.saved import LoadedModel
    from treewright.data.table import Table


def predict(
    model: ModelArgument,
    table: TableArgument,
    *,
    options: TableOptions,
    out: Annotated[Path | None, out_flag("Write predictions here; default stdout.")] = None,
    proba: Annotated[bool, flag("Write the probability of each class as well.", "--proba")] = False,
    keep: Annotated[Repeated, flag("Copy this column to the output. Repeatable.", "COLUMN")] = None,
    raw: RawOption = False,
    as_json: Annotated[bool, flag("Write one JSON object for each row.", "--json")] = False,
    quiet: QuietOption = False,
) -> None:
    """Predict for the rows of a table; files larger than memory are read in blocks."""
    output = Output(quiet=quiet)
    check_files([out], [model, table])
    fitted = load_reader(model, output)
    has_classes = hasattr(fitted, "predict_proba") and fitted.classes_ is not None
    if proba and not has_classes:
        kind = "learned without classes" if has_no_target(fitted) else "predicts numbers"
        raise ParameterError(f"--proba: this model {kind}", hint="leave it out")
    wanted = (keep or [], proba)
    n_rows = 0
    with text_output(out) as file, progress_bar("MB", quiet=quiet) as progress:
        blocks = blocks_of(table, fitted, options, keep or [], progress)
        for names, columns in predicted_blocks(fitted, blocks, wanted, table, output):
            if as_json:
                file.write(json_lines(names, columns))
            else:
                file.write("" if n_rows else csv_header(names, raw=raw))
                file.write(csv_lines(columns, raw=raw))
            n_rows += len(columns[0])
    if out is not None and not is_standard(out):
        output.note(f"{n_rows:,} predictions written to {out}")


def has_no_target(model: object) -> bool:
    """Whether a saved model learned without a target."""
    from treewright.registry import ESTIMATORS, NO_TARGET

    entry = ESTIMATORS.get(type(model).__name__)
    return entry is not None and entry.task == NO_TARGET


def predicted_blocks(
    model: "LoadedModel",
    blocks: Iterator["Table"],
    wanted: tuple[list[str], bool],
    source: str,
    output: Output,
) -> Iterator[tuple[list[str], list[Any]]]:
    """Names and columns for each block; warnings give the row numbers of the file."""
    n_rows = 0
    while True:
        so_far = replace(output, rows_before=n_rows)
        with so_far.warnings_as_notes():
            block = next(blocks, None)
            if block is None:
                return
            found = predicted(model, block, wanted, source, so_far)
        n_rows += block.n_rows
        yield found


def predicted(
    model: Any, block: "Table", wanted: tuple[list[str], bool], source: str, output: Output
) -> tuple[list[str], list[Any]]:
    """Names and columns: copied columns, the prediction, probabilities."""
    keep, proba = wanted
    for name in keep:
        check_column(name, block, source)
    try:
        table = fitting(model, block, source, output)
    except ModelTableError as error:
        problem = with_rows_of_file(error.args[0], output.rows_before)
        raise ModelTableError(problem, hint=error.hint) from None
    names = [*keep, "prediction"]
    columns = [*(kept_values(block[name]) for name in keep), model.predict(table).tolist()]
    if proba:
        names += [f"probability_{label}" for label in model.classes_]
        columns += model.predict_proba(table).T.tolist()
    return names, columns


def blocks_of(
    source: str, model: "LoadedModel", options: TableOptions, keep: list[str], progress: Progress
) -> Iterator["Table"]:
    """The rows of a file in blocks that fit into memory."""
    from treewright.data.sources.blocks import table_blocks

    schema = schema_of(model)
    if options.sql is not None or not (is_standard(source) or is_file(source)):
        yield options.read(source, schema)
        return
    copied = [name for name in keep if name not in schema.names]
    settings = replace(options.settings(schema), text=copied)
    for block in table_blocks(source, settings, progress=progress):
        yield without(block, options.drop or [], source)
