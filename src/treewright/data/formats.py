"""How the values of a numeric column are written: `$101,508`, `22.2%`, `19.10.2017`, `10:30`.

A column holds plain numbers whatever its format is. The format is for text alone: readers use it to
read cells, and whatever shows a threshold or a value writes it as the table does.
"""

import re
from dataclasses import dataclass, fields
from math import floor, isfinite, log10
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ModelFileError
from treewright.plain_text import number_text

FormatKind = Literal["number", "date", "time", "year", "month", "weekday", "hour"]
Part = Literal["year", "month", "weekday", "hour"]
PARTS: tuple[Part, ...] = get_args(Part)

DECIMAL_MARKS = (".", ",")
THOUSANDS_MARKS = ("", ",", ".", " ", "'")
# One field of a date or a time, or what stands between two.
FIELD = re.compile(r"YYYY|YY|MMMM|MMM|MM|M|DD|D|hh|h|mm|ss|AM|[ ./:,T'-]+")
LONGEST_SIGN = 24  # letters of a unit or a currency in a file
SYMBOLS = "$€£¥₹₽₩₺₴₫฿₪₱₦"  # of currencies
SIGN = re.compile(rf"[\w%‰°²³./ {SYMBOLS}]*")  # a unit or a currency, with the space beside it
MEAN_DIGITS = 4  # of a mean of numbers that have a unit or a currency
LAST_YEAR_OF_2000 = 68  # two digits up to these mean 20.., others 19.., as in POSIX

