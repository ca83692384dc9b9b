"""A scale of dates and durations: ticks where years, months, days, hours or minutes begin."""

from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from treewright.data.column import split_unit
from treewright.figures.scales import Linear, Tick
from treewright.tree.conditions import time_text

STEPS = {  # from one tick to the next: so many of these units
    "s": (1, 2, 5, 10, 15, 30),
    "m": (1, 2, 5, 10, 15, 30),
    "h": (1, 2, 3, 6, 12),
    "D": (1, 2, 7, 14),
    "M": (1, 2, 3, 6),
    "Y": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
}
DAY = 86_400.0
SECONDS_IN = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
SECONDS_IN |= {"D": DAY, "W": 7 * DAY, "M": 30 * DAY, "Y": 365 * DAY}  # of units of dates
FIRST_YEAR = 1970  # from which NumPy counts
LONGEST = 6e10  # seconds before or after it: years of at most four digits
SHOWN = {"s": slice(11, 19), "m": slice(5, 16), "h": slice(5, 16)}  # of 2020-03-15T14:30:00
SHOWN |= {"D": slice(0, 10), "M": slice(0, 7), "Y": slice(0, 4)}


@dataclass(frozen=True, slots=True)
class Times:
    """Dates or durations, told as counts of a unit such as `datetime64[D]`.

    >>> year = Times(18262, 18628, "datetime64[D]")
    >>> [tick.label for tick in year.ticks(5)]
    ['2020-01', '2020-04', '2020-07', '2020-10', '2021-01']
    """

    low: float
    high: float
    unit: str

    def at(self, value: float) -> float:
        return Linear(self.low, self.high).at(value)

    def ticks(self, most: int) -> tuple[Tick, ...]:
        kind, step = split_unit(self.unit)
        furthest = max(abs(self.low), abs(self.high))
        if kind == "datetime64" and furthest * SECONDS_IN.get(step, LONGEST) < LONGEST:
            return calendar_ticks(self.low, self.high, step, most)
        counts = sorted({floor(tick.value) for tick in Linear(self.low, self.high).ticks(most)})
        return tuple(Tick(count, time_text(count, self.unit)) for count in counts)


def calendar_ticks(low: float, high: float, unit: str, most: int) -> tuple[Tick, ...]:
    """The finest ticks that are at most `most`; their values count the unit from 1970."""
    start, end = date(ceil(low), unit), date(floor(high), unit)
    for step, counts in STEPS.items():
        if SECONDS_IN[step] < SECONDS_IN[unit]:
            continue
        for count in counts:
            times = beginnings(start, end, step, count, most)
            if len(times) <= most:
                return tuple(tick_at(time, step, unit) for time in times)
    return ()


def date(count: int, unit: str) -> Any:
    make: Any = np.datetime64  # its stub wants literal units
    return make(count, unit)


def beginnings(start: Any, end: Any, step: str, count: int, most: int) -> list[Any]:
    """Where each `count` of a unit begin, from start to end; a few more than `most` will do."""
    first, last = (int(time.astype(f"datetime64[{step}]").astype(int)) for time in (start, end))
    offset = FIRST_YEAR if step == "Y" else 0
    first = ceil((first + offset) / count) * count - offset
    numbers = range(first, last + 1, count)[: most + 2]
    times = [date(number, step) for number in numbers]
    return [time for time in times if start <= time <= end]


def tick_at(time: Any, step: str, unit: str) -> Tick:
    label = str(time.astype("datetime64[s]"))[SHOWN[step]].replace("T", " ")
    return Tick(float(time.astype(f"datetime64[{unit}]").astype(np.int64)), label)
