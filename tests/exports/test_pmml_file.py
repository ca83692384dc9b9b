"""PMML files fit the schema of PMML 4.4 and predict as the model, by three evaluators.

One is written for these tests from the specification; PMML4S runs in Java and is what
`verify_export` asks; JPMML, the reference implementation, runs where it is installed. The schema is
the one that JPMML brings.
"""

import importlib.util
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import (
    a_chain,
    a_mixed_schema,
    a_random_tree,
    a_stump,
    build,
    leaf,
    numeric_schema,
    subset,
)
from exports.export_models import EXPORT_MODELS, fitted
from exports.pmml_evaluator import Evaluator, InvalidValueError
from machine import imported, needs, needs_packages
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError
from treewright.exports.files import pmml_predicates as pmml_nodes
from treewright.exports.files.pmml_file import output_names
from treewright.exports.files.xml_text import field_names
from treewright.exports.program import Predictions, row_dicts
from treewright.exports.witnesses import witnesses
from treewright.verbs.export import (
    compare,
    expected_predictions,
    export,
    program_of,
    verify_export,
)

TOO_DEEP = "a chain of 1,200 splits"
CARRIED = [name for name in EXPORT_MODELS if name != TOO_DEEP]
LARGE = ("twelve classes", "everything, classes", "everything, other classes")  # several megabytes
SMALLER = [name for name in CARRIED if name not in LARGE]


def needs_pmml4s(test):
    return needs("java")(needs_packages("pypmml")(test))


def needs_jpmml(test):
    return needs("java")(needs_packages("jpmml_evaluator")(test))


def refused(program):
    return None if program.classes else float("nan"), [float("nan")] * program.tree.n_values


def as_predictions(program, predictions, tolerance=0.0):
    labels = [label for label, _ in predictions]
    values = np.array([shares for _, shares in predictions], dtype=np.float64)
    return Predictions(None if program.classes is None else labels, values, tolerance)


def by_specification(code, program, rows):
    """What the evaluator of these tests predicts."""
    evaluator = Evaluator(code)
    predictions = []
    for row in row_dicts(rows):
        fields = dict(zip(field_names(program), row.values(), strict=True))
        try:
            prediction = evaluator.prediction(fields)
        except InvalidValueError:
            predictions.append(refused(program))
            continue
        if program.classes is None:
            predictions.append((None, [prediction]))
        else:
            label, shares = prediction
            predictions.append((label, [shares[one] for one in program.classes]))
    return as_predictions(program, predictions)


@cache
def exported(name):
    return export(fitted(name), to="pmml")


def agrees(model, code, found_by):
    program = program_of(model)
    rows = witnesses(program.tree)
    found = found_by(code, program, rows)
    compared = compare("pmml", rows, expected_predictions(model, program, rows), found)
    assert compared, str(compared)


@pytest.mark.parametrize("name", SMALLER)
def test_P16_pmml_read_by_the_specification_predicts_as_the_model(name):
    agrees(fitted(name), exported(name), by_specification)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_pmml_carries_any_tree(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=5, is_classifier=is_classifier)
    agrees(tree, export(tree, to="pmml"), by_specification)


# ---------------------------------------------------------------------------- evaluators in Java


@needs_pmml4s
@pytest.mark.parametrize("name", CARRIED)
def test_P16_pmml4s_predicts_as_the_model(name):
    found = verify_export(fitted(name), exported(name), to="pmml")
    assert found, str(found)


@pytest.fixture(scope="module")
def jpmml():
    """What JPMML predicts, in a Java process of its own.

    It divides probabilities by their sum once more, so their last bit may differ; and it looks at a
    column only where the tree asks for it, so a level is refused only there.
    """
    import pandas
    from jpmml_evaluator import make_evaluator
    from jpmml_evaluator.py4j import Py4JBackend

    backend = Py4JBackend()

    def found_by(folder):
        def predictions(code, program, rows):
            file = folder / "model.pmml"
            file.write_text(code, encoding="utf-8")
            evaluator = make_evaluator(str(file), backend=backend).verify()
            fields = field_names(program)
            label, *shares = output_names(program, [*fields, "prediction"])
            table = pandas.DataFrame(list(row_dicts(rows)), dtype=object)
            table.columns = fields
            predictions = evaluator.evaluateAll(table).to_dict("records")
            found = [(one[label], [one[name] for name in shares or [label]]) for one in predictions]
            return as_predictions(program, found, tolerance=1e-15)

        return predictions

    yield found_by
    Py4JBackend.destroyGateway()  # the process would stay


