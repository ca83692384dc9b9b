"""PMML files with many trees (`MiningModel`), and trees that other programs shortened."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.imports.foreign import ForeignModel, Sets, TreeNodes, UnsupportedError
from treewright.imports.pmml_elements import (
    Element,
    check_schema,
    classes_of,
)
from treewright.imports.pmml_trees import Growing, PmmlField, TreeReader
from treewright.imports.printed_tree import number_in

LIBRARY = "PMML"
LINKS = {"none": "same", "logit": "logistic", "softmax": "softmax", "exp": "exponential"}
AVERAGES = ("average", "weightedAverage", "majorityVote", "weightedMajorityVote")


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
