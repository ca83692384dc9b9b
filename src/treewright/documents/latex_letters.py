r"""Letters that pdfLaTeX does not know, so that any name compiles with any engine.

What is beyond Latin letters and common signs is written twice, `\letters{אב}{05D0 05D1}`: engines
for Unicode set the first, pdfLaTeX the numbers in the second. Greek letters are set as formulas.
"""

import re
import unicodedata

from treewright.plain_text import plain
from treewright.tree.escaping import latex

# Latin letters that the encoding T1 lacks, and what may be typed beyond them.
NOT_IN_T1 = frozenset("ĦħĸĿŀŉŦŧ\u00ad")
MORE_SIGNS = frozenset("–—‘’‚“”„†‡•…‰‹›€™")
STRANGE = re.compile(r"[^\x00-\x7f]+")
GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)$")
# Greek letters that look like Latin ones have no command of their own.
LATIN_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True))
AS_FORMULAS = {"≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "−": "-", "→": r"\to", "∞": r"\infty"}

DEFINITIONS = r"""\providecommand{\letters}[2]{\ifdefined\Umathchar#1\else\texttt{U+#2}\fi}"""


def latex_words(text: str) -> str:
    r"""A name or sentence in LaTeX; see `DEFINITIONS` for the command that it may use.

    >>> latex_words("50 % of 漢")
    '50 \\% of \\letters{漢}{6F22}'
    """
    # A straight quote has a name of its own in some encodings only.
    escaped = latex(plain(text)).replace(r"\textquotedbl{}", r"\symbol{34}")
    return STRANGE.sub(lambda found: _strange(found[0]), escaped)


def _strange(run: str) -> str:
    text, unknown = "", ""
    for letter in run:
        known = _known(letter)
        if known is None:
            unknown += letter
            continue
        text += _numbered(unknown) + known
        unknown = ""
    return text + _numbered(unknown)


def _known(letter: str) -> str | None:
    """How pdfLaTeX sets a letter; None if it cannot."""
    if letter in AS_FORMULAS:
        return rf"\ensuremath{{{AS_FORMULAS[letter]}}}"
    if letter in LATIN_CAPITALS:
        return LATIN_CAPITALS[letter]
    if letter in MORE_SIGNS or ("\u00a0" < letter < "\u017f" and letter not in NOT_IN_T1):
        return letter
    greek = GREEK.match(unicodedata.name(letter, ""))
    if greek is None or not "\u0391" <= letter <= "\u03c9":
        return None
    name = greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    return rf"\ensuremath{{\{name.replace('lamda', 'lambda').replace('Lamda', 'Lambda')}}}"


def _numbered(letters: str) -> str:
    if not letters:
        return ""
    numbers = " ".join(f"{ord(letter):04X}" for letter in letters)
    return rf"\letters{{{letters}}}{{{numbers}}}"
