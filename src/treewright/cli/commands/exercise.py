"""`treewright exercise`: a worksheet with blanks, its solution, and the marking of answers."""

from pathlib import Path
from typing import Annotated, Any, Literal

from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import (
    KeepIdsOption,
    LearningOptions,
    estimator_for,
    rows_in,
    target_in,
    task_of,
)
from treewright.cli.output import Output, check_files, page_text, write_text
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions, TargetOptions, check_column
from treewright.errors import DataError, ParameterError

Format = Literal["text", "markdown", "latex", "html"]
Tree = Literal["id3", "c45", "cart"]
BY_ENDING = {".md": "markdown", ".tex": "latex", ".html": "html"}
MOST_BYTES = 10_000_000  # of a sheet that is marked


def exercise(
    table: TableArgument,
    *,
    judged: TargetOptions,
    options: TableOptions,
    model: Annotated[
        Tree | None, flag("Algorithm; default id3 for nominal columns, otherwise cart.")
    ] = None,
    seed: Annotated[int, flag("Seed of the blanks; another seed hides other numbers.", min=0)] = 0,
    blanks: Annotated[int, flag("Maximum number of blanks.", min=1)] = 10,
    nodes: Annotated[int, flag("Maximum number of nodes to compute.", min=1)] = 3,
    decimals: Annotated[int, flag("Decimal places.", min=2, max=6)] = 3,
    keep_ids: KeepIdsOption = False,
    to: Annotated[Format | None, flag("Default: by the extension of --out.", "--format")] = None,
    out: Annotated[Path | None, out_flag("Write the exercise here; default stdout.")] = None,
    solution: Annotated[
        Path | None, flag("Write the solution here, in the format of its extension.", "FILE")
    ] = None,
    mark: Annotated[
        Path | None, flag("Mark this filled-in exercise (text or Markdown).", "FILE")
    ] = None,
    output: Output,
) -> None:
    """Make a worksheet with blanks to fill in, and mark the answers."""
    import treewright as tw

    check_files([out, solution], [table, mark], as_json=output.as_json)
    with output.warnings_as_notes():
        whole = options.read(table)
        if options.weight is not None:
            check_column(options.weight, whole, table)
            raise ParameterError("--weight: an exercise counts every row once", hint="leave it out")
        target = target_in(whole, table, LearningOptions(target=judged.target))
        whole = judged.known_rows(target, whole, table, output)
        estimator = None
        if model is not None:
            learning = LearningOptions(target=target, keep_ids=True)
            rows = rows_in(whole, table, options, learning, output)
            estimator = estimator_for(model, task_of(rows, [model], "auto", output), {})
        made = tw.exercise(
            whole,
            target,
            seed=seed,
            model=estimator,
            n_blanks=blanks,
            max_nodes=nodes,
            decimals=decimals,
            keep_ids=keep_ids,
        )
        marking = None if mark is None else made.mark(filled_in(mark))
    if solution is not None:
        write_page(made.solution, solution, output)
    if output.as_json:
        output.json(facts_of(made, marking))
    elif marking is not None:
        output.note(f"marked as the exercise with seed {seed}; use the flags it was made with")
        write_text(str(marking), out, output)
    else:
        form = to or BY_ENDING.get(out.suffix if out else "", "text")
        write_text(page_text(made, form), out, output, for_programs=form != "text")
        if out is None and solution is None:
            output.note("--solution FILE writes the answers, --mark FILE marks a filled-in sheet")


def filled_in(path: Path) -> str:
    """The text of a filled-in sheet."""
    from treewright.data.sources.from_files import standard_input
    from treewright.files import read_at_most, read_regular

    if is_standard(path):
        content = read_at_most(standard_input(), "standard input", DataError, MOST_BYTES)
    else:
        content = read_regular(path, DataError, MOST_BYTES)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text", hint="save it as UTF-8 text") from None


def write_page(page: Any, path: Path, output: Output) -> None:
    """Write a page in the format of the file's extension."""
    form = BY_ENDING.get(path.suffix, "text")
    write_text(page_text(page, form), path, output, for_programs=form != "text")


def facts_of(made: Any, marking: Any) -> dict[str, object]:
    """The exercise, its questions with their answers, and the marking if there is one."""
    from treewright.documents.page import to_values

    return {
        "exercise": to_values(made.document()),
        "questions": [
            {"blank": one.number, "asked": one.asked, "answers": list(one.answers)}
            for one in made.questions
        ],
        "marking": None if marking is None else marking.to_dict(),
    }
