"""The report on a model, for the commands that write one."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.output import Output
from treewright.cli.progress import progress_bar
from treewright.cli.streams import ARGUMENTS, is_standard, write_content
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.cli.learning import LearningRows
    from treewright.cli.saved import JudgedTable
    from treewright.estimators.base import Model
    from treewright.reports.report import Report


def arguments_without(with_value: tuple[str, ...], alone: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments after the name of the command, without some flags and their values."""
    kept, is_value = [], False
    for word in ARGUMENTS.get()[1:]:
        flag, has_value = word.partition("=")[0], "=" in word
        if is_value:
            is_value = False
        elif flag in with_value:
            is_value = not has_value
        elif word not in alone:
            kept.append(word)
    return tuple(kept)


ENDINGS = (".html", ".htm", ".md")


def check_page(path: Path | None) -> None:
    """Raise if the file name of a report does not end as one."""
    if path is None or is_standard(path) or (path.exists() and not path.is_file()):
        return
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"`{path}` is not a file name for a report",
            hint=f"use one of the extensions {', '.join(ENDINGS)}",
        )


def write_report(
    fitted: "Model[Any]",
    rows: "LearningRows | JudgedTable",
    source: str,
    path: Path,
    output: Output,
    **settings: Any,
) -> "Report":
    """Evaluate a model and write the report: Markdown if the name ends in .md, else HTML."""
    import treewright as tw

    with progress_bar("judging", quiet=output.quiet) as progress, output.warnings_hidden():
        page = tw.report(
            fitted,
            rows.table,
            rows.y,
            rows.weights,
            name="standard input" if is_standard(source) else Path(source).name,
            target=rows.target,
            unused=rows.unused,
            progress=progress,
            command=shlex.join(["treewright", *ARGUMENTS.get()]),
            **settings,
        )
        text = page.to_markdown() if path.suffix.lower() == ".md" else page.to_html()
    write_content(text.encode("utf-8"), path)
    output.wrote(path, f"report written to {path}")
    return page
