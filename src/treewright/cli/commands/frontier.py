"""`treewright frontier`: compare trees by their number of leaves."""

from pathlib import Path
from typing import Annotated

from treewright.cli.commands.show import draw
from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import LearningOptions, estimator_for, rows_in, task_of
from treewright.cli.output import Output, check_files
from treewright.cli.progress import progress_bar
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError

ENDINGS = (".svg", ".png", ".pdf", ".html")


def frontier(
    table: TableArgument,
    *,
    learning: LearningOptions,
    options: TableOptions,
    leaves: Annotated[str, flag("Numbers of leaves to compare.", "A,B,...")] = "2,4,8,16,32",
    folds: Annotated[int, flag("Number of folds.", min=2)] = 3,
    distil: Annotated[
        bool,
        flag(
            "Also compare with boosted trees, and with trees distilled from them.",
            "--distil/--no-distil",
        ),
    ] = True,
    out: Annotated[Path | None, out_flag("Draw the curves: .svg, .png, .pdf or .html.")] = None,
    output: Output,
) -> None:
    """Compare trees by their number of leaves, and with boosted trees."""
    import treewright as tw

    check_files([out], [table], as_json=output.as_json)
    if out is not None and not is_standard(out) and out.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"`{out}` is not a file name for a picture", hint=f"use one of {', '.join(ENDINGS)}"
        )
    sizes = numbers_in(leaves)
    with output.warnings_as_notes():
        rows = rows_in(options.read(table), table, options, learning, output)
        task = task_of(rows, ["readable"], learning.task, output)
        model = estimator_for("readable", task, {} if distil else {"distil": False})
    with output.warnings_hidden(), progress_bar("folds", quiet=output.quiet) as progress:
        found = tw.frontier(
            rows.table,
            rows.y,
            rows.weights,
            leaves=sizes,
            folds=folds,
            model=model,
            progress=progress,
        )
    if out is not None:
        draw(tw.figures.frontier(found), out, output)
    if output.as_json:
        output.json({**found.to_dict(), "file": str(out) if out else None})
    elif not is_standard(out):
        output.data(str(found))


def numbers_in(text: str) -> list[int]:
    """The numbers of a list such as 4,8,16."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            f"--leaves {text} is not a list of integers", hint="write --leaves 4,8,16"
        ) from None
