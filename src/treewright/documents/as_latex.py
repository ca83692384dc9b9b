"""A page in LaTeX."""

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
from treewright.tree.escaping import latex

PREAMBLE = r"""\documentclass{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\fi
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\begin{document}"""
SECTIONS = {1: "section*", 2: "subsection*", 3: "subsubsection*"}
STYLES = {"strong": "textbf", "code": "texttt"}


def to_latex(document: Document, *, standalone: bool = True) -> str:
    """The page in LaTeX: a document of its own, or a part that needs `amsmath`.

    Names in letters beyond Latin need an engine that has them: XeLaTeX, LuaLaTeX or Tectonic.
    """
    blocks = [_block(block) for block in (Heading(1, document.title), *document.blocks)]
    body = "\n\n".join(blocks)
    return f"{PREAMBLE}\n\n{body}\n\n\\end{{document}}\n" if standalone else body


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"\\{SECTIONS[level]}{{{_words(text)}}}"
        case Paragraph(runs):
            return "".join(map(_run, runs))
        case Formula(written, _):
            return f"\\[{written}\\]"
        case SheetTable():
            return _table(block)
        case Listing(text):
            lines = [_words(line).replace(" ", "~") for line in text.split("\n")]
            return "{\\ttfamily\\noindent " + "\\\\\n".join(line or "~" for line in lines) + "}"
        case Figure(_, description):
            return f"\\emph{{{_words(description)}}}"
        case Note(text):
            return f"{{\\small {_words(text)}}}"


def _run(run: Run) -> str:
    words = _words(run.text)
    return words if run.style == "plain" else f"\\{STYLES[run.style]}{{{words}}}"


def _table(table: SheetTable) -> str:
    lines = [
        f"\\begin{{tabular}}{{{table.align}}}",
        r"\hline",
        _line(table.columns),
        r"\hline",
        *(_line(row, strong=number in table.marked) for number, row in enumerate(table.rows)),
        r"\hline",
        r"\end{tabular}",
    ]
    text = "\n".join(lines)
    return f"{_words(table.caption)}:\n\n{text}" if table.caption else text


def _line(cells: tuple[str, ...], *, strong: bool = False) -> str:
    words = [f"\\textbf{{{_words(cell)}}}" if strong else _words(cell) for cell in cells]
    # A bracket after the line's end would be taken for a distance.
    return "{}" + " & ".join(words) + r" \\"


def _words(text: str) -> str:
    return latex(plain(text))
