"""What the text of a column means: numbers, dates, times, yes and no, or just categories.

The type is inferred from the whole column. If one format fits all but a few cells, the column
becomes numeric, the few count as missing, and a warning says so. If a format fits fewer cells, or
if nothing settles whether `05/06/2021` is in May or in June, the column stays text, with a hint.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import MISSING, Column, Level, NominalColumn, NumericColumn, folded
from treewright.data.formats import PLAIN, Format, Reading
from treewright.errors import DataError, ParameterError, nearest, warn_user
from treewright.plain_text import beginning, counted

# What a user may say that a column holds.
KINDS = (
    *("number", "decimal-point", "decimal-comma", "date", "day-first", "month-first"),
    *("year-first", "time", "yes-no", "text", "category"),
)
OTHER_NAMES = {
    **dict.fromkeys(("numeric", "numbers", "percent", "money"), "number"),
    **dict.fromkeys(("nominal", "categorical"), "category"),
    **dict.fromkeys(("dates", "datetime"), "date"),
    **dict.fromkeys(("boolean", "bool", "yes/no"), "yes-no"),
    "string": "text",
    "dmy": "day-first",
    "mdy": "month-first",
    "ymd": "year-first",
}
ORDERS = {"date": "any", "day-first": "dmy", "month-first": "mdy", "year-first": "ymd"}
AS_WRITTEN = ("text", "category")
DECLARED_TEXT = "text, as requested"
# Kinds that plain numbers may not be taken for: their cells are read as text first.
FROM_TEXT = ("decimal-point", "decimal-comma", *ORDERS, "time", "yes-no", "text")

# What stands for missing in a column of numbers or dates, in small letters.
MISSING_TOKENS = frozenset(
    (
        *("na", "n/a", "n.a.", "n.a", "#n/a", "#na", "nan", "null", "none", "nil", "nat", "<na>"),
        *("unknown", "unk", "missing", "not available", "not applicable", "not known", "no data"),
        *("tbd", "?", "??", "-", "--", "---", "–", "—", ".", "..", "...", "(null)"),
        *("#value!", "#ref!", "#div/0!", "#name?", "#num!", "#null!"),
        *("k.a.", "k. a.", "keine angabe", "unbekannt", "inconnu", "desconocido"),
    )
)
FEW = 0.02  # the share of the cells that need not fit the format
MANY_TEXTS = 20  # different ones, from which on digits among words are no names of groups
SAMPLE = 40  # different texts that are looked at first
YES = frozenset(("yes", "y", "ja", "j", "oui", "si", "sí", "sì", "da", "true", "t", "wahr", "vrai"))
NO = frozenset(("no", "n", "nein", "non", "nee", "false", "f", "falsch", "faux"))
PLAIN_NUMBERS = "every cell is a number"  # where a column without written numbers comes from
INFINITE = ", some of them infinite"
MISSING_WORDS_ALONE = "words that mean missing"
MOST_WORDS = len(YES) + len(NO) + len(MISSING_TOKENS)  # of a column of yes and no


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known about a text column before its cells are read."""

    kind: str = ""  # one of KINDS; "": find out
    known: Format = PLAIN  # its format in a model
    levels: tuple[Level, ...] = ()  # its categories in a model
    na: Sequence[str] | None = None  # what stands for missing beside MISSING_TOKENS; (): nothing
    comma_is_decimal: bool = False  # in other columns of the file
    merge_case: bool = False
    all_must_fit: bool = True  # if there is a kind; otherwise all but a few
    # The first row with some text, if the cells do not stand in the order of rows.
    first_row_of: Callable[[str], int] | None = None

    def stands_for_missing(self, text: str) -> bool:
        if self.na is None:
            return is_token(text)
        return text in self.na or (bool(self.na) and is_token(text))


def is_token(text: str) -> bool:
    """Whether a text stands for missing among numbers and dates."""
    return text.casefold() in MISSING_TOKENS


class CellError(DataError):
    """A cell that does not fit the declared kind of its column."""

    def __init__(self, column: str, text: str, row: int, what: str, hint: str) -> None:
        shown = beginning(text, 60)
        super().__init__(f"row {row}: `{shown}` in column `{column}` {what}", hint=hint)
        self.row = row
        self.problem = f"`{shown}` in column `{column}` {what}"


