"""`treewright train`: train a model on a table, print it, and save it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.algorithms import ModelName, needs_no_target
from treewright.cli.fitted_models import (
    is_ensemble,
    is_learned,
    print_top_of_tree,
    size_of,
    summary_of,
)
from treewright.cli.learning import (
    LearningOptions,
    LearningRows,
    ModelOption,
    RowsAlone,
    estimator_for,
    fit,
    fit_alone,
    learning_rows,
    rows_alone,
    task_of,
    verdict_alone,
)
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.reporting import check_page, write_report
from treewright.cli.saved import save_model
from treewright.cli.streams import check_one_output, is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError
from treewright.registry import NO_TARGET


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
        typer.Option(metavar="FILE", help="Write a report on the model here: HTML or Markdown."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train a model on a table, print it, and save it."""
    for path in filter(None, (out, report)):
        check_can_write(path, table)
    check_one_output(out, report, as_json=as_json)
    check_page(report)
    check_has_page(model, report)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        fitted, rows = learned(table, options, learning, (model, settings), output)
    if out is not None:
        save_model(fitted, out, output)
    if report is not None and isinstance(rows, LearningRows):
        write_report(fitted, rows, rows.source, report, output)
    if as_json:
        output.json(
            {
                **summary_of(fitted),
                "target": rows.target if isinstance(rows, LearningRows) else None,
                "file": str(out) if out else None,
                "report": str(report) if report else None,
            }
        )
        return
    if is_standard(out) or is_standard(report):
        return
    print_top_of_tree(fitted, output)
    told = verdict(fitted, rows) if isinstance(rows, LearningRows) else verdict_alone(fitted, rows)
    if told:
        output.data(f"\n{told}")


def learned(
    table: str,
    options: TableOptions,
    learning: LearningOptions,
    learner: tuple[ModelName | None, Mapping[str, object]],
    output: Output,
) -> tuple[Any, LearningRows | RowsAlone]:
    """The fitted model and its training rows."""
    model, settings = learner
    if needs_no_target(model):
        if learning.task != "auto":
            raise ParameterError(f"--task: {model} learns without a target", hint="leave it out")
        estimator = estimator_for(model, NO_TARGET, settings)
        alone = rows_alone(table, learning.target, options, output, keep_ids=learning.keep_ids)
        return fit_alone(estimator, alone), alone
    rows = learning_rows(table, options, learning, output)
    task = task_of(rows, [model], learning.task, output)
    return fit(estimator_for(model, task, settings), rows), rows


def check_has_page(model: ModelName | None, report: Path | None) -> None:
    """Raise if a report is requested for a model without a target."""
    if report is not None and needs_no_target(model):
        raise ParameterError(
            f"--report: a report scores predictions, and {model} learns without a target",
            hint="leave it out",
        )


def verdict(fitted: Any, rows: LearningRows) -> str:
    """Size of the model, and its score on the training rows."""
    if not hasattr(fitted, "classes_"):
        known = f"training R² {fitted.score(rows.table, rows.y):.3f}"
    else:
        n_right = int((fitted.predict(rows.table) == rows.y).sum())
        share = 100 * n_right / len(rows.y)
        known = f"training accuracy {share:.1f} % ({n_right} of {len(rows.y)} rows)"
    if is_ensemble(fitted) or is_learned(fitted):  # its size is printed first
        fair = "run `treewright evaluate` for a cross-validated estimate"
        return f"{known}, which is optimistic; {fair}"
    return f"{size_of(fitted)}; {known}"
