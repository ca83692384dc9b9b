"""Training data and estimator, in the same way for all commands that train."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, get_args

from treewright.cli.algorithms import ESTIMATORS, ModelName, Task, predicts, usual_model
from treewright.cli.flags import as_value
from treewright.cli.groups import flag
from treewright.cli.output import Output
from treewright.cli.tables import (
    PlanOptions,
    TableOptions,
    TargetOptions,
    check_column,
    target_of_sample,
    without,
)
from treewright.errors import DataError, ParameterError, listed

if TYPE_CHECKING:
    from pathlib import Path

    from treewright.data.column import Column
    from treewright.data.table import Table


MANY_CLASSES = 100  # or a tenth of the rows: more numbers are not classes unless the user says so
TWO_CLASSES = 2  # a target with so many different integers is a binary class

KeepIdsOption = Annotated[bool, flag("Keep columns that look like ids.", "--keep-ids")]
ModelOption = Annotated[
    ModelName | None,
    flag(
        "Algorithm; default c45, or cart for a numeric target. One of: "
        f"{', '.join(get_args(ModelName))}.",
        "NAME",
    ),
]


@dataclass(frozen=True, slots=True)
class LearningOptions(TargetOptions):
    """The target and the task."""

    task: Annotated[
        Task,
        flag("Task; auto means classification if the target is text or has two integer values."),
    ] = "auto"
    keep_ids: KeepIdsOption = False
    drop_duplicates: Annotated[
        bool, flag("Drop exact duplicates of earlier rows.", "--drop-duplicates")
    ] = False


@dataclass(frozen=True, slots=True)
class LearningRows:
    """Training rows."""

    source: str  # what the user called it
    table: "Table"
    weights: Any
    target: str = ""  # "" for models that learn without a target
    y: Any = None
    is_numeric: bool = False  # the target
    unused: tuple[str, ...] = ()  # columns that were left out
    kept: Any = None  # rows that are not duplicates, if duplicates were dropped
    client: Any = None  # of a cluster that trains

    def without(self, names: list[str]) -> "LearningRows":
        """The same rows with fewer columns."""
        table = without(self.table, names, self.source)
        if not table.n_columns:
            use = f"predict `{self.target}`" if self.target else "learn from"
            raise DataError(
                f"no column of {self.source} is left to {use}",
                hint="leave out fewer columns, or use --keep-ids",
            )
        return replace(self, table=table, unused=(*self.unused, *names))

    def without_copies(self, output: Output) -> "LearningRows":
        """The rows without exact duplicates of earlier ones; a note counts the dropped rows."""
        from treewright.data.leaks import first_of_each
        from treewright.data.sources import table_from

        kept = first_of_each(self.table, table_from({"y": self.y}).columns[0])
        n_rows = self.table.n_rows
        if len(kept) < n_rows:
            output.note(
                f"left out: {n_rows - len(kept):,} of {n_rows:,} rows, which are duplicates"
            )
        weights = None if self.weights is None else self.weights[kept]
        table = self.table.take(kept).compact_levels()
        return replace(self, table=table, y=self.y[kept], weights=weights, kept=kept)

    def checked(self, output: Output, *, keep_ids: bool) -> "LearningRows":
        """The rows without columns that look like ids; notes say what seems wrong."""
        rows = self.without([] if keep_ids else ids_in(self.table, output))
        note_misread(rows.table, output)
        return rows

    def fit(self, estimator: Any) -> Any:
        """The estimator, fitted to the rows; it stores the name of the target."""
        if self.client is not None:
            from treewright import distributed

            fitted = distributed.fit(
                estimator, self.table, self.y, self.weights, client=self.client
            )
        else:
            fitted = estimator.fit(self.table, self.y, sample_weight=self.weights)
        return fitted.name_target(self.target) if self.target else fitted


def divided_rows(
    source: str, options: TableOptions, learning: LearningOptions, plan: PlanOptions, output: Output
) -> tuple[LearningRows, dict[str, Any]]:
    """As `rows_in`, plus the split arguments of `treewright.evaluate`.

    The columns that define the splits are not used as features.
    """
    own = plan.own_columns
    whole = options.keeping(own).read(source)
    target = target_in(whole, source, learning)
    whole = learning.known_rows(target, whole, source, output)
    plan.check({target: "the target", options.weight or "": "the weight of the rows"})
    learned = without(whole, own, source)
    named = replace(learning, target=target)
    rows, arguments = (
        rows_in(learned, source, options, named, output),
        plan.arguments(whole, source),
    )
    if rows.kept is not None:
        arguments |= {
            name: arguments[name][rows.kept]
            for name in ("groups", "times")
            if arguments[name] is not None
        }
    return rows, arguments


def target_in(whole: "Table", source: str, learning: LearningOptions) -> str:
    """The column to predict, which must be there."""
    target = learning.target or target_of_sample(source, whole)
    if target is None:
        raise ParameterError(
            f"--target is missing: which column of {source} should be predicted?",
            hint=listed(whole.names, "columns"),
        )
    check_column(target, whole, source)
    return target


def rows_in(
    whole: "Table", source: str, options: TableOptions, learning: LearningOptions, output: Output
) -> LearningRows:
    """The rows of a table with target and weights taken out of it."""
    from treewright.data.column import NumericColumn

    target = target_in(whole, source, learning)
    whole = learning.known_rows(target, whole, source, output)
    table, weights = options.weights_in(whole, source)
    is_numeric = isinstance(table[target], NumericColumn)
    features, y = table.split_target(target)
    if y.dtype.kind in "Mm":
        what = "date" if y.dtype.kind == "M" else "time"
        raise DataError(
            f"target `{target}` holds {what}s, but models predict classes or numbers",
            hint=f"--categorical {shlex.quote(target)} makes each {what} a class",
        )
    features = options.features(features)
    rows = LearningRows(source, features, weights, target, y, is_numeric).without([])
    doubt = doubt_about(table[target])
    if doubt:
        output.note(f"target `{target}` {doubt}")
    rows = rows.checked(output, keep_ids=learning.keep_ids)
    return rows.without_copies(output) if learning.drop_duplicates else rows


def note_misread(table: "Table", output: Output) -> None:
    """Note which columns hold dates or numbers read as text, or categories in several cases."""
    from treewright.data.column import NominalColumn
    from treewright.data.report import case_twins, misread_text
    from treewright.data.sources.type_inference import DECLARED_TEXT

    for column in table.columns:
        if not isinstance(column, NominalColumn) or column.level_type != "string":
            continue
        if twins := case_twins([str(level) for level in column.levels]):
            output.note(f"`{column.name}`: {twins}; --merge-case merges them")
        if column.caution or column.origin == DECLARED_TEXT:
            continue  # noted when the table was read, or known to the user
        if seen := misread_text([str(level) for level in column.levels]):
            output.note(
                f"`{column.name}` holds {seen}, read as text: each value is a category of its"
                f" own, no help with new rows (--drop {shlex.quote(column.name)} leaves it out)"
            )


def doubt_about(column: "Column") -> str:
    """Why a column is an unlikely target; "" if it is not."""
    from treewright.data.report import FEW_ROWS, count_distinct

    n_rows, n_distinct = len(column), count_distinct(column)
    if n_distinct == 1:
        return "has the same value in all rows: there is nothing to learn"
    if column.kind == "nominal" and n_rows >= FEW_ROWS and n_distinct * 2 > n_rows:
        return f"has {n_distinct:,} different values in {n_rows:,} rows: is it the right column?"
    return ""


def ids_in(table: "Table", output: Output) -> list[str]:
    """Columns that look like ids and are left out; a note lists them."""
    from treewright.data.report import column_report

    ids = column_report(table).id_like
    if ids:
        listed = "; ".join(f"`{name}` ({reason})" for name, reason in ids.items())
        output.note(f"left out because they look like ids: {listed}; --keep-ids keeps them")
    return list(ids)


def task_of(
    rows: LearningRows, models: Sequence[ModelName | None], task: Task, output: Output
) -> Task:
    """The task: as given, otherwise by the values of the target."""
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
                f"target `{rows.target}` is numeric with {len(values):,} different values, treated"
                f" as classes, because {of_classes[0]} cannot predict numbers (--model cart can)"
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
    """Raise if the numbers of a target are not classes; many may be, if the user says so."""
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
    """The task for a target with these numbers, and the note about it."""
    if len(values) == TWO_CLASSES and all(value % 1 == 0 for value in values):
        one, other = (f"{value:.0f}" for value in values)
        return "classification", (
            f"target `{target}` is {one} or {other}, treated as two classes"
            " (--task regression treats them as numbers)"
        )
    return "regression", (
        f"target `{target}` is numeric with {len(values):,} different values, so this is"
        " regression (--task classification treats them as classes)"
    )


def distinct_numbers(y: Any) -> list[float]:
    """The distinct numbers in ascending order, without missing values."""
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
            flags = ", ".join("--" + known.replace("_", "-") for known in sorted(declared))
            able = f"use --model {listed_models(models)}; " if (models := having(setting)) else ""
            raise ParameterError(
                f"--{setting.replace('_', '-')} is not a setting of {name}",
                hint=f"{able}--model {model} has {flags}",
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
    """The models for which a value of a setting is one of the choices."""
    from treewright.cli.settings import SETTINGS_OF, settings_of

    declared = {(m, task): settings_of(m, task).get(setting) for m, task in SETTINGS_OF}
    found = [m for (m, _), param in declared.items() if param and given in param.choices]
    return list(dict.fromkeys(found))


def listed_models(names: Sequence[str]) -> str:
    """`cart`, `cart or tree`, `cart, tree or forest`."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_predicts(model: ModelName, task: str) -> None:
    """Raise unless the algorithm supports the task."""
    if predicts(model, task):
        return
    if task == "regression":
        raise ParameterError(
            f"{model} predicts classes, not numbers",
            hint="use --model cart, or --task classification to treat the numbers as classes",
        )
    raise ParameterError(
        f"{model} predicts numbers, and the target holds classes",
        hint="use --model c45, or another algorithm for classes",
    )


def rows_without_target(
    source: str, target: str | None, options: TableOptions, output: Output, *, keep_ids: bool
) -> LearningRows:
    """Read a table; a target column is left out, with a note."""
    whole = options.read(source)
    target = target or target_of_sample(source, whole)
    if target is not None:
        check_column(target, whole, source)
        whole = whole.drop(target)
        output.note(f"`{target}` is left out: this model uses no target")
    table, weights = options.weights_in(whole, source)
    table = options.features(table)
    return LearningRows(source, table, weights).checked(output, keep_ids=keep_ids)


def check_has_target(model: object, path: "Path") -> None:
    """Raise for a model without a target, whose predictions cannot be scored."""
    from treewright.verbs.predictions import has_no_target

    if has_no_target(model):
        raise ParameterError(
            f"`{path}` holds a model that learned without a target, so its predictions cannot be"
            " scored",
            hint=f"`treewright show {path}` prints it, `treewright worksheet {path} TABLE` the "
            f"calculation, `treewright predict {path} TABLE` writes its predictions, and "
            f"`treewright distil {path} TABLE` approximates them by a tree",
        )
