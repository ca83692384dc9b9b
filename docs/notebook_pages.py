"""Notebooks as pages of the site: cells and stored outputs become MyST text, which Sphinx knows.

Nothing is run; `docs/notebooks/rerun.py` does that, and a test compares.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from myst_parser.sphinx_ import Parser as MystParser
from sphinx.application import Sphinx

AS_HTML = ("image/svg+xml", "text/html")
PRINTED = "{code-block} text\n:class: printed\n"
FRAME = '<div class="output">\n{}\n</div>'
STYLE = """<style>
.output { margin: 1em 0; overflow-x: auto; }
.output > svg { max-width: 100%; height: auto; background: white; }
.output table { margin: 0; }
.output > table :is(th, td) { padding-right: 1.5em; }
.output > .tw-page { padding: 0; }
.printed pre { background: none; border-width: 0 0 0 3px; border-radius: 0; }
</style>"""


def page_of(notebook: dict[str, Any]) -> str:
    """The notebook as one text."""
    parts = [part for cell in notebook["cells"] for part in parts_of(cell)]
    return "\n\n".join([*parts, fenced("{raw} html", STYLE)]) + "\n"


def parts_of(cell: dict[str, Any]) -> Iterator[str]:
    """A cell's own text, then what it printed and showed."""
    source = joined(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield fenced("python", source)
    for output in cell["outputs"]:
        yield shown(output)


def shown(output: dict[str, Any]) -> str:
    """One output in its richest form."""
    if output["output_type"] == "stream":
        return fenced(PRINTED, joined(output["text"]))
    forms = output["data"]
    for kind in AS_HTML:
        if kind in forms:
            return fenced("{raw} html", FRAME.format(joined(forms[kind])))
    if "text/markdown" in forms:
        return joined(forms["text/markdown"])
    return fenced(PRINTED, joined(forms["text/plain"]))


def joined(text: str | list[str]) -> str:
    """A text, which a notebook may keep as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def fenced(language: str, text: str) -> str:
    """A block that nothing in the text can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


class NotebookParser(MystParser):
    """Reads an .ipynb file as the page that `page_of` makes of it."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        super().parse(page_of(json.loads(inputstring)), document)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
