"""A page in HTML: one file, no scripts, and it prints well."""

from treewright.documents.page import (
    Block,
    Document,
    Figure,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.tree.conditions import plain
from treewright.tree.escaping import html

STYLE = """\
.tw-page { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
.tw-page table { border-collapse: collapse; margin: 0.5rem 0 1rem; }
.tw-page th, .tw-page td { padding: 0.15rem 0.8rem; text-align: left; }
.tw-page thead th { border-bottom: 1px solid; }
.tw-page .r { text-align: right; font-variant-numeric: tabular-nums; }
.tw-page .marked { font-weight: bold; background: rgba(120, 160, 220, 0.2); }
.tw-page caption { text-align: left; padding-bottom: 0.2rem; }
.tw-page .formula { font-family: ui-serif, Georgia, serif; margin-left: 2rem; }
.tw-page .note { color: gray; font-size: 0.9em; }
@media print { .tw-page table { break-inside: avoid; } }"""


def to_html(document: Document, *, standalone: bool = True) -> str:
    """The page as one HTML file, or as the part of one that a notebook shows."""
    blocks = (Heading(1, document.title), *document.blocks)
    body = "\n".join(["<div class='tw-page'>", *map(_block, blocks), "</div>"])
    style = f"<style>\n{STYLE}\n</style>"
    if not standalone:
        return f"{style}\n{body}"
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f"<title>{html(plain(document.title))}</title>\n{style}\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{_words(text)}</h{level}>"
        case Paragraph(runs):
            return f"<p>{''.join(map(_run, runs))}</p>"
        case Formula(_, written):
            return f"<p class='formula'>{_words(written)}</p>"
        case SheetTable():
            return _table(block)
        case Listing(text):
            return f"<pre>{html(text)}</pre>"
        case Figure(svg, _):
            return f"<figure>{svg}</figure>"
        case Note(text):
            return f"<p class='note'>{_words(text)}</p>"


def _run(run: Run) -> str:
    words = _words(run.text)
    return words if run.style == "plain" else f"<{run.style}>{words}</{run.style}>"


def _table(table: SheetTable) -> str:
    lines = ["<table>"]
    if table.caption:
        lines.append(f"<caption>{_words(table.caption)}</caption>")
    lines += ["<thead>", _line(table.columns, table.align, "th"), "</thead>", "<tbody>"]
    lines += [
        _line(row, table.align, "td", marked=number in table.marked)
        for number, row in enumerate(table.rows)
    ]
    return "\n".join([*lines, "</tbody>", "</table>"])


def _line(cells: tuple[str, ...], align: str, tag: str, *, marked: bool = False) -> str:
    shown = "".join(
        f"<{tag}{' class=r' if letter == 'r' else ''}>{_words(cell)}</{tag}>"
        for cell, letter in zip(cells, align, strict=True)
    )
    return f"<tr{' class=marked' if marked else ''}>{shown}</tr>"


def _words(text: str) -> str:
    return html(plain(text))
