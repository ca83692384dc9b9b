"""A page in HTML: one file, no scripts, formulas in MathML, and it prints well."""

from collections.abc import Iterator
from functools import partial

from treewright.documents.formula_rows import formula_rows, typeset_width
from treewright.documents.html_style import STYLE
from treewright.documents.math import Blank, Letter
from treewright.documents.math_mathml import blank_html, first_sign, math_mathml
from treewright.documents.page import (
    Block,
    Cell,
    Contents,
    Document,
    Figure,
    Formula,
    Heading,
    KeyFact,
    KeyFacts,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.text_cells import columns_of
from treewright.plain_text import plain, without_steering
from treewright.tree.escaping import html

LONGEST_WHOLE_WORD = 12  # letters of a cell's words that are not broken
WIDE_LETTER = 1.2  # of a digit, which browsers measure by
LONGEST_IN_A_NARROW_CELL = 40  # letters; tables of longer texts have wide cells
MOST_KEPT_TOGETHER = 12  # rows of a table that is not broken over two sheets of paper
LINE = 36  # digits of a formula that are not broken; a browser breaks between such parts

FIRST_MARGIN = 0.7  # before a cell that is not set in, as in the style

EQUALS = first_sign("=")
SHADE, DARKEST = "rgba(90, 150, 230, {:.2f})", 0.6  # words stay readable on it

NO_REQUESTS = "default-src 'none'; style-src 'unsafe-inline'"  # nor scripts
ALONE = "html { color-scheme: light dark; } @page { margin: 14mm; }"


def to_html(document: Document, *, standalone: bool = True) -> str:
    """The page as one HTML file, or as the part of one that a notebook shows."""
    blocks = (Heading(1, document.title), *document.blocks)
    # A notebook may show several pages, so links of one must not lead into another.
    write = partial(_block, with_links=standalone)
    body = "\n".join(["<div class='tw-page'>", *map(write, blocks), "</div>"])
    if not standalone:
        return f"<style>\n{STYLE}\n</style>\n{body}"
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{NO_REQUESTS}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{html_words(document.title)}</title>\n"
        f"<style>\n{ALONE}\n{STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block, *, with_links: bool) -> str:
    match block:
        case Heading(level, text, anchor):
            own_name = f" id='{anchor}'" if anchor and with_links else ""
            return f"<h{level}{own_name}>{html_words(text)}</h{level}>"
        case Paragraph(runs):
            return f"<p>{''.join(_run(run, with_links=with_links) for run in runs)}</p>"
        case Formula():
            return f"<p class='formula'>{' '.join(_formula(block))}</p>"
        case SheetTable():
            return _table(block)
        case Listing(text):
            return f"<pre>{html(without_steering(text))}</pre>"
        case Figure(svg, _, _, remark):
            told = f"<p class='note'>{html_words(remark)}</p>" if remark else ""
            return f"<figure>{svg}</figure>{told}"
        case Note(text):
            return f"<p class='note'>{html_words(text)}</p>"
        case Contents(headings):
            return _contents(headings) if with_links else ""
        case KeyFacts(facts):
            return f"<dl class='facts'>{''.join(map(_fact, facts))}</dl>"


def _contents(headings: tuple[Heading, ...]) -> str:
    links = (f"<li><a href='#{one.anchor}'>{html_words(one.text)}</a></li>" for one in headings)
    return f"<nav class='contents' aria-label='Contents'><ul>{''.join(links)}</ul></nav>"


def _fact(fact: KeyFact) -> str:
    name, value, remark = map(html_words, (fact.name, fact.value, fact.remark))
    more = f"<dd>{remark}</dd>" if remark else ""
    return f"<div><dt>{name}</dt><dd class='value'>{value}</dd>{more}</div>"


def _formula(formula: Formula) -> Iterator[str]:
    """A formula in parts, between which a line may end."""
    yield f"<math>{math_mathml(formula.left)}</math>"
    for row in formula_rows(formula, LINE, typeset_width):
        sign = EQUALS if row.is_step else ""
        yield f"<math>{sign}{math_mathml(row.of)}</math>"
        if row.result is not None:
            yield f"<math>{EQUALS}{math_mathml(row.result)}</math>"


def _run(run: Run | Blank | Letter, *, with_links: bool) -> str:
    if isinstance(run, Blank):
        return blank_html(run.number)
    if isinstance(run, Letter):
        return f"<math>{math_mathml(run)}</math>"
    words = html_words(run.text)
    if run.link and with_links:
        words = f"<a href='#{run.link}'>{words}</a>"
    return words if run.style == "plain" else f"<{run.style}>{words}</{run.style}>"


def _table(table: SheetTable) -> str:
    lines = [f"<div class='wide{_kind(table)}'><table>"]
    if table.caption:
        lines.append(f"<caption>{html_words(table.caption)}</caption>")
    lines += ["<thead>", f"<tr>{''.join(_heads(table))}</tr>", "</thead>", "<tbody>"]
    lines += [_row(table, number) for number in range(len(table.rows))]
    return "\n".join([*lines, "</tbody>", "</table></div>"])


def _kind(table: SheetTable) -> str:
    """Tables of long texts have wide cells; short ones stay on one sheet of paper."""
    texts = (cell for row in table.rows for cell in row if isinstance(cell, str))
    if max(map(len, texts), default=0) > LONGEST_IN_A_NARROW_CELL:
        return " long"
    return " whole" if len(table.rows) <= MOST_KEPT_TOGETHER else ""


def _heads(table: SheetTable) -> Iterator[str]:
    """The titles of the columns; those of words have room for a word that is not long."""
    for letter, title, *cells in zip(table.align, table.columns, *table.rows, strict=True):
        if letter == "r":
            yield f"<th class=r scope=col>{_cell(title)}</th>"
            continue
        words = [word for cell in cells if isinstance(cell, str) for word in cell.split()]
        longest = max(map(columns_of, words), default=0)
        digits = min(longest, LONGEST_WHOLE_WORD) * WIDE_LETTER
        room = f" style='min-width:{digits:.3g}ch'" if longest else ""
        yield f"<th scope=col{room}>{_cell(title)}</th>"


def _row(table: SheetTable, number: int) -> str:
    cells = zip(table.align, table.rows[number], _looks(table, number), strict=True)
    shown = "".join(
        f"<td{' class=r' if letter == 'r' else ''}{look}>{_cell(cell)}</td>"
        for letter, cell, look in cells
    )
    return f"<tr{' class=marked' if number in table.marked else ''}>{shown}</tr>"


def _looks(table: SheetTable, number: int) -> Iterator[str]:
    """What each cell of a row has beside its text: a margin, or a shade."""
    depth = table.depth(number)
    shades = table.shades[number] if table.shades else (0.0,) * len(table.columns)
    for at, shade in enumerate(shades):
        if depth and at == 0:
            yield f" style='padding-left:{FIRST_MARGIN + depth:g}em'"
        else:
            yield f" style='background:{SHADE.format(shade * DARKEST)}'" if shade else ""


def _cell(cell: Cell) -> str:
    return blank_html(cell.number) if isinstance(cell, Blank) else html_words(cell)


def html_words(text: str) -> str:
    """Words of a page, nothing in them taken for markup."""
    return html(plain(text))
