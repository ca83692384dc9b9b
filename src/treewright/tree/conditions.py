"""The split of a node and the condition of each branch, in words.

`petal width <= 0.8`, `outlook = Sunny`, `color in {red, blue}`, `2 < age <= 5`. A column that had
only 0 and 1 in training, or True and False, reads `married = yes`, here and wherever a condition is
printed or drawn.
"""

import math
import re
from dataclasses import dataclass
from datetime import timedelta
from math import inf, isfinite, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.data.column import split_unit
from treewright.data.comparison import ORDINARY, Comparison
from treewright.data.printed_thresholds import decimals_apart, exact_text, text_among
from treewright.data.schema import ColumnSpec
from treewright.errors import ParameterError
from treewright.plain_text import number_text, plain
from treewright.tree.layout import BRANCHES, INTERVALS, OBLIQUE, SUBSET, THRESHOLD

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

LONGEST_COUNT = 2**62  # of a unit of time; NumPy's dates reach no further


def question_text(tree: "Tree", node: int, decimals: int | None = None) -> str:
    """What the node asks: its first condition, or for several branches only the column."""
    if tree.kind[node] in (BRANCHES, INTERVALS) or asks_yes_no(tree, node):
        return plain(tree.schema.columns[tree.feature[node]].name)
    return condition_text(tree, node, 0, decimals)


def condition_text(tree: "Tree", node: int, child: int, decimals: int | None = None) -> str:
    """The condition under which a row goes to child number `child` of the node."""
    kind = tree.kind[node]
    if kind == OBLIQUE:
        return _sum_condition(tree, node, child, decimals)
    spec = tree.schema.columns[tree.feature[node]]
    name = plain(spec.name)
    if kind in (BRANCHES, SUBSET):
        levels = levels_of_child(tree, node, child)
        if levels:
            return level_condition(name, levels)
        first_child = tree.first_child[node]
        return (
            f"{name} otherwise" if tree.other_child[node] == first_child + child else _missing(name)
        )
    cuts = cuts_of(tree, node)
    if child > len(cuts):
        return _missing(name)
    ends = [None, *cuts, None]
    enough = column_decimals(tree, int(tree.feature[node]), decimals)
    return cut_text(spec, ends[child], ends[child + 1], enough)


def cuts_of(tree: "Tree", node: int) -> list[float]:
    """The numbers that a node compares its column with."""
    if tree.kind[node] == THRESHOLD:
        return [float(tree.threshold[node])]
    cuts: list[float] = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
    return cuts


def cut_text(
    spec: ColumnSpec, low: float | None, high: float | None, decimals: int | None = None
) -> str:
    """The condition that a value is above `low` and not above `high`; None is no bound.

    >>> cut_text(ColumnSpec("age", "numeric"), 2.0, 5.0)
    '2 < age <= 5'
    >>> cut_text(ColumnSpec("married", "numeric", yes_no=True), 0.5, None)
    'married = yes'
    """
    name = plain(spec.name)
    if word := yes_no_word(spec, low, high):
        return f"{name} = {word}"
    above, up_to = (
        "" if bound is None else bound_text(spec, bound, decimals) for bound in (low, high)
    )
    return between_text(name, above, up_to, spec.comparison)


def yes_no_word(spec: ColumnSpec, low: float | None, high: float | None) -> str:
    """`yes` or `no` if the bounds are a cut between 0 and 1 of a column without other numbers."""
    cut = high if low is None else low
    is_one_cut = (low is None) != (high is None) and cut is not None and 0 <= cut < 1
    if not spec.yes_no or not is_one_cut:
        return ""
    return "no" if low is None else "yes"


def asks_yes_no(tree: "Tree", node: int) -> bool:
    """Whether the branches of a node are no and yes, of a column that had only 0 and 1."""
    if tree.kind[node] != THRESHOLD:
        return False
    spec = tree.schema.columns[tree.feature[node]]
    return yes_no_word(spec, None, float(tree.threshold[node])) != ""


def level_text(level: Any) -> str:
    """A category on one line; `True` and `False` are yes and no.

    >>> level_text(True), level_text("True")
    ('yes', 'True')
    """
    return ("yes" if level else "no") if isinstance(level, bool) else plain(str(level))


