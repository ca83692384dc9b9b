"""PMML files with many trees (`MiningModel`), and trees that other programs shortened.

Each node of PMML tries its children in order, and the first whose condition is true takes the row.
Here this becomes a chain of two-way questions. Programs such as JPMML leave out a child where the
node itself says what is predicted otherwise; children may also ask different columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.imports.foreign import ForeignModel, Sets, TreeNodes, UnsupportedError
from treewright.imports.pmml_elements import (
    SIGNS,
    Element,
    check_schema,
    classes_of,
    fields_of,
    predicates,
    values_in,
)
from treewright.imports.printed_tree import number_in, typed

LIBRARY = "PMML"
NOTE_NULL = "the original predicts nothing where a value is missing; here one branch takes it"
STRATEGIES = ("none", "defaultChild", "lastPrediction", "nullPrediction")
LINKS = {"none": "same", "logit": "logistic", "softmax": "softmax", "exp": "exponential"}
AVERAGES = ("average", "weightedAverage", "majorityVote", "weightedMajorityVote")
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


# ---------------------------------------------------------------------------- models


@dataclass(slots=True, eq=False)
class EnsembleReader:
    """Reads a model of one or many trees."""

    top: Element
    model: Element
    fields: dict[str, PmmlField]
    growing: Growing = field(default_factory=Growing)
    divisor: float = 1.0
    link: str = "same"
    link_scale: float = 1.0
    classes: Any = None
    n_scores: int = 1
    averages: bool = False
    is_float: bool = False

    def read(self) -> ForeignModel:
        """The model."""
        model = self.model
        is_class = model.get("functionName") == "classification"
        if not is_class and model.get("functionName") != "regression":
            raise UnsupportedError(f"`functionName` is {model.get('functionName')[:30]}")
        if is_class:
            self.classes = classes_of(self.top, model)
        if model.name == "TreeModel":
            self.averages = is_class
            TreeReader(self.growing, model, self.fields, self.classes).read()
            return self.made()
        how, segments = segments_of(model)
        if how == "modelChain":
            self.chain(segments)
        elif is_class:
            self.shares(how, segments)
        else:
            self.add_sum(model)
        return self.made()

    def shares(self, how: str, segments: Sequence[tuple[Element, float]]) -> None:
        """Averages of probabilities, or votes."""
        check_schema(self.model, ("Segmentation",))
        weights = {weight for _, weight in segments}
        if how not in AVERAGES or (how.startswith("weighted") and len(weights) > 1):
            raise UnsupportedError(f"`{how[:30]}` of classes by different weights is not read")
        for one, _ in segments:
            if one.name != "TreeModel":
                raise UnsupportedError(f"line {one.line}: `{one.name[:30]}` inside of an average")
            votes = how.endswith("Vote")
            TreeReader(self.growing, one, self.fields, self.classes, votes=votes).read()
        self.averages = True

    def add_sum(self, model: Element) -> None:
        """The trees of one score, and what is added to them."""
        factor, constant = rescaled(model)
        self.is_float |= model.get("x-mathContext", "double") == "float"
        if model.name == "TreeModel":
            how, segments = "sum", [(model, 1.0)]
        else:
            check_schema(model, ("Segmentation", "Targets"))
            how, segments = segments_of(model)
        if how not in ("sum", "average", "weightedAverage"):
            raise UnsupportedError(f"`{how[:30]}` of numbers is not reproduced")
        weights = [weight if how == "weightedAverage" else 1.0 for _, weight in segments]
        divisor = 1.0 if how == "sum" else float(sum(weights))
        if not divisor > 0 or (self.is_float and (how != "sum" or factor != 1.0)):
            raise UnsupportedError("averages in float32, or weights that add up to nothing")
        for (one, _), weight in zip(segments, weights, strict=True):
            if one.name != "TreeModel" or one.get("functionName") != "regression":
                raise UnsupportedError(f"line {one.line}: no regression tree inside of a sum")
            TreeReader(
                self.growing, one, self.fields, None, weight * factor, is_float=self.is_float
            ).read()
        if constant:
            self.one_leaf(constant * divisor)
        self.divisor = divisor

    def one_leaf(self, value: float) -> None:
        at = self.growing.add()
        self.growing.values[at] = [float(np.float32(value)) if self.is_float else value]
        self.growing.start.append(len(self.growing.columns))

    def chain(self, segments: Sequence[tuple[Element, float]]) -> None:
        """Sums, and a regression that makes predictions of them."""
        check_schema(self.model, ("Segmentation",))
        *sums, last = [one for one, _ in segments]
        if last.name != "RegressionModel" or not sums:
            raise UnsupportedError("a chain that does not end with a `RegressionModel`")
        made: dict[str, Growing] = {}
        divisors = set()
        for one in sums:
            self.growing = Growing(sets=self.growing.sets, notes=self.growing.notes)
            self.add_sum(one)
            made[output_of(one)] = self.growing
            divisors.add(self.divisor)
        if len(made) != len(sums) or len(divisors) > 1:
            raise UnsupportedError("the sums of a chain have the same name, or differ in kind")
        self.growing = in_turns([made[name] for name in self.regression(last, [*made])])

    def regression(self, model: Element, known: Sequence[str]) -> list[str]:
        """Set the link; the names of the scores in the order of the classes."""
        check_schema(model, ("RegressionTable",))
        method = model.get("normalizationMethod", "none")
        if method not in LINKS or model.get("functionName") != self.model.get("functionName"):
            raise UnsupportedError(f"the normalization `{method[:30]}` is not reproduced")
        self.link = LINKS[method]
        score_of: dict[str, str] = {}
        scales = set()
        for table in model.all("RegressionTable"):
            label = table.get("targetCategory", "")
            terms = [one for one in table.children if one.name != "Extension"]
            if number_in(table.get("intercept"), f"line {table.line}") != 0 or label in score_of:
                raise UnsupportedError(f"line {table.line}: an intercept, or a class twice")
            score_of[label] = ""
            if terms:
                if len(terms) > 1 or terms[0].name != "NumericPredictor":
                    raise UnsupportedError(f"line {table.line}: not one score of a class")
                score_of[label] = terms[0].get("name")
                scales.add(number_in(terms[0].get("coefficient"), f"line {table.line}"))
                if terms[0].get("exponent", "1") != "1":
                    raise UnsupportedError(f"line {table.line}: a power of a score")
        scores = [one for one in score_of.values() if one]
        if {*scores} != {*known} or len(scores) != len(known) or len(scales) != 1:
            raise UnsupportedError(f"line {model.line}: the regression does not use each sum once")
        self.link_scale = scales.pop()
        if not self.link_scale > 0:
            raise UnsupportedError(f"line {model.line}: a coefficient that is not above 0")
        self.n_scores = len(scores)
        return self.in_order_of_classes(score_of, model)

    def in_order_of_classes(self, score_of: dict[str, str], model: Element) -> list[str]:
        """The scores in the order of the classes; one score is that of the second class."""
        scores = [one for one in score_of.values() if one]
        if self.classes is None:
            if len(score_of) != 1 or self.link == "softmax":
                raise UnsupportedError(f"line {model.line}: not one number")
            return scores
        if {*score_of} != {*self.classes}:
            raise ModelFileError(f"line {model.line}: other classes than the data dictionary has")
        if self.link == "logistic" and len(scores) == 1 and len(self.classes) == 2:
            self.classes = sorted(self.classes, key=lambda label: bool(score_of[label]))
            return scores
        if self.link == "softmax" and len(scores) == len(self.classes):
            return [score_of[label] for label in self.classes]
        raise UnsupportedError(f"line {model.line}: such scores of classes are not reproduced")

    def made(self) -> ForeignModel:
        """The model of all that was read."""
        start = np.zeros(1 if self.averages else self.n_scores)
        if not self.averages:
            self.growing, start = without_start(self.growing, self.n_scores)
        if not self.growing.columns:
            raise ModelFileError("no trees")
        nodes, schema = self.nodes_and_schema()
        classes = None
        if self.classes is not None:
            targets = [one for one in self.fields.values() if one.levels == tuple(self.classes)]
            by_text = {
                text: level
                for one in targets or self.fields.values()
                if {*self.classes} <= {*one.levels}
                for text, level in zip(one.levels, one.typed_levels, strict=True)
            }
            classes = np.array([by_text.get(text, text) for text in self.classes])
        is_single = nodes.n_trees == 1 and self.link == "same" and self.divisor == 1.0
        is_single &= not start.any()
        return ForeignModel(
            library=LIBRARY,
            version=self.top.attributes.get("version"),
            nodes=nodes,
            schema=schema,
            classes=classes,
            averages_shares=self.averages,
            start=start,
            divisor=1.0 if self.averages else self.divisor,
            link=self.link,
            link_scale=self.link_scale,
            in_float32=self.is_float,
            unseen=self.unseen(schema),
            is_single=is_single and not self.is_float,
            notes=tuple(sorted(self.growing.notes)),
        )

    def nodes_and_schema(self) -> tuple[TreeNodes, Schema]:
        growing = self.growing
        left, right, feature, bound, missing_left, set_of, weight, strict = map(
            np.array, zip(*growing.columns, strict=True)
        )
        inner = left >= 0
        used = np.unique(feature[inner])
        if not len(used):
            raise UnsupportedError("no tree asks a column")
        place = np.full(len(self.fields), -1)
        place[used] = np.arange(len(used))
        specs = []
        threshold = bound.astype(np.float64)
        by_place = {one.at: one for one in self.fields.values()}
        for at in used.tolist():
            one = by_place[at]
            if not one.is_numeric:
                specs.append(ColumnSpec(one.name, "nominal", one.typed_levels))
                continue
            own = inner & (feature == at) & np.isfinite(bound)
            comparison = Comparison(
                float32=one.is_float, strict=bool(own.any() and strict[own].all())
            )
            specs.append(ColumnSpec(one.name, "numeric", comparison=comparison))
            threshold[own] = [
                Comparison(float32=one.is_float, strict=is_strict).threshold(number)
                for number, is_strict in zip(bound[own].tolist(), strict[own].tolist(), strict=True)
            ]
        values = [[0.0] * self.n_values if one is None else one for one in growing.values]
        codes = [np.array(sorted(one), dtype=np.int64) for one in growing.sets]
        starts = np.concatenate([[0], np.cumsum([len(one) for one in codes])]).astype(np.int64)
        sets = Sets(starts, np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
        n = len(left)
        nodes = TreeNodes(
            start=np.array(growing.start),
            left=left,
            right=right,
            feature=np.where(inner, place[feature], -1),
            threshold=np.where(inner & (set_of < 0), threshold, 0.0),
            missing_left=missing_left.astype(np.bool_),
            value=np.array(values, dtype=np.float64),
            weight=weight.astype(np.float64),
            n_rows=np.rint(np.clip(weight, 0, 2.0**53)).astype(np.int64),
            gain=np.zeros(n),
            set_of=set_of,
            sets=sets,
        )
        return nodes, Schema(tuple(specs), has_names=True, by_name=True)

    @property
    def n_values(self) -> int:
        return len(self.classes) if self.averages else 1

    def unseen(self, schema: Schema) -> str:
        """What an unknown category is: missing where the file says so, otherwise an error."""
        treatments = {
            one.get("name"): one.get("invalidValueTreatment", "returnInvalid")
            for found in self.model.all("MiningSchema")
            for one in found.all("MiningField")
        }
        nominal = [one.name for one in schema.columns if not one.is_numeric]
        are_missing = all(treatments.get(name) == "asMissing" for name in nominal)
        return "missing" if are_missing else "error"


def in_turns(scores: Sequence[Growing]) -> Growing:
    """The trees of several scores in turn; a score with fewer trees gets leaves of 0."""
    if len(scores) == 1:
        return scores[0]
    all_of = Growing(sets=scores[0].sets, notes=scores[0].notes)
    for turn in range(max(len(one.start) - 1 for one in scores)):
        for one in scores:
            if turn + 1 >= len(one.start):
                all_of.values[all_of.add()] = [0.0]
            else:
                first, end = one.start[turn], one.start[turn + 1]
                shift = len(all_of.columns) - first
                for left, right, *others in one.columns[first:end]:
                    moved = (left, right) if left < 0 else (left + shift, right + shift)
                    all_of.columns.append((*moved, *others))
                all_of.values += one.values[first:end]
            all_of.start.append(len(all_of.columns))
    return all_of


def without_start(growing: Growing, n_scores: int) -> tuple[Growing, Floats]:
    """The trees without leaves at the beginning that only say where the sums start."""
    sizes = np.diff(growing.start)
    if len(sizes) <= n_scores or (sizes[:n_scores] > 1).any():
        return growing, np.zeros(n_scores)
    start = np.array([growing.values[at][0] for at in range(n_scores)])
    columns = [
        (left - n_scores, right - n_scores, *others) if left >= 0 else (left, right, *others)
        for left, right, *others in growing.columns[n_scores:]
    ]
    starts = [at - n_scores for at in growing.start[n_scores:]]
    values = growing.values[n_scores:]
    return Growing(columns, values, starts, growing.sets, growing.notes), start


def segments_of(model: Element) -> tuple[str, list[tuple[Element, float]]]:
    """How the models inside a model are put together, and these with their weights."""
    found = model.all("Segmentation")
    if len(found) != 1:
        raise ModelFileError(f"line {model.line}: not one `Segmentation`")
    segments: list[tuple[Element, float]] = []
    for one in found[0].children:
        if one.name == "Extension":
            continue
        inside = [child for child in one.children if child.name not in ("True", "Extension")]
        if one.name != "Segment" or len(inside) != 1 or len(one.all("True")) != 1:
            raise UnsupportedError(f"line {one.line}: a segment with a condition is not read")
        weight = number_in(one.get("weight", "1"), f"line {one.line}")
        if weight < 0:
            raise UnsupportedError(f"line {one.line}: a negative weight")
        segments.append((inside[0], weight))
    if not segments:
        raise ModelFileError(f"line {model.line}: no segments")
    return found[0].get("multipleModelMethod"), segments


def rescaled(model: Element) -> tuple[float, float]:
    """The factor of a sum, and what is added to it."""
    found = [one for targets in model.all("Targets") for one in targets.children]
    if not found:
        return 1.0, 0.0
    known = {"field", "rescaleFactor", "rescaleConstant", "optype"}
    if len(found) > 1 or not found[0].attributes.keys() <= known or found[0].children:
        raise UnsupportedError(f"line {found[0].line}: the target is changed in an unknown way")
    where = f"line {found[0].line}"
    factor = number_in(found[0].get("rescaleFactor", "1"), where)
    return factor, number_in(found[0].get("rescaleConstant", "0"), where)


def output_of(model: Element) -> str:
    """The name under which the regression of a chain knows a sum."""
    found = [one for output in model.all("Output") for one in output.all("OutputField")]
    if len(found) != 1 or found[0].get("feature", "predictedValue") != "predictedValue":
        raise UnsupportedError(f"line {model.line}: not one output of a sum")
    if [one for one in found[0].children if one.name != "Extension"]:
        raise UnsupportedError(f"line {model.line}: a sum that is transformed")
    return found[0].get("name")
