"""A page in LaTeX."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import groupby

from treewright.documents.math import Blank, Letter, Math
from treewright.documents.math_latex import DEFINITIONS, aligned_latex, latex_words, math_latex
from treewright.documents.page import (
    Block,
    Cell,
    Contents,
    Document,
    Figure,
    Formula,
    Heading,
    KeyFacts,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)

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
# A table wider than the page is made smaller, and a page of ours needs no package of its own.
COMMANDS = rf"""{DEFINITIONS}
\providecommand{{\blank}}[1]{{{{\setlength{{\fboxsep}}{{1pt}}\framebox[4em][l]{{\tiny\,#1\strut}}}}}}
\ifdefined\sheetbox\else\newsavebox{{\sheetbox}}\fi
\providecommand{{\fitted}}[1]{{\sbox{{\sheetbox}}{{#1}}%
\ifdim\wd\sheetbox>\linewidth\resizebox{{\linewidth}}{{!}}{{\usebox{{\sheetbox}}}}%
\else\usebox{{\sheetbox}}\fi}}"""
SECTIONS = {1: "section*", 2: "subsection*", 3: "subsubsection*"}
STYLES = {"strong": "textbf", "code": "texttt"}
WIDEST_CELL = 44  # letters; longer cells are broken over several lines
BROKEN_CELL = r">{\raggedright\arraybackslash}p{0.4\linewidth}"


def to_latex(document: Document, *, standalone: bool = True) -> str:
    """The page in LaTeX, for pdfLaTeX and any engine that knows Unicode.

    `standalone=False` gives the part inside the document; it needs the packages amsmath, array,
    booktabs and graphicx.
    """
    blocks = (Heading(1, document.title), *document.blocks)
    body = "\n\n".join([COMMANDS, *_parts(blocks)])
    return f"{PREAMBLE}\n\n{body}\n\n\\end{{document}}\n" if standalone else body


def _parts(blocks: tuple[Block, ...]) -> Iterator[str]:
    """Blocks one by one; formulas after each other are one display."""
    for is_formula, group in groupby(blocks, lambda block: isinstance(block, Formula)):
        if is_formula:
            lines = "\\\\\n".join(map(_block, group))
            yield f"\\begin{{gather*}}\n{lines}\n\\end{{gather*}}"
        else:
            yield from map(_block, group)


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"\\{SECTIONS[level]}{{{latex_words(text)}}}"
        case Paragraph(runs):
            return "".join(map(_run, runs))
        case Formula():
            return aligned_latex(block, new_line=r"\\", write=_math)
        case SheetTable():
            return _table(block)
        case Listing(text):
            return _listing(text)
        case Figure(_, description, text):
            told = f"\\emph{{{latex_words(description)}}}"
            return f"{told}\n\n{_listing(text)}" if text else told
        case Note(text):
            return f"{{\\small {latex_words(text)}}}"
        case Contents(headings):
            return ", ".join(latex_words(heading.text) for heading in headings)
        case KeyFacts():
            return _table(block.as_table())


def _math(math: Math) -> str:
    return math_latex(math, blank=_blank, words=latex_words)


def _blank(number: int) -> str:
    return f"\\blank{{{number}}}"


def _run(run: Run | Blank | Letter) -> str:
    if isinstance(run, Blank):
        return _blank(run.number)
    if isinstance(run, Letter):
        return f"${_math(run)}$"
    words = latex_words(run.text)
    return words if run.style == "plain" else f"\\{STYLES[run.style]}{{{words}}}"


def _listing(text: str) -> str:
    # Spaces within a line may end it, those before it or beside another may not.
    lines = [re.sub("^ +|  +", _hard_spaces, latex_words(line)) for line in text.split("\n")]
    listed = "\\\\\n".join(line or "~" for line in lines)
    return f"{{\\ttfamily\\small\\raggedright\\noindent {listed}\\par}}"


def _hard_spaces(found: re.Match[str]) -> str:
    return "~" * len(found[0])


def _table(table: SheetTable) -> str:
    align = "".join(
        BROKEN_CELL if letter == "l" and _longest(column) > WIDEST_CELL else letter
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


def _longest(column: list[Cell]) -> int:
    return max(len(cell) for cell in column if isinstance(cell, str))


def _line(cells: tuple[Cell, ...], *, strong: bool = False, depth: int = 0) -> str:
    # A bracket after the line's end would be taken for a distance.
    start = rf"{{}}\hspace*{{{depth}em}}" if depth else "{}"
    return start + " & ".join(map(partial(_cell, strong=strong), cells)) + r" \\"


def _cell(cell: Cell, *, strong: bool) -> str:
    if isinstance(cell, Blank):
        return _blank(cell.number)
    words = latex_words(cell)
    return f"\\textbf{{{words}}}" if strong and words else words
