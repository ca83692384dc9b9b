"""A page in LaTeX."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import groupby

from treewright.documents import page
from treewright.documents.math import Blank, Letter, Math
from treewright.documents.math_latex import DEFINITIONS, aligned_latex, latex_words, math_latex

PREAMBLE = r"""\documentclass[fleqn]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}\fi
\usepackage{amsmath,array,booktabs,graphicx}
\usepackage[a4paper,margin=2cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\setlength{\mathindent}{2em}
\raggedbottom
\allowdisplaybreaks
\begin{document}"""
# Tables wider than the page are scaled down.
COMMANDS = rf"""{DEFINITIONS}
\providecommand{{\blank}}[1]{{{{\setlength{{\fboxsep}}{{1pt}}\framebox[4em][l]{{\tiny\,#1\strut}}}}}}
\ifdefined\sheetbox\else\newsavebox{{\sheetbox}}\fi
\providecommand{{\fitted}}[1]{{\sbox{{\sheetbox}}{{#1}}%
\ifdim\wd\sheetbox>\linewidth\resizebox{{\linewidth}}{{!}}{{\usebox{{\sheetbox}}}}%
\else\usebox{{\sheetbox}}\fi}}"""
SECTIONS = {1: "section*", 2: "subsection*", 3: "subsubsection*"}
STYLES = {"strong": "textbf", "code": "texttt"}
MAX_CELL = 44  # letters; longer cells are broken into several lines
BROKEN_CELL = r">{\raggedright\arraybackslash}p{0.4\linewidth}"


def to_latex(document: page.Document, *, standalone: bool = True) -> str:
    """The page in LaTeX, for pdfLaTeX and engines that support Unicode.

    `standalone=False` gives the part inside the document, which needs the packages amsmath, array,
    booktabs and graphicx.
    """
    blocks = (page.Heading(1, document.title), *document.blocks)
    body = "\n\n".join([COMMANDS, *_parts(blocks)])
    return f"{PREAMBLE}\n\n{body}\n\n\\end{{document}}\n" if standalone else body


def _parts(blocks: tuple[page.Block, ...]) -> Iterator[str]:
    """The blocks; successive formulas are one display."""
    for is_formula, group in groupby(blocks, lambda block: isinstance(block, page.Formula)):
        if is_formula:
            lines = "\\\\\n".join(map(_block, group))
            yield f"\\begin{{gather*}}\n{lines}\n\\end{{gather*}}"
        else:
            yield from map(_block, group)


def _block(block: page.Block) -> str:
    match block:
        case page.Heading(level, text):
            return f"\\{SECTIONS[level]}{{{latex_words(text)}}}"
        case page.Paragraph(runs):
            return "".join(map(_run, runs))
        case page.Formula():
            return aligned_latex(block, new_line=r"\\", write=_math)
        case page.SheetTable():
            return _table(block)
        case page.Listing(text):
            return _listing(text)
        case page.Figure(_, description, text):
            shown = f"\\emph{{{latex_words(description)}}}"
            return f"{shown}\n\n{_listing(text)}" if text else shown
        case page.Note(text):
            return f"{{\\small {latex_words(text)}}}"
        case page.Contents(headings):
            return ", ".join(latex_words(heading.text) for heading in headings)
        case page.KeyFacts():
            return _table(block.as_table())


def _math(math: Math) -> str:
    return math_latex(math, blank=_blank, words=latex_words)


def _blank(number: int) -> str:
    return f"\\blank{{{number}}}"


def _run(run: page.Run | Blank | Letter) -> str:
    if isinstance(run, Blank):
        return _blank(run.number)
    if isinstance(run, Letter):
        return f"${_math(run)}$"
    words = latex_words(run.text)
    return words if run.style == "plain" else f"\\{STYLES[run.style]}{{{words}}}"


def _listing(text: str) -> str:
    # A line may break at single spaces, but not at its start or at several spaces.
    lines = [
        re.sub("^ +|  +", lambda spaces: "~" * len(spaces[0]), latex_words(line))
        for line in text.split("\n")
    ]
    listed = "\\\\\n".join(line or "~" for line in lines)
    return f"{{\\ttfamily\\small\\raggedright\\noindent {listed}\\par}}"


def _table(table: page.SheetTable) -> str:
    align = "".join(
        BROKEN_CELL if letter == "l" and _longest(column) > MAX_CELL else letter
        for letter, *column in zip(table.align, table.columns, *table.rows, strict=True)
    )
    rows = [
        _line(row, strong=number in table.marked, depth=table.depth(number))
        for number, row in enumerate(table.rows)
    ]
    lines = [
        rf"\fitted{{\begin{{tabular}}{{{align}}}",
        r"\toprule",
        _line(table.columns),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    text = "\n".join(lines)
    return f"{latex_words(table.caption)}:\n\n{text}" if table.caption else text


def _longest(column: list[page.Cell]) -> int:
    return max(len(cell) for cell in column if isinstance(cell, str))


def _line(cells: tuple[page.Cell, ...], *, strong: bool = False, depth: int = 0) -> str:
    # A bracket after the end of a line would be read as a distance.
    start = rf"{{}}\hspace*{{{depth}em}}" if depth else "{}"
    return start + " & ".join(map(partial(_cell, strong=strong), cells)) + r" \\"


def _cell(cell: page.Cell, *, strong: bool) -> str:
    if isinstance(cell, Blank):
        return _blank(cell.number)
    words = latex_words(cell)
    return f"\\textbf{{{words}}}" if strong and words else words
