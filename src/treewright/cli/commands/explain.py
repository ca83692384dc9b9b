"""`treewright explain`: explain a prediction, and find what would change it."""

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.fitted_models import is_ensemble, is_other_model
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files, write_text
from treewright.cli.saved import (
    ModelArgument,
    check_no_rules,
    fitting,
    judged_table,
    load_reader,
    schema_of,
)
from treewright.cli.tables import Repeated, TableOptions, TargetOptions
from treewright.errors import DataError, ParameterError, UnknownColumnError

if TYPE_CHECKING:
    from treewright.cli.saved import LoadedModel
    from treewright.data.schema import Schema
    from treewright.data.table import Table

Format = Literal["text", "markdown", "html"]


def explain(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Table with the row.")
    ] = None,
    *,
    row: Annotated[int, flag("Row of the table, counted from 0.", min=0)] = 0,
    value: Annotated[
        Repeated,
        flag("Value of a column; with --row, its new value. Repeatable.", "COLUMN=VALUE"),
    ] = None,
    immutable: Annotated[
        Repeated, flag("The change may not touch this column. Repeatable.", "COLUMN")
    ] = None,
    up: Annotated[Repeated, flag("May only increase. Repeatable.", "COLUMN")] = None,
    down: Annotated[Repeated, flag("May only decrease. Repeatable.", "COLUMN")] = None,
    wanted: Annotated[
        str | None, flag("Prediction that the change should lead to.", "CLASS")
    ] = None,
    tolerance: Annotated[
        float | None, flag("Predictions this close count as equal.", "NUMBER", min=0)
    ] = None,
    neighbors: Annotated[
        str | None, flag("Training rows, to show the nearest ones.", "TABLE")
    ] = None,
    judged: TargetOptions,
    options: TableOptions,
    to: Annotated[Format, flag("Output format.", "--format")] = "text",
    out: Annotated[Path | None, out_flag("Write here; default stdout.")] = None,
    output: Output,
) -> None:
    """Explain a saved model's prediction for one row, and what would change it."""
    check_files([out], [model, table, neighbors])
    fitted = load_reader(model, output)
    check_no_rules(fitted, model)
    of_trees: dict[str, object] = {"immutable": immutable, "up": up, "down": down, "wanted": wanted}
    of_trees |= {"tolerance": tolerance, "neighbors": neighbors}
    with output.warnings_as_notes():
        given = values_in(value or [], schema_of(fitted))
        if table is None and not given:
            raise ParameterError(
                "there is no row to explain", hint="give a table and --row, or --value COLUMN=VALUE"
            )
        asked: Any = given
        changes: dict[str, Any] = {}
        if table is not None:
            asked = row_of(fitted, table, row, options, output)
            asked, changes = with_changes(fitted, asked, given)
        if is_ensemble(fitted) or is_other_model(fitted):
            check_flags_of_explain(fitted, of_trees)
            found = fitted.explain(asked, **changes)
        else:
            near: dict[str, Any] = {}
            if neighbors is not None:
                rows = judged_table(fitted, neighbors, judged, options, output)
                near = {"X": rows.table, "y": rows.y}
            classes = {str(label): label for label in getattr(fitted, "classes_", ())}
            found = fitted.explain(
                asked,
                **near,
                **changes,
                immutable=tuple(immutable or ()),
                directions={**dict.fromkeys(up or (), "up"), **dict.fromkeys(down or (), "down")},
                wanted=None if wanted is None else classes.get(wanted, wanted),
                tolerance=tolerance,
            )
            if tolerance is None and found.tolerance:
                output.note(
                    f"predictions within {found.said(found.tolerance)} count as equal: one standard"
                    " deviation of the tree's predictions (--tolerance changes it)"
                )
        form = "json" if output.as_json else to
        text = str(getattr(found, f"to_{form}")())
    write_text(text, out, output, for_programs=form != "text")


def check_flags_of_explain(model: object, of_trees: Mapping[str, object]) -> None:
    """Raise if a flag for single trees is given for another model."""
    instead = "; an ensemble shows the contribution of each column" if is_ensemble(model) else ""
    for name, given in of_trees.items():
        if given is not None:
            raise ParameterError(
                f"--{name} is for single trees{instead}",
                hint="leave it out, or make a tree from the model: `treewright distil`",
            )


def row_of(
    model: "LoadedModel", source: str, row: int, options: TableOptions, output: Output
) -> Any:
    """One row of a table."""
    whole = options.read(source, schema_of(model))
    asked = fitting(model, whole, source, output)
    if row >= whole.n_rows:
        raise DataError(f"there is no row {row}: {source} has {whole.n_rows} rows")
    output.note(f"row {row} of {source}{truth_of(model, whole, row)} (--row chooses another)")
    return asked.take([row])


def values_in(words: list[str], schema: "Schema") -> dict[str, Any]:
    """`wind=99` as values for columns of the model."""
    from treewright.data.sources.type_inference import value_of_text

    given: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ParameterError(f"--value {word!r} is not a column and a value")
        if name not in schema.names:
            raise UnknownColumnError.among(name, schema.names, source="the model")
        spec = schema.columns[schema.position(name)]
        given[name] = text
        if spec.is_numeric:
            try:
                given[name] = value_of_text(text, name, spec.unit, spec.format)
            except DataError:
                kind = "a date or a time" if spec.unit else "a number"
                raise DataError(f"`{name}` is {kind}, not {text!r}") from None
    return given


def with_changes(model: Any, row: Any, changes: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The row, and those changes that can be keywords of `explain` without a clash."""
    from treewright.estimators.rows import changed_row

    taken = {
        name: value
        for name, value in changes.items()
        if name in signature(model.explain).parameters
    }
    rest = {name: value for name, value in changes.items() if name not in taken}
    return changed_row(row, schema_of(model), taken), rest


def truth_of(model: object, whole: "Table", row: int) -> str:
    """The true value of the target for the row; "" if it is not known."""
    from treewright.data.table import shown_cell

    target = getattr(model, "target_name_", None)
    if target not in whole.names or whole[target].value(row) is None:
        return ""
    return f", whose `{target}` is {shown_cell(whole[target], row)}"
