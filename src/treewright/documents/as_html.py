"""A page in HTML: one file, no scripts, formulas in MathML, and it prints well."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from treewright.documents import page
from treewright.documents.math import Blank, Letter, formula_rows, typeset_width
from treewright.documents.math_mathml import blank_html, first_sign, math_mathml
from treewright.documents.text_table import columns_of
from treewright.documents.theme import THEME
from treewright.plain_text import escape_controls, plain
from treewright.result import fading
from treewright.tree.escaping import html

STYLE = """\
.tw-page { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
.tw-page h1 { font-size: 1.6em; line-height: 1.25; }
.tw-page h2 { font-size: 1.25em; margin: 2.2em 0 0.4em; padding-top: 0.5em; line-height: 1.3;
  border-top: 2px solid var(--line, rgba(128, 128, 128, 0.5)); }
.tw-page h3 { font-size: 1.05em; margin: 1.4em 0 0.3em; }
.tw-page h1, .tw-page h2, .tw-page h3 { overflow-wrap: anywhere; break-after: avoid; }
.tw-page p { margin: 0.5em 0; overflow-wrap: anywhere; }
.tw-page .lead { font-size: 1.25em; line-height: 1.4; font-weight: 600; margin: 0.6em 0;
  padding-left: 0.7em; border-left: 4px solid var(--accent, currentcolor); }
.tw-page .wide { overflow-x: auto; margin: 0.6em 0 1em; }
.tw-page table { border-collapse: collapse; font-size: 0.95em; width: auto; }
.tw-page th, .tw-page td { padding: 0.15em 0.7em; text-align: left; vertical-align: baseline;
  border: 0; max-width: 24em; overflow-wrap: anywhere; }
.tw-page thead th, .tw-page thead td { border-bottom: 1px solid; font-weight: 600;
  overflow-wrap: normal; }
.tw-page tbody { border-bottom: 1px solid var(--line, rgba(128, 128, 128, 0.5)); }
.tw-page .r { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.tw-page td.r { white-space: nowrap; }
.tw-page .marked { font-weight: bold; background: rgba(90, 150, 230, 0.18); }
.tw-page caption { text-align: left; padding-bottom: 0.2em; }
.tw-page td:first-child:not(.r) { min-width: 7em; }
.tw-page thead th, .tw-page thead td { min-width: var(--room, 0); }
.tw-page .long th, .tw-page .long td { max-width: 40em; }
.tw-page .long td:first-child:not(.r) { min-width: 0; }
.tw-page .formula { margin: 0.5em 0; padding: 0.1em 0 0.1em 3.5em; text-indent: -1.5em;
  line-height: 2; overflow-x: auto; overflow-y: hidden; }
.tw-page math { font-size: 1.1em; text-indent: 0; margin: 0.12em 0; }
.tw-page .note { color: var(--faint, inherit); font-size: 0.92em; }
.tw-page pre { overflow-x: auto; line-height: 1.35; font-size: 0.88em; }
.tw-page svg { max-width: 100%; height: auto; }
.tw-page figure { margin: 1em 0; overflow-x: auto; }
.tw-page figure svg { display: block; margin: 0 auto; }
.tw-page a { color: var(--accent, inherit); }
.tw-page :focus-visible { outline: 2px solid var(--accent, currentcolor); outline-offset: 2px; }
.tw-page .facts { display: flex; flex-wrap: wrap; gap: 0.7em; margin: 1.2em 0; padding: 0; }
.tw-page .facts div { border: 1px solid var(--line, rgba(128, 128, 128, 0.45));
  border-radius: 6px; padding: 0.5em 0.9em; min-width: 7em; flex: 1 1 7em; }
.tw-page .facts dt { font-size: 0.88em; }
.tw-page .facts dd { margin: 0; font-size: 0.82em; }
.tw-page .facts dd.value { font-size: 1.45em; line-height: 1.3; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.tw-page .contents, .tw-page .facts { overflow-wrap: anywhere; }
.tw-page .contents { font-size: 0.92em; margin: 1em 0; }
.tw-page .contents ul { list-style: none; margin: 0; padding: 0; display: flex;
  flex-wrap: wrap; gap: 0.2em 1.3em; }
.tw-page .contents a { display: inline-block; padding: 0.2em 0; }
.tw-page .blank { display: inline-block; min-width: 5em; border-bottom: 1px solid;
  font-size: 0.75em; opacity: 0.8; text-align: left; }
@media screen and (min-width: 1200px) {
  .tw-page:has(> .contents) { margin-left: max(15rem, calc(50vw - 28rem)); }
  .tw-page .contents { position: fixed; top: 1.4rem; left: max(1.5rem, calc(50vw - 42rem));
    width: 12rem; margin: 0; max-height: 92vh; overflow-y: auto; }
  .tw-page .contents ul { display: block; }
  .tw-page .contents a { display: block; text-decoration: none; padding: 0.35em 0.8em;
    border-left: 3px solid var(--line, rgba(128, 128, 128, 0.3)); }
  .tw-page .contents a:hover, .tw-page .contents a:focus { border-color: currentcolor; } }
@media screen and (max-width: 600px) {
  .tw-page figure svg { max-width: max(100%, calc(0.85 * var(--natural))); } }
@media print { .tw-page { max-width: none; padding: 0; font-size: 11pt; }
  .tw-page tr, .tw-page .whole, .tw-page .formula, .tw-page figure { break-inside: avoid; }
  .tw-page .long tr { break-inside: auto; } .tw-page thead { break-after: avoid; }
  .tw-page figure svg { width: auto; max-height: 185mm; }
  .tw-page figure + .note { break-before: avoid; }
  .tw-page .wide, .tw-page pre, .tw-page .formula, .tw-page figure { overflow: visible; }
  .tw-page pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .tw-page .formula { padding-left: 2em; font-size: 0.88em; }
  .tw-page thead th, .tw-page thead td { min-width: min(var(--room, 0px), 9em); }
  .tw-page table { font-size: 0.85em; } .tw-page th, .tw-page td { padding: 0.12em 0.45em; }
  .tw-page .many table { font-size: 0.68em; }
  .tw-page .many th, .tw-page .many td { padding: 0.15em 0.3em; min-width: 0;
    overflow-wrap: anywhere; }
  .tw-page .many td.r { white-space: normal; }
  .tw-page .facts, .tw-page .lead { break-inside: avoid; }
  .tw-page td, .tw-page .marked { print-color-adjust: exact;
    -webkit-print-color-adjust: exact; } }"""
# Of a page of its own: the theme, and a shadow where a table or a picture goes on beyond the edge.
# Paper in front of the shadow moves along with what is scrolled, so that it shows only there.
ALONE = (
    THEME
    + """\
html { color: var(--text); background: var(--paper); } @page { margin: 14mm; }
@media screen {
  .tw-page .wide, .tw-page figure, .tw-page pre, .tw-page .formula { background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll; }
  .tw-page figure .tw-picture > rect:first-of-type { fill: none; } }
@media screen and (min-width: 1200px) {
  .tw-page .contents { background:
    linear-gradient(to bottom, var(--paper) 40%, transparent) top / 100% 3rem no-repeat local,
    linear-gradient(to top, var(--paper) 40%, transparent) bottom / 100% 3rem no-repeat local,
    linear-gradient(to bottom, var(--shade), transparent) top / 100% 0.7rem no-repeat scroll,
    linear-gradient(to top, var(--shade), transparent) bottom / 100% 0.7rem no-repeat scroll; } }"""
)

IN_NOTEBOOK = (
    fading(".tw-page .wide, .tw-page figure, .tw-page pre, .tw-page .formula")
    + "\n.tw-page.bare { max-width: none; margin: 0; padding: 0; }"
)

MAX_UNBROKEN_WORD = 12  # letters of a word in a cell that is not broken
WIDE_LETTER = 1.2  # width compared with a digit, which browsers measure by
MAX_ONE_LINE = 24  # letters of a cell that is not broken either
MAX_LINES = 3  # of a longer cell, as far as its width is at most
WIDEST_ROOM = 28  # digits
MAX_NARROW_CELL = 40  # letters; tables with longer texts have wide cells
MAX_FEW_COLUMNS = 8  # a table of more is smaller on paper
MAX_ROWS_TOGETHER = 12  # of a table that is not broken over two printed pages
CODE = re.compile("`([^`]+)`")
WIDTH = re.compile(r'^<svg[^>]* width="([0-9.]+)"')
LINE = 36  # digits of a formula that are not broken; a browser breaks between such parts

FIRST_MARGIN = 0.7  # before a cell that is not indented, as in the style

EQUALS = first_sign("=")
# Two hues that color-blind readers can distinguish; text stays readable on both, in both themes.
SHADE, OTHER_SHADE = "rgba(68, 119, 170, {:.2f})", "rgba(213, 138, 14, {:.2f})"
DARKEST = 0.5
LARGE = "<math displaystyle='true'>"  # fractions as large as the text around them

NO_REQUESTS = "default-src 'none'; style-src 'unsafe-inline'"  # nor scripts


def to_html(document: page.Document, *, standalone: bool = True) -> str:
    """The page as one HTML file, or as the part of one that a notebook shows."""
    blocks = (page.Heading(1, document.title), *document.blocks)
    # A notebook may show several pages; links of one must not lead into another.
    write = partial(_block, with_links=standalone)
    frame = "main" if standalone else "div"
    body = "\n".join([f"<{frame} class='tw-page'>", *map(write, blocks), f"</{frame}>"])
    if not standalone:
        return f"<style>\n{STYLE}\n{IN_NOTEBOOK}\n</style>\n{body}"
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{NO_REQUESTS}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{html_words(document.title)}</title>\n"
        f"<style>\n{ALONE}\n{STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def figure_html(figure: page.Figure) -> str:
    """One picture as a part of a page, such as the output of a notebook."""
    return (
        f"<style>\n{STYLE}\n{IN_NOTEBOOK}\n</style>\n"
        f"<div class='tw-page bare'>{_block(figure, with_links=False)}</div>"
    )


def _block(block: page.Block, *, with_links: bool) -> str:
    match block:
        case page.Heading(level, text, anchor):
            own_name = f" id='{anchor}'" if anchor and with_links else ""
            return f"<h{level}{own_name}>{html_words(text)}</h{level}>"
        case page.Paragraph(runs, is_lead):
            look = " class='lead'" if is_lead else ""
            return f"<p{look}>{''.join(_run(run, with_links=with_links) for run in runs)}</p>"
        case page.Formula():
            return f"<p class='formula' tabindex='0'>{' '.join(_formula(block))}</p>"
        case page.SheetTable():
            return _table(block)
        case page.Listing(text):
            return f"<pre tabindex='0'>{html(escape_controls(text))}</pre>"
        case page.Figure(svg, _, _, remark):
            note = f"<p class='note'>{html_words(remark)}</p>" if remark else ""
            return f"<figure tabindex='0'{_natural_width(svg)}>{svg}</figure>{note}"
        case page.Note(text):
            return "<p class='note'>" + CODE.sub(r"<code>\1</code>", html_words(text)) + "</p>"
        case page.Contents(headings):
            return _contents(headings) if with_links else ""
        case page.KeyFacts(facts):
            return f"<dl class='facts'>{''.join(map(_fact, facts))}</dl>"


def _natural_width(svg: str) -> str:
    """The width of a picture as a variable, so that a narrow screen shrinks it only a little."""
    found = WIDTH.search(svg)
    return f" style='--natural: {found[1]}px'" if found else ""


def _contents(headings: tuple[page.Heading, ...]) -> str:
    links = (f"<li><a href='#{one.anchor}'>{html_words(one.text)}</a></li>" for one in headings)
    return f"<nav class='contents' aria-label='Contents'><ul>{''.join(links)}</ul></nav>"


def _fact(fact: page.KeyFact) -> str:
    name, value, remark = map(html_words, (fact.name, fact.value, fact.remark))
    more = f"<dd>{remark}</dd>" if remark else ""
    return f"<div><dt>{name}</dt><dd class='value'>{value}</dd>{more}</div>"


def _formula(formula: page.Formula) -> Iterator[str]:
    """A formula in parts; a line may break between them."""
    yield f"{LARGE}{math_mathml(formula.left)}</math>"
    for row in formula_rows(formula.steps, LINE, typeset_width):
        sign = EQUALS if row.is_step else ""
        yield f"{LARGE}{sign}{math_mathml(row.of)}</math>"
        if row.result is not None:
            yield f"{LARGE}{EQUALS}{math_mathml(row.result)}</math>"


def _run(run: page.Run | Blank | Letter, *, with_links: bool) -> str:
    if isinstance(run, Blank):
        return blank_html(run.number)
    if isinstance(run, Letter):
        return f"<math>{math_mathml(run)}</math>"
    words = html_words(run.text)
    if run.link and with_links:
        words = f"<a href='#{run.link}'>{words}</a>"
    return words if run.style == "plain" else f"<{run.style}>{words}</{run.style}>"


def _table(table: page.SheetTable) -> str:
    name = html_words(table.caption or " and ".join(map(page.cell_text, table.columns[:2])))
    lines = [
        f"<div class='wide{_kind(table)}' tabindex='0' role='group' aria-label='{name}'><table>"
    ]
    if table.caption:
        lines.append(f"<caption>{html_words(table.caption)}</caption>")
    lines += ["<thead>", f"<tr>{''.join(_heads(table))}</tr>", "</thead>", "<tbody>"]
    lines += [_row(table, number) for number in range(len(table.rows))]
    return "\n".join([*lines, "</tbody>", "</table></div>"])


def _kind(table: page.SheetTable) -> str:
    """Long texts have wide cells, many columns small print; short tables stay on one sheet."""
    many = " many" if len(table.columns) > MAX_FEW_COLUMNS else ""
    if max(map(_longest, zip(*table.rows, strict=True)), default=0) > MAX_NARROW_CELL:
        return f" long{many}"
    return f" whole{many}" if len(table.rows) <= MAX_ROWS_TOGETHER else many


def _longest(cells: Iterable[page.Cell]) -> int:
    """Letters of the longest text."""
    return max((columns_of(cell) for cell in cells if isinstance(cell, str)), default=0)


def _heads(table: page.SheetTable) -> Iterator[str]:
    """The titles of the columns; the longest of long texts gets the width that is left."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    widest = max(map(_longest, columns), default=0)
    for letter, title, cells in zip(table.align, table.columns, columns, strict=True):
        kind = "th scope=col" if title else "td"
        if letter == "r":
            yield f"<{kind} class=r>{_cell(title)}</{kind[:2]}>"
            continue
        looks = [f"--room:{room:.3g}ch"] if (room := _room(cells)) else []
        if widest > MAX_NARROW_CELL and _longest(cells) == widest:
            looks.append("width:99%")
        style = f" style='{';'.join(looks)}'" if looks else ""
        yield f"<{kind}{style}>{_cell(title)}</{kind[:2]}>"


def _room(cells: Sequence[page.Cell]) -> float:
    """The least width of a column of text, in digits: its short words, and few lines in a cell."""
    words = [word for cell in cells if isinstance(cell, str) for word in cell.split()]
    word = min(max(map(columns_of, words), default=0), MAX_UNBROKEN_WORD) * WIDE_LETTER
    longest = _longest(cells)
    if longest <= MAX_ONE_LINE:
        return max(word, longest)
    return max(word, MAX_ONE_LINE, min(longest / MAX_LINES, WIDEST_ROOM))


def _row(table: page.SheetTable, number: int) -> str:
    cells = zip(table.align, table.rows[number], _looks(table, number), strict=True)
    shown = "".join(
        f"<td{' class=r' if letter == 'r' else ''}{look}>{_cell(cell)}</td>"
        for letter, cell, look in cells
    )
    return f"<tr{' class=marked' if number in table.marked else ''}>{shown}</tr>"


def _looks(table: page.SheetTable, number: int) -> Iterator[str]:
    """The style of each cell of a row: a margin, a shade, or none."""
    depth = table.depth(number)
    shades = table.shades[number] if table.shades else (0.0,) * len(table.columns)
    for at, shade in enumerate(shades):
        if depth and at == 0:
            yield f" style='padding-left:{FIRST_MARGIN + depth:g}em'"
        else:
            hue = SHADE if shade > 0 else OTHER_SHADE
            yield f" style='background:{hue.format(abs(shade) * DARKEST)}'" if shade else ""


def _cell(cell: page.Cell) -> str:
    return blank_html(cell.number) if isinstance(cell, Blank) else html_words(cell)


def html_words(text: str) -> str:
    """Text of a page, escaped."""
    return html(plain(text))
