"""`treewright discretize`: cut numeric columns into intervals."""

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
from treewright.cli.flags import read_json
from treewright.cli.groups import flag, target_flag
from treewright.cli.output import Output, check_files, check_text_suffix
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.data.table import Table

Strategy = Literal["mdl", "equal_width", "equal_frequency", "kmeans", "given"]


def discretize(
    table: TableArgument,
    *,
    target: Annotated[str | None, target_flag("Class column, for mdl.")] = None,
    strategy: Annotated[Strategy, flag("How cut points are chosen.")] = "mdl",
    n_bins: Annotated[int, flag("Maximum intervals per column; not for mdl and given.", min=2)] = 5,
    cut_points: Annotated[
        str | None, flag('Cut points for given: {"age": [30, 60]}, or one list for all.', "JSON")
    ] = None,
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
    """Cut numeric columns into intervals; without --out, print the cut points."""
    import treewright as tw

    check_files([out, worksheet], [table, learn_from], as_json=output.as_json)
    check_text_suffix(out)
    hint = "--cut-points '{\"age\": [30, 60]}', or one list for all columns"
    where = f"--cut-points {cut_points!r}"
    cuts = None if cut_points is None else read_json(cut_points, where, hint)
    cutter = tw.Discretizer(strategy=strategy, n_bins=n_bins, cut_points=cuts)
    source = table if learn_from is None else learn_from
    with output.warnings_as_notes():
        learned_from = read_with_text(source, options)
        rows = features_of(learned_from.typed, source, target, options)
        if rows.y is None and strategy == "mdl":
            raise ParameterError(
                "mdl needs classes, and --target is missing",
                hint="give the class column as --target COLUMN; other strategies need none",
            )
        if strategy == "mdl":
            check_are_classes(target, learned_from.typed, source)
        y = rows.y if strategy == "mdl" else known_classes(rows.y)
        cutter.fit(rows.table, y, rows.weights)
        before = learned_from
        if learn_from is not None:
            before = read_with_text(table, options, cutter.schema_)
        cut = transformed(cutter, before.typed, table, output)
        if worksheet is not None:
            sheet = tw.worksheet(cutter, rows.table, y, rows.weights)
            write_worksheet(sheet, worksheet, output)
    if out is not None:
        write_changed(before, cut, out, output, raw=raw)
    facts = [facts_on(name, cuts, cut) for name, cuts in cutter.cut_points_.items()]
    if output.as_json:
        output.json(facts_of_step(before, strategy, facts, out))
    elif not is_standard(out) and not is_standard(worksheet):
        print_cuts(facts, output, has_file=out is not None or worksheet is not None)


def known_classes(y: Any) -> Any:
    """Classes to show beside the intervals; None if the target is numeric or has missing values."""
    from treewright.data.target import encode_classes
    from treewright.errors import DataError

    try:
        if y is not None:
            encode_classes(y)
    except DataError:
        return None
    return y


def facts_on(name: str, cuts: Any, cut: "Table") -> dict[str, Any]:
    """Where a column is cut."""
    intervals = [str(level) for level in cut[name].levels]
    return {"name": name, "cuts": cuts.tolist(), "intervals": intervals}


def print_cuts(facts: list[dict[str, Any]], output: Output, *, has_file: bool) -> None:
    """Print the columns and their intervals, one per line."""
    if not facts:
        output.data("no numeric column to cut")
        return
    lines = [
        (
            fact["name"],
            len(fact["cuts"]),
            "  ".join(fact["intervals"]) if fact["cuts"] else "not cut",
        )
        for fact in facts
    ]
    output.table(("column", "cuts", "intervals"), lines)
    if not has_file:
        output.note("--out FILE writes the table with intervals, --worksheet FILE the calculation")
