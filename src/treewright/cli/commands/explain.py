"""`treewright explain`: explain a prediction, and find what would change it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.fitted_models import is_ensemble, is_learned
from treewright.cli.output import (
    JsonOption,
    Output,
    QuietOption,
    check_can_write,
    write_text,
)
from treewright.cli.saved import (
    ModelArgument,
    check_no_rules,
    fitting,
    judged_table,
    load_model,
    schema_of,
)
from treewright.cli.streams import check_one_input
from treewright.cli.tables import TableOptions, TargetOptions
from treewright.errors import DataError, ParameterError, UnknownColumnError

if TYPE_CHECKING:
    from treewright.data.table import Table

Format = Literal["text", "markdown", "html"]


def explain(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Table with the row.")
    ] = None,
    *,
    row: Annotated[int, typer.Option(min=0, help="Row of the table, counted from 0.")] = 0,
    value: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Value of the row. Repeatable."),
    ] = None,
    immutable: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="The change may not touch this column. Repeatable."),
    ] = None,
    up: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="May only increase. Repeatable."),
    ] = None,
    down: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="May only decrease. Repeatable."),
    ] = None,
    wanted: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Prediction that the change should lead to.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", min=0, help="Predictions this close count as equal."),
    ] = None,
    neighbors: Annotated[
        str | None, typer.Option(metavar="TABLE", help="Training rows, to show the nearest ones.")
    ] = None,
    judged: TargetOptions,
    options: TableOptions,
    to: Annotated[Format, typer.Option("--format", help="Output format.")] = "text",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write here; default stdout."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Explain a saved model's prediction for one row, and what would change it."""
    if out is not None:
        check_can_write(out, model, table, neighbors)
    check_one_input(model, table, neighbors)
    output = Output(quiet=quiet)
    fitted = load_model(model, output)
    check_no_rules(fitted, model)
    of_trees: dict[str, object] = {"immutable": immutable, "up": up, "down": down, "wanted": wanted}
    of_trees |= {"tolerance": tolerance, "neighbors": neighbors}
    with output.warnings_as_notes():
        asked = row_of(fitted, table, row, value or [], options, output)
        if is_ensemble(fitted) or is_learned(fitted):
            check_flags_of_explain(fitted, of_trees)
            page = fitted.explain(asked)
            text = page.to_json() if as_json else getattr(page, f"to_{to}")()
            write_text(text, out, output, for_programs=as_json or to != "text")
            return
        near: dict[str, Any] = {}
        if neighbors is not None:
            rows = judged_table(fitted, neighbors, judged, options, output)
            near = {"X": rows.table, "y": rows.y}
        classes = {str(label): label for label in getattr(fitted, "classes_", ())}
        found = fitted.explain(
            asked,
            **near,
            immutable=tuple(immutable or ()),
            directions={**dict.fromkeys(up or (), "up"), **dict.fromkeys(down or (), "down")},
            wanted=None if wanted is None else classes.get(wanted, wanted),
            tolerance=tolerance,
        )
        if tolerance is None and found.tolerance:
            output.note(
                f"predictions within {found.tolerance:g} count as equal: one standard deviation"
                " of the tree's predictions (--tolerance changes it)"
            )
        text = found.to_json() if as_json else getattr(found, f"to_{to}")()
    write_text(text, out, output, for_programs=as_json or to != "text")


def check_flags_of_explain(model: Any, of_trees: Mapping[str, object]) -> None:
    """Raise if a flag for single trees is given for another model."""
    instead = "; an ensemble shows the contribution of each column" if is_ensemble(model) else ""
    for name, given in of_trees.items():
        if given is not None:
            raise ParameterError(
                f"--{name} is for single trees{instead}",
                hint="leave it out, or make a tree from the model: `treewright distil`",
            )


def row_of(
    model: Any,
    source: str | None,
    row: int,
    values: list[str],
    options: TableOptions,
    output: Output,
) -> Any:
    """One row of a table, or the row given on the command line."""
    schema = schema_of(model)
    if source is not None:
        if values:
            raise ParameterError("--value and a table both give the row", hint="give one of them")
        whole = options.read(source, schema)
        asked = fitting(model, whole, source, output)
        if row >= whole.n_rows:
            raise DataError(f"there is no row {row}: {source} has {whole.n_rows} rows")
        output.note(f"row {row} of {source}{truth_of(model, whole, row)} (--row chooses another)")
        return asked.take([row])
    if not values:
        raise ParameterError(
            "there is no row to explain", hint="give a table and --row, or --value COLUMN=VALUE"
        )
    given: dict[str, Any] = {}
    for word in values:
        name, equals, text = word.partition("=")
        if not equals:
            raise ParameterError(f"--value {word!r} is not a column and a value")
        if name not in schema.names:
            raise UnknownColumnError.among(name, schema.names, source="the model")
        spec = schema.columns[schema.position(name)]
        given[name] = number_in(name, text) if spec.is_numeric and not spec.unit else text
    return given


def truth_of(model: Any, whole: "Table", row: int) -> str:
    """The true value of the target for the row; "" if it is not known."""
    target = getattr(model, "target_name_", None)
    value = whole[target].value(row) if target in whole.names else None
    if value is None:
        return ""
    return f", whose `{target}` is {f'{value:g}' if isinstance(value, float) else value}"


def number_in(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"`{name}` is a number, not {text!r}") from None