def between_text(name: str, above: str, up_to: str, comparison: Comparison = ORDINARY) -> str:
    """`2 < age <= 5`, `age <= 5`, `age > 2` or `age known`; "" stands for no bound.

    >>> between_text("age", "2", "5", Comparison(strict=True))
    '2 <= age < 5'
    """
    below, over = comparison.signs
    if above and up_to:
        return f"{above} {'<=' if comparison.strict else '<'} {name} {below} {up_to}"
    if up_to:
        return f"{name} {below} {up_to}"
    return f"{name} {over} {above}" if above else f"{name} known"


def conditions_of(
    tree: "Tree", node: int, decimals: int | None = None, *, max_levels: int | None = None
) -> list[str]:
    """The conditions of all children of a node, in one pass over its levels."""
    n_children = int(tree.n_children[node])
    if tree.kind[node] not in (BRANCHES, SUBSET):
        return [condition_text(tree, node, child, decimals) for child in range(n_children)]
    spec = tree.schema.columns[tree.feature[node]]
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    levels: list[tuple[Any, ...]] = [()] * n_children
    codes, children = tree.level_code[entries].tolist(), tree.level_child[entries].tolist()
    if tree.kind[node] == BRANCHES:
        for code, child in zip(codes, children, strict=True):
            levels[child] += (spec.levels[code],)
    else:
        levels[:2] = [levels_of_child(tree, node, side) for side in (0, 1)]
    name = plain(spec.name)
    return [
        level_condition(name, own, max_levels) if own else condition_text(tree, node, child)
        for child, own in enumerate(levels)
    ]


def levels_of_child(tree: "Tree", node: int, child: int) -> tuple[Any, ...]:
    """The levels listed for a child of a branches or subset node, in the column's order."""
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    codes = tree.level_code[entries][tree.level_child[entries] == child]
    levels = tree.schema.columns[tree.feature[node]].levels
    return tuple(levels[code] for code in codes)


def level_condition(name: str, levels: tuple[Any, ...], max_levels: int | None = None) -> str:
    """`color = red`, `color in {red, blue}`; of more than `max_levels` the first are named.

    >>> level_condition("day", ("Mo", "Tu", "We", "Th"), 2)
    'day in {Mo, Tu, ... 2 more}'
    """
    shown = [level_text(level) for level in levels[:max_levels]]
    if len(levels) == 1:
        return f"{name} = {shown[0]}"
    if len(shown) < len(levels):
        shown.append(f"... {len(levels) - len(shown):,} more")
    return f"{name} in {{{', '.join(shown)}}}"


def threshold_text(tree: "Tree", node: int, decimals: int | None = None) -> str:
    """The threshold of a node. Rounding to `decimals` never makes two thresholds look the same."""
    feature = int(tree.feature[node])
    enough = column_decimals(tree, feature, decimals)
    return bound_text(tree.schema.columns[feature], float(tree.threshold[node]), enough)


def cut_texts(tree: "Tree", node: int, decimals: int | None = None) -> list[str]:
    """The cuts of an intervals node, in the same way."""
    feature = int(tree.feature[node])
    enough = column_decimals(tree, feature, decimals)
    return [bound_text(tree.schema.columns[feature], cut, enough) for cut in cuts_of(tree, node)]


def column_decimals(tree: "Tree", feature: int, decimals: int | None) -> int | None:
    """Decimals for the thresholds of a column: those asked for, or more to keep them apart."""
    if decimals is None:
        return None
    known = tree.decimals_of_columns
    if (feature, decimals) not in known:
        known[feature, decimals] = decimals_apart(column_thresholds(tree, feature), decimals)
    return known[feature, decimals]


def column_thresholds(tree: "Tree", feature: int) -> list[float]:
    """All numbers that the tree compares a column with, rising."""
    asked = tree.feature == feature
    stands_in = (tree.surrogate_feature == feature) & (tree.surrogate_kind == THRESHOLD)
    found = (
        tree.threshold[asked & (tree.kind == THRESHOLD)],
        tree.cut[np.repeat(asked, np.diff(tree.cut_start))],
        tree.surrogate_threshold[stands_in],
    )
    thresholds: list[float] = distinct(np.concatenate(found)).tolist()
    return thresholds


