"""`treewright train`: learn a tree from a table, print it, save it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.flags import as_value, with_param_flags
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.tables import (
    CategoricalOption,
    NaOption,
    NumericOption,
    ReadOptions,
    TableArgument,
    read_source,
    target_of_sample,
    without,
)
from treewright.cli.trees import print_top_of_tree, summary_of
from treewright.errors import DataError, ParameterError, UnknownColumnError

if TYPE_CHECKING:
    from treewright.data.table import Table

ModelName = Literal["id3", "c45", "cart"]
Task = Literal["auto", "classification", "regression"]

# (model, task): the public name of the estimator.
ESTIMATORS = {
    ("id3", "classification"): "ID3Classifier",
    ("c45", "classification"): "C45Classifier",
    ("cart", "classification"): "CARTClassifier",
    ("cart", "regression"): "CARTRegressor",
}


def command(*, with_settings: bool) -> Callable[..., Any]:
    """`train`, on request with a flag for every setting of the estimators."""
    if not with_settings:
        return with_param_flags(train, ())
    from treewright.cli.settings import NOT_FLAGS, SETTINGS_OF

    declared = [param for params in SETTINGS_OF.values() for param in params]
    return with_param_flags(train, [param for param in declared if param.name not in NOT_FLAGS])


def train(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.")
    ] = None,
    model: Annotated[
        ModelName | None,
        typer.Option(help="Algorithm: c45 unless given, cart if the target is numeric."),
    ] = None,
    task: Annotated[Task, typer.Option(help="Is the target a class or a number?")] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Save the model here (JSON).")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="COLUMN", help="Leave this column out. Repeatable."),
    ] = None,
    categorical: CategoricalOption = None,
    numeric: NumericOption = None,
    na: NaOption = None,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that holds the weight of each row.")
    ] = None,
    keep_ids: Annotated[
        bool, typer.Option("--keep-ids", help="Keep columns that look like names or ids.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a tree from a table, print it, save it."""
    if out is not None:
        check_can_write(out)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        whole = read_source(table, ReadOptions(categorical, numeric, na))
        rows = training_rows(whole, target or target_of_sample(table, whole), weight, table)
        rows = rows.without(drop or [], table)
        if not keep_ids:
            rows = without_ids(rows, output)
        fitted = fit(rows, model, task, settings, output)
    if out is not None:
        fitted.save(out)
        output.note(f"saved to {out}")
    if as_json:
        output.json(
            {**summary_of(fitted), "target": rows.target, "file": str(out) if out else None}
        )
        return
    print_top_of_tree(fitted, output)
    output.data(f"\n{verdict(fitted, rows)}")


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """What a tree is learnt from."""

    table: "Table"
    target: str
    y: Any
    is_numeric: bool  # the target
    weights: Any = None

    def without(self, names: list[str], source: str) -> "TrainingRows":
        """The same rows with fewer columns."""
        table = without(self.table, names, source)
        if not table.n_columns:
            raise DataError(
                f"no column of {source} is left to predict `{self.target}` from",
                hint="leave out fewer columns, or use --keep-ids",
            )
        return TrainingRows(table, self.target, self.y, self.is_numeric, self.weights)


def training_rows(
    table: "Table", target: str | None, weight: str | None, source: str
) -> TrainingRows:
    """Take the target and the weights out of the table."""
    from treewright.data.column import NumericColumn

    if target is None:
        raise ParameterError(
            f"--target is missing: which column of {source} is to be predicted?",
            hint=f"columns are: {', '.join(table.names)}",
        )
    for name in (target, weight):
        if name is not None and name not in table.names:
            raise UnknownColumnError.among(name, table.names, source=source)
    weights = None
    if weight is not None:
        column = table[weight]
        if not isinstance(column, NumericColumn):
            raise DataError(f"column `{weight}` of {source} holds words, weights are numbers")
        weights = column.values
        table = table.drop(weight)
    is_numeric = isinstance(table[target], NumericColumn)
    features, y = table.split_target(target)
    return TrainingRows(features, target, y, is_numeric, weights)


def without_ids(rows: TrainingRows, output: Output) -> TrainingRows:
    """Leave out columns that name the rows, and say so."""
    ids = rows.table.report().id_like
    for name, reason in ids.items():
        output.note(
            f"column `{name}` is left out: {reason} look like names or ids (--keep-ids keeps it)"
        )
    return rows.without(list(ids), "the table")


def fit(
    rows: TrainingRows,
    model: ModelName | None,
    task: Task,
    settings: Mapping[str, object],
    output: Output,
) -> Any:
    """The fitted estimator."""
    import treewright
    from treewright.cli.settings import SETTINGS_OF

    task = task_for(rows, model, task, output)
    model = model or ("cart" if task == "regression" else "c45")
    if (model, task) not in ESTIMATORS:
        raise ParameterError(
            f"{model} predicts classes, not numbers",
            hint="use --model cart, or --task classification to take the numbers as classes",
        )
    name = ESTIMATORS[model, task]
    declared = {param.name: param for param in SETTINGS_OF[model, task]}
    for setting in settings:
        if setting not in declared:
            flag = "--" + setting.replace("_", "-")
            flags = ", ".join("--" + known.replace("_", "-") for known in sorted(declared))
            raise ParameterError(f"{flag} is not a setting of {name}", hint=f"it has {flags}")
    values = {setting: as_value(declared[setting], text) for setting, text in settings.items()}
    estimator = getattr(treewright, name)(**values)
    return estimator.fit(rows.table, rows.y, sample_weight=rows.weights)


def task_for(rows: TrainingRows, model: ModelName | None, task: Task, output: Output) -> Task:
    """What the target asks for, unless it was said."""
    if task != "auto":
        return task
    if not rows.is_numeric or model in ("id3", "c45"):
        return "classification"
    output.note(
        f"target `{rows.target}` is numeric, so this is a regression tree"
        " (--task classification takes its values as classes)"
    )
    return "regression"


def verdict(fitted: Any, rows: TrainingRows) -> str:
    """Size of the tree, and how well it knows the rows it was grown on."""
    tree = fitted.tree_
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
    size = f"{leaves}, depth {tree.depth}"
    if tree.classes is None:
        return f"{size}; R² on the training rows {fitted.score(rows.table, rows.y):.3f}"
    n_right = int((fitted.predict(rows.table) == rows.y).sum())
    return f"{size}; {n_right} of {len(rows.y)} training rows right"
