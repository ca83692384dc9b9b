"""ONNX files are read without a library, and predict as onnxruntime does."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed
from machine import imported
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of

FOLDER = Path(__file__).parents[1] / "files" / "imports"
GOLDEN = np.load(FOLDER / "onnx.npz")
NAMES = ("forest", "boosted", "xgboost", "tree", "means")
HAS_RUNTIME = find_spec("onnxruntime") is not None


def content_of(name):
    return (FOLDER / f"onnx_{name}.onnx").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_those_of_onnxruntime(name, tmp_path):
    model = tw.import_model(content_of(name), verify=HAS_RUNTIME)
    assert model.import_report_.status == ("verified" if HAS_RUNTIME else "not verified")
    X, expected = GOLDEN["X"], GOLDEN[name]
    if hasattr(model, "classes_"):
        order = np.argsort(model.classes_)
        np.testing.assert_allclose(model.predict_proba(X)[:, order], expected, atol=1e-6)
    else:
        np.testing.assert_allclose(model.predict(X), expected.ravel(), rtol=1e-6)
    model.save(tmp_path / "m.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "m.tw").predict(X), model.predict(X))


def test_a_single_tree_is_read_as_one():
    model = tw.import_model(content_of("tree"), verify=False)
    assert isinstance(model, tw.ImportedTreeRegressor)
    assert model.get_n_leaves() == 8
    tw.verify_export(model, tw.export(model, to="python"), to="python")


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("forest", b"ZipMap", b"Softmx", "Softmx"),
        ("forest", b"BRANCH_LEQ", b"BRANCH_NEQ"[:10], "BRANCH_NEQ"),
        ("xgboost", b"SOFTMAX", b"PROBITS", "PROBITS"),
        ("boosted", b"class_weights", b"class_weight_", "numbers, not"),
    ],
)
def test_what_is_not_reproduced_is_named(name, old, new, words):
    assert old in content_of(name)
    with pytest.raises(ModelFileError, match=words):
        tw.import_model(content_of(name).replace(old, new), verify=False)


def test_scores_without_a_link_are_refused():
    onnx = imported("onnx")
    model = onnx.load_model_from_string(content_of("xgboost"))
    for attribute in model.graph.node[0].attribute:
        if attribute.name == "post_transform":
            attribute.s = b"NONE"
        if attribute.name == "base_values":
            del attribute.floats[:]
    with pytest.raises(UnsupportedError, match="not shares"):
        tw.import_model(model.SerializeToString(), verify=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_was_cut_is_refused(name):
    content = content_of(name)
    for end in range(1, len(content) - 60, 97):
        with pytest.raises(ModelFileError):
            tw.import_model(content[:end], format="onnx", verify=False)


@pytest.mark.parametrize("name", NAMES)
def test_changed_files_never_crash(name):
    content, rng = content_of(name), np.random.default_rng(0)
    for _ in range(200):
        try:
            found = content_source(changed(content, rng), "onnx", verify=False).model
            found.check()
            model = made_of(found)
        except ModelFileError:
            continue
        if model.n_features_in_ == 3:
            assert len(model.predict(GOLDEN["X"][:5])) == 5


@pytest.mark.parametrize(
    "content",
    [
        b"\x08\x07\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x08" + b"\xff" * 100,
        b"\x08\x07" + b"\x3a\x7e" * 50_000,
    ],
)
def test_announced_sizes_take_no_memory(content):
    with pytest.raises(ModelFileError):
        tw.import_model(content, format="onnx", verify=False)
