"""What a command learns from, and with which estimator: the same for all commands that learn."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from treewright.cli.algorithms import ESTIMATORS, ModelName, Task, predicts, usual_model
from treewright.cli.flags import as_value
from treewright.cli.groups import PlanOptions
from treewright.cli.output import Output
from treewright.cli.tables import (
    TableOptions,
    TargetOptions,
    check_column,
    target_of_sample,
    without,
)
from treewright.data.report import column_report
from treewright.errors import DataError, ParameterError, listed

if TYPE_CHECKING:
    from pathlib import Path

    from treewright.data.column import Column
    from treewright.data.table import Table


MANY_CLASSES = 100  # numbers, or a tenth of the rows: more are no classes unless the user says so
TWO_CLASSES = 2  # a target of so many different whole numbers is a yes or no

TaskOption = Annotated[
    Task,
    typer.Option(help="What the target is; auto takes words or two whole numbers as classes."),
]
KeepIdsOption = Annotated[
    bool, typer.Option("--keep-ids", help="Keep columns that look like names or ids.")
]
ModelOption = Annotated[
    ModelName | None,
    typer.Option(
        metavar="NAME",
        help="Algorithm: c45 unless given, cart to predict numbers. One of: "
        f"{', '.join(get_args(ModelName))}.",
    ),
]


@dataclass(frozen=True, slots=True)
class LearningOptions(TargetOptions):
    """Which column is learned, as what."""

    task: TaskOption = "auto"
    keep_ids: KeepIdsOption = False


@dataclass(frozen=True, slots=True)
class LearningRows:
    """What a tree is learned from."""

    source: str  # what the user called it
    table: "Table"
    target: str
    y: Any
    is_numeric: bool  # the target
    weights: Any = None
    unused: tuple[str, ...] = ()  # columns that were left out

    def without(self, names: list[str]) -> "LearningRows":
        """The same rows with fewer columns."""
        table = without(self.table, names, self.source)
        if not table.n_columns:
            raise DataError(
                f"no column of {self.source} is left to predict `{self.target}` from",
                hint="leave out fewer columns, or use --keep-ids",
            )
        return replace(self, table=table, unused=(*self.unused, *names))


def learning_rows(
    source: str, options: TableOptions, learning: LearningOptions, output: Output
) -> LearningRows:
    """Read a table, and take target and weights out of it."""
    return rows_in(options.read(source), source, options, learning, output)


def divided_rows(
    source: str,
    options: TableOptions,
    learning: LearningOptions,
    plan: PlanOptions,
    output: Output,
) -> tuple[LearningRows, dict[str, Any]]:
    """As `learning_rows`, and how they are divided: arguments of `treewright.evaluate`.

    The columns that divide the rows are not learned from.
    """
    own = plan.own_columns
    whole = options.keeping(own).read(source)
    target = target_in(whole, source, learning)
    whole = learning.known_rows(target, whole, source, output)
    check_plan(plan, {target: "the target", options.weight or "": "the weight of the rows"})
    learned = without(whole, own, source)
    named = replace(learning, target=target)
    return rows_in(learned, source, options, named, output), plan.arguments(whole, source)


def check_plan(plan: PlanOptions, in_use: Mapping[str, str]) -> None:
    """Raise if a flag asks for what another one rules out; `in_use` says what columns are for."""
    if plan.hold_out is not None and plan.folds is not None:
        raise ParameterError("--hold-out and --folds exclude each other", hint="give one of them")
    if plan.groups is not None and plan.times is not None:
        raise ParameterError("--groups and --times exclude each other", hint="give one of them")
    for flag, name in (("--groups", plan.groups), ("--times", plan.times)):
        if name is not None and name in in_use:
            raise ParameterError(
                f"{flag} `{name}`: the column is {in_use[name]}",
                hint="name a column that is nothing else",
            )


def target_in(whole: "Table", source: str, learning: LearningOptions) -> str:
    """The column to predict, which must be there."""
    target = learning.target or target_of_sample(source, whole)
    if target is None:
        raise ParameterError(
            f"--target is missing: which column of {source} is to be predicted?",
            hint=listed(whole.names, "columns"),
        )
    check_column(target, whole, source)
    return target


def rows_in(
    whole: "Table",
    source: str,
    options: TableOptions,
    learning: LearningOptions,
    output: Output,
) -> LearningRows:
    """The rows of a table with target and weights taken out of it."""
    from treewright.data.column import NumericColumn

    target = target_in(whole, source, learning)
    whole = learning.known_rows(target, whole, source, output)
    table, weights = options.weights_in(whole, source)
    is_numeric = isinstance(table[target], NumericColumn)
    features, y = table.split_target(target)
    if y.dtype.kind == "M":
        raise DataError(
            f"target `{target}` holds dates, and a tree predicts classes or numbers",
            hint=f"--categorical {shlex.quote(target)} takes each date as a class",
        )
    rows = LearningRows(source, features, target, y, is_numeric, weights).without([])
    doubt = doubt_about(table[target])
    if doubt:
        output.note(f"target `{target}` {doubt}")
    rows = rows if learning.keep_ids else rows.without(ids_in(rows.table, output))
    tell_misread(rows.table, output)
    return rows


def tell_misread(table: "Table", output: Output) -> None:
    """Say which columns hold dates or numbers that are written so that they were read as text."""
    from treewright.data.column import NominalColumn
    from treewright.data.report import misread_text

    nominal = [column for column in table.columns if isinstance(column, NominalColumn)]
    for column in nominal:
        seen = column.level_type == "string" and misread_text([str(one) for one in column.levels])
        if seen:
            output.note(
                f"`{column.name}` holds {seen}, taken as text: each is a level of its own, which"
                f" says nothing about new ones (--drop {shlex.quote(column.name)} leaves it out)"
            )


def doubt_about(column: "Column") -> str:
    """What makes a column an odd target; "" if nothing does."""
    from treewright.data.report import FEW_ROWS, count_distinct

    n_rows, n_distinct = len(column), count_distinct(column)
    if n_distinct == 1:
        return "has the same value in all rows: there is nothing to learn"
    if column.kind == "nominal" and n_rows >= FEW_ROWS and n_distinct * 2 > n_rows:
        return f"has {n_distinct:,} different values in {n_rows:,} rows: is it the right column?"
    return ""


def ids_in(table: "Table", output: Output) -> list[str]:
    """Columns that name the rows, which are to be left out; they are told."""
    ids = column_report(table).id_like
    if ids:
        listed = "; ".join(f"`{name}` ({reason})" for name, reason in ids.items())
        output.note(f"left out, as names or ids: {listed}; --keep-ids keeps them")
    return list(ids)


def task_of(
    rows: LearningRows, models: Sequence[ModelName | None], task: Task, output: Output
) -> Task:
    """What the target asks for, unless it was said."""
    if not rows.is_numeric:
        return "classification" if task == "auto" else task
    values = distinct_numbers(rows.y)
    of_classes = [model for model in models if not predicts(model, "regression")]
    if task == "classification" or (task == "auto" and of_classes):
        check_are_classes(rows, values, of_classes, is_said=task == "classification")
    if task != "auto":
        return task
    if of_classes:
        if len(values) > TWO_CLASSES:
            output.note(
                f"target `{rows.target}` is numeric with {len(values):,} different values, taken as"
                f" classes, because {of_classes[0]} predicts no numbers (--model cart does)"
            )
        return "classification"
    if not all(predicts(model, "classification") for model in models):
        return "regression"
    usual, reason = usual_task(rows.target, values)
    output.note(reason)
    return usual


def check_are_classes(
    rows: LearningRows, values: list[float], models: Sequence[str | None], *, is_said: bool
) -> None:
    """Raise if the numbers of a target are no classes; many may be, if the user says so."""
    who = f"{models[0]} predicts" if models else "--task classification asks for"
    if any(value % 1 > 0 for value in values):
        raise ParameterError(
            f"target `{rows.target}` holds fractions such as"
            f" {next(value for value in values if value % 1 > 0):g}, and {who} classes",
            hint="--model cart without --task predicts numbers",
        )
    if not is_said and len(values) > max(MANY_CLASSES, rows.table.n_rows / 10):
        raise ParameterError(
            f"target `{rows.target}` is numeric with {len(values):,} different values, and {who}"
            " classes",
            hint="--model cart predicts numbers; --task classification makes each value a class",
        )


def usual_task(target: str, values: list[float]) -> tuple[Task, str]:
    """What a target with these numbers asks for, and how a user is told."""
    if len(values) == TWO_CLASSES and all(value % 1 == 0 for value in values):
        one, other = (f"{value:.0f}" for value in values)
        return "classification", (
            f"target `{target}` is {one} or {other}, taken as two classes"
            " (--task regression takes them as numbers)"
        )
    return "regression", (
        f"target `{target}` is numeric with {len(values):,} different values, so numbers are"
        " predicted (--task classification takes them as classes)"
    )


def distinct_numbers(y: Any) -> list[float]:
    """The numbers that occur, in their order, without holes."""
    import numpy as np

    values: list[float] = np.unique(y[~np.isnan(y)]).tolist()
    return values


def estimator_for(model: ModelName | None, task: str, settings: Mapping[str, object]) -> Any:
    """The estimator, not fitted yet, with the settings that were given as flags."""
    import treewright
    from treewright.cli.settings import parameter_of, settings_of

    model = model or usual_model(task)
    check_predicts(model, task)
    name = ESTIMATORS[model, task]
    declared = settings_of(model, task)
    for setting in settings:
        if setting not in declared:
            flag = "--" + setting.replace("_", "-")
            flags = ", ".join("--" + known.replace("_", "-") for known in sorted(declared))
            able = f"use --model {listed_models(models)}; " if (models := having(setting)) else ""
            raise ParameterError(
                f"{flag} is not a setting of {name}", hint=f"{able}--model {model} has {flags}"
            )
    values = {
        parameter_of(setting): value_for(model, task, setting, given)
        for setting, given in settings.items()
    }
    return getattr(treewright, name)(**values)


def value_for(model: ModelName, task: str, setting: str, given: object) -> object:
    """The value of a flag, or an error that names the models which take it."""
    from treewright.cli.settings import settings_of

    param = settings_of(model, task)[setting]
    try:
        return as_value(param, given)
    except ParameterError as error:
        able = [name for name in taking(setting, given) if name != model]
        if not able or not param.choices:
            raise
        raise ParameterError(
            error.args[0].replace("is not allowed", f"is not allowed for --model {model}"),
            hint=f"use --model {listed_models(able)}; or with --model {model}: {param.allowed}",
        ) from None


def having(setting: str) -> list[str]:
    """The models that have a setting, for any task."""
    from treewright.cli.settings import SETTINGS_OF, settings_of

    return list(dict.fromkeys(m for m, task in SETTINGS_OF if setting in settings_of(m, task)))


def taking(setting: str, given: object) -> list[str]:
    """The models for which a value of a setting is one of the words to choose from."""
    from treewright.cli.settings import SETTINGS_OF, settings_of

    declared = {(m, task): settings_of(m, task).get(setting) for m, task in SETTINGS_OF}
    found = [m for (m, _), param in declared.items() if param and given in param.choices]
    return list(dict.fromkeys(found))


def listed_models(names: Sequence[str]) -> str:
    """`cart`, `cart or tree`, `cart, tree or forest`."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_predicts(model: ModelName, task: str) -> None:
    """Raise unless the algorithm learns such a target."""
    if predicts(model, task):
        return
    if task == "regression":
        raise ParameterError(
            f"{model} predicts classes, not numbers",
            hint="use --model cart, or --task classification to take the numbers as classes",
        )
    raise ParameterError(
        f"{model} predicts numbers, and the target holds classes",
        hint="use --model c45, or another algorithm for classes",
    )