class MixedColumnError(DataError):
    """A column that holds different kinds of values in different blocks."""

    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Sequence[str], kind: str, before: str) -> "MixedColumnError":
        """The error for columns of which the first holds another kind of values than before."""
        error = cls(
            f"column `{columns[0]}` holds {kind}s, but {before}s in earlier blocks",
            hint="convert the column to one type in all blocks",
        )
        error.columns = (*columns,)
        return error


class MixedFormatError(MixedColumnError):
    """A column whose format or unit differs between blocks."""

    @classmethod
    def from_error(cls, error: DataError, columns: Sequence[str]) -> "MixedFormatError":
        """The same error, with the columns that it is about."""
        found = cls(error.args[0], hint=error.hint)
        found.columns = (*columns,)
        return found


def checked_kinds(kinds: Mapping[str, str] | None) -> dict[str, str]:
    """The kinds that a user gives to columns, by their first names."""
    found = {}
    for column, kind in (kinds or {}).items():
        name = OTHER_NAMES.get(str(kind), str(kind))
        if name not in KINDS:
            raise ParameterError(
                f"column `{column}` cannot be read as {kind!r}",
                hint=nearest(name, KINDS, "kinds"),
            )
        found[column] = name
    return found


def infer_column(column: NominalColumn, wanted: Wanted) -> Column:
    """A column of text as what its cells mean."""
    if column.level_type != "string":
        return column
    if wanted.kind in AS_WRITTEN:
        return replace(column, origin=DECLARED_TEXT)
    column = trimmed(column)
    if not column.levels:
        return column
    found = as_values(column, wanted) if wanted.kind != "yes-no" else None
    if found is not None:
        return found
    column = with_one_yes(column, wanted)
    return with_case_merged(column) if wanted.merge_case else column


def trimmed(column: NominalColumn) -> NominalColumn:
    """The column without spaces around its categories; a category of spaces is missing."""
    levels = [str(level) for level in column.levels]
    stripped = [level.strip() for level in levels]
    if stripped == levels:
        return column
    return with_levels_renamed(column, dict(zip(levels, stripped, strict=True)))


def with_levels_renamed(column: NominalColumn, name_of: Mapping[Any, str]) -> NominalColumn:
    """The column under other names of categories; equal names become one, "" is missing."""
    code_of: dict[str, int] = {"": MISSING}
    new_code = np.empty(len(column.levels) + 1, dtype=np.int32)
    new_code[-1] = MISSING
    for code, level in enumerate(column.levels):
        name = name_of[level]
        new_code[code] = code_of.setdefault(name, len(code_of) - 1)
    del code_of[""]
    codes = new_code[np.maximum(column.codes, MISSING)]
    return replace(column, codes=codes, levels=tuple(code_of))


# ---------------------------------------------------------------------------- numbers and dates


def as_values(column: NominalColumn, wanted: Wanted) -> Column | None:
    """The column as numbers, dates or times, or as text with a word on why; None: plainly text."""
    texts = [str(level) for level in column.levels]
    reader = reader_for(texts, wanted)
    if reader is None:
        return None
    is_token = np.array([wanted.stands_for_missing(text) for text in texts], dtype=np.bool_)
    asked = [text for text, token in zip(texts, is_token.tolist(), strict=True) if not token]
    if not asked:
        return None
    weights = column.counts()
    reading = reader(asked, weights[~is_token], wanted)
    if reading is None:
        if wanted.kind:
            raise misfit(column, texts, is_token, wanted)
        if reader is not read_dates:
            return None
        return replace(column, caution=f"`{asked[0]}` looks like a date, but there is no such day")
    values = np.full(len(texts) + 1, np.nan)  # the last one is read by a missing cell
    values[:-1][~is_token] = reading.values
    fits = ~np.isnan(values[:-1])
    n_known = int(weights[~is_token].sum())
    n_wrong = n_known - int(weights[fits].sum())
    if n_wrong and wanted.kind and (wanted.all_must_fit or n_wrong > FEW * n_known):
        raise misfit(column, texts, is_token | fits, wanted)
    if n_wrong > FEW * n_known:
        return text_after_all(
            column, reading, n_known - n_wrong, texts[first_of(~fits & ~is_token)]
        )
    if not reading.is_settled:
        if wanted.kind:
            raise DataError(
                f"column `{column.name}`: {reading.doubt}", hint=how_to_decide(column.name, reading)
            )
        return kept_as_text(column, reading)
    tokens = [text for text, token in zip(texts, is_token.tolist(), strict=True) if token]
    return NumericColumn(
        column.name,
        values[np.maximum(column.codes, MISSING)],
        reading.unit,
        origin=reading.words + missing_words(tokens, int(weights[is_token].sum())),
        caution=cautions(column, reading, ~fits & ~is_token, n_wrong, wanted),
        format=reading.format,
    )


