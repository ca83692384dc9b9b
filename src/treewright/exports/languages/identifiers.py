"""Identifiers for exported code, made from column names and classes of any kind."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from treewright.exports.program import Exported

MAX_LENGTH = 40
OWN_VARIABLE = re.compile(r"(share|branch)_\d+", re.IGNORECASE)  # of nested ifs


def column_names(
    program: Exported, reserved: Collection[str], *, style: str = "snake"
) -> dict[int, str]:
    """An identifier for each used column."""
    used = program.used_columns
    names = [program.columns[column].name for column in used]
    return dict(zip(used, identifiers(names, reserved, style=style), strict=True))


def identifiers(
    names: Sequence[str],
    reserved: Collection[str] = (),
    *,
    style: str = "snake",
    noun: str = "column",
) -> list[str]:
    """Distinct ASCII identifiers, close to the names; `style` is "snake", "camel" or "upper".

    `noun` comes first if a name has no letters or begins with a digit.

    >>> identifiers(["petal width", "größe", "2nd", "class", "", "体重", "petal.width"], {"class"})
    ['petal_width', 'grosse', 'column_2nd', 'class_', 'column', 'column_2', 'petal_width_2']
    >>> identifiers(["petal width"], style="camel")
    ['petalWidth']
    """
    taken: set[str] = set()
    made = []
    for name in names:
        base = joined(words_of(name, noun), style)
        if base in reserved or OWN_VARIABLE.fullmatch(base):
            base += "_"
        unique, count = base, 1
        while unique in taken or OWN_VARIABLE.fullmatch(unique):
            count += 1
            unique = f"{base}_{count}" if base not in ("share", "branch") else f"{base}_no_{count}"
        taken.add(unique)
        made.append(unique)
    return made


def words_of(name: str, noun: str) -> list[str]:
    """The words of a name: letters and digits, at least one word, never a digit first."""
    plain = unicodedata.normalize("NFKD", name[: 4 * MAX_LENGTH].replace("ß", "ss"))
    plain = plain.encode("ascii", "ignore").decode("ascii")
    words = re.findall(r"[A-Za-z0-9]+", plain[: 2 * MAX_LENGTH])
    short: list[str] = []
    for word in words:
        if short and sum(map(len, short)) + len(word) > MAX_LENGTH:
            break
        short.append(word[:MAX_LENGTH])
    if not short or short[0][0].isdigit():
        short.insert(0, noun)
    return short


def joined(words: Sequence[str], style: str) -> str:
    if style == "camel":
        first, *others = words
        return first[0].lower() + first[1:] + "".join(word[0].upper() + word[1:] for word in others)
    text = "_".join(words)
    return text.upper() if style == "upper" else text.lower()


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


C_WORDS = words(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default
    delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new not nullptr operator or private protected public register restrict return
    short signed sizeof static static_assert struct switch template this thread_local throw true try
    typedef typename typeof union unsigned using virtual void volatile while xor
    """
)
JAVA_WORDS = words(
    """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends false final finally float for goto if implements import instanceof int interface
    long native new null package permits private protected public record return sealed short static
    strictfp super switch synchronized this throw throws transient true try var void volatile while
    yield
    """
)
# Columns become variables here, so names that the program itself defines are reserved too.
JAVASCRIPT_WORDS = words(
    """
    arguments async await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let
    new null of package private protected public return static super switch this throw true try
    typeof undefined var void while with yield
    CLASSES COSTS Infinity Math NaN Number add decide level number predict prediction predictProba
    refuseUnseen row total
    """
)
RUST_WORDS = words(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self
    static struct super trait true try type typeof unsafe unsized use virtual where while yield
    """
)