def bound_text(spec: ColumnSpec, bound: float, decimals: int | None = None) -> str:
    """A threshold as its column shows it: a number, a date, or the last level not above it."""
    if spec.kind != "numeric":
        code = math.floor(bound)
        if 0 <= code < len(spec.levels):
            return level_text(spec.levels[code])
    elif spec.unit and abs(bound) < LONGEST_COUNT:
        whole = math.floor(bound)  # whole counts, so no prediction changes
        return spec.format.time_text(whole, spec.unit) or time_text(whole, spec.unit)
    return spec.format.bound_text(bound, plain_bound_text(spec, bound, decimals))


def plain_bound_text(spec: ColumnSpec, bound: float, decimals: int | None = None) -> str:
    """A threshold of a numeric column as a plain number."""
    if spec.comparison != ORDINARY:
        bound = spec.comparison.bound(bound)
        if decimals is None and spec.comparison.float32:
            return str(np.float32(bound)).removesuffix(".0")  # the shortest text for a float32
    if decimals is not None:
        return number_text(bound, decimals)
    return exact_text(bound) if spec.printed is None else spec.printed.text(bound)


def bound_text_among(spec: ColumnSpec, bound: float, rising: NDArray[np.float64]) -> str:
    """The same for a threshold that need not be in the tree; `rising` are the values it parts."""
    is_listed = spec.printed is not None and spec.printed.lists(bound)
    if is_listed or spec.kind != "numeric" or spec.unit:
        return bound_text(spec, bound)
    return spec.format.bound_text(bound, text_among(bound, rising))


def time_text(count: int, unit: str) -> str:
    """A date without a time of day that is midnight; a duration as `1 day, 4:58:47`."""
    kind, step = split_unit(unit)
    make: Any = np.datetime64 if kind == "datetime64" else np.timedelta64
    time = make(count, step)
    if kind != "datetime64":  # in whole days, hours or minutes it is short as it is
        return str(time.astype(timedelta)) if step in ("s", "ms", "us") else str(time)
    text = str(time)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.removesuffix("T00:00:00").removesuffix("T00:00").removesuffix("T00")


def _missing(name: str) -> str:
    return f"{name} missing"


def sum_text(tree: "Tree", node: int, decimals: int | None = None) -> str:
    """What an oblique node adds up: `2 * age + income`."""
    return " ".join(sum_terms(tree, node, decimals))


def sum_terms(tree: "Tree", node: int, decimals: int | None = None) -> list[str]:
    """The terms of an oblique node: `2 * age`, `+ income`."""
    parts: list[str] = []
    for term in range(tree.term_start[node], tree.term_start[node + 1]):
        weight = float(tree.term_weight[term])
        name = plain(tree.schema.columns[tree.term_feature[term]].name)
        sign = ("-" if weight < 0 else "+") if parts else ("-" if weight < 0 else "")
        factor = "" if abs(weight) == 1 else f"{sum_number(abs(weight), decimals)} * "
        parts.append(f"{sign} {factor}{name}" if parts else f"{sign}{factor}{name}")
    return parts


def _sum_condition(tree: "Tree", node: int, child: int, decimals: int | None) -> str:
    total = sum_text(tree, node, decimals)
    if child == 2:
        return _missing(total)
    at = sum_number(float(tree.threshold[node]), decimals)
    return f"{total} {'<=' if child == 0 else '>'} {at}"


def sum_number(number: float, decimals: int | None) -> str:
    """A factor or threshold of a sum. They are found with few digits, and are printed exactly."""
    return exact_text(number) if decimals is None else number_text(number, decimals)


Level = str | int | bool

NAME = r"(?P<name>[^<>=!]*?[^<>=!\s])"
BETWEEN = re.compile(
    rf"(?P<low>[^\s<]+)\s*(?P<above><=?)\s*{NAME}\s*(?P<below><=?)\s*(?P<high>[^\s<>=]+)"
)
BOUND = re.compile(rf"{NAME}\s*(?P<sign><=|>=|<|>)\s*(?P<bound>[^\s<>=]+)")
AMONG = re.compile(rf"{NAME}\s+(?P<word>not in|in)\s*\{{(?P<levels>.*)\}}", re.DOTALL)
EQUAL = re.compile(rf"{NAME}\s*(?P<sign>==|!=|=)\s*(?P<level>.+)", re.DOTALL)
IS = re.compile(rf"{NAME}\s+(?P<sign>is not|is)\s+(?P<level>.+)", re.DOTALL)
INTERVAL = re.compile(r"\(\s*(?P<low>[^\s,]+)\s*,\s*(?P<high>[^\s,]+?)\s*[\])]")
WORD = re.compile(rf"{NAME}\s+(?P<word>missing|other|otherwise|else|known)")
OTHERWISE = ("other", "otherwise", "else")


