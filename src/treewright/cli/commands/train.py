"""`treewright train`: learn a tree from a table, print it, save it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.ensembles import is_ensemble
from treewright.cli.learning import (
    LearningOptions,
    LearningRows,
    ModelOption,
    estimator_for,
    fit,
    learning_rows,
    task_of,
)
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.reporting import check_page, write_report
from treewright.cli.saved import save_model
from treewright.cli.streams import check_one_output, is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.cli.trees import print_top_of_tree, size_of, summary_of


def train(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    model: ModelOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Save the model here.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page about the model here: HTML, or Markdown."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a tree from a table, print it, save it."""
    for path in filter(None, (out, report)):
        check_can_write(path, table)
    check_one_output(out, report, as_json=as_json)
    check_page(report)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        rows = learning_rows(table, options, learning, output)
        task = task_of(rows, [model], learning.task, output)
        fitted = fit(estimator_for(model, task, settings), rows)
    if out is not None:
        save_model(fitted, out, output)
    if report is not None:
        write_report(fitted, rows, rows.source, report, output)
    if as_json:
        output.json(
            {
                **summary_of(fitted),
                "target": rows.target,
                "file": str(out) if out else None,
                "report": str(report) if report else None,
            }
        )
        return
    if is_standard(out) or is_standard(report):
        return
    print_top_of_tree(fitted, output)
    output.data(f"\n{verdict(fitted, rows)}")


def verdict(fitted: Any, rows: LearningRows) -> str:
    """Size of the model, and how well it knows the rows it has learnt from."""
    if not hasattr(fitted, "classes_"):
        known = f"R² on the training rows {fitted.score(rows.table, rows.y):.3f}"
    else:
        n_right = int((fitted.predict(rows.table) == rows.y).sum())
        known = f"{n_right} of {len(rows.y)} training rows right"
    if is_ensemble(fitted):  # its size stands at the top
        return f"{known}, which flatters it: `treewright evaluate` judges by cross-validation"
    return f"{size_of(fitted)}; {known}"
