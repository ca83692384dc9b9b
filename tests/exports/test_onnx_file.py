"""ONNX files predict as the model, in onnxruntime and in ONNX's own reference evaluator."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import (
    a_chain,
    a_mixed_schema,
    a_random_tree,
    build,
    leaf,
    numeric_schema,
    oblique,
    subset,
)
from exports.export_models import EXPORT_MODELS, fitted
from machine import imported
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError, MissingExtraError
from treewright.exports.files import onnx_file
from treewright.exports.files import onnx_graph as onnx_walk
from treewright.exports.files.onnx_file import feeds_of
from treewright.exports.files.walk import TooManyCasesError
from treewright.exports.witnesses import witnesses
from treewright.verbs.export import export, program_of, verify_export

onnx = imported("onnx")
reference = imported("onnx.reference")
onnxruntime = imported("onnxruntime")


def options_for(name):
    return {"missing_text": "?"} if name == "odd levels and classes" else {}


def operators(code):
    return {node.op_type for node in onnx.load_from_string(code).graph.node}


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_P16_onnx_predicts_as_the_model(name):
    model, options = fitted(name), options_for(name)
    found = verify_export(model, export(model, to="onnx", **options), to="onnx", **options)
    assert found, str(found)


@pytest.mark.parametrize("name", ["tennis by C4.5", "missing stops", "300 levels", "oblique"])
def test_a_loop_and_an_ensemble_predict_alike(name, monkeypatch):
    model = fitted(name)
    monkeypatch.setattr(onnx_walk, "MAX_ENSEMBLE_DEPTH", 0)
    code = export(model, to="onnx")
    assert "Loop" in operators(code)
    assert verify_export(model, code, to="onnx")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_onnx_carries_any_tree(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=8, is_classifier=is_classifier)
    found = verify_export(tree, export(tree, to="onnx"), to="onnx")
    assert found, str(found)


SPREADING = [
    name for name in EXPORT_MODELS if re.search("C4.5|fraction|weights|twelve|every", name)
]


@pytest.mark.parametrize("name", [*SPREADING, "oblique", "unseen to the majority, surrogates"])
def test_shares_are_added_up_where_cases_are_too_many(name, monkeypatch):
    def too_many(program, most_spread):
        raise TooManyCasesError("too many")

    monkeypatch.setattr(onnx_file, "walk_of", too_many)
    model = fitted(name)
    code = export(model, to="onnx")
    assert not {"Loop", "TreeEnsemble"} & operators(code)
    found = verify_export(model, code, to="onnx")
    assert found, str(found)


REFERENCE_MODELS = [
    "tennis by ID3",
    "array without names",
    "missing by surrogates",
    "missing stops",
    "unseen to the majority",
    "regression of extreme numbers",
]


@pytest.mark.parametrize("name", REFERENCE_MODELS)
def test_the_reference_evaluator_agrees(name):
    model = fitted(name)
    program = program_of(model)
    rows = witnesses(program.tree)
    code = export(model, to="onnx")
    feeds = feeds_of(program, rows)
    ours = onnxruntime.InferenceSession(code).run(None, feeds)
    theirs = reference.ReferenceEvaluator(onnx.load_from_string(code)).run(None, feeds)
    for left, right in zip(ours, theirs, strict=True):
        assert left.tolist() == right.tolist()


def test_a_tree_is_one_ensemble_with_double_thresholds():
    code = export(fitted("numbers grown to the end"), to="onnx")
    assert "TreeEnsemble" in operators(code)
    ensemble = next(
        node for node in onnx.load_from_string(code).graph.node if node.op_type == "TreeEnsemble"
    )
    splits = next(one for one in ensemble.attribute if one.name == "nodes_splits")
    assert splits.t.data_type == onnx.TensorProto.DOUBLE


def test_a_very_deep_tree_is_walked_in_a_loop():
    code = export(a_chain(2000), to="onnx")
    assert "Loop" in operators(code)


def test_a_factor_next_to_one_is_not_left_out():
    weight = 1 - 2**-40  # 1 in 32 bits: onnxruntime once left such a product out
    root = oblique([(0, weight)], 1.0, leaf(1, 0), leaf(0, 1))
    tree = build(root, numeric_schema("x"), ("no", "yes"))
    session = onnxruntime.InferenceSession(export(tree, to="onnx"))
    label, _ = session.run(None, {"x": np.array([[1 / weight], [1 + 2**-20], [1 + 2**-41]])})
    assert label.tolist() == ["no", "yes", "no"]


def test_no_rows_give_no_predictions():
    session = onnxruntime.InferenceSession(export(fitted("array without names"), to="onnx"))
    label, probabilities = session.run(None, {"X": np.empty((0, 3))})
    assert label.shape == (0,)
    assert probabilities.shape == (0, 2)


def test_columns_are_inputs_under_their_names():
    session = onnxruntime.InferenceSession(export(fitted("odd names"), to="onnx"))
    names = [one.name for one in session.get_inputs()]
    assert names[0] == "column"  # the empty name, which ONNX has not
    assert names[1:] == [spec.name for spec in fitted("odd names").schema_.columns[1:]]


def test_a_column_called_label_does_not_clash_with_the_output():
    table = [{"label": "a", "probabilities": 1.0}, {"label": "b", "probabilities": 2.0}]
    model = tw.CARTClassifier(prune=None, min_samples_leaf=1, min_samples_split=2).fit(
        table, ["x", "y"]
    )
    assert verify_export(model, export(model, to="onnx"), to="onnx")


def test_the_same_model_gives_the_same_bytes():
    model = fitted("missing by surrogates")
    assert export(model, to="onnx") == export(model, to="onnx")


def test_the_text_for_missing_must_not_be_a_level():
    with pytest.raises(ExportError, match="'' is a level, but means a missing value"):
        export(fitted("odd levels and classes"), to="onnx")


def a_level_tree(*levels):
    root = subset(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1), missing=0)
    return build(root, Schema((ColumnSpec("it", "nominal", levels),)), ("no", "yes"))


def test_levels_that_are_no_exact_doubles_are_refused():
    with pytest.raises(ExportError, match="9007199254740993 is not exact as a double"):
        export(a_level_tree(1, 2**53 + 1), to="onnx")


def test_text_that_is_no_unicode_is_refused():
    with pytest.raises(ExportError, match="not valid Unicode"):
        export(a_level_tree("a", "\ud800"), to="onnx")


def test_classes_of_other_types_are_refused():
    tree = build(leaf(1, 2), numeric_schema("x"), ("yes", 1))
    with pytest.raises(ExportError, match="int, str"):
        export(tree, to="onnx")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match="needs the package `onnx`"):
        export(fitted("tennis by ID3"), to="onnx")