def fit(estimator: Any, rows: LearningRows) -> Any:
    """The estimator, fitted to the rows; it remembers the name of the target."""
    return estimator.fit(rows.table, rows.y, sample_weight=rows.weights).name_target(rows.target)


@dataclass(frozen=True, slots=True)
class RowsAlone:
    """Rows without a target."""

    source: str  # what the user called it
    table: "Table"
    weights: Any = None


def rows_alone(
    source: str, target: str | None, options: TableOptions, output: Output, *, keep_ids: bool
) -> RowsAlone:
    """Read a table; a column that would be a target is left out, and told."""
    whole = options.read(source)
    target = target or target_of_sample(source, whole)
    if target is not None:
        check_column(target, whole, source)
        whole = whole.drop(target)
        output.note(f"`{target}` is left out: no target is learned")
    table, weights = options.weights_in(whole, source)
    if not keep_ids:
        table = without(table, ids_in(table, output), source)
    if not table.n_columns:
        raise DataError(
            f"no column of {source} is left to learn from",
            hint="leave out fewer columns, or use --keep-ids",
        )
    tell_misread(table, output)
    return RowsAlone(source, table, weights)


def fit_alone(estimator: Any, rows: RowsAlone) -> Any:
    """The estimator, fitted to the rows."""
    return estimator.fit(rows.table, sample_weight=rows.weights)


def check_has_target(model: Any, path: "Path") -> None:
    """Raise for a model whose answers cannot be judged."""
    from treewright.verbs.predictions import has_no_target

    if has_no_target(model):
        raise ParameterError(
            f"`{path}` holds a model that learned without a target, so no answer of it is right or"
            " wrong",
            hint=f"`treewright show {path}` prints it, `treewright worksheet {path} TABLE` the "
            f"calculation, `treewright predict {path} TABLE` writes its answers, and `treewright "
            f"distil {path} TABLE` tells them apart by a tree",
        )


def verdict_alone(fitted: Any, rows: RowsAlone) -> str:
    """What the model makes of the rows it has learned from."""
    answers = fitted.predict(rows.table)
    if hasattr(fitted, "decision_function"):
        return f"{int((answers == -1).sum()):,} of {len(answers):,} training rows are outliers"
    return ""
