"""Python code predicts as the model does, on every witness of every model."""

import ast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import a_mixed_schema, a_random_tree
from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from treewright.errors import ExportError, ParameterError
from treewright.exports.languages.python_code import literal
from treewright.verbs.export import export, verify_export

TENNIS = """\
def _prediction(row):
    outlook = _level(row["outlook"])
    humidity = _level(row["humidity"])
    wind = _level(row["wind"])
    if outlook == "Sunny":
        if humidity == "High":
            return "No", (1.0, 0.0)
        elif humidity == "Normal":
            return "Yes", (0.0, 1.0)
        else:  # missing
            return "No", (0.6, 0.4)
    elif outlook == "Overcast":
        return "Yes", (0.0, 1.0)
    elif outlook == "Rain":
        if wind == "Weak":
            return "Yes", (0.0, 1.0)
        elif wind == "Strong":
            return "No", (1.0, 0.0)
        else:  # missing
            return "Yes", (0.4, 0.6)
    else:  # missing
        return "Yes", (0.35714285714285715, 0.6428571428571429)
"""


@pytest.mark.parametrize(("name", "form"), EVERY_MODEL_AND_FORM)
def test_P16_python_predicts_as_the_model(name, form):
    model = fitted(name)
    found = verify_export(model, export(model, to="python", form=form), to="python")
    assert found, str(found)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(["ifs", "tables"]))
def test_python_carries_any_tree(seed, is_classifier, form):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), is_classifier=is_classifier)
    found = verify_export(tree, export(tree, to="python", form=form), to="python")
    assert found, str(found)


def test_a_small_tree_reads_as_if_written_by_hand():
    assert TENNIS in export(fitted("tennis by ID3"), to="python")


def test_missing_values_may_be_none_or_nan():
    names = {}
    exec(export(fitted("tennis by ID3"), to="python"), names)
    for missing in (None, float("nan")):
        row = {"outlook": missing, "humidity": "High", "wind": "Weak"}
        assert names["predict"](row) == "Yes"
        assert names["predict_proba"](row) == [5 / 14, 9 / 14]


def test_a_large_tree_becomes_tables_and_a_loop():
    code = export(fitted("a chain of 1,200 splits"), to="python")
    assert code.count("if ") < 30


def test_too_many_nested_ifs_are_refused():
    with pytest.raises(ExportError, match="nested ifs"):
        export(fitted("a chain of 1,200 splits"), to="python", form="ifs")


def test_an_unknown_form_is_refused():
    with pytest.raises(ParameterError, match="hint: use one of auto, ifs, tables"):
        export(fitted("one leaf"), to="python", form="trees")


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_survives_as_a_literal(text):
    assert ast.literal_eval(literal(text)) == text


def test_code_needs_nothing_but_python():
    X, y = tw.load_sample("iris")
    tree = ast.parse(export(tw.C45Classifier().fit(X, y), to="python"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    assert {node.module for node in imports} <= {"math", "bisect"}
