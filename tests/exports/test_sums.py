"""Exported models of many trees predict as the models do, bit for bit, in real engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from exports.sum_models import (
    EVERY_SUM,
    FEW_SUMS,
    IN_FLOAT32,
    MODEL_TREES,
    OF_INDUCTORS,
    fitted,
    numbers_for,
    table,
)
from machine import needs, needs_packages
from treewright._kernels import portable
from treewright.errors import ExportError
from treewright.exports.sums.coded_rows import coded_rows
from treewright.exports.sums.program import sum_text
from treewright.exports.sums.witnesses import sum_witnesses
from treewright.exports.sums.xgboost_model import bound_of


@pytest.mark.parametrize("name", [*EVERY_SUM, *IN_FLOAT32, *MODEL_TREES])
@pytest.mark.parametrize("to", ["python", "json"])
def test_python_and_json_predict_as_the_model(name, to):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, to), to)
    assert found, str(found)


@needs("gcc")
@pytest.mark.parametrize("name", [*EVERY_SUM, *IN_FLOAT32, *MODEL_TREES])
def test_c_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "c", name="many"), "c", name="many")
    assert found, str(found)


@needs("node")
@pytest.mark.parametrize("name", FEW_SUMS)
def test_javascript_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "javascript"), "javascript")
    assert found, str(found)


@pytest.mark.parametrize("name", [*EVERY_SUM, *MODEL_TREES])
def test_sqlite_predicts_as_the_model(name):
    model = fitted(name)
    options = {"probabilities": not predicts_numbers(model)}
    found = tw.verify_export(model, tw.export(model, "sql", **options), "sql", **options)
    assert found, str(found)


@needs_packages("duckdb")
@pytest.mark.parametrize(
    "name", ["forest of classes", "boosted, ten classes", "boosted counts", "model tree"]
)
def test_duckdb_predicts_as_the_model(name):
    model = fitted(name)
    options = {"dialect": "duckdb", "probabilities": not predicts_numbers(model)}
    found = tw.verify_export(model, tw.export(model, "sql", **options), "sql", **options)
    assert found, str(found)


def predicts_numbers(model) -> bool:
    return not (hasattr(model, "classes_") or isinstance(model, tw.IsolationForest))


@pytest.mark.parametrize("dialect", ["postgresql", "mysql", "bigquery", "tsql"])
def test_other_dialects_are_written(dialect):
    code = tw.export(fitted("boosted, ten classes"), "sql", dialect=dialect, probabilities=True)
    assert code.count("WITH") == 1


@needs("gcc")
@pytest.mark.parametrize("options", [["-O3"], ["-std=gnu17", "-O2", "-ffp-contract=fast"]])
def test_c_options_do_not_change_a_bit(options, monkeypatch):
    model = fitted("boosted, ten classes")
    command = (
        "gcc",
        "-Wall",
        "-Wextra",
        "-Wno-unused-function",
        "-Werror",
        *options,
        "-o",
        "tree",
        "tree.c",
        "-lm",
    )
    monkeypatch.setattr("treewright.exports.languages.c_code.COMPILE", command)
    assert tw.verify_export(model, tw.export(model, "c"), "c")


@pytest.mark.parametrize("n_terms", [1, 7, 8, 9, 20, 128, 129, 300])
def test_sums_are_added_in_the_order_of_numpy(n_terms):
    values = np.random.default_rng(n_terms).normal(size=(3, n_terms)) * 1e6
    text = sum_text([f"x[{at}]" for at in range(n_terms)])
    assert [eval(text, {"x": row}) for row in values.tolist()] == values.sum(axis=1).tolist()


def test_the_exported_exp_is_that_of_the_library():
    names: dict = {}
    exec(tw.export(fitted("boosted counts"), "python"), names)
    powers = np.concatenate([np.random.default_rng(0).uniform(-760, 700, 5000), [0.0, -746, 500]])
    assert [names["_exp"](power) for power in powers.tolist()] == portable.exp(powers).tolist()


def test_a_changed_number_is_found():
    model = fitted("boosted numbers")
    code = tw.export(model, "python")
    number = next(one for one in code.split("NUMBER = (")[1].split(",") if "." in one).strip()
    assert not tw.verify_export(model, code.replace(number, repr(float(number) + 1e-9)), "python")


def test_witnesses_have_every_threshold_and_the_numbers_beside_it():
    model = fitted("boosted numbers")
    program = model.sum_program()
    rows = sum_witnesses(program)
    for tree in program.trees:
        for column, cut in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True):
            if column >= 0 and program.columns[column].is_numeric:
                values = rows.columns[column].values
                near = [np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)]
                assert np.isin(near, values).all()


@needs("gcc")
@pytest.mark.parametrize("name", OF_INDUCTORS)
@pytest.mark.parametrize("to", ["python", "c", "json"])
def test_other_than_plain_trees_are_walked(name, to):
    model = fitted(name)
    if (name, to) == ("votes of C4.5 trees", "json"):
        with pytest.raises(ExportError, match="its vote is not a sum"):
            tw.export(model, to)
        return
    found = tw.verify_export(model, tw.export(model, to), to)
    assert found, str(found)


@needs_packages("onnx", "treelite")
@pytest.mark.parametrize("to", ["onnx", "xgboost", "treelite", "sql"])
def test_what_has_only_plain_trees_says_so(to):
    with pytest.raises(ExportError, match="divides rows with missing values"):
        tw.export(fitted("forest of C4.5 trees"), to)


@pytest.mark.parametrize("to", ["sql", "pmml"])
def test_sums_in_float32_are_refused_where_they_would_differ(to):
    with pytest.raises(ExportError, match="adds up float32 numbers"):
        tw.export(fitted(IN_FLOAT32[0]), to)


def test_a_loss_of_ones_own_is_refused():
    class Squares:
        name = "squares"

        def gradients(self, y, scores):
            return scores - y, np.ones_like(y)

        def start(self, y, weights):
            return np.array([0.0])

        def predictions(self, scores):
            return scores

        def row_losses(self, y, scores):
            return (scores - y) ** 2

    rows = table(60)
    model = tw.BoostedTreesRegressor(loss=Squares(), n_estimators=2)
    model.fit(rows, numbers_for(rows))
    with pytest.raises(ExportError, match="a loss that is a Python function"):
        tw.export(model, "c")


def test_what_is_for_one_tree_says_so():
    with pytest.raises(ExportError, match="dot is for one tree"):
        tw.export(fitted("forest of numbers"), "dot")


@needs("rustc")
@pytest.mark.parametrize("name", FEW_SUMS)
def test_rust_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "rust"), "rust")
    assert found, str(found)


SLOW = pytest.mark.full  # a compiler and a virtual machine start for each


@needs("javac", "java")
@pytest.mark.parametrize(
    "name",
    ["forest of classes", *(pytest.param(one, marks=SLOW) for one in FEW_SUMS[1:])],
)
def test_java_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "java", name="Many"), "java", name="Many")
    assert found, str(found)


@needs_packages("onnx", "onnxruntime")
@pytest.mark.parametrize("name", [*EVERY_SUM, *IN_FLOAT32, *MODEL_TREES])
def test_onnx_predicts_as_the_model(name):
    model = fitted(name)
    options = {"missing_text": "nothing"}  # the empty text is a level of one model
    found = tw.verify_export(model, tw.export(model, "onnx", **options), "onnx", **options)
    assert found, str(found)


@needs_packages("pypmml")
@needs("java")
@pytest.mark.parametrize(
    "name",
    [
        "forest of classes",
        "boosted, two classes",
        "boosted counts",
        "imported, with a scale",
        "model tree",
        *(pytest.param(one, marks=SLOW) for one in ("forest that votes", "boosted, ten classes")),
    ],
)
def test_pmml_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "pmml"), "pmml")
    assert found, str(found)


IN_LIBRARIES = [name for name in EVERY_SUM if name != "extra trees that refuse"] + [*IN_FLOAT32]


@needs_packages("xgboost")
@pytest.mark.parametrize("name", [name for name in IN_LIBRARIES if name != "isolation forest"])
def test_xgboost_predicts_float32_rows_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "xgboost"), "xgboost")
    assert found, str(found)


@needs_packages("treelite")
@pytest.mark.parametrize("name", IN_LIBRARIES)
def test_treelite_predicts_as_the_model(name):
    model = fitted(name)
    found = tw.verify_export(model, tw.export(model, "treelite"), "treelite")
    assert found, str(found)


@needs_packages("treelite")
def test_a_treelite_object_predicts_as_the_model():
    model = fitted("forest of numbers")
    from treelite import gtil

    found = tw.to_treelite(model)
    assert found.num_tree == 4
    rows = coded_rows(model.sum_program(), table())
    predicted = np.ravel(gtil.predict(found, rows))
    np.testing.assert_allclose(predicted, model.predict(table()), rtol=1e-12)


def test_thresholds_that_merge_in_float32_are_refused():
    one = np.array([1.0, 1.0 + 1e-12, 1.0 + 2e-12] * 20)
    model = tw.BoostedTreesRegressor(n_estimators=2, min_samples_leaf=1).fit(
        one[:, np.newaxis], np.tile([0.0, 1.0, 5.0], 20)
    )
    with pytest.raises(ExportError, match="are the same number in float32"):
        tw.export(model, "xgboost")


@given(cut=st.floats(-1e30, 1e30), value=st.floats(width=32, allow_nan=False))
def test_a_float32_row_goes_the_same_way_in_xgboost(cut, value):
    bound = np.float32(bound_of(cut))
    for near in (np.float32(value), bound, np.nextafter(bound, np.float32(-np.inf))):
        assert (near < bound) == (float(near) <= cut)


@needs_packages("xgboost")
def test_one_tree_is_a_sum_of_one():
    model = tw.TreeRegressor(max_depth=3).fit(np.arange(40.0)[:, np.newaxis] % 7, np.arange(40.0))
    assert tw.verify_export(model, tw.export(model, "xgboost"), "xgboost")
