"""The tables that golden models are fitted to, and the odd rows that are asked of them.

Columns are kept as JSON: numbers as hexadecimal text, which reads back to the same double in every
language, dates by their day, missing values as null.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

N_ROWS = 48
DAY = "datetime64[D]"


def hexadecimal(value: float) -> str:
    """A double as text that holds all its bits, without zeros at its end."""
    return re.sub(r"\.?0*p", "p", float(value).hex())


@dataclass(frozen=True, slots=True)
class GoldenColumn:
    """Values of one column; its kind is number, text, integer, flag or day."""

    kind: str
    values: tuple[Any, ...]

    def to_json(self) -> dict[str, Any]:
        if self.kind == "number":
            texts = [None if value is None else hexadecimal(value) for value in self.values]
            return {"kind": self.kind, "values": texts}
        return {"kind": self.kind, "values": list(self.values)}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> "GoldenColumn":
        values = entry["values"]
        if entry["kind"] == "number":
            values = [None if text is None else float.fromhex(text) for text in values]
        return cls(entry["kind"], tuple(values))

    def as_input(self) -> Any:
        """What a user would hand over."""
        if self.kind == "number":
            numbers = [math.nan if value is None else value for value in self.values]
            return np.array(numbers, dtype=float)
        if self.kind == "day":
            return np.array(["NaT" if day is None else day for day in self.values], dtype=DAY)
        return list(self.values)


Rows = dict[str, GoldenColumn]


@dataclass(frozen=True, slots=True)
class GoldenTable:
    """Rows to learn from, with what is learnt of them."""

    rows: Rows
    score: np.ndarray
    has_names: bool = True
    order: tuple[str, ...] = ()  # of the levels of the column `grade`, if it has one

    def target(self, n_classes: int | None) -> np.ndarray:
        """The score, or classes of about the same size made of it."""
        if n_classes is None:
            return self.score
        cuts = np.quantile(self.score, np.arange(1, n_classes) / n_classes)
        return np.array(["low", "mid", "high", "top"])[np.digitize(self.score, cuts)]

    def to_fit(self) -> Any:
        frame = as_input(self.rows, self.has_names)
        if self.order:
            frame = pd.DataFrame(frame)
            frame["grade"] = pd.Categorical(frame["grade"], self.order, ordered=True)
        return frame


def as_input(rows: Rows, has_names: bool = True) -> Any:
    """Rows as a dict of columns, or as a plain array where columns have no names."""
    columns = {name: column.as_input() for name, column in rows.items()}
    return columns if has_names else np.column_stack(list(columns.values()))


def mixed() -> GoldenTable:
    """Words, numbers and flags with holes; the score depends on three of them."""
    rng = np.random.default_rng(3)
    color = rng.choice(["red", "green", "blue"], N_ROWS)
    size = rng.normal(size=N_ROWS).round(3)
    count = rng.integers(0, 9, N_ROWS)
    flag = rng.random(N_ROWS) < 0.5
    score = (color == "red") * 2.0 + size + 0.3 * count + 0.1 * rng.normal(size=N_ROWS)
    rows = {
        "color": GoldenColumn("text", holed(rng, color.tolist())),
        "size": GoldenColumn("number", holed(rng, size.tolist())),
        "count": GoldenColumn("number", tuple(map(float, count))),
        "flag": GoldenColumn("flag", tuple(flag.tolist())),
    }
    return GoldenTable(rows, score.round(4))


def many_levels() -> GoldenTable:
    """One column of more levels than a byte can tell apart, most of them rare."""
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(270), 2)
    size = rng.normal(size=len(codes)).round(2)
    rows = {
        "code": GoldenColumn("text", tuple(f"{code:x}" for code in codes)),
        "size": GoldenColumn("number", holed(rng, size.tolist())),
    }
    return GoldenTable(rows, ((codes % 3 == 0) + 0.4 * size).round(4))


def numbers() -> GoldenTable:
    """Three columns of numbers without names, the score a slanted plane."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N_ROWS, 3)).round(3)
    rows = {f"x{at}": GoldenColumn("number", tuple(X[:, at].tolist())) for at in range(3)}
    score = X[:, 0] + 0.8 * X[:, 1] + 0.05 * rng.normal(size=N_ROWS)
    return GoldenTable(rows, score.round(4), has_names=False)


