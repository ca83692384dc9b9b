"""Scales: positions of values on an axis, and the ticks with their labels."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from treewright.data.column import split_unit
from treewright.pictures.node_text import thousands
from treewright.tree.conditions import time_text

NICE_STEPS = (1.0, 2.0, 5.0, 10.0, 20.0)
LARGEST_IN_DIGITS, SMALLEST_IN_DIGITS = 1e7, 1e-5
LARGEST, SMALLEST = 1e300, 1e-300  # that a scale takes; beyond them differences overflow
ROUNDING = 1e-9  # of a step: a tick this near to the end of an axis is on it
ENOUGH_POWERS = 3  # of ten on a logarithmic axis; with fewer, 2 and 5 times them are ticks too
MOST_DECIMALS = 3  # before a power of ten; a number that needs more is written out
WIDE_RANGE = 30.0  # largest through smallest: from here on a scale is logarithmic
MARGIN = 0.04  # of the spread of the values, on both sides of them


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis and its label."""

    value: float
    label: str


class Scale(Protocol):
    """Positions on an axis: 0 at its beginning, 1 at its end."""

    def at(self, value: float) -> float: ...

    def ticks(self, most: int) -> tuple[Tick, ...]: ...


@dataclass(frozen=True, slots=True)
class Linear:
    """Equal differences are equally far apart.

    >>> [tick.label for tick in Linear(0, 1).ticks(6)]
    ['0', '0.2', '0.4', '0.6', '0.8', '1.0']
    """

    low: float
    high: float

    def at(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> tuple[Tick, ...]:
        step = nice_step(self.low, self.high, most)
        first, last = ceil(self.low / step - ROUNDING), floor(self.high / step + ROUNDING)
        values = [at * step for at in range(first, last + 1)]
        return tuple(Tick(value, short_number(value, step)) for value in values)


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Equal ratios are equally far apart; all values are above 0.

    >>> [tick.label for tick in Logarithmic(0.5, 2000).ticks(6)]
    ['1', '10', '100', '1000']
    """

    low: float
    high: float

    def at(self, value: float) -> float:
        return Linear(log10(self.low), log10(self.high)).at(log10(value))

    def ticks(self, most: int) -> tuple[Tick, ...]:
        """Powers of ten; of a short range also 2 and 5 times them, or the ticks of its numbers."""
        first = ceil(log10(self.low) - ROUNDING)
        last = floor(log10(self.high) + ROUNDING)
        every = max(ceil((last - first + 1) / max(most, 1)), 1)
        values = [10.0**power for power in range(first, last + 1) if power % every == 0]
        if len(values) >= ENOUGH_POWERS:
            return tuple(Tick(value, short_number(value, value)) for value in values)
        powers = range(first - 1, last + 1)
        finer = [lead * 10.0**power for power in powers for lead in (1, 2, 5)]
        inside = [value for value in finer if self.low <= value <= self.high]
        if len(values) <= len(inside) <= most and len(inside) > 1:
            values = inside
        is_short = self.high < 10 * self.low  # equal differences are about equally far apart
        if len(values) > 1 or not is_short:
            return tuple(Tick(value, short_number(value, value)) for value in values)
        return Linear(self.low, self.high).ticks(most)


@dataclass(frozen=True, slots=True)
class Bands:
    """One band for each name, all of one width; a value is the position of a name."""

    names: tuple[str, ...]

    def at(self, value: float) -> float:
        return (value + 0.5) / len(self.names)

    def ticks(self, most: int) -> tuple[Tick, ...]:
        every = ceil(len(self.names) / max(most, 1))
        return tuple(Tick(at, name) for at, name in enumerate(self.names) if at % every == 0)


def linear_over(values: ArrayLike, *, margin: float = MARGIN, also: Iterable[float] = ()) -> Linear:
    """A scale over the finite values, with a margin, and over the values of `also`.

    >>> linear_over([2, 4], margin=0.5, also=[0])
    Linear(low=0.0, high=5.0)
    """
    low, high = spread_of(values)
    room = margin * (high - low)
    ends = (low - room, high + room, *also)
    low, high = float(min(ends)), float(max(ends))
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # a single value goes into the middle
        room = abs(low) / 10 or 0.5
        low, high = low - room, high + room
    return Linear(low, high)


def logarithmic_over(values: ArrayLike, *, margin: float = MARGIN) -> Logarithmic:
    """A scale over the positive values."""
    numbers = np.asarray(values, dtype=np.float64)
    logarithms = linear_over(np.log10(numbers[numbers > SMALLEST]), margin=margin)
    return Logarithmic(10.0**logarithms.low, 10.0**logarithms.high)


def scale_over(values: ArrayLike) -> Linear | Logarithmic:
    """A linear scale from 0 on; a logarithmic one for values of very different sizes."""
    numbers = np.asarray(values, dtype=np.float64)
    positive = numbers[numbers > 0]
    if len(positive) and positive.max() >= WIDE_RANGE * positive.min():
        return logarithmic_over(positive)
    return linear_over(numbers, also=[0.0])


def spread_of(values: ArrayLike) -> tuple[float, float]:
    """Smallest and largest of the finite values, 0 to 1 where there is none."""
    numbers = np.asarray(values, dtype=np.float64)
    numbers = np.clip(numbers[np.isfinite(numbers)], -LARGEST, LARGEST)
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)


def nice_step(low: float, high: float, most: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten that makes at most `most` ticks."""
    power = 10.0 ** floor(log10(max((high - low) / max(most, 1), SMALLEST)))
    for lead in NICE_STEPS:
        step = lead * power
        if floor(high / step + ROUNDING) - ceil(low / step - ROUNDING) < most:
            break
    return step


def short_number(value: float, step: float) -> str:
    """A number with as many decimals as the step between ticks needs.

    >>> short_number(0.30000000000000004, 0.1), short_number(12500, 500), short_number(-2e9, 1e9)
    ('0.3', '12,500', '−2e9')
    """
    if abs(value) < step / 2:
        return "0"
    sign, size = "−" if value < 0 else "", abs(value)
    is_large = size >= LARGEST_IN_DIGITS
    if (is_large or step < SMALLEST_IN_DIGITS) and size < 10.0**MOST_DECIMALS * 1.5 * step:
        return sign + with_power(size, step)
    decimals = max(-floor(log10(step) + ROUNDING), 0)
    return sign + thousands(f"{size:.{decimals}f}")


def with_power(value: float, step: float) -> str:
    """`2e9`, `1.5e-7`."""
    power = floor(log10(value) + ROUNDING)
    decimals = max(power - floor(log10(step) + ROUNDING), 0)
    lead = f"{value / 10.0**power:.{decimals}f}"
    if decimals:
        lead = lead.rstrip("0").rstrip(".")
    return f"{lead}e{power}"


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
    """Dates or durations, as counts of a unit such as `datetime64[D]`.

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
            times = starts_between(start, end, step, count, most)
            if len(times) <= most:
                return tuple(tick_at(time, step, unit) for time in times)
    return ()


def date(count: int, unit: str) -> Any:
    make: Any = np.datetime64  # its stub wants literal units
    return make(count, unit)


def starts_between(start: Any, end: Any, step: str, count: int, most: int) -> list[Any]:
    """Every `count`-th beginning of a unit from start to end; at most a few more than `most`."""
    first, last = (int(time.astype(f"datetime64[{step}]").astype(int)) for time in (start, end))
    offset = FIRST_YEAR if step == "Y" else 0
    first = ceil((first + offset) / count) * count - offset
    numbers = range(first, last + 1, count)[: most + 2]
    times = [date(number, step) for number in numbers]
    return [time for time in times if start <= time <= end]


def tick_at(time: Any, step: str, unit: str) -> Tick:
    label = str(time.astype("datetime64[s]"))[SHOWN[step]].replace("T", " ")
    return Tick(float(time.astype(f"datetime64[{unit}]").astype(np.int64)), label)
