"""`treewright columns`: what each column of a table is taken for, and why."""

from typing import Annotated

import typer

from treewright.cli.output import JsonOption, Output, QuietOption
from treewright.cli.tables import TableArgument, TableOptions, check_column


def columns(
    table: TableArgument,
    *,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="Look for copies of this column."),
    ] = None,
    options: TableOptions,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say what each column of a table is taken for, and why."""
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        whole, _ = options.weights_in(options.read(table), table)
        if target is not None:
            check_column(target, whole, table)
        features, y = (whole, None) if target is None else whole.split_target(target)
        report = features.report(y)
    if as_json:
        output.json(report.to_dicts())
    else:
        output.data(str(report))
