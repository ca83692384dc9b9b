"""`treewright tune`: choose settings by cross-validation, and save the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from treewright.cli.algorithms import check_can_be_judged, usual_model
from treewright.cli.clusters import DaskOption, work_on
from treewright.cli.flags import as_value
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
from treewright.cli.tables import PlanOptions, Repeated, TableArgument, TableOptions
from treewright.errors import ParameterError, nearest


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The search space, and how a candidate is chosen."""

    grid: Annotated[
        Repeated, flag("Setting and the values to try. Repeatable.", "SETTING=A,B,...")
    ] = None
    method: Annotated[Literal["grid", "random", "halving"], flag("How the grid is searched.")] = (
        "grid"
    )
    candidates: Annotated[int, flag("Combinations to try by random search or halving.", min=1)] = 30
    measure: Annotated[str | None, flag("Measure to optimize.", "NAME")] = None
    one_se: Annotated[
        bool, flag("Smallest model within one standard error, or the best.", "--one-se/--best")
    ] = True
    nested: Annotated[int | None, flag("Outer folds of a nested cross-validation.", min=2)] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `treewright.tune`, but for the grid."""
        return {
            "method": self.method,
            "n_candidates": self.candidates,
            "measure": self.measure,
            "one_standard_error": self.one_se,
            "nested": self.nested,
        }


def tune(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    model: ModelOption = None,
    search: SearchOptions,
    out: Annotated[Path | None, out_flag("Save the model here.")] = None,
    dask: DaskOption = None,
    output: Output,
) -> None:
    """Choose settings by cross-validation, and train on all rows."""
    import treewright as tw
    from treewright.cli.settings import flags_of

    check_files([out], [table], as_json=output.as_json)
    check_can_be_judged(model)
    with output.warnings_as_notes():
        rows, arguments = divided_rows(table, options, learning, plan, output)
        task = task_of(rows, [model], learning.task, output)
        name = model or usual_model(task)
        estimator = estimator_for(name, task, settings)
        tried = to_try(search.grid, name, task, settings)
    arguments |= search.arguments
    with (
        output.warnings_hidden(),
        progress_bar("folds", quiet=output.quiet) as progress,
        work_on(dask),
    ):
        found = tw.tune(
            estimator, rows.table, rows.y, tried, rows.weights, **arguments, progress=progress
        )
    found.model.name_target(rows.target)
    if out is not None:
        save_model(found.model, out, output)
    else:
        task_flag = "" if learning.task == "auto" else f" --task {task}"
        flags = flags_of({"model": name, **settings, **found.settings})
        output.note(f"--out saves the model; flags to train it: {flags}{task_flag}")
    if output.as_json:
        output.json(found.to_dict())
    elif not is_standard(out):
        output.data(str(found))


def to_try(
    grid: list[str] | None, name: str, task: str, settings: Mapping[str, object]
) -> dict[str, list[Any]]:
    """The values to try for each setting; the default grid unless the user gives some."""
    from treewright.cli.settings import flags_of, parameter_of
    from treewright.evaluation.usual_grids import USUAL

    if not grid:
        tried = {flag: values for flag, values in USUAL[name].items() if flag not in settings}
        if not tried:
            settled = flags_of({flag: settings[flag] for flag in USUAL[name]})
            raise ParameterError(
                f"nothing is left to try: {settled} fixes the settings of the default grid",
                hint="leave one out, or give values with --grid SETTING=A,B,...",
            )
        return tried
    values = grid_of(grid, name, task)
    for setting in settings:
        if setting in values:
            flag = setting.replace("_", "-")
            raise ParameterError(
                f"--{flag} and --grid {flag}=... cannot be combined", hint="give one of them"
            )
    return {parameter_of(setting): tried for setting, tried in values.items()}


def grid_of(words: list[str], name: str, task: str) -> dict[str, list[Any]]:
    """`max-depth=2,4,none` as values that the estimator takes, each once."""
    from treewright.cli.settings import settings_of

    declared = settings_of(name, task)
    found: dict[str, list[Any]] = {}
    for word in words:
        flag, equals, values = word.partition("=")
        setting = flag.strip().lstrip("-").replace("-", "_")
        if not equals or not values:
            raise ParameterError(
                f"--grid {word!r} is not a setting and its values",
                hint="use for instance --grid max-depth=2,4,8",
            )
        if setting not in declared:
            hint = nearest(setting, declared, "settings")
            raise ParameterError(f"--grid: no setting `{setting}` of {name}", hint=hint)
        if setting in found:
            raise ParameterError(
                f"--grid names {flag.strip()} twice", hint=f"write {flag.strip()}=A,B,... once"
            )
        texts = dict.fromkeys(text.strip() for text in values.split(","))
        found[setting] = [as_value(declared[setting], text) for text in texts]
    return found