MONTHS: dict[str, tuple[str, ...]] = {
    "en": (
        *("January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    ),
    "de": (
        *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August"),
        *("September", "Oktober", "November", "Dezember"),
    ),
    "fr": (
        *("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août"),
        *("septembre", "octobre", "novembre", "décembre"),
    ),
    "es": (
        *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto"),
        *("septiembre", "octubre", "noviembre", "diciembre"),
    ),
}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Format:
    """How the numbers of a column are written; the default is `1234.5`.

    >>> Format(before="$", thousands=",").number_text("101508")
    '$101,508'
    >>> Format(after=" €", decimal=",", thousands=".").number_text("-1234.5")
    '-1.234,5 €'
    """

    kind: FormatKind = "number"
    before: str = ""  # "$", "EUR "
    after: str = ""  # "%", " kg", " €"
    decimal: str = "."
    thousands: str = ""
    pattern: str = ""  # of a date or a time: DD.MM.YYYY, MMM YYYY, hh:mm
    language: str = ""  # of the names of months; "": English
    of: str = ""  # the column of dates that the values are the year, the month ... of

    @property
    def is_part(self) -> bool:
        """Whether values are a part of the dates of another column."""
        return self.kind in PARTS

    @property
    def sign(self) -> str:
        """The currency, the percent sign or the unit; "" for plain numbers.

        >>> Format(after=" kg").sign
        'kg'
        """
        return (self.before or self.after).strip()

    @property
    def order(self) -> str:
        """In which order a date has its day, month and year: `dmy`, `mdy`, `ymd`, `my` ...

        >>> Format("date", pattern="DD.MM.YYYY hh:mm").order
        'dmy'
        """
        found = [field[0].lower() for field in fields_of(self.pattern) if field[0] in "DMY"]
        return "".join(found)

    def number_text(self, text: str) -> str:
        """A number, given as plain text, in this format."""
        if self.is_plain_number:
            return text
        minus, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        whole, point, rest = digits.partition(".")
        if self.thousands and whole.isdigit():
            whole = f"{int(whole):,}".replace(",", self.thousands)
        return f"{minus}{self.before}{whole}{self.decimal if point else ''}{rest}{self.after}"

    def value_text(self, number: float, decimals: int | None = None) -> str:
        """A number of the target, such as a mean: four digits, and all before the point.

        >>> Format(before="$", thousands=",").value_text(121607.66)
        '$121,608'
        >>> Format(after="%").value_text(9.16021)
        '9.16%'
        """
        if decimals is None and not self.is_plain_number and isfinite(number) and number:
            decimals = max(0, MEAN_DIGITS - 1 - floor(log10(abs(number))))
        return self.number_text(number_text(number, decimals))

    @property
    def is_plain_number(self) -> bool:
        return self == PLAIN or self.kind in ("year", "hour")

    def bound_text(self, bound: float, text: str) -> str:
        """A threshold, whose plain text is `text`: `March` for a month of at most 3.5."""
        if self.kind in ("month", "weekday") and isfinite(bound):
            names = MONTHS["en"] if self.kind == "month" else WEEKDAYS
            at = floor(bound)
            return names[at - 1] if 1 <= at <= len(names) else text
        return self.number_text(text)

    def time_text(self, count: int, unit: str) -> str:
        """A date, a moment or a time of day; "" where the pattern has no text for it.

        >>> Format("date", pattern="DD.MM.YYYY").time_text(17458, "datetime64[D]")
        '19.10.2017'
        >>> Format("time", pattern="hh:mm").time_text(630, "timedelta64[m]")
        '10:30'
        """
        if not self.pattern:
            return ""
        kind, _, step = unit.rstrip("]").partition("[")
        per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}.get(step, 1)
        if count % per_second:
            return ""  # no pattern has parts of a second
        make: Any = np.datetime64 if kind == "datetime64" else np.timedelta64
        seconds = int(make(count, step).astype(f"{kind}[s]").astype(np.int64))
        days, seconds = divmod(seconds, 86_400)
        if kind != "datetime64":
            return self._fields_text(0, 0, 0, seconds + 86_400 * days)
        year, month, day = year_month_day(days)
        return self._fields_text(year, month, day, seconds) if 0 < year < 10_000 else ""

    def _fields_text(self, year: int, month: int, day: int, seconds: int) -> str:
        hour = seconds // 3600
        by_half = "AM" in self.pattern
        names = MONTHS[self.language or "en"]
        shown_hour = (hour % 12 or 12) if by_half else hour
        words = {
            "YYYY": f"{year:04}",
            "YY": f"{year % 100:02}",
            "MMMM": names[month - 1],
            "MMM": short_month(names[month - 1], self.language),
            "MM": f"{month:02}",
            "M": f"{month}",
            "DD": f"{day:02}",
            "D": f"{day}",
            "hh": f"{shown_hour:02}",
            "h": f"{shown_hour}",
            "mm": f"{seconds // 60 % 60:02}",
            "ss": f"{seconds % 60:02}",
            "AM": "PM" if hour >= 12 else "AM",
        }
        return "".join(words.get(field, field) for field in fields_of(self.pattern))

    def contradicts(self, other: "Format") -> bool:
        """Whether one text means different values in the two formats, such as 05/06/2021."""
        if self.kind != other.kind or "number" not in (self.kind, other.kind):
            return bool(self.pattern and other.pattern) and self.order != other.order
        return self.decimal in (other.thousands or "-") or other.decimal in (self.thousands or "-")

    def to_json(self) -> dict[str, str]:
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    @classmethod
    def from_json(cls, data: Any, where: str) -> "Format":
        """The format that `to_json` wrote; anything else is a `ModelFileError`."""
        where = f"{where}, `format`"
        if type(data) is not dict or not data or not set(data) <= set(cls.__slots__):
            raise ModelFileError(f"{where}: keys are not among {', '.join(cls.__slots__)}")
        for key, value in data.items():
            if type(value) is not str or (len(value) > LONGEST_SIGN and key != "of"):
                raise ModelFileError(f"{where}: `{key}` is not a short string")
        found = cls(**data)
        is_whole = (
            found.kind in get_args(FormatKind)
            and found.decimal in DECIMAL_MARKS
            and found.thousands in THOUSANDS_MARKS
            and SIGN.fullmatch(found.before) is not None
            and SIGN.fullmatch(found.after) is not None
            and found.language in ("", *MONTHS)
            and "".join(fields_of(found.pattern)) == found.pattern
            and found.decimal != found.thousands
            and bool(found.of) == found.is_part
            and (found.kind not in ("date", "time") or bool(found.pattern))
        )
        if not is_whole:
            raise ModelFileError(f"{where}: not a format that this version knows")
        return found


PLAIN = Format()


class FormattedNumbers(np.ndarray[Any, np.dtype[Any]]):
    """The numbers of a target that know how their table writes them.

    A part of them keeps the format; whatever is computed from them has none.
    """

    format: Format

    def __array_finalize__(self, made_of: Any) -> None:
        self.format = PLAIN

    def __getitem__(self, key: Any) -> Any:
        return in_format(super().__getitem__(key), self.format)

    def take(self, *args: Any, **kwargs: Any) -> Any:
        return in_format(super().take(*args, **kwargs), self.format)

    def __reduce__(self) -> Any:
        return in_format, (np.asarray(self), self.format)


def unit_key(sign: str) -> str:
    """A unit or currency without case and plural, to compare those of two tables.

    >>> [unit_key(sign) for sign in ("lbs", "Lb.", "kr.", "Rs", "MB", "m", "ms", "mW", "MW")]
    ['lb', 'lb', 'kr', 'rs', 'mb', 'm', 'ms', 'mw', 'Mw']
    """
    small = sign.rstrip(".").casefold()
    small = small[:-1] if len(small) > 2 and small.endswith("s") else small
    is_milli_or_mega = small[:1] == "m" and len(small) == 2 and small != "mb"
    return sign[0] + small[1:] if is_milli_or_mega else small


def in_format(values: Any, form: Format) -> Any:
    """An array that knows its format; one of plain numbers, or a single number, as it is."""
    if form == PLAIN or not isinstance(values, np.ndarray):
        return values
    found = values.view(FormattedNumbers)
    found.format = form
    return found


def format_of(values: Any) -> Format:
    """How a target is written: that of a column of a table, or of numbers split off from one."""
    found = getattr(values, "format", None)
    return found if isinstance(found, Format) and found.kind == "number" else PLAIN


def fields_of(pattern: str) -> list[str]:
    """The fields of a date and what stands between them: DD, ".", MM, ".", YYYY."""
    return FIELD.findall(pattern)


def short_month(name: str, language: str = "") -> str:
    """The three letters of a month (four where three would be two months, as in French)."""
    return name[:4] if language == "fr" and name in ("juin", "juillet") else name[:3]


def year_month_day(days: int) -> tuple[int, int, int]:
    """The date that is so many days after 1970-01-01."""
    day = np.datetime64(days, "D")
    month = day.astype("datetime64[M]")
    whole = int(month.astype(np.int64))
    year, at = divmod(whole, 12)
    return 1970 + year, at + 1, int((day - month.astype("datetime64[D]")).astype(np.int64)) + 1


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of texts that are read as numbers, dates or times."""

    format: Format
    values: Floats  # NaN where a text does not fit the format
    words: str  # what the texts are, and how that is known
    unit: str = ""  # of dates and times, as of a numeric column
    doubt: str = ""  # another reading that fits as well
    ways: tuple[str, ...] = ()  # the kinds that would settle the doubt
    is_settled: bool = True  # False: the doubt is about the value of nearly every text

    @property
    def fits(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.values)
