"""`treewright compare`: compare algorithms on the same splits of a table."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from treewright.cli.algorithms import ModelName, algorithms_of, check_can_be_judged
from treewright.cli.groups import flag
from treewright.cli.learning import LearningOptions, divided_rows, estimator_for, task_of
from treewright.cli.output import Output
from treewright.cli.progress import progress_bar
from treewright.cli.tables import PlanOptions, Repeated, TableArgument, TableOptions
from treewright.cli.verdicts import StrictOption, finish
from treewright.errors import ParameterError, nearest

MANY_ROWS = 10_000  # with more, c45rules is compared only if the user names it


def compare(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    plan: PlanOptions,
    model: Annotated[
        Repeated,
        flag("Algorithm to compare; default: all that take any table. Repeatable.", "NAME"),
    ] = None,
    measure: Annotated[str | None, flag("Measure that pairs are compared by.", "NAME")] = None,
    rope: Annotated[float, flag("Treat differences up to this as equal.", "NUMBER", min=0)] = 0.01,
    strict: StrictOption = False,
    output: Output,
) -> None:
    """Compare algorithms on the same splits, each against the best one."""
    import treewright as tw
    from treewright.evaluation.cautions import baseline_warning

    with output.warnings_as_notes():
        chosen = checked_names(model or ())
        rows, arguments = divided_rows(table, options, learning, plan, output)
        task = task_of(rows, list(chosen), learning.task, output)
        models: dict[str, Any] = {
            name: estimator_for(
                name, task, settings if chosen else settings_of_its_own(name, task, settings)
            )
            for name in chosen or algorithms_for(task, rows.table.n_rows, output)
        }
    with output.warnings_hidden(), progress_bar("splits", quiet=output.quiet) as progress:
        found = tw.compare(
            models,
            rows.table,
            rows.y,
            rows.weights,
            measure=measure,
            rope=rope,
            **arguments,
            progress=progress,
        )
    output.json(found.to_dict()) if output.as_json else output.data(str(found))
    finish((*found.warnings, *baseline_warning(found.verdict)), output, strict=strict)


def checked_names(names: Sequence[str]) -> list[ModelName]:
    """Check that the algorithms exist, and that each is named once."""
    known: dict[str, ModelName] = {name: name for name in get_args(ModelName)}
    for at, name in enumerate(names):
        if name not in known:
            hint = nearest(name, list(known), "algorithms")
            raise ParameterError(f"--model: there is no `{name}`", hint=hint)
        if name in names[:at]:
            raise ParameterError(f"--model names {name} twice", hint="leave one out")
        check_can_be_judged(name)
    return [known[name] for name in names]


def algorithms_for(task: str, n_rows: int, output: Output) -> list[ModelName]:
    """The algorithms for a task, without those that are slow on many rows."""
    names = algorithms_of(task)
    if n_rows <= MANY_ROWS or "c45rules" not in names:
        return names
    output.note(
        f"c45rules takes minutes on {n_rows:,} rows and is left out (add it with --model c45rules)"
    )
    return [name for name in names if name != "c45rules"]


def settings_of_its_own(
    name: str, task: str, settings: Mapping[str, object]
) -> Mapping[str, object]:
    """The given flags that an algorithm supports: if all are compared, none supports all flags."""
    from treewright.cli.settings import settings_of

    known = settings_of(name, task)
    return {flag: value for flag, value in settings.items() if flag in known}
