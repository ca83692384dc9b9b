"""PMML 4.4: a TreeModel with the branches, sets and intervals of the tree.

Missing values are handled by predicates of their own, so evaluators need no strategy for them: with
`missingValueStrategy="none"` a comparison with a missing value is not true, and a row that no child
takes is predicted by the node (`noTrueChildStrategy="returnLastPrediction"`). A level not seen in
training is an invalid value, which counts as missing or is refused. If it goes to the majority,
fields do not list their levels, so that none is invalid, and a predicate handles unseen ones.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.exports.files.pmml_predicates import (
    Predicates,
    data_type_of,
    level_text,
    node_lines,
)
from treewright.exports.files.xml_text import class_type, element, field_names, free_name, opening
from treewright.exports.notes import unit_note
from treewright.exports.program import (
    Exported,
    Predictions,
    Program,
    ProgramError,
    WeightedSum,
    row_dicts,
)
from treewright.optional import optional_module

NAMESPACE = "http://www.dmg.org/PMML-4_4"
INVALID_VALUES = {"missing": "asMissing", "majority": "asIs", "error": "returnInvalid"}


def write(program: Program) -> str:
    """The model as the text of a PMML file.

    Fields have the names of the columns. The target field is `prediction`, with an output
    `probability(<class>)` for each class.
    """
    class_type(program)
    fields = field_names(program)
    target = free_name("prediction", fields)
    sums = derived_fields(program, [*fields, target])
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            opening("PMML", {"xmlns": NAMESPACE, "version": "4.4"}),
            header(program),
            *data_dictionary(program, fields, target),
            *tree_model(program, fields, target, sums),
            "</PMML>",
            "",
        ]
    )


def derived_fields(program: Program, taken: list[str]) -> dict[WeightedSum, str]:
    """A name for each weighted sum of the tree."""
    sums: dict[WeightedSum, str] = {}
    for step in program.steps():
        if isinstance(step.question, WeightedSum) and step.question not in sums:
            sums[step.question] = free_name(f"sum {len(sums) + 1}", taken)
    return sums


def header(program: Exported) -> str:
    about = f"{program.title}: {program.size_text}"
    application = element("Application", {"name": "Treewright"})
    return element("Header", {"description": about}, application)


def data_dictionary(program: Exported, fields: list[str], target: str) -> Iterator[str]:
    """The fields and their values."""
    yield opening("DataDictionary", {"numberOfFields": str(len(fields) + 1)})
    for name, spec in zip(fields, program.columns, strict=True):
        yield data_field(name, spec, is_open=program.unseen == "majority")
    if program.classes is None:
        yield element("DataField", {"name": target, "optype": "continuous", "dataType": "double"})
    else:
        values = [element("Value", {"value": level_text(label)}) for label in program.classes]
        kind = {"optype": "categorical", "dataType": data_type_of(program.classes)}
        yield element("DataField", {"name": target, **kind}, "".join(values))
    yield "</DataDictionary>"


def data_field(name: str, spec: ColumnSpec, *, is_open: bool) -> str:
    """One field; if it `is_open`, no level is invalid."""
    if spec.is_numeric:
        note = unit_note(spec)
        shown = f"{name}: {note}" if note else None
        kind = {"optype": "continuous", "dataType": "double"}
        return element("DataField", {"name": name, "displayName": shown, **kind})
    optype = "ordinal" if spec.kind == "ordered" else "categorical"
    levels = () if is_open else spec.levels
    values = [element("Value", {"value": level_text(level)}) for level in levels]
    kind = {"optype": optype, "dataType": data_type_of(spec.levels)}
    return element("DataField", {"name": name, **kind}, "".join(values))


# ---------------------------------------------------------------------------- the model


def tree_model(
    program: Program, fields: list[str], target: str, sums: dict[WeightedSum, str]
) -> Iterator[str]:
    is_classifier = program.classes is not None
    yield opening(
        "TreeModel",
        {
            "modelName": program.title,
            "functionName": "classification" if is_classifier else "regression",
            "missingValueStrategy": "none",
            "noTrueChildStrategy": "returnLastPrediction",
            "splitCharacteristic": "multiSplit",
        },
    )
    yield from mining_schema(program, fields, target)
    yield from outputs(program, [*fields, target, *sums.values()])
    if sums:
        yield "<LocalTransformations>"
        for total, name in sums.items():
            yield derived_field(total, name, fields)
        yield "</LocalTransformations>"
    yield from node_lines(program, Predicates(program, fields, sums))
    yield "</TreeModel>"


def mining_schema(program: Exported, fields: list[str], target: str) -> Iterator[str]:
    """The columns that the tree uses, and the target."""
    yield "<MiningSchema>"
    for column in program.used_columns:
        treatment = "asIs"
        if not program.columns[column].is_numeric:
            treatment = INVALID_VALUES[program.unseen]
        yield element("MiningField", {"name": fields[column], "invalidValueTreatment": treatment})
    yield element("MiningField", {"name": target, "usageType": "target"})
    yield "</MiningSchema>"


def outputs(program: Exported, taken: list[str]) -> Iterator[str]:
    kind = {"optype": "continuous", "dataType": "double"}
    predicted, *shares = output_names(program, taken)
    own_kind = kind
    if program.classes is not None:
        own_kind = {"optype": "categorical", "dataType": data_type_of(program.classes)}
    yield "<Output>"
    yield element("OutputField", {"name": predicted, **own_kind, "feature": "predictedValue"})
    for name, label in zip(shares, program.classes or (), strict=True):
        of_class = {"feature": "probability", "value": level_text(label)}
        yield element("OutputField", {"name": name, **kind, **of_class})
    yield "</Output>"


def output_names(program: Exported, taken: list[str]) -> list[str]:
    """The label and the probability of each class, or the number."""
    if program.classes is None:
        return [free_name("value", taken)]
    shares = [f"probability({level_text(label)})" for label in program.classes]
    return [free_name(name, taken) for name in ("label", *shares)]


def derived_field(total: WeightedSum, name: str, fields: list[str]) -> str:
    """weight * value added up from the left; missing if a value is."""
    added = ""
    for column, weight in total.terms:
        factor = element("Constant", {"dataType": "double"}, repr(weight))
        value = element("FieldRef", {"field": fields[column]})
        term = element("Apply", {"function": "*"}, value + factor)
        added = element("Apply", {"function": "+"}, added + term) if added else term
    kind = {"name": name, "optype": "continuous", "dataType": "double"}
    return element("DerivedField", kind, added)


# ---------------------------------------------------------------------------- running


def run(code: str, program: Exported, rows: Table) -> Predictions:
    """What PMML4S predicts, an evaluator in Java; None is the label of a row that it refuses."""
    pypmml = optional_module("pypmml", extra="pmml", purpose="running a PMML file")
    try:
        model = pypmml.Model.fromString(code)
    except Exception as error:  # no Java, or a file that cannot be read
        raise ProgramError(f"PMML4S cannot load the file: {error}") from error
    fields = field_names(program)
    predicted, *shares = output_names(program, [*fields, free_name("prediction", fields)])
    found = json.loads(model.predict(as_json(fields, rows)))
    values = [[one.get(name) for name in shares or [predicted]] for one in found]
    labels = None if program.classes is None else [one.get(predicted) for one in found]
    return Predictions(labels, np.array(values, dtype=np.float64))


def as_json(fields: list[str], rows: Table) -> str:
    """All rows in one text, because calls of Java are slow; missing values are left out."""
    names = [f"{json.dumps(name)}: " for name in fields]
    lines = [
        ", ".join(
            name + json_value(value)
            for name, value in zip(names, row.values(), strict=True)
            if value is not None
        )
        for row in row_dicts(rows)
    ]
    return "[" + ",\n".join(f"{{{line}}}" for line in lines) + "]"


def json_value(value: Any) -> str:
    text = json.dumps(value)
    return text.replace("Infinity", "1e999") if isinstance(value, float) else text