Reader = Callable[[Sequence[str], Any, Wanted], Reading | None]


def likely_reading(texts: Sequence[str]) -> Reading | None:
    """What texts are in one format that fits all but a few of them; None if there is none."""
    wanted = Wanted()
    reader = reader_for(texts, wanted)
    if reader is None:
        return None
    stripped = [text.strip() for text in texts]
    weights = np.array([int(not wanted.stands_for_missing(text)) for text in stripped])
    reading = reader(stripped, weights, wanted)
    if reading is None or np.count_nonzero(~reading.fits & (weights > 0)) > FEW * weights.sum():
        return None
    return reading


def read_numbers(texts: Sequence[str], weights: Any, wanted: Wanted) -> Reading | None:
    from treewright.data.sources import written_numbers  # takes 10 ms, and few tables need it

    decimal = {"decimal-point": ".", "decimal-comma": ","}.get(wanted.kind, "")
    return written_numbers.number_reading(
        texts,
        weights,
        comma_is_decimal=wanted.comma_is_decimal,
        decimal=decimal,
        known=wanted.known,
    )


def read_dates(texts: Sequence[str], weights: Any, wanted: Wanted) -> Reading | None:
    from treewright.data.sources import written_dates

    order = ORDERS.get(wanted.kind, "")
    return written_dates.date_reading(texts, weights, order=order, known=wanted.known)


def read_times(texts: Sequence[str], weights: Any, wanted: Wanted) -> Reading | None:
    from treewright.data.sources import written_dates

    return written_dates.time_reading(texts, weights)


def reader_for(texts: Sequence[Any], wanted: Wanted) -> Reader | None:
    """What reads the texts: as the user says, or as most of a sample look; None: nothing."""
    if wanted.kind:
        if wanted.kind in ORDERS:
            return read_dates
        return read_times if wanted.kind == "time" else read_numbers
    few = [str(text).strip() for text in sampled(texts)]
    known = [text for text in few if not wanted.stands_for_missing(text)]
    sample = [text for text in known if has_digit(text)]
    if not sample or len(sample) * 2 < len(known):
        return None
    from treewright.data.sources import written_dates, written_numbers

    patterns = written_dates.PATTERNS
    n_like = {
        read_dates: sum(written_dates.split_cell(text, patterns) is not None for text in sample),
        read_times: sum(written_dates.TIME.fullmatch(text) is not None for text in sample),
        read_numbers: sum(written_numbers.split_cell(text) is not None for text in sample),
    }
    best = max(n_like, key=lambda reader: n_like[reader])
    return best if n_like[best] * 2 >= len(sample) else None


