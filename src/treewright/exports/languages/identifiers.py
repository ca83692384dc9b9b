"""Names that a program can use, made from names that may be anything."""

import re
import unicodedata
from collections.abc import Collection, Sequence

LONGEST = 40
OF_THE_PROGRAM = re.compile(r"(share|branch)_\d+", re.IGNORECASE)  # what nested ifs call their own


def identifiers(
    names: Sequence[str],
    reserved: Collection[str] = (),
    *,
    style: str = "snake",
    noun: str = "column",
) -> list[str]:
    """Distinct ASCII identifiers, close to the names; `style` is "snake", "camel" or "upper".

    `noun` stands where a name has no letters, or begins with a digit.

    >>> identifiers(["petal width", "größe", "2nd", "class", "", "体重", "petal.width"], {"class"})
    ['petal_width', 'grosse', 'column_2nd', 'class_', 'column', 'column_2', 'petal_width_2']
    >>> identifiers(["petal width"], style="camel")
    ['petalWidth']
    """
    taken: set[str] = set()
    made = []
    for name in names:
        words = words_of(name, noun)
        base = joined(words, style)
        if base in reserved or OF_THE_PROGRAM.fullmatch(base):
            base += "_"
        unique, count = base, 1
        while unique in taken or OF_THE_PROGRAM.fullmatch(unique):
            count += 1
            unique = f"{base}_{count}" if base not in ("share", "branch") else f"{base}_no_{count}"
        taken.add(unique)
        made.append(unique)
    return made


def words_of(name: str, noun: str) -> list[str]:
    """The letters and digits of a name as words; never without a word, never a digit first."""
    plain = unicodedata.normalize("NFKD", name[: 4 * LONGEST].replace("ß", "ss"))
    plain = plain.encode("ascii", "ignore").decode("ascii")
    words = re.findall(r"[A-Za-z0-9]+", plain[: 2 * LONGEST])
    short: list[str] = []
    for word in words:
        if short and sum(map(len, short)) + len(word) > LONGEST:
            break
        short.append(word[:LONGEST])
    if not short or short[0][0].isdigit():
        short.insert(0, noun)
    return short


def joined(words: Sequence[str], style: str) -> str:
    if style == "camel":
        first, *others = words
        return first[0].lower() + first[1:] + "".join(word[0].upper() + word[1:] for word in others)
    text = "_".join(words)
    return text.upper() if style == "upper" else text.lower()


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


C_WORDS = words_in(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default
    delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new not nullptr operator or private protected public register restrict return
    short signed sizeof static static_assert struct switch template this thread_local throw true try
    typedef typename typeof union unsigned using virtual void volatile while xor
    """
)
JAVA_WORDS = words_in(
    """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends false final finally float for goto if implements import instanceof int interface
    long native new null package permits private protected public record return sealed short static
    strictfp super switch synchronized this throw throws transient true try var void volatile while
    yield
    """
)
# Columns become variables here, so what the program itself defines is taken too.
JAVASCRIPT_WORDS = words_in(
    """
    arguments async await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let
    new null of package private protected public return static super switch this throw true try
    typeof undefined var void while with yield
    CLASSES COSTS Infinity Math NaN Number add answer decide level number predict predictProba
    refuseUnseen row total
    """
)
RUST_WORDS = words_in(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self
    static struct super trait true try type typeof unsafe unsized use virtual where while yield
    """
)
