"""Learning from the columns alone: what groups rows, or finds the odd ones, has no target."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.cli.learning import ids_in, tell_misread
from treewright.cli.output import Output
from treewright.cli.tables import TableOptions, check_column, target_of_sample, without
from treewright.errors import DataError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from treewright.data.table import Table


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
        output.note(f"`{target}` is left out: no target is learnt")
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
    from treewright.any_model.predictions import has_no_target

    if has_no_target(model):
        raise ParameterError(
            f"`{path}` holds a model that learnt without a target, so no answer of it is right or"
            " wrong",
            hint=f"`treewright show {path}` prints it, `treewright worksheet {path} TABLE` the "
            f"calculation, `treewright predict {path} TABLE` writes its answers, and `treewright "
            f"distil {path} TABLE` tells them apart by a tree",
        )


def verdict_alone(fitted: Any, rows: RowsAlone) -> str:
    """What the model makes of the rows it has learnt from."""
    answers = fitted.predict(rows.table)
    if hasattr(fitted, "decision_function"):
        return f"{int((answers == -1).sum()):,} of {len(answers):,} training rows are outliers"
    return ""
