"""A page in Markdown, as notebooks and repositories show it."""

from treewright.documents import page
from treewright.documents.math import Blank, Letter
from treewright.documents.math_latex import aligned_latex, math_latex
from treewright.plain_text import escape_controls, plain
from treewright.tree.escaping import markdown, markdown_paragraph

ALIGN = {"l": "---", "r": "---:"}
MARGIN = "&emsp;"


def to_markdown(document: page.Document) -> str:
    """The page in Markdown, formulas in `$$`.

    >>> weather = page.Paragraph.of("It is ", page.Run("sunny", "strong"))
    >>> print(to_markdown(page.Document("Day", (weather,))))
    # Day
    <BLANKLINE>
    It is **sunny**
    """
    return "\n\n".join(map(_block, (page.Heading(1, document.title), *document.blocks)))


def _block(block: page.Block) -> str:
    match block:
        case page.Heading(level, text):
            return f"{'#' * level} {_words(text)}"
        case page.Paragraph(runs):
            return markdown_paragraph("".join(map(_run, runs)))
        case page.Formula():
            # Some Markdown readers take `\\` for an escaped backslash.
            return "$$" + aligned_latex(block, new_line=r"\cr") + "$$"
        case page.SheetTable():
            return _table(block)
        case page.Listing(text):
            return _listing(text)
        case page.Figure(_, description, text):
            shown = f"*{_words(description)}*"
            return f"{shown}\n\n{_listing(text)}" if text else shown
        case page.Note(text):
            return f"> {_words(text)}"
        case page.Contents(headings):
            return "\n".join(f"- [{_words(one.text)}](#{one.anchor})" for one in headings)
        case page.KeyFacts():
            return _table(block.as_table())


def _listing(text: str) -> str:
    text, fence = escape_controls(text), "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def _run(run: page.Run | Blank | Letter) -> str:
    if isinstance(run, Blank):
        return _blank(run)
    if isinstance(run, Letter):
        return f"${math_latex(run)}$"
    words = _words(run.text)
    if not run.text.strip() or run.style == "plain":
        return words
    return f"**{words}**" if run.style == "strong" else f"<code>{words}</code>"


def _table(table: page.SheetTable) -> str:
    lines = [
        _line(table.columns),
        f"|{'|'.join(ALIGN[letter] for letter in table.align)}|",
        *(
            _line(row, strong=number in table.marked, depth=table.depth(number))
            for number, row in enumerate(table.rows)
        ),
    ]
    text = "\n".join(lines)
    return f"{markdown_paragraph(_words(table.caption))}:\n\n{text}" if table.caption else text


def _line(cells: tuple[page.Cell, ...], *, strong: bool = False, depth: int = 0) -> str:
    shown = " | ".join(_cell(cell, strong=strong) for cell in cells)
    return f"| {MARGIN * depth}{shown} |"


def _cell(cell: page.Cell, *, strong: bool) -> str:
    if isinstance(cell, Blank):
        return _blank(cell)
    return f"**{_words(cell)}**" if strong and cell else _words(cell)


def _blank(blank: Blank) -> str:
    return f"[{blank.number}: ]"


def _words(text: str) -> str:
    return markdown(plain(text))
