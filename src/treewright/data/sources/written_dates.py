"""Dates and times as people write them: `19.10.2017`, `05/06/2021`, `Jan 2021`, `10:30`.

The format is inferred from all texts together: `05/06/2021` is June 5 if another cell is
`25/06/2021`. Where no cell settles which number is the day, the reading says so.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import (
    LAST_YEAR_OF_2000,
    MONTHS,
    PLAIN,
    Format,
    Reading,
    fields_of,
    short_month,
)

Weights = NDArray[np.int64]

NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
YEAR = r"(?P<year>\d{4}|'?\d\d)"
# Each form of a date, and the order of its parts; "?": the numbers `a` and `b` may be either.
FORMS: tuple[tuple[str, str], ...] = (
    (r"(?P<year>\d{4})(?P<sep>[./-])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})", "ymd"),
    (r"(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)", "?"),
    (rf"{DAY}(?P<sep>[ -]?){NAME}[ ,-]*{YEAR}", "dmy"),
    (rf"{NAME}(?P<sep>[ -]?){DAY},? +{YEAR}", "mdy"),
    (rf"{NAME}(?P<sep>[ /-]?)(?P<year>\d{{4}}|'\d\d)", "my"),
    (rf"{NAME}(?P<sep>-)(?P<year>\d\d)", "my"),
    (rf"(?P<year>\d{{4}})(?P<sep>[ -]){NAME}", "ym"),
    (r"(?P<month>\d{1,2})(?P<sep>[./-])(?P<year>\d{4})", "my"),
    (r"(?P<year>\d{4})(?P<sep>[./-])(?P<month>\d\d)", "ym"),
)
COMPACT = (r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)", "ymd")  # if it is said to be a date
CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?P<fraction>\.\d{1,9})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
ZONE = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?"
MOMENT = re.compile(rf"(?P<date>.*?\w)(?:(?P<joint>T|,? +){CLOCK}{ZONE})?")
TIME = re.compile(CLOCK)
WEEKDAY = re.compile(
    r"(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)[^\W\d_]*\.?,? +", re.IGNORECASE
)
PATTERNS = [(re.compile(form), order) for form, order in FORMS]
WITH_COMPACT = [*PATTERNS, (re.compile(COMPACT[0]), COMPACT[1])]
EARLIEST, LATEST = 1000, 9999  # years of four digits
LONGEST = 60  # letters of a date
MANY_TEXTS = 2_000  # of more, a sample says in which pattern all may be written


def month_numbers() -> dict[str, tuple[int, str]]:
    """The number and the language of each name of a month, in small letters."""
    found: dict[str, tuple[int, str]] = {"sept": (9, "")}
    for language, names in MONTHS.items():
        code = "" if language == "en" else language
        for number, name in enumerate(names, 1):
            for spelled in (name, short_month(name, code)):
                found.setdefault(spelled.casefold(), (number, code))
    return found


MONTH_OF = month_numbers()


@dataclass(frozen=True, slots=True)
class Cell:
    """One written date: the days that each order makes of it, and how it is written."""

    days: dict[str, int]  # by order, since 1970-01-01
    seconds: float  # of the time of day, in universal time if the cell has a zone
    style: tuple[str, ...]  # of the date and of the time: fields of a pattern
    language: str
    separator: str


def split_cell(text: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> Cell | None:
    """A text that is written as a date, also if no such day exists; None for other texts."""
    if len(text) > LONGEST or not any(letter.isdigit() for letter in text):
        return None
    text = text[found.end() :] if (found := WEEKDAY.match(text)) else text
    whole = MOMENT.fullmatch(text)
    if whole is None:
        return None
    for pattern, order in patterns:
        if found := pattern.fullmatch(whole["date"]):
            parts = found.groupdict()
            named = parts.get("name")
            if named and named.casefold() not in MONTH_OF:
                continue
            return dated_cell(parts, order, whole)
    return None


def dated_cell(parts: dict[str, str], order: str, whole: re.Match[str]) -> Cell:
    number, language = MONTH_OF[parts["name"].casefold()] if parts.get("name") else (0, "")
    year = full_year(parts["year"])
    days: dict[str, int] = {}
    if order == "?":
        a, b = int(parts["a"]), int(parts["b"])
        choices = {"dmy": (b, a), "mdy": (a, b)}
    else:
        choices = {order: (number or int(parts["month"]), int(parts.get("day") or 1))}
    for name, (month, day) in choices.items():
        if (count := day_count(year, month, day)) is not None:
            days[name] = count
    return Cell(
        days, seconds_of(whole), style_of(parts, order, whole), language, parts.get("sep") or ""
    )


def full_year(text: str) -> int:
    """The year; of two digits the one between 1969 and 2068."""
    year = int(text.lstrip("'"))
    if len(text.lstrip("'")) > 2:
        return year
    return year + (2000 if year <= LAST_YEAR_OF_2000 else 1900)


def day_count(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01; None if there is no such day."""
    if not EARLIEST <= year <= LATEST:
        return None
    try:
        return dt.date(year, month, day).toordinal() - EPOCH
    except ValueError:
        return None


