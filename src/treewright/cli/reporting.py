"""The page about a model, for the commands that write one."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from treewright.cli.given_words import GIVEN_WORDS
from treewright.cli.output import Output
from treewright.cli.progress import progress_bar
from treewright.cli.streams import is_standard, write_content

if TYPE_CHECKING:
    from treewright.data.table import Table
    from treewright.reports.report import Report


class RowsOfModel(Protocol):
    """Rows, and what a model should answer for them."""

    @property
    def table(self) -> "Table": ...

    @property
    def target(self) -> str: ...

    @property
    def y(self) -> Any: ...

    @property
    def weights(self) -> Any: ...

    @property
    def unused(self) -> tuple[str, ...]: ...


def write_report(
    fitted: Any, rows: RowsOfModel, source: str, path: Path, output: Output, **wishes: Any
) -> "Report":
    """Judge a model and write the page: Markdown if the name ends in .md, else HTML."""
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
            command=shlex.join(["treewright", *GIVEN_WORDS.get()]),
            **wishes,
        )
        text = page.to_markdown() if path.suffix.lower() == ".md" else page.to_html()
    write_content(text.encode("utf-8"), path)
    if not is_standard(path):
        output.note(f"report written to {path}")
    return page
