"""PMML 4.4: a MiningModel whose segments are the trees.

Segments are added in their order, the start of a boosted model first; those of a forest are
averaged. Scores become probabilities in a RegressionModel at the end of a chain.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.files import pmml_file
from treewright.exports.files.pmml_file import (
    NAMESPACE,
    data_dictionary,
    header,
    mining_schema,
    outputs,
)
from treewright.exports.files.pmml_predicates import (
    Predicates,
    all_of,
    level_text,
    node_lines,
)
from treewright.exports.files.xml_text import class_type, element, field_names, free_name, opening
from treewright.exports.program import Exported, Predictions, Program
from treewright.exports.sums.program import SumProgram, refuse_divided_votes, refuse_float32
from treewright.tree.tree import Tree

TOLERANCE = 1e-12  # relative: evaluators have an `exp` of their own, and their own way to average
FUNCTIONS = ("regression", "classification")  # by whether classes are predicted
NORMALIZATION = {"logistic": "logit", "softmax": "softmax", "exponential": "exp"}


def write(program: SumProgram) -> str:
    """The model as the text of a PMML file, with the fields of a single tree's."""
    class_type(program)
    if program.link == "isolation":
        raise ExportError(
            "PMML has isolation forests only as anomaly detection models, which few programs read"
        )
    refuse_float32(program, "PMML adds up doubles")
    refuse_divided_votes(program)
    if program.unseen == "majority" and any(term.sides for term in program.terms):
        raise ExportError(
            "PMML cannot send unseen categories to the majority and replace them in equations",
            hint='train with handle_unknown="missing"',
        )
    if program.link not in (*NORMALIZATION, "same", "linear"):
        raise ExportError(f"PMML cannot normalize scores by the link `{program.link}`")
    if program.costs is not None:
        raise ExportError(
            "PMML has no costs for models of many trees",
            hint="train without costs, and choose the class by the probabilities",
        )
    fields = field_names(program)
    target = free_name("prediction", fields)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            opening("PMML", {"xmlns": NAMESPACE, "version": "4.4"}),
            header(program),
            *data_dictionary(program, fields, target),
            *Segments(program, fields, target).model(),
            "</PMML>",
            "",
        ]
    )


def run(code: str, program: SumProgram, rows: Table) -> Predictions:
    """What PMML4S predicts, an evaluator in Java."""
    found = pmml_file.run(code, program, rows)
    assert found.values is not None
    size = float(np.nanmax(np.abs(found.values), initial=1.0))
    return replace(found, tolerance=TOLERANCE * size)