@dataclass(frozen=True, slots=True)
class Clause:
    """What is asked of one column on one branch."""

    column: str
    low: float = -inf  # a number above this ...
    high: float = inf  # ... and not above this
    levels: tuple[Level, ...] = ()  # one of these levels
    excluded: bool = False  # or, the other way round, none of them
    word: str = ""  # "missing", "other" (whatever no other branch takes) or "known"
    strict: bool = False  # whether it was written with `<` or `>=`

    @property
    def is_numeric(self) -> bool:
        return not self.levels and not self.word


def read_clause(text: str) -> Clause:
    """The condition that a text states.

    >>> read_clause("2 < width <= 5")
    Clause(column='width', low=2.0, high=5.0, levels=(), excluded=False, word='', strict=False)
    """
    text = text.strip()
    if found := BETWEEN.fullmatch(text):
        low, high = number(found["low"], text), number(found["high"], text)
        low = nextafter(low, -inf) if found["above"] == "<=" else low
        high = nextafter(high, -inf) if found["below"] == "<" else high
        strict = (found["above"], found["below"]) == ("<=", "<")
        return Clause(found["name"], low, high, strict=strict)
    if found := AMONG.fullmatch(text):
        levels = tuple(level.strip() for level in found["levels"].split(","))
        return Clause(found["name"], levels=levels, excluded=found["word"] == "not in")
    if found := BOUND.fullmatch(text):
        return bound_clause(found["name"], found["sign"], number(found["bound"], text))
    if found := EQUAL.fullmatch(text) or IS.fullmatch(text):
        if (span := INTERVAL.fullmatch(found["level"].strip())) and found["sign"] in ("=", "=="):
            return interval_clause(found["name"], span, text)
        excluded = found["sign"] in ("!=", "is not")
        return Clause(found["name"], levels=(found["level"].strip(),), excluded=excluded)
    if found := WORD.fullmatch(text):
        word = "other" if found["word"] in OTHERWISE else found["word"]
        return Clause(found["name"], word=word)
    raise ParameterError(
        f"`{text}` is not a condition",
        hint="write `x <= 5`, `x > 5`, `2 < x <= 5`, `color = red`, `color in {red, blue}`, "
        "`color otherwise` or `color missing`",
    )


def clause_of(column: str, key: object) -> Clause:
    """The condition on a column that one key of a nested dict states: `<= 5`, a level, a tuple."""
    if key is None or key != key:
        return Clause(column, word="missing")
    if isinstance(key, tuple | frozenset):
        return Clause(column, levels=tuple(key))
    if not isinstance(key, str):
        return Clause(column, levels=(key,))  # type: ignore[arg-type]
    text = key.strip()
    if text in ("missing", "other", "otherwise", "else", "known"):
        return read_clause(f"{column} {text}")
    if found := re.fullmatch(r"(<=|>=|<|>)\s*(\S+)", text):
        return bound_clause(column, found[1], number(found[2], f"{column} {text}"))
    if found := INTERVAL.fullmatch(text):
        return interval_clause(column, found, text)
    if found := re.fullmatch(r"(in|not in)\s*\{.*\}", text, re.DOTALL):
        return read_clause(f"{column} {text}")
    return Clause(column, levels=(text,))


def interval_clause(column: str, span: re.Match[str], within: str) -> Clause:
    """`(2, 5]`, `(-inf, 5]`, `(2, inf)`: the upper end belongs to the interval."""
    low = -inf if span["low"] == "-inf" else number(span["low"], within)
    high = inf if span["high"] == "inf" else number(span["high"], within)
    return Clause(column, low, high)


def bound_clause(column: str, sign: str, bound: float) -> Clause:
    strict = sign in ("<", ">=")
    if strict:  # the next number below makes them `<=` and `>`
        bound = nextafter(bound, -inf)
    low, high = (-inf, bound) if sign in ("<", "<=") else (bound, inf)
    return Clause(column, low, high, strict=strict)


def number(text: str, within: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = inf
    if not isfinite(found):
        raise ParameterError(f"`{text}` in `{within}` is not a number")
    return found