EPOCH = dt.date(1970, 1, 1).toordinal()


def seconds_of(found: re.Match[str]) -> float:
    """The seconds since midnight; NaN if there is no such time."""
    if found["hour"] is None:
        return 0.0
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return np.nan
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    zone = found.groupdict().get("zone") or ""
    if "joint" in found.groupdict() and hour > 23:
        return np.nan
    seconds = hour * 3600 + int(found["minute"]) * 60 + int(found["second"] or 0)
    if zone[:1] in ("+", "-"):
        ahead = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
        seconds -= ahead if zone[0] == "+" else -ahead
    return seconds + float(found["fraction"] or 0)


# ---------------------------------------------------------------------------- how it is written


def style_of(parts: dict[str, str], order: str, whole: re.Match[str]) -> tuple[str, ...]:
    """The date and the time as a pattern; a date that may be either way has `A` and `B` fields."""
    sep = parts.get("sep") or ""
    year = "YYYY" if len(parts["year"]) == 4 else ("'YY" if parts["year"][0] == "'" else "YY")
    if order == "?":
        date = f"{'A' * len(parts['a'])}{sep}{'B' * len(parts['b'])}{sep}{year}"
    elif parts.get("name"):
        short = len(parts["name"]) <= 4 and parts["name"].casefold() not in ("juni", "july", "juli")
        day = "D" * len(parts.get("day") or "") + ("." if ". " in whole["date"][:4] else "")
        date = named_style(order, sep or " ", day, "MMM" if short else "MMMM", year)
    else:
        fields = {"y": year, "m": "M" * len(parts["month"]), "d": "D" * len(parts.get("day") or "")}
        date = sep.join(fields[letter] for letter in order)
    return date, clock_style(whole) if whole["hour"] is not None else ""


def named_style(order: str, sep: str, day: str, month: str, year: str) -> str:
    if order == "dmy":
        return sep.join((day, month, year))
    if order == "mdy":
        return f"{month} {day}, {year}"
    return sep.join((month, year) if order == "my" else (year, month))


def clock_style(found: re.Match[str]) -> str:
    hour = "hh" if len(found["hour"]) == 2 else "h"
    seconds = ":ss" if found["second"] else ""
    return f"{hour}:mm{seconds}{' AM' if found['half'] else ''}"


def common_pattern(cells: Sequence[Cell], weights: Sequence[int], order: str) -> tuple[str, str]:
    """The pattern of most cells; days without a zero in front have one letter."""
    styles: Counter[tuple[str, ...]] = Counter()
    for cell, weight in zip(cells, weights, strict=True):
        styles[cell.style] += weight
    date, clock = styles.most_common(1)[0][0]
    # One cell such as 5.6. shows that 15.10. has no zeros to write; so does 9:30 for 10:30.
    dates = [style[0] for style in styles if style[0].count(".") == date.count(".")]
    for double, single in (("AA", "A"), ("BB", "B"), ("DD", "D")):
        if any(single in other and double not in other for other in dates):
            date = date.replace(double, single)
    if any(style[1].startswith("h:") for style in styles):
        clock = clock.replace("hh", "h")
    first, second = ("D", "M") if order == "dmy" else ("M", "D")
    return date.replace("A", first).replace("B", second), clock