@needs_jpmml
@pytest.mark.parametrize("name", [name for name in SMALLER if name != "unseen is an error"])
def test_P16_jpmml_predicts_as_the_model(name, jpmml, tmp_path):
    agrees(fitted(name), exported(name), jpmml(tmp_path))


# ---------------------------------------------------------------------------- schema


@pytest.fixture(scope="module")
def schema():
    etree = imported("lxml.etree")
    package = Path(importlib.util.find_spec("jpmml_evaluator").origin).parent
    (archive,) = package.glob("dependencies/pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(archive) as jar:
        return etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))


@needs_jpmml
@pytest.mark.parametrize("name", CARRIED)
def test_pmml_fits_its_schema(name, schema):
    from lxml import etree

    code = exported(name)
    reader = etree.XMLParser(huge_tree=True)
    schema.assertValid(etree.fromstring(code.encode("utf-8"), reader))


# ---------------------------------------------------------------------------- what it looks like


def test_a_stump_as_pmml():
    lines = export(a_stump(), to="pmml").splitlines()
    assert lines[lines.index("</Output>") + 1 :] == [
        '<Node id="0" score="other" recordCount="150">',
        "<True/>",
        '<ScoreDistribution value="setosa" recordCount="51" probability="0.34"/>',
        '<ScoreDistribution value="other" recordCount="99" probability="0.66"/>',
        ' <Node id="1" score="setosa" recordCount="50">',
        ' <CompoundPredicate booleanOperator="or">'
        '<SimplePredicate field="petal width" operator="lessOrEqual" value="0.8"/>'
        '<SimplePredicate field="petal width" operator="isMissing"/></CompoundPredicate>',
        ' <ScoreDistribution value="setosa" recordCount="50" probability="1"/>',
        ' <ScoreDistribution value="other" recordCount="0" probability="0"/>',
        " </Node>",
        ' <Node id="2" score="other" recordCount="100">',
        ' <SimplePredicate field="petal width" operator="greaterThan" value="0.8"/>',
        ' <ScoreDistribution value="setosa" recordCount="1" probability="0.01"/>',
        ' <ScoreDistribution value="other" recordCount="99" probability="0.99"/>',
        " </Node>",
        "</Node>",
        "</TreeModel>",
        "</PMML>",
    ]


def test_branches_stay_branches():
    code = export(fitted("tennis by ID3"), to="pmml")
    root = Evaluator(code).model.find("Node")
    assert [child.find("SimplePredicate").get("value") for child in root.findall("Node")] == [
        "Sunny",
        "Overcast",
        "Rain",
    ]


def test_the_same_model_gives_the_same_text():
    model = fitted("missing fractional")
    assert export(model, to="pmml") == export(model, to="pmml")


# ---------------------------------------------------------------------------- refusals


def test_trees_deeper_than_readers_of_xml_are_refused():
    with pytest.raises(ExportError, match="nest over 200 deep"):
        export(fitted(TOO_DEEP), to="pmml")
    assert export(a_chain(200), to="pmml")


def test_names_that_xml_cannot_hold_are_refused():
    tree = build(leaf(1, 2), numeric_schema("bell \x07"), ("no", "yes"))
    with pytest.raises(ExportError, match=r"'\\x07', which XML cannot contain"):
        export(tree, to="pmml")


def test_levels_beyond_exact_doubles_are_refused():
    schema = Schema((ColumnSpec("it", "nominal", (1, 2**53 + 1)),))
    tree = build(subset(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1)), schema, ("no", "yes"))
    with pytest.raises(ExportError, match="9007199254740993 is too large for PMML"):
        export(tree, to="pmml")


def test_large_integers_are_levels_by_their_double():
    schema = Schema((ColumnSpec("it", "nominal", (1, 2**40, -(2**50))),))
    tree = build(subset(0, {0: 0, 1: 1, 2: 1}, leaf(1, 0), leaf(0, 1)), schema, ("no", "yes"))
    agrees(tree, export(tree, to="pmml"), by_specification)


def test_too_many_cases_of_spread_rows_are_refused(monkeypatch):
    monkeypatch.setattr(pmml_nodes, "MAX_SPREAD_NODES", 10)
    with pytest.raises(ExportError, match="spread over several branches"):
        export(fitted("missing fractional"), to="pmml")
