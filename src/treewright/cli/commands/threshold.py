"""`treewright threshold`: choose a decision threshold by cross-validation, and save the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from treewright.cli.algorithms import check_can_be_judged
from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import (
    LearningOptions,
    ModelOption,
    divided_rows,
    estimator_for,
    task_of,
)
from treewright.cli.output import Output, check_files
from treewright.cli.progress import progress_bar
from treewright.cli.saved import save_model
from treewright.cli.streams import is_standard
from treewright.cli.tables import PlanOptions, TableArgument, TableOptions
from treewright.errors import ParameterError, nearest


@dataclass(frozen=True, slots=True)
class GoalOptions:
    """The class, and what its threshold is chosen by."""

    label: Annotated[
        str | None, flag("Class to predict above the threshold; default the last.", "CLASS")
    ] = None
    goal: Annotated[
        Literal["cost", "f1", "balanced_accuracy", "youden", "accuracy", "recall", "precision"]
        | None,
        flag("What to optimize; default cost with --costs, otherwise balanced accuracy."),
    ] = None
    min_recall: Annotated[float | None, flag("Minimum recall of the class.", "SHARE")] = None
    min_precision: Annotated[float | None, flag("Minimum precision of the class.", "SHARE")] = None


def threshold(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    model: ModelOption = None,
    goal: GoalOptions,
    out: Annotated[Path | None, out_flag("Train on all rows, and save the model here.")] = None,
    output: Output,
) -> None:
    """Choose from which probability on a class is predicted, by cross-validation."""
    import treewright as tw

    check_files([out], [table], as_json=output.as_json)
    check_can_be_judged(model)
    with output.warnings_as_notes():
        rows, arguments = divided_rows(table, options, learning, plan, output)
        estimator = estimator_for(model, task_of(rows, [model], learning.task, output), settings)
    label = label_called(goal.label, rows.y)
    with output.warnings_hidden(), progress_bar("folds", quiet=output.quiet) as progress:
        choice = tw.choose_threshold(
            estimator,
            rows.table,
            rows.y,
            rows.weights,
            goal=goal.goal,
            label=label,
            min_recall=goal.min_recall,
            min_precision=goal.min_precision,
            **arguments,
            progress=progress,
        )
    if out is not None:
        with output.warnings_as_notes():
            fitted = choice.apply(rows.fit(estimator))
        save_model(fitted, out, output)
    else:
        output.note("--out trains the model on all rows, and saves it with the threshold")
    if output.as_json:
        output.json(choice.to_dict())
    elif not is_standard(out):
        output.data(str(choice))


def label_called(text: str | None, y: Any) -> Any:
    """The class that the text names."""
    from treewright.data.target import encode_classes

    if text is None:
        return None
    classes = encode_classes(y).classes.tolist()
    for label in classes:
        if str(label) == text:
            return label
    raise ParameterError(
        f"--label: no class `{text}` in the target",
        hint=nearest(text, [str(label) for label in classes], "classes"),
    )
