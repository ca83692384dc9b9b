"""`treewright impute`: fill the missing values of a table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from treewright.cli.changed_tables import (
    FromOption,
    OutOption,
    RawOption,
    check_are_classes,
    facts_of_step,
    features_of,
    read_with_text,
    transformed,
    write_changed,
    write_worksheet,
)
from treewright.cli.commands.columns import value_text
from treewright.cli.groups import flag, target_flag
from treewright.cli.output import Output, check_files, check_text_suffix
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.data.table import Table

Strategy = Literal["mean", "median", "mode", "constant"]
MOST_CLASSES = 6  # with a column of their own


def impute(
    table: TableArgument,
    *,
    target: Annotated[
        str | None, target_flag("Target, which is not filled; for --by-class.")
    ] = None,
    strategy: Annotated[
        Strategy, flag("Fill for numbers; nominal columns get the most frequent.")
    ] = "mean",
    fill_value: Annotated[
        str | None, flag("For constant: a value, or an object by column.", "VALUE|JSON")
    ] = None,
    by_class: Annotated[
        bool, flag("Fill each row from the rows of its own class.", "--by-class")
    ] = False,
    add_indicator: Annotated[
        bool, flag("Add a 0/1 column per column with missing values.", "--add-indicator")
    ] = False,
    learn_from: FromOption = None,
    options: TableOptions,
    worksheet: Annotated[
        Path | None,
        flag("Write the calculation: HTML, Markdown, LaTeX, text; - is stdout.", "FILE"),
    ] = None,
    out: OutOption = None,
    raw: RawOption = False,
    output: Output,
) -> None:
    """Fill the missing values of a table; without --out, print what would be filled in."""
    import treewright as tw

    check_files([out, worksheet], [table, learn_from], as_json=output.as_json)
    check_text_suffix(out)
    if by_class and learn_from is not None:
        raise ParameterError(
            "--by-class fills training rows, whose class is known; rows of another table have none",
            hint="leave out --by-class or --from",
        )
    filler = tw.Imputer(
        strategy=strategy,
        fill_value=value_in(fill_value),
        by_class=by_class,
        add_indicator=add_indicator,
    )
    with output.warnings_as_notes():
        if learn_from is None:
            before = read_with_text(table, options)
            rows = features_of(before.typed, table, target, options)
            if by_class and rows.y is None:
                raise ParameterError(
                    "--by-class needs a class column", hint="give it as --target COLUMN"
                )
            if by_class:
                check_are_classes(target, before.typed, table)
            filled = filler.fit_transform(rows.table, rows.y, rows.weights)
        else:
            source = options.read(learn_from)
            rows = features_of(source, learn_from, target, options)
            filler.fit(rows.table, rows.y, rows.weights)
            before = read_with_text(table, options, filler.schema_)
            filled = transformed(filler, before.typed, table, output)
        if worksheet is not None:
            sheet = tw.worksheet(filler, rows.table, rows.y, rows.weights)
            write_worksheet(sheet, worksheet, output)
    if out is not None:
        write_changed(before, filled, out, output, raw=raw)
    facts = [facts_on(name, before.typed, filler) for name in filler.schema_.names]
    if output.as_json:
        output.json(facts_of_step(before, strategy, facts, out))
    elif not is_standard(out) and not is_standard(worksheet):
        print_fills(facts, output, has_out=out is not None)


def value_in(text: str | None) -> Any:
    """A value from JSON; any other text stays text."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def facts_on(name: str, table: "Table", filler: Any) -> dict[str, Any]:
    """What is missing in a column, and what fills it."""
    column = table[name]
    fill = written(filler.fill_values_.get(name), column)
    facts = {"name": name, "kind": column.kind, "missing": column.n_missing, "fill": fill}
    by_class = filler.class_fill_values_.get(name)
    if by_class is not None:
        facts["fill_by_class"] = {
            str(label): written(value, column) for label, value in by_class.items()
        }
    return facts


def written(fill: Any, column: Any) -> Any:
    """A value as text: a date is not shown as a number."""
    if fill is None or column.kind != "numeric" or not column.unit:
        return fill
    return str(column.with_unit(fill))


def print_fills(facts: list[dict[str, Any]], output: Output, *, has_out: bool) -> None:
    """Print the columns with missing values, one per line."""
    incomplete = [fact for fact in facts if fact["missing"]]
    if not incomplete:
        output.data("no values are missing")
        return

    def text(value: Any) -> str:
        return "-" if value is None else value_text(value)

    labels = list(incomplete[0].get("fill_by_class", {}))
    if len(labels) > MOST_CLASSES:
        output.note(f"{len(labels)} classes have different values; --json prints them")
        labels = []
    lines = [
        (
            fact["name"],
            fact["missing"],
            text(fact["fill"]),
            *(text(fact["fill_by_class"].get(label)) for label in labels),
        )
        for fact in incomplete
    ]
    output.table(("column", "missing", "filled with", *(f"if {label}" for label in labels)), lines)
    if not has_out:
        output.note("--out FILE writes the table with missing values filled")
