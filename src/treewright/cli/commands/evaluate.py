"""`treewright evaluate`: cross-validate an algorithm, or test a saved model on a table."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.algorithms import check_can_be_judged
from treewright.cli.clusters import DaskOption, work_on
from treewright.cli.fitted_models import is_ensemble, is_other_model
from treewright.cli.learning import (
    LearningOptions,
    ModelOption,
    check_has_target,
    divided_rows,
    estimator_for,
    task_of,
)
from treewright.cli.output import Output
from treewright.cli.progress import progress_bar
from treewright.cli.saved import JudgedTable, judged_table, load_model
from treewright.cli.streams import check_one_input
from treewright.cli.tables import PlanOptions, TableOptions, TargetOptions, is_table
from treewright.cli.verdicts import StrictOption, finish
from treewright.errors import ParameterError

MODEL_ENDINGS = (".json", ".tw")

if TYPE_CHECKING:
    from treewright.cli.saved import LoadedModel
    from treewright.evaluation.evaluation import Evaluation


def evaluate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE | MODEL", help="Table to cross-validate on, or a saved model to test."
        ),
    ],
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Table to test a saved model on.")
    ] = None,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    model: ModelOption = None,
    strict: StrictOption = False,
    dask: DaskOption = None,
    output: Output,
) -> None:
    """Evaluate an algorithm by cross-validation, or a saved model on a table."""
    check_which_is_which(source, table)
    from treewright.evaluation.cautions import baseline_warning

    if table is not None:
        check_one_input(source, table)
        check_no_learning(learning, plan, model, settings, dask)
        found = of_saved_model(Path(source), table, learning, options, output)
    else:
        with work_on(dask):
            found = of_learner(source, learning, options, plan, (model, settings), output)
    output.json(found.to_dict()) if output.as_json else output.data(str(found))
    finish((*found.warnings, *baseline_warning(found.verdict)), output, strict=strict)


def check_which_is_which(source: str, table: str | None) -> None:
    """Raise if model and table are swapped, judged by their extensions."""
    if table is None and source.lower().endswith(MODEL_ENDINGS):
        right = shlex.join(["treewright", "evaluate", source]) + " TABLE"
        raise ParameterError(
            f"{source} is a model, and there is no table to test it on", hint=f"`{right}`"
        )
    if table is not None and table.lower().endswith(MODEL_ENDINGS):
        right = shlex.join(["treewright", "evaluate", table, source])
        raise ParameterError("the model goes before the table", hint=f"`{right}`")
    if table is not None and is_table(source):
        target = "COLUMN" if is_table(table) else table
        right = shlex.join(["treewright", "evaluate", source, "--target", target])
        raise ParameterError(
            f"`{source}` is a table, not a saved model, and `{table}` is one argument too many",
            hint=f"`{right}` cross-validates, `treewright evaluate MODEL TABLE` tests a model",
        )


def check_no_learning(
    learning: LearningOptions,
    plan: PlanOptions,
    model: str | None,
    settings: Mapping[str, object],
    dask: str | None,
) -> None:
    """Raise if a flag is about training or splitting: a saved model needs neither."""
    wanted = {**asdict(learning), **asdict(plan), "model": model, "dask": dask}
    of_rows = asdict(TargetOptions())
    usual = {**asdict(LearningOptions()), **asdict(PlanOptions()), "model": None, "dask": None}
    given = [name for name in wanted if wanted[name] != usual[name] and name not in of_rows]
    for name in (*given, *settings):
        flag = "--" + name.replace("_", "-")
        raise ParameterError(
            f"{flag} is for training, and a saved model is already trained",
            hint="leave it out, or give only the table to cross-validate",
        )


def of_saved_model(
    path: Path, source: str, judged: TargetOptions, options: TableOptions, output: Output
) -> "Evaluation":
    """Evaluate a saved model on the rows of a table."""
    from treewright.evaluation.evaluate import evaluate_fitted

    model = load_model(path, output)
    check_has_target(model, path)
    with output.warnings_as_notes():
        rows = judged_table(model, source, judged, options, output)
        warn_of_training_rows(model, rows, source, output)
        return evaluate_fitted(model, rows.table, rows.y, rows.weights)


def warn_of_training_rows(
    model: "LoadedModel", rows: JudgedTable, source: str, output: Output
) -> None:
    """Warn if the model was trained on these rows; a tree only knows how many rows it had."""
    from treewright.verbs.worksheet import is_fit_of

    known = "the model was trained on these rows, so"
    if is_ensemble(model):
        is_same = model.is_fit_of(rows.table, rows.y, rows.weights)
    elif is_other_model(model):
        is_same = is_fit_of(model, rows.table, rows.y, rows.weights)
    else:
        is_same = hasattr(model, "tree_") and model.tree_.n_rows[0] == rows.table.n_rows
        known = "the model was trained on the same number of rows; if these are the same rows,"
    if is_same:
        output.note(
            f"{known} the scores are optimistic (run `{way_to_judge(model, rows, source)}` for a"
            " cross-validated estimate)"
        )


def way_to_judge(model: object, rows: JudgedTable, source: str) -> str:
    """The command that cross-validates a model with the same settings."""
    from sklearn.base import is_classifier

    from treewright.cli.settings import flags_that_make

    words = shlex.join(["treewright", "evaluate", source, "--target", rows.target])
    if rows.whole[rows.target].kind == "numeric":
        words += f" --task {'classification' if is_classifier(model) else 'regression'}"
    return " ".join(filter(None, [words, flags_that_make(model)]))


def of_learner(
    source: str,
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    learner: tuple[Any, Mapping[str, object]],
    output: Output,
) -> "Evaluation":
    """Evaluate an estimator on splits of a table."""
    import treewright as tw

    model, settings = learner
    check_can_be_judged(model)
    with output.warnings_as_notes():
        rows, arguments = divided_rows(source, options, learning, plan, output)
        estimator = estimator_for(model, task_of(rows, [model], learning.task, output), settings)
    with output.warnings_hidden(), progress_bar("folds", quiet=output.quiet) as progress:
        return tw.evaluate(
            estimator, rows.table, rows.y, rows.weights, **arguments, progress=progress
        )
