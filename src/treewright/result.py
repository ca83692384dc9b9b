"""Result: what functions return for people to read, in the same forms for all."""

import csv
import io
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

from treewright.files import write_by_suffix
from treewright.optional import optional_module
from treewright.plain_text import escape_controls, escape_formula, json_text, truncated

PAGE = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n</head>\n'
    "<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
)
Record = Mapping[str, Any]
NOTHING = np.array(None, dtype=object)
MOST_LETTERS = 100  # of a `repr`


def fading(boxes: str) -> str:
    """The style of boxes whose content fades out where it goes on beyond their right edge.

    It needs no color of the page around, which in a notebook nobody knows. Browsers without scroll
    timelines show their scroll bar only.
    """
    return (
        "@supports (animation-timeline: scroll(self inline)) { @media screen {\n"
        "@keyframes tw-fade { from, 90% { --tw-fade: 2.5rem } to { --tw-fade: 0px } }\n"
        f"{boxes} {{ animation: tw-fade linear both; animation-timeline: scroll(self inline);\n"
        "  mask-image: linear-gradient(to left, transparent, #000 var(--tw-fade, 0px)); } } }"
    )


TEXT_STYLE = f"""\
.tw-text {{ overflow-x: auto; }}
@media print {{ .tw-text {{ white-space: pre-wrap; overflow: visible; }} }}
{fading(".tw-text")}"""


def text_html(text: str) -> str:
    """Plain text as a part of a page; where it is too wide, it can be scrolled, also by keys."""
    return (
        f"<style>{TEXT_STYLE}</style>\n"
        f"<pre class='tw-text' tabindex='0' role='group' aria-label='Text'>{escape(text)}</pre>"
    )


class Result(ABC):
    """Something to read: as text, in a notebook, as a data frame, as JSON, and in a file.

    A subclass writes `to_text`. Where its fields are not what programs should get, it also writes
    `_facts`, and `_records` where the frame is not the first list among them. Neither has to care
    about NumPy's types or NaN.
    """

    __slots__ = ()

    @abstractmethod
    def to_text(self) -> str:
        """The result as plain text, as `print` shows it."""

    def _facts(self) -> Record:
        """What the result says, by name."""
        assert is_dataclass(self)
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _records(self) -> Iterable[Record]:
        """The rows of the frame: the first list of entries among the facts, or else the facts."""
        facts = self.to_dict()
        lists = (one for one in facts.values() if isinstance(one, list))
        entries = next((one for one in lists if all(isinstance(row, dict) for row in one)), None)
        if entries is None:
            return [{key: one for key, one in facts.items() if not isinstance(one, dict | list)}]
        return map(flat, entries)

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain Python values; a missing number is None."""
        facts: dict[str, Any] = plain_values(self._facts())
        return facts

    def to_json(self) -> str:
        """The facts as JSON text: `to_dict()` in the notation of other programs."""
        return json_text(self.to_dict())

    def to_frame(self) -> Any:
        """The main table of the result as a pandas frame."""
        pandas = optional_module("pandas", extra="dev", purpose="to_frame")
        return pandas.DataFrame([dict(record) for record in self._records()])

    def to_csv(self) -> str:
        """The frame as CSV text; a cell that spreadsheets would run gets an apostrophe in front."""
        records = list(self._records())
        names = list(dict.fromkeys(name for record in records for name in record))
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(csv_cell, names))
        writer.writerows([csv_cell(record.get(name)) for name in names] for record in records)
        return out.getvalue()

    def to_markdown(self) -> str:
        """The text as a block of Markdown."""
        text = self.to_text()
        longest = max(map(len, re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}text\n{text}\n{fence}\n"

    def to_html(self, *, standalone: bool = True) -> str:
        """The text as a page of HTML, or as a part of one."""
        body = text_html(self.to_text())
        return PAGE.format(title=type(self).__name__, body=body) if standalone else body

    def _forms(self) -> dict[str, Callable[..., str]]:
        """Ending of a file -> the method that writes its content."""
        return {
            ".txt": self.to_text,
            ".md": self.to_markdown,
            ".html": self.to_html,
            ".json": self.to_json,
            ".csv": self.to_csv,
        }

    def save(self, path: str | os.PathLike[str], **choices: Any) -> None:
        """Write the result to a file; the ending of its name says in which form.

        `choices` are the keywords of the method for that form, such as `to_text`.
        """
        write_by_suffix(path, self._forms(), "a result", **choices)

    def _repr_html_(self) -> str:
        return self.to_html(standalone=False)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """One short line: the class, and the first line of the text."""
        first = next((line for line in self.to_text().splitlines() if line.strip()), "")
        return f"<{type(self).__name__}: {truncated(' '.join(first.split()), MOST_LETTERS)}>"


def plain_values(value: Any, *, infinity_as_text: bool = False) -> Any:
    """A value as JSON has it: no types of NumPy, null for NaN and infinity, text for the rest.

    >>> plain_values({"a": (np.float64(0.5), float("nan")), 1: np.datetime64("2024-01-31")})
    {'a': [0.5, None], '1': '2024-01-31'}
    """

    def plain(value: Any) -> Any:
        match value:
            case None | bool():
                return value
            case str() | np.datetime64() | np.timedelta64():
                return str(value)
            case int():
                return int(value)
            case float():
                is_infinite = math.isinf(value) and infinity_as_text
                return float(value) if math.isfinite(value) else str(value) if is_infinite else None
            case Result():
                return value.to_dict()
            case Mapping():
                return {str(key): plain(one) for key, one in value.items()}
            case np.ndarray() if value.dtype.kind in "biuf":  # quicker than one by one
                return np.where(np.isfinite(value), value, NOTHING).tolist()
            case list() | tuple() | np.ndarray():
                return [plain(one) for one in value]
            case np.generic():
                return plain(value.item())
        if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        return str(value)

    return plain(value)


def records_of(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows of a table that is given by its columns.

    >>> records_of({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def flat(record: Record) -> dict[str, Any]:
    """A record without records in it: their entries get a name with a dot.

    >>> flat({"n": 3, "score": {"mean": 0.5}})
    {'n': 3, 'score.mean': 0.5}
    """
    found: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": one for inner, one in flat(value).items()}
        else:
            found[name] = value
    return found


def csv_cell(value: Any) -> str:
    """One cell; nothing for a missing value."""
    plain = plain_values(value)
    if plain is None:
        return ""
    return escape_formula(escape_controls(plain)) if isinstance(plain, str) else str(plain)
