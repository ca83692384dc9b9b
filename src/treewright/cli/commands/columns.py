"""`treewright columns`: the type of each column, and the reason for it."""

import warnings
from itertools import compress
from typing import TYPE_CHECKING, Annotated

from treewright.cli.command_syntax import in_command_syntax
from treewright.cli.groups import target_flag
from treewright.cli.output import Output
from treewright.cli.tables import TableArgument, TableOptions, check_column
from treewright.cli.verdicts import StrictOption, finish
from treewright.plain_text import plain

if TYPE_CHECKING:
    from treewright.data.column import Column
    from treewright.data.leaks import TableWarning
    from treewright.data.table import Table

IN_THE_REPORT = ".*(not fit and counts? as missing|no cell settles it)"
MOST_COUNTED = 8  # values of the target that are counted one by one


def columns(
    table: TableArgument,
    *,
    target: Annotated[
        str | None, target_flag("Summarize this column, and find columns that leak it.")
    ] = None,
    options: TableOptions,
    strict: StrictOption = False,
    output: Output,
) -> None:
    """Report the type of each column of a table, the reason for it, and warnings."""
    with output.warnings_as_notes():
        warnings.filterwarnings("ignore", IN_THE_REPORT)
        whole, _ = options.weights_in(options.read(table), table)
        if target is not None:
            check_column(target, whole, table)
        features, y = (whole, None) if target is None else whole.split_target(target)
        features = options.features(features)
        from treewright.data.report import column_report

        report = column_report(features, y)
    leaks = leaks_about(features, whole, target)
    if output.as_json:
        lines = report.to_dict()["columns"]
        output.json([{**line, "leaks": texts_about(line["name"], leaks)} for line in lines])
    else:
        output.data(in_command_syntax(str(report)))
    if target is not None and not output.as_json:
        output.data(plain(f"target `{target}`: {summed_up(whole[target])}"))
        note_task(target, whole[target], output)
    reported = {line.name for line in report.lines if line.warnings}
    is_news = [one.subject not in ("id", "copy") or one.column not in reported for one in leaks]
    finish(leaks if strict else compress(leaks, is_news), output, strict=strict)


def leaks_about(features: "Table", whole: "Table", target: str | None) -> "list[TableWarning]":
    """Warnings about the columns and rows, as far as they concern the target."""
    from treewright.data.leaks import leaks_in, target_phrase

    if target is None:
        return []
    known = ~whole[target].is_missing
    return [
        *leaks_in(features.take(known), whole[target].take(known).renamed(target_phrase(target)))
    ]


def texts_about(column: str, leaks: "list[TableWarning]") -> list[str]:
    """The leaks of one column."""
    return [leak.for_command for leak in leaks if leak.column == column]


def note_task(target: str, column: "Column", output: Output) -> None:
    """Note the task that other commands choose for a numeric target."""
    from treewright.cli.learning import distinct_numbers, usual_task
    from treewright.data.column import NumericColumn

    if not isinstance(column, NumericColumn) or column.unit:
        return
    if column.n_missing < len(column):
        _, reason = usual_task(target, distinct_numbers(column.to_numpy()))
        output.note(reason)


def summed_up(column: "Column") -> str:
    """The values of a column in one line: how often each occurs, or the range of many numbers."""
    from collections import Counter

    known = column.to_numpy()[~column.is_missing].tolist()
    counts = Counter(known).most_common()
    missing = f"; {column.n_missing:,} missing" if column.n_missing else ""
    if column.kind == "numeric" and len(counts) > MOST_COUNTED:
        low, high = value_text(min(known)), value_text(max(known))
        return f"{low} to {high}, {len(counts):,} different values{missing}"
    shown = [f"{value_text(value)} ({count:,})" for value, count in counts[:MOST_COUNTED]]
    n_others = len(counts) - MOST_COUNTED
    others = [f"{n_others:,} other values"] if n_others > 0 else []
    return f"{', '.join([*shown, *others]) or 'no value'}{missing}"


def value_text(value: object) -> str:
    """A value as text."""
    from treewright.plain_text import number_text

    return number_text(value) if isinstance(value, float) else str(value)