class Segments:
    """The models inside the model."""

    def __init__(self, program: SumProgram, fields: list[str], target: str) -> None:
        self.program, self.fields, self.target = program, fields, target
        self.is_classifier = program.classes is not None

    def model(self) -> Iterator[str]:
        program = self.program
        head = {"modelName": program.title, "functionName": FUNCTIONS[self.is_classifier]}
        yield opening("MiningModel", head)
        yield from mining_schema(program, self.fields, self.target)
        yield from outputs(program, [*self.fields, self.target])
        if program.link in NORMALIZATION:
            yield from self.chain()
        elif program.link == "linear":
            yield from self.equations()
        else:
            yield from self.added(0)
        yield "</MiningModel>"

    def chain(self) -> Iterator[str]:
        """A sum for each score, then the regression that makes predictions of them."""
        scores = [free_name(f"score {at}", self.fields) for at in range(self.program.n_scores)]
        yield opening("Segmentation", {"multipleModelMethod": "modelChain"})
        for at, score in enumerate(scores):
            yield opening("Segment", {"id": f"s{at}"})
            yield "<True/>"
            yield opening("MiningModel", {"functionName": "regression"})
            yield from self.schema_of(self.program)
            yield "<Output>"
            kind = {"optype": "continuous", "dataType": "double", "feature": "predictedValue"}
            yield element("OutputField", {"name": score, **kind})
            yield "</Output>"
            yield from self.added(at)
            yield "</MiningModel>"
            yield "</Segment>"
        yield opening("Segment", {"id": "link"})
        yield "<True/>"
        yield from self.regression(scores)
        yield "</Segment>"
        yield "</Segmentation>"

    def equations(self) -> Iterator[str]:
        """For each leaf of the tree: the way to it, and its equation."""
        program = self.program
        (tree,) = program.trees
        one, numbers = Program(tree, program.title), program.leaf_values(tree)
        predicates = Predicates(one, self.fields, {})
        # One segment holds for each row. With "selectFirst", PMML4S would drop the outputs above.
        yield opening("Segmentation", {"multipleModelMethod": "sum"})
        waiting: list[tuple[int, list[str]]] = [(0, [])]
        while waiting:
            node, way = waiting.pop()
            step = one.step(node)
            if step is not None:
                ways = predicates.of_children(step).items()
                waiting += [(child, [*way, condition]) for child, condition in ways]
                continue
            yield opening("Segment", {"id": f"leaf {node}"})
            yield all_of(way)
            yield opening("RegressionModel", {"functionName": "regression"})
            yield from self.filled_schema()
            yield self.equation(numbers[node].tolist())
            yield "</RegressionModel>"
            yield "</Segment>"
        yield "</Segmentation>"

    def filled_schema(self) -> Iterator[str]:
        """The columns of equations, with what replaces a missing value."""
        program = self.program
        fills = {term.column: term.fill for term in program.terms}
        yield "<MiningSchema>"
        for column, fill in fills.items():
            spec, treatment, value = program.columns[column], "asIs", repr(fill)
            if not spec.is_numeric:
                treatment = pmml_file.INVALID_VALUES[program.unseen]
                value = level_text(spec.levels[int(fill)])
            attributes = {"name": self.fields[column], "invalidValueTreatment": treatment}
            yield element("MiningField", {**attributes, "missingValueReplacement": value})
        yield element("MiningField", {"name": self.target, "usageType": "target"})
        yield "</MiningSchema>"

    def equation(self, numbers: list[float]) -> str:
        """An intercept, coefficients of numbers, and one for each level."""
        of_levels: dict[tuple[int, int], float] = {}
        predictors = []
        for term, number in zip(self.program.terms, numbers[1:], strict=True):
            if not term.sides:
                attributes = {"name": self.fields[term.column], "coefficient": repr(number)}
                predictors.append(element("NumericPredictor", attributes))
            for code, side in enumerate(term.sides[1:]):
                key = (term.column, code)
                of_levels[key] = of_levels.get(key, 0.0) + number * (side == "1")
        for (column, code), number in of_levels.items():
            value = level_text(self.program.columns[column].levels[code])
            attributes = {"name": self.fields[column], "value": value, "coefficient": repr(number)}
            predictors.append(element("CategoricalPredictor", attributes))
        return element("RegressionTable", {"intercept": repr(numbers[0])}, "".join(predictors))

    def regression(self, scores: list[str]) -> Iterator[str]:
        classes, scale = self.program.classes, self.program.scale / self.program.divisor
        head = {
            "functionName": FUNCTIONS[self.is_classifier],
            "normalizationMethod": NORMALIZATION[self.program.link],
        }
        yield opening("RegressionModel", head)
        yield "<MiningSchema>"
        yield element("MiningField", {"name": self.target, "usageType": "target"})
        yield from (element("MiningField", {"name": score}) for score in scores)
        yield "</MiningSchema>"
        if classes is None:
            yield regression_table(scores[0], None, scale)
        elif len(scores) == 1:  # the log-odds of the second class
            yield regression_table(scores[0], level_text(classes[1]), scale)
            yield regression_table(None, level_text(classes[0]))
        else:
            for score, label in zip(scores, classes, strict=True):
                yield regression_table(score, level_text(label), scale)
        yield "</RegressionModel>"

    def added(self, score: int) -> Iterator[str]:
        """The trees of one score, or all trees of a forest."""
        program = self.program
        is_mean = program.link == "same" and (program.divisor != 1 or self.is_classifier)
        yield opening("Segmentation", {"multipleModelMethod": "average" if is_mean else "sum"})
        if not is_mean:
            start = element("Node", {"score": repr(float(program.start[score]))}, "<True/>")
            yield from self.segment("start", None, [start])
        for at in range(score, len(program.trees), 1 if is_mean else program.n_scores):
            one = Program(with_values(program.trees[at], program), program.title)
            nodes = node_lines(one, Predicates(one, self.fields, {}))
            yield from self.segment(f"t{at}", one, nodes)
        yield "</Segmentation>"

    def segment(self, name: str, one: Program | None, nodes: Iterable[str]) -> Iterator[str]:
        """A segment with the nodes of one tree; None for one that asks no column."""
        has_classes = one is not None and one.classes is not None
        yield opening("Segment", {"id": name})
        yield "<True/>"
        head = {
            "functionName": FUNCTIONS[has_classes],
            "missingValueStrategy": "none",
            "noTrueChildStrategy": "returnLastPrediction",
            "splitCharacteristic": "multiSplit",
        }
        yield opening("TreeModel", head)
        yield from self.schema_of(one)
        yield from nodes
        yield "</TreeModel>"
        yield "</Segment>"

    def schema_of(self, one: Exported | None) -> Iterator[str]:
        """The columns that a model inside asks."""
        yield "<MiningSchema>"
        for column in () if one is None else one.used_columns:
            treatment = "asIs"
            if not self.program.columns[column].is_numeric:
                treatment = pmml_file.INVALID_VALUES[self.program.unseen]
            name = self.fields[column]
            yield element("MiningField", {"name": name, "invalidValueTreatment": treatment})
        yield "</MiningSchema>"


def regression_table(score: str | None, category: str | None, scale: float = 1.0) -> str:
    """The score times `scale`, or 0."""
    predictor = ""
    if score is not None:
        predictor = element("NumericPredictor", {"name": score, "coefficient": repr(scale)})
    return element("RegressionTable", {"intercept": "0", "targetCategory": category}, predictor)


def with_values(tree: Tree, program: SumProgram) -> Tree:
    """The tree with what it adds in place of its own predictions, if that differs."""
    values = np.asarray(program.leaf_values(tree), dtype=np.float64)
    if np.array_equal(values, Program(tree).node_values):
        return tree
    return replace(tree, value=values, class_factor=np.ones(tree.n_values), costs=None)