def positive_numbers() -> GoldenTable:
    """As `numbers`, with names and a score above zero."""
    table = numbers()
    rows = dict(zip(("length", "breadth", "weight"), table.rows.values(), strict=True))
    return replace(table, rows=rows, score=np.exp(table.score).round(3), has_names=True)


def words() -> GoldenTable:
    """Columns of words alone, as in textbooks, with names that need care."""
    rng = np.random.default_rng(11)
    sky = rng.choice(["sunny", "rainy", 'a "quoted", word'], N_ROWS)
    wind = rng.choice(["schwach", "stärker", "大风"], N_ROWS)
    rows = {
        "größe <sky>": GoldenColumn("text", tuple(sky.tolist())),
        "风, \"wind\"\n'x'": GoldenColumn("text", tuple(wind.tolist())),
    }
    return GoldenTable(rows, (sky == "sunny") * 1.0 + (wind == "大风") * 0.4)


def dates_and_grades() -> GoldenTable:
    """A day with holes and a column whose levels are in an order."""
    rng = np.random.default_rng(13)
    days = np.array("2024-02-28", dtype=DAY) + rng.integers(0, 400, N_ROWS)
    order = ("poor", "fair", "good", "best")
    grade = rng.integers(0, 4, N_ROWS)
    rows = {
        "day": GoldenColumn("day", holed(rng, np.datetime_as_string(days).tolist())),
        "grade": GoldenColumn("text", holed(rng, [order[at] for at in grade])),
    }
    score = (days > np.datetime64("2024-08-01")) * 1.5 + grade + 0.2 * rng.normal(size=N_ROWS)
    return GoldenTable(rows, score.round(4), order=order)


TABLES = {
    "mixed": mixed,
    "many_levels": many_levels,
    "numbers": numbers,
    "positive_numbers": positive_numbers,
    "words": words,
    "dates_and_grades": dates_and_grades,
}


def holed(rng: np.random.Generator, values: list[Any]) -> tuple[Any, ...]:
    """The values, one in ten of them missing."""
    return tuple(
        None if hole else value
        for value, hole in zip(values, rng.random(len(values)) < 0.1, strict=True)
    )


def rows_to_ask(table: GoldenTable, borders: Mapping[str, list[float]], largest: float) -> Rows:
    """Known rows, then rows of odd values, then each border with the doubles beside it."""
    asked = {}
    for name, column in table.rows.items():
        values = [*column.values[:4], None, *odd_values(column, largest)]
        for border in borders.get(name, [])[:3] if column.kind == "number" else []:
            values += [math.nextafter(border, -math.inf), border, math.nextafter(border, math.inf)]
        asked[name] = GoldenColumn(column.kind, tuple(values))
    n_rows = max(len(column.values) for column in asked.values())
    return {name: repeated(column, n_rows) for name, column in asked.items()}


def odd_values(column: GoldenColumn, largest: float) -> tuple[Any, ...]:
    """Values that no training row had."""
    if column.kind == "number":
        return (-0.0, 5e-324, -largest, largest)
    if column.kind == "day":
        return ("1970-01-01", "2262-04-11")
    return ("never seen", "") if column.kind == "text" else ()


def repeated(column: GoldenColumn, n_rows: int) -> GoldenColumn:
    """The column as long as asked for, its values again from the start."""
    values = tuple(column.values[at % len(column.values)] for at in range(n_rows))
    return GoldenColumn(column.kind, values)


def without_holes(rows: Rows) -> Rows:
    """The rows in which nothing is missing."""
    n_rows = len(next(iter(rows.values())).values)
    whole = [at for at in range(n_rows) if all(row.values[at] is not None for row in rows.values())]
    return {
        name: GoldenColumn(column.kind, tuple(column.values[at] for at in whole))
        for name, column in rows.items()
    }