# ---------------------------------------------------------------------------- whole columns


def date_reading(
    texts: Sequence[str], weights: Weights, *, order: str = "", known: Format = PLAIN
) -> Reading | None:
    """Texts as dates in the order that fits most cells; None if none is written as a date.

    Parameters
    ----------
    order
        `dmy`, `mdy` or `ymd`, where it is given; "any" if the texts are said to be dates.
    known
        The format of the column in a model, which settles what the column itself does not.
    """
    if len(texts) > MANY_TEXTS:
        some = slice(None, None, len(texts) // MANY_TEXTS + 1)
        sample = date_reading(texts[some], weights[some], order=order, known=known)
        values = None if sample is None else quick_counts(texts, sample)
        if sample is not None and values is not None:
            return replace(sample, values=values)
    patterns = WITH_COMPACT if order else PATTERNS
    split = [split_cell(text, patterns) for text in texts]
    if not any(split):
        return None
    scores: Counter[str] = Counter()
    for cell, weight in zip(split, weights.tolist(), strict=True):
        for one in cell.days if cell else ():
            scores[one] += weight
    chosen, reason, doubt = chosen_order(texts, split, scores, order, known)
    if not chosen:
        return None
    days = np.array([cell.days.get(chosen, np.nan) if cell else np.nan for cell in split])
    seconds = np.array([cell.seconds if cell else np.nan for cell in split])
    fitting = ~np.isnan(days + seconds)
    if not fitting.any():
        return None
    own = [cell for cell, fits in zip(split, fitting, strict=True) if cell and fits]
    date, clock = common_pattern(own, weights[fitting].tolist(), chosen)
    values, unit = counted_in(days, seconds, has_clock=any(cell.style[1] for cell in own))
    pattern = f"{date} {clock}".strip()
    language = next((cell.language for cell in own if cell.language), "")
    form = PLAIN
    if not pattern.startswith("YYYY-MM-DD"):
        form = Format("date", pattern=pattern, language=language)
    example = next(text for text, fits in zip(texts, fitting, strict=True) if fits)
    words = f"dates, {pattern}" + (reason or f", as in `{example}`")
    ways = ("day-first", "month-first") if doubt else ()
    return Reading(form, values, words, unit, doubt, ways, is_settled=not doubt)


QUICK_FIELDS = {"YYYY": r"(\d{4})", "mm": r"([0-5]\d)", "ss": r"([0-5]\d)"} | dict.fromkeys(
    ("MM", "M", "DD", "D", "hh", "h"), r"(\d\d?)"
)


def quick_counts(texts: Sequence[str], sample: Reading) -> Floats | None:
    """The counts of texts that are all written in a pattern of numbers; None if one is not.

    Where a sample left the order of day and month open, others may settle it: None, too.
    """
    fields = fields_of(sample.format.pattern)
    shown = [field for field in fields if field in QUICK_FIELDS]
    if not sample.is_settled or not {"YYYY"} <= set(shown) or set("".join(fields)) & set("AT'"):
        return None
    if any(field[0] in "YMDhms" and field not in QUICK_FIELDS for field in fields):
        return None
    line = "".join(QUICK_FIELDS.get(field, re.escape(field)) for field in fields)
    found = re.findall(f"^{line}$", "\n".join(texts), re.MULTILINE)
    if len(found) != len(texts):
        return None
    numbers = np.array(found, dtype=np.int64).reshape(len(texts), -1)
    by_field = {field[0]: numbers[:, at] for at, field in enumerate(shown)}
    months = (by_field["Y"] - 1970) * 12 + by_field["M"] - 1
    day = by_field.get("D", np.ones_like(months))
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    days = first + (day - 1)
    in_order = (by_field["M"] >= 1) & (by_field["M"] <= 12) & (day >= 1)
    if not (in_order & (days.astype("datetime64[M]").astype(np.int64) == months)).all():
        return None
    hours, minutes, seconds = (by_field.get(one, np.zeros_like(months)) for one in "hms")
    if (hours > 23).any():
        return None
    counts, unit = counted_in(
        days.astype(np.float64),
        (hours * 3600 + minutes * 60 + seconds).astype(np.float64),
        has_clock="h" in by_field,
    )
    return counts if unit == sample.unit else None


def chosen_order(
    texts: Sequence[str],
    cells: Sequence[Cell | None],
    scores: Counter[str],
    order: str,
    known: Format,
) -> tuple[str, str, str]:
    """The order of day, month and year, how it is known, and in words what is not."""
    if order in ("dmy", "mdy", "ymd"):
        return (order, ", as requested", "") if scores[order] else ("", "", "")
    if not scores:
        return "", "", ""
    best = max(scores, key=lambda one: (scores[one], one))
    if best not in ("dmy", "mdy"):
        return best, "", ""
    other = "mdy" if best == "dmy" else "dmy"
    differing = [
        at
        for at, cell in enumerate(cells)
        if cell and len(cell.days) == 2 and cell.days["dmy"] != cell.days["mdy"]
    ]
    if scores[other] == scores[best] and differing:
        if known.order in ("dmy", "mdy"):
            return known.order, ", as in the training rows", ""
        cell = cells[differing[0]]
        assert cell is not None
        if all(cells[at].separator == "." for at in differing):  # type: ignore[union-attr]
            return "dmy", "; with dots, the day comes first", ""
        return best, "", doubt_text(texts[differing[0]], cell)
    settling = next(
        (
            text
            for text, cell in zip(texts, cells, strict=True)
            if cell and best in cell.days and other not in cell.days and cell.style[0][0] == "A"
        ),
        "",
    )
    return best, f"; `{settling}` settles the order" if settling else "", ""


def doubt_text(text: str, cell: Cell) -> str:
    """`05/06/2021` may be 2021-06-05 or 2021-05-06."""
    dates = [np.datetime64(cell.days[order], "D") for order in ("dmy", "mdy")]
    return f"`{text}` may be {dates[0]} or {dates[1]}, and no cell settles it"


def counted_in(days: Floats, seconds: Floats, *, has_clock: bool) -> tuple[Floats, str]:
    """Counts of the coarsest unit in which all are whole: days, minutes, seconds or less."""
    if not has_clock:
        return days, "datetime64[D]"
    for unit, size in (("m", 60.0), ("s", 1.0)):
        within = seconds[~np.isnan(seconds)] / size
        if (within == np.floor(within)).all():
            return days * (86_400 / size) + seconds / size, f"datetime64[{unit}]"
    return days * 86_400e6 + np.round(seconds * 1e6), "datetime64[us]"


def time_reading(texts: Sequence[str], weights: Weights) -> Reading | None:
    """Texts as times of day, which count minutes or seconds since midnight."""
    found = [TIME.fullmatch(text) for text in texts]
    if not any(found):
        return None
    seconds = np.array([seconds_of(one) if one else np.nan for one in found])
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return None
    styles: Counter[str] = Counter()
    for one, weight in zip(found, weights.tolist(), strict=True):
        styles[clock_style(one) if one else ""] += weight
    del styles[""]
    pattern = styles.most_common(1)[0][0]
    if any(style.startswith("h:") for style in styles):
        pattern = pattern.replace("hh", "h")
    unit, size = ("m", 60.0) if ":ss" not in "".join(styles) else ("s", 1.0)
    if (known != np.floor(known)).any():
        unit, size = "us", 1e-6
    example = next(text for text, value in zip(texts, seconds, strict=True) if value == value)
    values = np.round(seconds / size)
    words = f"times, {pattern}, as in `{example}`"
    return Reading(Format("time", pattern=pattern), values, words, f"timedelta64[{unit}]")
