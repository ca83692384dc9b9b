"""Numbers and names as a report writes them."""

import math

from treewright.plain_text import plain

LONGEST_NAME = 60  # letters of a class or a column in a sentence
LARGE = 1000.0  # from here on decimals say nothing
HUGE, TINY = 1e9, 5e-5  # beyond them digits say nothing either


def score_text(number: float) -> str:
    """A measure: four decimals, fewer of larger numbers.

    >>> [score_text(number) for number in (0.91953, 12.34567, 43210.9, 1.5e30, float("nan"))]
    ['0.9195', '12.35', '43,211', '1.5e+30', '–']
    """
    if math.isnan(number):
        return "–"
    size = abs(number)
    if size >= HUGE or 0 < size < TINY:
        return f"{number:.4g}"
    if size >= LARGE:
        return f"{number:,.0f}"
    return f"{number:.4f}" if size < 10 else f"{number:.2f}"


def between(low: float, high: float) -> str:
    """An interval; "" where there is none.

    >>> between(0.25, 0.5)
    '0.2500 to 0.5000'
    """
    return "" if math.isnan(low) else f"{score_text(low)} to {score_text(high)}"


def with_deviation(mean: float, deviation: float) -> str:
    """A mean and its standard deviation.

    >>> with_deviation(0.5, 0.125), with_deviation(0.5, float("nan"))
    ('0.500 ± 0.125', '0.500')
    """
    if math.isnan(mean):
        return "–"
    return f"{mean:.3f}" if math.isnan(deviation) else f"{mean:.3f} ± {deviation:.3f}"


def short_name(name: object, longest: int = LONGEST_NAME) -> str:
    """A name on one line, of bearable length; a blank one in quotes.

    >>> short_name("a very long name", 10), short_name(" ")
    ('a very lo…', '" "')
    """
    words = plain(str(name))
    if not words.strip():
        return f'"{words}"'
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def method_text(method: object) -> str:
    """The name of a pruning method, for people."""
    return str(method).replace("_", " ")