def sampled(texts: Sequence[Any]) -> Sequence[Any]:
    """A few of them, from all over the column."""
    return texts[:: max(1, len(texts) // SAMPLE)]


def has_digit(text: str) -> bool:
    return not text.isalpha() and any(letter.isdigit() for letter in text)


def first_of(mask: NDArray[np.bool_]) -> int:
    return int(np.argmax(mask))


def cautions(
    column: NominalColumn,
    reading: Reading,
    wrong: NDArray[np.bool_],
    n_wrong: int,
    wanted: Wanted,
) -> str:
    """What the values no longer show: cells that did not fit, and readings that would fit too."""
    found = []
    if n_wrong:
        level = first_of(wrong)
        if wanted.first_row_of is not None:
            row = wanted.first_row_of(str(column.levels[level]))
        else:
            row = int(np.argmax(column.codes == level))
        found.append(
            f"{counted(n_wrong, 'cell does', 'cells do')} not fit and "
            f"{'counts' if n_wrong == 1 else 'count'} as missing, first "
            f"`{beginning(str(column.levels[level]), 40)}` in row {row}"
        )
    if reading.doubt:
        found.append(f"{reading.doubt} ({kinds_text(column.name, reading.ways[:1])} changes this)")
    return "; ".join(found)


def missing_words(tokens: Sequence[str], n_cells: int) -> str:
    if not tokens:
        return ""
    shown = ", ".join(f"`{token}`" for token in tokens[:3]) + (", ..." if len(tokens) > 3 else "")
    return f"; missing: {shown} ({n_cells:,})"


def text_after_all(
    column: NominalColumn, reading: Reading, n_fit: int, other: str
) -> Column | None:
    """The column as text if a format fits half of it; None where that is too few to mention."""
    n_known = len(column) - column.n_missing
    are_groups = reading.format == PLAIN and len(column.levels) < MANY_TEXTS  # 2, 3, 4, more
    if n_fit * 2 < n_known or are_groups:
        return None
    what = reading.words.partition(",")[0]
    caution = (
        f"{n_fit:,} of {n_known:,} cells are {what}, but others are not, such as "
        f"`{beginning(other, 40)}`: read as text; if such cells mean missing, list them (na=)"
    )
    return replace(column, caution=caution)


def kept_as_text(column: NominalColumn, reading: Reading) -> NominalColumn:
    """The column as text, with what would settle how to read it."""
    return replace(column, caution=f"{reading.doubt}: {how_to_decide(column.name, reading)}")


def how_to_decide(name: str, reading: Reading) -> str:
    return f"give {kinds_text(name, reading.ways)}"


def kinds_text(name: str, kinds: Sequence[str]) -> str:
    """How a user says what a column holds, in Python; commands rewrite it."""
    return " or ".join(f'columns={{"{name}": "{kind}"}}' for kind in kinds)


def misfit(
    column: NominalColumn, texts: Sequence[str], fine: NDArray[np.bool_], wanted: Wanted
) -> CellError:
    """The error for the first cell that is not what the column is said to hold."""
    wrong = np.append(~fine, False)[np.maximum(column.codes, MISSING)]
    row = first_of(wrong)
    words = {"time": "is not a time", "yes-no": "is not yes or no"}
    words |= dict.fromkeys(ORDERS, "is not a date")
    what = words.get(wanted.kind, "is not a number")
    if wanted.kind in ("day-first", "month-first", "year-first"):
        what += f" with the {wanted.kind.removesuffix('-first')} first"
    n_wrong = int(np.count_nonzero(wrong))
    others = f" (and {counted(n_wrong - 1, 'other cell')})" if n_wrong > 1 else ""
    hint = "if it means missing, list it in na=; otherwise leave the column text"
    return CellError(column.name, texts[column.codes[row]], row, what + others, hint)


def value_of_text(text: str, name: str, unit: str, form: Format) -> Any:
    """A value that a user types for a numeric column of a model: `$950`, `May`, `19.10.2017`."""
    if form.kind in ("month", "weekday"):
        names = [form.bound_text(at, "").casefold() for at in range(1, 13)]
        found = [at for at, own in enumerate(names, 1) if own and text.casefold() in (own, own[:3])]
        if found:
            return float(found[0])
    kind = "number"
    if unit:
        kind = "date" if unit.startswith("datetime64") else "time"
    column = NominalColumn(name, np.zeros(1, dtype=np.int32), (text.strip(),))
    known = form if not form.is_part else PLAIN
    typed = infer_column(column, Wanted(kind, known, na=()))
    return typed.value(0)


# ---------------------------------------------------------------------------- categories


def are_yes_no(levels: Collection[Any]) -> bool:
    """Whether all categories mean yes, no or missing, and at least one means yes or no."""
    if len(levels) > MOST_WORDS:
        return False
    words = [*map(str, levels)]
    return any(map(side_of, words)) and all(side_of(word) or is_token(word) for word in words)


def mix_yes_no_spellings(levels: Collection[Any]) -> bool:
    """Whether all categories mean yes, no or missing, and yes or no has several spellings."""
    sides = [side for level in levels if (side := side_of(str(level)))]
    return are_yes_no(levels) and len(sides) > len({*sides})


def with_one_yes(column: NominalColumn, wanted: Wanted) -> NominalColumn:
    """A column of `yes`, `Y`, `no`, `N` ... with one spelling of each; others stay as they are.

    A model's own spellings count, where it has them; otherwise the most frequent ones.
    """
    if len(column.levels) > MOST_WORDS:
        return column
    sides = {level: side_of(str(level)) for level in column.levels}
    spellings = [level for level, side in sides.items() if side]
    others = [level for level, side in sides.items() if not side]
    if wanted.kind == "yes-no":
        if others:
            fine = np.array([bool(sides[level]) for level in column.levels])
            raise misfit(column, [str(level) for level in column.levels], fine, wanted)
    elif not all(level in wanted.levels or is_token(str(level)) for level in others):
        return column
    own = {side_of(str(level)): str(level) for level in wanted.levels}
    if wanted.levels and not {"yes", "no"} <= own.keys():
        return column  # `N` is no in a column of `Y` and `N` only, not in one of `N` and `S`
    if len(spellings) <= len({sides[level] for level in spellings}) and not own:
        return column
    counts = column.counts().tolist()
    by_side: dict[str, Counter[str]] = {"yes": Counter(), "no": Counter()}
    for level, count in zip(column.levels, counts, strict=True):
        if sides[level]:
            by_side[sides[level]][str(level)] = count
    spelled = {side: own.get(side) or (max(found, key=lambda one: found[one]) if found else side)
               for side, found in by_side.items()}  # fmt: skip
    known = set(wanted.levels)
    names = {
        level: str(level) if not sides[level] or level in known else spelled[sides[level]]
        for level in column.levels
    }
    if all(names[level] == level for level in column.levels):
        return column
    renamed = with_levels_renamed(column, names)
    merged = ", ".join(f"`{level}`" for level in spellings[:6])
    return replace(renamed, origin=f"yes or no, written as {merged}")


def with_model_spelling(column: NominalColumn, levels: tuple[Level, ...]) -> NominalColumn:
    """Categories without spaces around them, and with the model's own words for yes and no."""
    known = set(levels)
    if known.issuperset(column.levels):
        return column
    names = {one: str(one) if one in known else str(one).strip() for one in column.levels}
    return with_one_yes(with_levels_renamed(column, names), Wanted(levels=levels))


def side_of(level: str) -> str:
    """ "yes", "no", or "" for any other word."""
    word = level.casefold()
    return "yes" if word in YES else "no" if word in NO else ""


def with_case_merged(column: NominalColumn) -> NominalColumn:
    """Categories that differ only in case or inner spaces as one, by the most frequent spelling."""
    counts = column.counts().tolist()
    spellings: dict[str, Counter[str]] = {}
    for level, count in zip(column.levels, counts, strict=True):
        spellings.setdefault(folded(str(level)), Counter())[str(level)] = count
    if len(spellings) == len(column.levels):
        return replace(column, merges_case=True)
    best = {key: max(found, key=lambda one: found[one]) for key, found in spellings.items()}
    names = {level: best[folded(str(level))] for level in column.levels}
    n_merged = len(column.levels) - len(spellings)
    origin = f"{column.origin}; {counted(n_merged, 'spelling')} in another case merged"
    return replace(with_levels_renamed(column, names), origin=origin, merges_case=True)


# ---------------------------------------------------------------------------- warnings


def warn_of_lost_cells(columns: Sequence[Column], names: Collection[str] | None = None) -> None:
    """Warn where cells count as missing because they do not fit, or dates stay text.

    `names` are the columns that are asked for; None: all.
    """
    lost = [
        f"`{column.name}`: {column.caution}"
        for column in columns
        if ("not fit" in column.caution or "settles" in column.caution)
        and (names is None or column.name in names)
    ]
    if lost:
        warn_user("; ".join(lost))
