"""`treewright evaluate`: judge a way to learn by cross-validation, or a saved model on a table."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.learning import (
    LearningOptions,
    ModelOption,
    estimator_for,
    learning_rows,
    task_of,
)
from treewright.cli.output import JsonOption, Output, QuietOption
from treewright.cli.plans import PlanOptions
from treewright.cli.progress import progress_bar
from treewright.cli.saved import JudgedTable, judged_table, load_model
from treewright.cli.streams import check_one_input
from treewright.cli.tables import TableOptions

if TYPE_CHECKING:
    from treewright.evaluation.evaluation import Evaluation


def evaluate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE | MODEL", help="A table to learn from, or a saved model to judge."
        ),
    ],
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="The table to judge a saved model on.")
    ] = None,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    model: ModelOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Judge a way to learn by cross-validation, or a saved model on a table."""
    output = Output(quiet=quiet)
    if table is not None:
        check_one_input(source, table)
        found = of_saved_model(Path(source), table, learning.target, options, output)
    else:
        found = of_learner(source, learning, options, plan, (model, settings), output)
    if as_json:
        output.json(found.to_dict())
    else:
        output.data(str(found))


def of_saved_model(
    path: Path, source: str, target: str | None, options: TableOptions, output: Output
) -> "Evaluation":
    """A saved model on the rows of a table."""
    from treewright.evaluation.saved import evaluate_fitted

    model = load_model(path, output)
    with output.warnings_as_notes():
        rows = judged_table(model, source, target, options, output)
        warn_of_training_rows(model, rows, source, output)
        return evaluate_fitted(model, rows.table, rows.y, rows.weights)


def warn_of_training_rows(model: Any, rows: JudgedTable, source: str, output: Output) -> None:
    """A table with just as many rows as the model has learnt from is likely the same."""
    tree = getattr(model, "tree_", None)
    if tree is not None and int(tree.n_rows[0]) == rows.table.n_rows:
        fair = shlex.join(["treewright", "evaluate", source, "--target", rows.target])
        output.note(
            f"the model has learnt from a table of as many rows; if it was this one, the figures"
            f" flatter it (`{fair}` judges by cross-validation)"
        )


def of_learner(
    source: str,
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    learner: tuple[Any, Mapping[str, object]],
    output: Output,
) -> "Evaluation":
    """A way to learn, on splits of a table."""
    import treewright as tw

    model, settings = learner
    with output.warnings_as_notes():
        arguments = {}
        if plan.own_columns:
            arguments = plan.arguments(options.read(source), source)
        rows = learning_rows(source, without_own(options, plan), learning, output)
        estimator = estimator_for(model, task_of(rows, [model], learning.task, output), settings)
        arguments = arguments or plan.arguments(rows.table, source)
    with output.warnings_hidden(), progress_bar("folds", quiet=output.quiet) as progress:
        return tw.evaluate(
            estimator, rows.table, rows.y, rows.weights, **arguments, progress=progress
        )


def without_own(options: TableOptions, plan: PlanOptions) -> TableOptions:
    """The columns that divide the rows are not learnt from."""
    return replace(options, drop=[*(options.drop or []), *plan.own_columns])
