"""Trees inside of PMML files as two-way questions.

Each node of PMML tries its children in order, and the first whose condition is true takes the row.
Here this becomes a chain of two-way questions. Programs such as JPMML leave out a child where the
node itself says what is predicted otherwise; children may also ask different columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.pmml_elements import (
    SIGNS,
    Element,
    check_schema,
    fields_of,
    predicates,
    values_in,
)
from treewright.imports.printed_tree import number_in, typed

NOTE_NULL = "the original predicts nothing where a value is missing; here one branch takes it"
STRATEGIES = ("none", "defaultChild", "lastPrediction", "nullPrediction")
MOST_NODES = 20_000_000
SURROGATES = "surrogates for missing values, or conditions on several columns, are not read"


@dataclass(frozen=True, slots=True)
class PmmlField:
    """A column of the data dictionary."""

    name: str
    at: int
    is_numeric: bool
    is_float: bool  # numbers are rounded to float32
    levels: tuple[str, ...]
    typed_levels: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """What leads to a node: `value <= bound` (or `<`), categories, or a missing value."""

    field: PmmlField
    bound: float = np.inf
    is_strict: bool = False
    is_upper: bool = False  # the numbers above the bound
    levels: frozenset[int] | None = None
    takes_missing: bool = False

    def is_other_side_of(self, other: "Condition") -> bool:
        """Whether exactly one of two conditions is true for every value."""
        if self.field.name != other.field.name or (self.levels is None) != (other.levels is None):
            return False
        if self.levels is not None and other.levels is not None:
            n_levels = len(self.field.levels)
            is_apart = not self.levels & other.levels
            return is_apart and len(self.levels) + len(other.levels) == n_levels
        same = (self.bound, self.is_strict) == (other.bound, other.is_strict)
        return same and self.is_upper != other.is_upper


@dataclass(slots=True, eq=False)
class Growing:
    """The nodes of all trees, while they are read."""

    columns: list[tuple[Any, ...]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])
    sets: list[frozenset[int]] = field(default_factory=list)
    notes: set[str] = field(default_factory=set)

    def add(self) -> int:
        """A new node, which is a leaf until it asks something."""
        if len(self.columns) >= MOST_NODES:
            raise ModelFileError("the file has too many nodes")
        self.columns.append((-1, -1, -1, 0.0, False, -1, 0.0, False))
        self.values.append(None)
        return len(self.columns) - 1


def fields_in(top: Element) -> dict[str, PmmlField]:
    """The columns by name."""
    found: dict[str, PmmlField] = {}
    for at, one in enumerate(fields_of(top)):
        name, data_type = one.get("name"), one.get("dataType")
        is_numeric = one.get("optype") == "continuous"
        values = [value for value in one.all("Value") if value.get("property", "valid") == "valid"]
        others = [value for value in one.all("Value") if value not in values]
        if any(value.get("value") != "NaN" for value in others):
            raise UnsupportedError(f"line {one.line}: other codes for missing values than NaN")
        levels = tuple(value.get("value") for value in values)
        if name in found or len(set(levels)) != len(levels):
            raise ModelFileError(f"line {one.line}: a name or a category occurs twice")
        own: list[Any] = list(levels)
        if data_type == "boolean" and {*levels} <= {"true", "false"}:
            own = [level == "true" for level in levels]
        elif data_type != "string":
            own = typed(levels)
        found[name] = PmmlField(name, at, is_numeric, data_type == "float", levels, tuple(own))
    return found


# ---------------------------------------------------------------------------- conditions


def condition_of(node: Element, fields: Mapping[str, PmmlField]) -> Condition | None:
    """What leads to a node; None if nothing is asked."""
    found = predicates(node)
    if len(found) != 1:
        raise UnsupportedError(f"line {node.line}: not one condition")
    one, takes_missing = found[0], False
    if one.name == "True":
        return None
    if one.name == "CompoundPredicate":
        operator = one.get("booleanOperator")
        if operator == "surrogate" or asks_several(one):
            raise UnsupportedError(f"line {one.line}: {SURROGATES}")
        parts = [part for part in one.children if part.attributes.get("operator") != "isMissing"]
        takes_missing = len(parts) < len(one.children)
        if takes_missing and (operator != "or" or not parts):
            raise UnsupportedError(f"line {one.line}: a compound condition is not reproduced")
        if len(parts) == 1:
            one = parts[0]
    name = first_field(one)
    if name not in fields:
        raise ModelFileError(f"line {one.line}: the data dictionary has no `{name[:50]}`")
    asked = fields[name]
    if not asked.is_numeric:
        codes = {text: at for at, text in enumerate(asked.levels)}
        if not codes:
            raise UnsupportedError(f"the categories of `{name[:50]}` are not listed")
        levels, missing = chosen_levels(one, asked, codes)
        return Condition(asked, levels=levels, takes_missing=takes_missing | missing)
    operator = one.attributes.get("operator", "")
    if one.name == "SimplePredicate" and operator in ("isMissing", "isNotMissing"):
        is_missing = operator == "isMissing"
        return Condition(asked, is_upper=is_missing, takes_missing=takes_missing | is_missing)
    if one.name != "SimplePredicate" or operator not in SIGNS:
        raise UnsupportedError(f"line {one.line}: a condition `{(operator or one.name)[:30]}`")
    bound = number_in(one.get("value"), f"line {one.line}")
    bound = float(np.float32(bound)) if asked.is_float else bound
    sign = SIGNS[operator]
    return Condition(
        asked, bound, sign in ("<", ">="), sign in (">", ">="), takes_missing=takes_missing
    )


def first_field(predicate: Element) -> str:
    """The column that a condition asks."""
    while predicate.name == "CompoundPredicate" and predicate.children:
        predicate = predicate.children[0]
    return predicate.get("field", "")


def asks_several(predicate: Element) -> bool:
    """Whether a condition asks several columns."""
    names, waiting = set(), [predicate]
    for one in waiting:
        waiting += one.children
        if one.name.startswith("Simple"):
            names.add(one.get("field"))
    return len(names) != 1


def chosen_levels(
    predicate: Element, asked: PmmlField, codes: Mapping[str, int]
) -> tuple[frozenset[int], bool]:
    """The categories for which a condition is true, and whether missing values meet it."""
    everything = frozenset(range(len(codes)))
    operator = predicate.get("operator", predicate.get("booleanOperator", ""))
    if predicate.name == "CompoundPredicate":
        if operator not in ("or", "and") or not predicate.children:
            raise UnsupportedError(f"line {predicate.line}: a compound condition is not reproduced")
        parts = [chosen_levels(one, asked, codes) for one in predicate.children]
        sets, missing = [one[0] for one in parts], [one[1] for one in parts]
        if operator == "or":
            return frozenset().union(*sets), any(missing)
        return everything.intersection(*sets), all(missing)
    if predicate.name == "SimplePredicate" and operator in ("isMissing", "isNotMissing"):
        is_missing = operator == "isMissing"
        return frozenset() if is_missing else everything, is_missing
    if predicate.name == "SimplePredicate" and operator in ("equal", "notEqual"):
        texts: Sequence[str] = (predicate.get("value"),)
    elif predicate.name == "SimpleSetPredicate" and operator in ("isIn", "isNotIn"):
        texts = values_in(predicate)
    else:
        raise UnsupportedError(f"line {predicate.line}: a condition `{operator[:30]}`")
    unknown = [text for text in texts if text not in codes]
    if unknown:
        raise ModelFileError(f"line {predicate.line}: `{unknown[0][:50]}` is no known category")
    named = frozenset(codes[text] for text in texts)
    return named if operator in ("equal", "isIn") else everything - named, False


# ---------------------------------------------------------------------------- trees


@dataclass(frozen=True, slots=True, eq=False)
class TreeReader:
    """Reads one `TreeModel` into the nodes of all trees."""

    growing: Growing
    model: Element
    fields: Mapping[str, PmmlField]
    classes: Sequence[str] | None
    factor: float = 1.0  # of numbers
    is_float: bool = False
    votes: bool = False  # a leaf counts for its class alone

    def read(self) -> None:
        """Add the tree."""
        check_schema(self.model, ("Node",))
        roots = self.model.all("Node")
        if len(roots) != 1 or condition_of(roots[0], self.fields) is not None:
            raise UnsupportedError(f"line {self.model.line}: not one root without a condition")
        strategy = self.model.get("missingValueStrategy", "none")
        if strategy not in STRATEGIES:
            raise UnsupportedError(f"`missingValueStrategy` {strategy[:30]} is not reproduced")
        waiting = [(self.growing.add(), roots[0], 0)]
        while waiting:
            at, node, child = waiting.pop()
            waiting += self.fill(at, node, child, strategy)
        self.growing.start.append(len(self.growing.columns))

    def fill(
        self, at: int, node: Element, first: int, strategy: str
    ) -> list[tuple[int, Element, int]]:
        """Write a node that tries children from one on; what is still to be written."""
        children = node.all("Node")
        if not children:
            self.end(at, node)
            return []
        if first == len(children):  # no child takes the row
            if self.model.get("noTrueChildStrategy", "") != "returnLastPrediction":
                raise UnsupportedError(
                    f"line {node.line}: nothing is predicted where no branch fits"
                )
            self.end(at, node)
            return []
        child = children[first]
        asked = condition_of(child, self.fields)
        if asked is None or (first + 1 == len(children) > 1 and self.cover_all(children)):
            return [(at, child, 0)]
        following = children[first + 1] if first + 1 < len(children) else None
        other = None if following is None else condition_of(following, self.fields)
        is_pair = (
            other is not None
            and other.is_other_side_of(asked)
            and first + 2 == len(children)
            and not (asked.takes_missing and other.takes_missing)
        )
        missing_true = asked.takes_missing
        if strategy == "defaultChild":
            default = node.get("defaultChild", "")
            is_next = following is not None and default == following.get("id", "?")
            if default != child.get("id", "?") and not (is_next and (is_pair or other is None)):
                raise UnsupportedError(f"line {node.line}: a default child that is not next")
            missing_true |= default == child.get("id", "?")
        elif strategy == "nullPrediction":
            self.growing.notes.add(NOTE_NULL)
        elif strategy == "lastPrediction" or (
            is_pair and other is not None and not asked.takes_missing and not other.takes_missing
        ):
            has_own = "score" in node.attributes and (
                strategy == "lastPrediction"
                or self.model.get("noTrueChildStrategy", "") == "returnLastPrediction"
            )
            if has_own:
                at = self.ask_if_missing(at, node, asked)
            else:
                self.growing.notes.add(NOTE_NULL)
        sides = self.ask(at, asked, missing_true=missing_true)
        rest = (sides[1], following, 0) if is_pair and following else (sides[1], node, first + 1)
        return [(sides[0], child, 0), rest]

    def cover_all(self, children: Sequence[Element]) -> bool:
        """Whether some child takes each row, so that the last one takes what others do not."""
        asked = [condition_of(one, self.fields) for one in children]
        known = [one for one in asked if one is not None]
        if len(known) < len(asked) or len({one.field.name for one in known}) > 1:
            return False
        takes_missing = any(one.takes_missing for one in known)
        levels = frozenset().union(*(one.levels or () for one in known))
        if known[0].levels is not None:
            return takes_missing and len(levels) == len(known[0].field.levels)
        has_all = any(one.bound == np.inf and not one.is_upper for one in known)
        has_all |= any(one.is_other_side_of(other) for one in known for other in known)
        return takes_missing and has_all

    def ask(self, at: int, asked: Condition, *, missing_true: bool) -> tuple[int, int]:
        """Make a node ask; the nodes for rows that meet the condition, and for others."""
        growing = self.growing
        true, false = growing.add(), growing.add()
        set_of = -1
        if asked.levels is not None:
            set_of = len(growing.sets)
            growing.sets.append(asked.levels)
        is_swapped = asked.levels is None and asked.is_upper
        left, right = (false, true) if is_swapped else (true, false)
        asks_missing = asked.levels is None and asked.bound == np.inf
        missing_left = False if asks_missing else missing_true != is_swapped
        old = growing.columns[at]
        growing.columns[at] = (
            left,
            right,
            asked.field.at,
            asked.bound,
            missing_left,
            set_of,
            old[6],
            asked.is_strict,
        )
        return true, false

    def ask_if_missing(self, at: int, node: Element, asked: Condition) -> int:
        """Ask for a value first, without which the node itself predicts; where there is one."""
        levels = None if asked.levels is None else frozenset(range(len(asked.field.levels)))
        known, missing = self.ask(at, Condition(asked.field, levels=levels), missing_true=False)
        self.end(missing, node)
        return known

    def end(self, at: int, node: Element) -> None:
        """Make a node a leaf with the prediction of an element."""
        where = f"line {node.line}"
        weight = number_in(node.get("recordCount", "0"), where)
        self.growing.columns[at] = (-1, -1, -1, 0.0, False, -1, weight, False)
        if self.classes is None:
            value = number_in(node.get("score"), where)
            value = float(np.float32(value)) if self.is_float else value
            self.growing.values[at] = [value * self.factor]
        else:
            self.growing.values[at] = shares_of(node, self.classes, votes=self.votes)


def shares_of(node: Element, classes: Sequence[str], *, votes: bool) -> list[float]:
    """The probability of each class at a leaf."""
    where, found = f"line {node.line}", [0.0] * len(classes)
    listed = node.all("ScoreDistribution")
    if votes or not listed:
        label = node.get("score")
        if label not in classes:
            raise ModelFileError(f"{where}: a class that the data dictionary does not list")
        found[classes.index(label)] = 1.0
        return found
    name = "probability" if all("probability" in one.attributes for one in listed) else None
    for one in listed:
        if one.get("value") not in classes:
            raise ModelFileError(f"{where}: a class that the data dictionary does not list")
        number = number_in(one.get(name or "recordCount"), where)
        if number < 0:
            raise ModelFileError(f"{where}: a negative count of a class")
        found[classes.index(one.get("value"))] = number
    total = sum(found)
    if not total > 0 or (name and abs(total - 1.0) > 1e-9):
        raise ModelFileError(f"{where}: the counts of classes are all zero, or no probabilities")
    return found if name else [one / total for one in found]
