"""`treewright predict`: predictions of a saved model for a table of any size."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli.changed_tables import RawOption, kept_values
from treewright.cli.clusters import DaskOption, dask_client
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import (
    Output,
    QuietOption,
    check_files,
    check_text_suffix,
    csv_header,
    csv_lines,
    json_lines,
    with_rows_of_file,
)
from treewright.cli.progress import Progress, progress_bar
from treewright.cli.saved import ModelArgument, fitting, load_model, load_reader, schema_of
from treewright.cli.streams import is_standard, text_output
from treewright.cli.tables import (
    Repeated,
    TableArgument,
    TableOptions,
    check_column,
    is_file,
    without,
)
from treewright.errors import ModelTableError, ParameterError, keeping_warnings

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
    dask: DaskOption = None,
    quiet: QuietOption = False,
) -> None:
    """Predict for the rows of a table; files larger than memory are read in blocks."""
    output = Output(quiet=quiet)
    check_files([out], [model, table])
    check_text_suffix(out)
    # Only whole models can be sent to workers.
    fitted = load_reader(model, output) if dask is None else load_model(model, output)
    has_classes = hasattr(fitted, "predict_proba") and fitted.classes_ is not None
    if proba and not has_classes:
        kind = "learned without classes" if has_no_target(fitted) else "predicts numbers"
        raise ParameterError(f"--proba: this model {kind}", hint="leave it out")
    keep = keep or []
    n_rows = 0
    with (
        dask_client(dask) as client,
        text_output(out) as file,
        progress_bar("MB", quiet=quiet) as progress,
    ):
        blocks = blocks_of(table, fitted, options, keep, progress)
        encoded = encoded_blocks(fitted, blocks, keep, table, output)
        for names, columns in with_predictions(fitted, encoded, proba=proba, client=client):
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


Encoded = tuple["Table", list[str], list[Any]]  # rows for the model; names and copied columns


def encoded_blocks(
    model: "LoadedModel",
    blocks: Iterator["Table"],
    keep: list[str],
    source: str,
    output: Output,
) -> Iterator[Encoded]:
    """Blocks as the model takes them; warnings give the row numbers of the file."""
    n_rows = 0
    while True:
        so_far = replace(output, rows_before=n_rows)
        with so_far.warnings_as_notes():
            with printing_warnings(so_far):
                block = next(blocks, None)
            if block is None:
                return
            for name in keep:
                check_column(name, block, source)
            try:
                with printing_warnings(so_far):
                    table = fitting(model, block, source, so_far)
            except ModelTableError as error:
                problem = with_rows_of_file(error.args[0], n_rows)
                raise ModelTableError(problem, hint=error.hint) from None
        n_rows += block.n_rows
        yield table, [*keep], [kept_values(block[name]) for name in keep]


@contextmanager
def printing_warnings(output: Output) -> Iterator[None]:
    """Print the package's warnings as notes, even inside an outer `keeping_warnings`."""
    with keeping_warnings() as kept:
        try:
            yield
        finally:
            for message in kept:
                output.warn(message)


def with_predictions(
    model: Any, blocks: Iterator[Encoded], *, proba: bool, client: Any
) -> Iterator[tuple[list[str], list[Any]]]:
    """Names and columns of each block: copied columns, the prediction, probabilities."""
    copied: list[tuple[list[str], list[Any]]] = []

    def tables() -> Iterator["Table"]:
        for table, names, columns in blocks:
            copied.append((names, columns))
            yield table

    found = predictions_of(model, tables(), proba=proba, client=client)
    while True:
        with keeping_warnings():  # of new categories; `encoded_blocks` has said in which rows
            predicted = next(found, None)
        if predicted is None:
            return
        names, columns = copied.pop(0)
        names = [*names, "prediction"]
        columns = [*columns, predicted[0].tolist()]
        if proba:
            names += [f"probability_{label}" for label in model.classes_]
            columns += predicted[1].T.tolist()
        yield names, columns


def predictions_of(
    model: Any, tables: Iterator["Table"], *, proba: bool, client: Any
) -> Iterator[list[Any]]:
    """The predictions of each table, and the probabilities if wanted, from workers if there are."""
    if client is None:
        for table in tables:
            yield [model.predict(table), *([model.predict_proba(table)] if proba else [])]
        return
    from treewright import distributed  # loads slow packages

    yield from distributed.predictions(model, tables, proba=proba, client=client)


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
