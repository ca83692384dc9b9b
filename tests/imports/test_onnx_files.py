"""ONNX files are read without a library, and predict as onnxruntime does."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed, n_changes
from imports.test_libraries import N_RANDOM
from machine import imported
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of

FOLDER = Path(__file__).parents[1] / "files" / "imports"
GOLDEN = np.load(FOLDER / "onnx.npz")
NAMES = sorted(path.stem.removeprefix("onnx_") for path in FOLDER.glob("onnx_*.onnx"))
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


def rows_near_thresholds(model, n):
    """Rows at a threshold, at the next floats and anywhere, also missing, in every column."""
    rng, inner = np.random.default_rng(7), model.nodes.is_inner
    columns = []
    for at in range(model.schema.n_columns):
        cuts = model.nodes.threshold[inner & (model.nodes.feature == at)]
        cuts = cuts[np.isfinite(cuts)].astype(np.float32)
        around = [cuts, np.nextafter(cuts, np.float32(-np.inf)), np.nextafter(cuts, np.float32(9))]
        values = np.concatenate([*around, np.float32([np.nan, 0.0, -1e30, 1e30, 1e-45])])
        chosen = rng.choice(values, n)
        columns.append(np.where(rng.random(n) < 0.3, rng.normal(size=n), chosen))
    return np.stack(columns, axis=1).astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_random_rows_are_predicted_as_by_onnxruntime(name):
    runtime = imported("onnxruntime")
    source = content_source(content_of(name), "onnx", verify=False).model
    model, rows = made_of(source), rows_near_thresholds(source, N_RANDOM)
    session = runtime.InferenceSession(content_of(name))
    given = session.get_inputs()[0]
    rows = rows.astype(np.float64 if "double" in given.type else np.float32)
    found = session.run(None, {given.name: rows})
    if model.state_.classes is None:
        np.testing.assert_allclose(model.predict(rows), found[0].ravel(), rtol=1e-6, atol=1e-6)
        return
    shares = model.predict_proba(rows)
    expected = found[1]
    if isinstance(expected, list):
        expected = np.array([[row[label] for label in model.classes_.tolist()] for row in expected])
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    best = np.sort(shares, axis=1)
    is_clear = best[:, -1] - best[:, -2] > 1e-5
    assert is_clear.any()
    assert (model.predict(rows)[is_clear] == np.asarray(found[0])[is_clear]).all()


@pytest.mark.parametrize("what", ["input", "output"])
def test_an_operation_without_inputs_or_outputs_is_refused(what):
    onnx = imported("onnx")
    for name in ("forest", "xgboost"):
        model = onnx.load_model_from_string(content_of(name))
        for at, node in enumerate(model.graph.node):
            kept = list(getattr(node, what))
            del getattr(node, what)[:]
            with pytest.raises(ModelFileError, match=f"`{node.op_type}` .* has no {what}s"):
                tw.import_model(model.SerializeToString(), format="onnx", verify=False)
            getattr(model.graph.node[at], what).extend(kept)


@pytest.mark.parametrize("name", ["tree", "forest", "three classes", "numbers"])
def test_exports_whose_operations_lack_tensors_are_refused(name):
    onnx = imported("onnx")
    content = tw.export(OURS[name](), to="onnx")
    n_nodes = len(onnx.load_model_from_string(content).graph.node)
    for at in range(n_nodes):
        for what in ("input", "output"):
            model = onnx.load_model_from_string(content)
            tensors = getattr(model.graph.node[at], what)
            while len(tensors):
                del tensors[-1]
                with suppress(ModelFileError):
                    tw.import_model(model.SerializeToString(), format="onnx", verify=False)


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
        ("tree", b'post_transform"', b"post_transform:", "not one text"),
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
    for _ in range(n_changes(200)):
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


# ---------------------------------------------------------------------------- our own exports


def mixed_rows(n=300):
    """Numbers with missing values, and categories of texts, whole numbers and booleans."""
    rng = np.random.default_rng(0)
    size, kind = rng.normal(size=n), rng.choice(["a b", 'c"d', "e", "f"], n).astype(object)
    size[rng.random(n) < 0.1] = np.nan
    kind[rng.random(n) < 0.05] = None
    columns = {
        "size": size,
        "kind": kind,
        "code": rng.integers(1, 5, n),
        "flag": rng.random(n) < 0.5,
    }
    score = np.nan_to_num(size) + (kind == "e") + 0.5 * (columns["code"] == 2) + columns["flag"]
    return tw.table_from(columns), score


TABLE, SCORE = mixed_rows()
MORE, _ = mixed_rows(N_RANDOM)
LABEL = np.array(["no", "maybe", "yes"])[np.digitize(SCORE, [-0.2, 0.8])]
ARRAY = np.stack([SCORE - np.nan_to_num(SCORE) ** 2, np.sin(9 * SCORE)], axis=1)


def random_array():
    """Rows of values that the training rows have, and of others."""
    rng = np.random.default_rng(4)
    chosen = [rng.choice(column, N_RANDOM) for column in ARRAY.T]
    others = rng.random(N_RANDOM) < 0.3
    return np.stack(chosen, axis=1) + others[:, None] * rng.normal(size=(N_RANDOM, 2))


OURS = {
    "tree": lambda: tw.CARTClassifier(max_depth=5, missing="majority").fit(TABLE, LABEL),
    "tree of an array": lambda: tw.CARTRegressor(max_depth=3, missing="majority").fit(ARRAY, SCORE),
    "tree without unknown categories": lambda: tw.CARTClassifier(
        max_depth=5, missing="majority", handle_unknown="error"
    ).fit(TABLE, LABEL),
    "C4.5": lambda: tw.C45Classifier(max_depth=4).fit(TABLE, LABEL),
    "forest": lambda: tw.RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0).fit(
        TABLE, LABEL
    ),
    "means": lambda: tw.RandomForestRegressor(n_estimators=5, max_depth=4, random_state=0).fit(
        TABLE, SCORE
    ),
    "three classes": lambda: tw.BoostedTreesClassifier(n_estimators=4, random_state=0).fit(
        TABLE, LABEL
    ),
    "two classes": lambda: tw.BoostedTreesClassifier(n_estimators=4, random_state=0).fit(
        TABLE, SCORE > 0
    ),
    "numbers": lambda: tw.BoostedTreesRegressor(n_estimators=4, random_state=0).fit(ARRAY, SCORE),
    "poisson": lambda: tw.BoostedTreesRegressor(n_estimators=4, loss="poisson", random_state=0).fit(
        TABLE, np.abs(SCORE)
    ),
}


@pytest.mark.parametrize("name", OURS)
def test_an_exported_model_comes_back(name):
    imported("onnx")
    model = OURS[name]()
    rows = ARRAY if model.n_features_in_ == 2 else TABLE
    again = tw.import_model(tw.export(model, to="onnx"), X=rows if HAS_RUNTIME else None)
    assert again.import_report_.status == ("verified" if HAS_RUNTIME else "not verified")
    rows = MORE if rows is TABLE else random_array()
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    if hasattr(model, "classes_"):
        assert again.classes_.tolist() == model.classes_.tolist()
        expected = model.predict_proba(rows)
        np.testing.assert_allclose(again.predict_proba(rows), expected, rtol=1e-14, atol=1e-16)
    if hasattr(model, "trees_"):
        assert len(again.trees_) == len(model.trees_)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda: tw.CARTClassifier(max_depth=3).fit(TABLE, LABEL), "by a loop"),
        (lambda: OURS["three classes"]().with_costs({"yes": 9.0}), "costs"),
        (lambda: tw.IsolationForest(n_estimators=3).fit(ARRAY), "list of classes"),
        (
            lambda: tw.CARTClassifier(missing="majority", handle_unknown="majority").fit(
                tw.table_from({"a": ["x", "y", "y", "x"] * 9}), ["no", "yes", "yes", "no"] * 9
            ),
            "unknown categories",
        ),
    ],
)
def test_exports_that_are_no_sum_of_trees_are_refused(model, words):
    imported("onnx")
    with pytest.raises(UnsupportedError, match=words):
        tw.import_model(tw.export(model(), to="onnx"), verify=False)


def graph_of_another(onnx, **changes):
    """A graph of float32 as other programs write it: `<`, averages, and a sigmoid at the end."""
    helper, types = onnx.helper, onnx.TensorProto
    own = {
        "n_targets": 1,
        "aggregate_function": 0,
        "tree_roots": [0, 2],
        "nodes_featureids": [1, 0, 0],
        "nodes_splits": onnx.numpy_helper.from_array(np.array([0.5, 0.1, -0.3], np.float32)),
        "nodes_modes": onnx.numpy_helper.from_array(np.array([1, 2, 1], np.uint8)),
        "nodes_truenodeids": [1, 0, 2],
        "nodes_trueleafs": [0, 1, 1],
        "nodes_falsenodeids": [4, 1, 3],
        "nodes_falseleafs": [1, 1, 1],
        "leaf_targetids": [0] * 5,
        "leaf_weights": onnx.numpy_helper.from_array(np.array([1, -2, 0.5, 3, 0.25], np.float32)),
    }
    nodes = [
        helper.make_node("TreeEnsemble", ["X"], ["raw"], domain="ai.onnx.ml", **own | changes),
        helper.make_node("Sigmoid", ["raw"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("X", types.FLOAT, [None, 2])],
        [helper.make_tensor_value_info("y", types.FLOAT, [None, 1])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 5)]
    return helper.make_model(graph, ir_version=10, opset_imports=opsets).SerializeToString()


def test_a_tree_ensemble_of_another_program():
    onnx = imported("onnx")
    model = tw.import_model(graph_of_another(onnx), verify=HAS_RUNTIME)
    row = np.array([[0.1, 0.4], [0.09, 0.4], [-0.3, 0.5], [np.nan, np.nan]])
    scores = np.array([1.0 + 3.0, -2.0 + 3.0, 0.25 + 3.0, 0.25 + 3.0]) / 2
    np.testing.assert_allclose(model.predict(row), 1 / (1 + np.exp(-scores)), rtol=1e-6)
    for changes, words in [
        ({"aggregate_function": 3}, "aggregate_function"),
        ({"nodes_trueleafs": [0, 1, 2]}, "other than 0 and 1"),
        ({"nodes_featureids": [1, 0, 2]}, "no such column"),
        ({"tree_roots": [0, 1]}, "two parents"),
        ({"tree_roots": [0, 9]}, "tree_roots"),
    ]:
        with pytest.raises(ModelFileError, match=words):
            tw.import_model(graph_of_another(onnx, **changes), verify=False)


@pytest.mark.parametrize("name", ["tree", "forest", "three classes"])
def test_changed_exports_never_crash(name):
    imported("onnx")
    content, rng = tw.export(OURS[name](), to="onnx"), np.random.default_rng(0)
    n_read, n = 0, n_changes(100)
    for _ in range(n):
        try:
            tw.import_model(changed(content, rng), format="onnx", verify=False)
            n_read += 1
        except ModelFileError:
            continue
    assert n_read < n / 2
