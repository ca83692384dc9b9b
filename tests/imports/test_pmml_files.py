"""PMML files with a tree predict as the tree that was exported."""

from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed, n_changes
from imports.test_libraries import N_RANDOM
from machine import imported, needs
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of

RNG = np.random.default_rng(0)
FOLDER = Path(__file__).parents[1] / "files" / "imports"
JPMML = np.load(FOLDER / "pmml.npz")
NAMES = sorted(path.stem for path in (FOLDER / "pmml").glob("*.pmml"))


def rows(n=300):
    """Numbers with missing values, categories of text and of whole numbers."""
    number = RNG.normal(size=n)
    number[RNG.random(n) < 0.1] = np.nan
    columns = {
        "size": number,
        "weight": np.round(RNG.normal(size=n), 1),
        "kind": RNG.choice(["a b", 'c"d', "e", "f\\g"], n),
        "code": RNG.choice(["1", "2", "3"], n),
    }
    target = np.nan_to_num(number) + (columns["kind"] == "e") + 0.5 * (columns["code"] == "2")
    return tw.table_from(columns), target


TABLE, NUMBER = rows()
MORE, _ = rows(N_RANDOM)
LABEL = np.array(["no", "maybe", "yes"])[np.digitize(NUMBER, [-0.2, 0.8])]
MODELS = {
    "classes": lambda: tw.CARTClassifier(max_depth=5, missing="majority").fit(TABLE, LABEL),
    "numbers": lambda: tw.CARTRegressor(max_depth=5, missing="majority").fit(TABLE, NUMBER),
    "whole classes": lambda: tw.CARTClassifier(max_depth=3, missing="majority").fit(
        TABLE, (NUMBER > 0.3).astype(int)
    ),
}


def exported(name):
    model = MODELS[name]()
    return model, tw.export(model, to="pmml").encode()


@pytest.mark.parametrize("name", MODELS)
def test_an_exported_tree_comes_back(name):
    model, content = exported(name)
    again = tw.import_model(content, X=TABLE, y=model.predict(TABLE))
    assert again.import_report_.status == "verified on a table"
    if hasattr(model, "classes_"):
        assert again.classes_.tolist() == model.classes_.tolist()
        np.testing.assert_allclose(again.predict_proba(MORE), model.predict_proba(MORE), rtol=1e-12)
    else:
        np.testing.assert_array_equal(again.predict(MORE), model.predict(MORE))
    assert again.get_n_leaves() == model.get_n_leaves()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"<PMML", b'<!DOCTYPE a [<!ENTITY b "c">]><PMML', "document type"),
        (b"lessOrEqual", b"isNotMissing", "isNotMissing"),
        (b'missingValueStrategy="none"', b'missingValueStrategy="aggregateNodes"', "aggregate"),
        (b"<Output>", b"<Targets/><Output>", "Targets"),
        (b"</PMML>", b"", "not well formed"),
        (b'recordCount="300"', b'recordCount="1e20"', "too large"),
        (b"<TreeModel", b"<MiningModel/><TreeModel", "MiningModel"),
    ],
)
def test_what_is_not_reproduced_is_named(old, new, words):
    _, content = exported("classes")
    assert old in content
    with pytest.raises(ModelFileError, match=words):
        tw.import_model(content.replace(old, new, 1))


def test_surrogates_are_refused():
    model = tw.CARTRegressor(max_depth=2).fit(TABLE, NUMBER)
    with pytest.raises(ModelFileError, match="surrogates for missing values"):
        tw.import_model(tw.export(model, to="pmml").encode())


def test_deep_and_cut_files_are_refused():
    with pytest.raises(ModelFileError, match="nested deeper"):
        tw.import_model(b"<PMML>" + b"<Node>" * 100_000)
    _, content = exported("numbers")
    for end in range(10, len(content) - 10, 499):
        with pytest.raises(ModelFileError):
            tw.import_model(content[:end], format="pmml")


def test_changed_files_never_crash():
    (_, content), rng = exported("classes"), np.random.default_rng(0)
    for _ in range(n_changes(200)):
        try:
            found = content_source(changed(content, rng), "pmml", verify=False)
            made_of(found.model)
        except ModelFileError:
            continue


# ---------------------------------------------------------------------------- many trees

ENSEMBLES = {
    "forest": lambda: tw.RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0),
    "boosted": lambda: tw.BoostedTreesClassifier(n_estimators=4, random_state=0),
}


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("labels", [LABEL, NUMBER > 0.3], ids=["three classes", "two classes"])
def test_an_exported_ensemble_comes_back(name, labels, tmp_path):
    model = ENSEMBLES[name]().fit(TABLE, labels)
    content = tw.export(model, to="pmml").encode()
    again = tw.import_model(content, X=TABLE, y=model.predict_proba(TABLE))
    assert again.import_report_.status == "verified on a table"
    assert len(again.trees_) == len(model.trees_)
    assert again.predict(MORE).tolist() == model.predict(MORE).tolist()
    np.testing.assert_allclose(again.predict_proba(MORE), model.predict_proba(MORE), rtol=1e-14)
    again.save(tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").predict(TABLE).tolist() == model.predict(TABLE).tolist()
    for _ in range(n_changes(30)):
        try:
            made_of(content_source(changed(content, RNG), "pmml", verify=False).model)
        except ModelFileError:
            continue


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_exported_numbers_come_back(loss):
    model = tw.BoostedTreesRegressor(n_estimators=4, loss=loss, random_state=0)
    model.fit(TABLE, np.abs(NUMBER))
    again = tw.import_model(tw.export(model, to="pmml").encode())
    np.testing.assert_array_equal(again.predict(MORE), model.predict(MORE))
    forest = tw.RandomForestRegressor(n_estimators=4, max_depth=5, random_state=0)
    forest.fit(TABLE, NUMBER)
    again = tw.import_model(tw.export(forest, to="pmml").encode())
    np.testing.assert_array_equal(again.predict(MORE), forest.predict(MORE))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "adaboost_number"])
def test_files_of_jpmml_predict_as_the_library(name):
    takes_missing = name.startswith(("histogram", "xgboost", "lightgbm"))
    X = JPMML["with_missing" if takes_missing else "X"]
    rows = tw.table_from(dict(zip("abc", X.T, strict=True)))
    # The converter leaves out the link of a Poisson model: the file itself predicts logarithms.
    expected = np.log(JPMML[name]) if name == "histogram_number" else JPMML[name]
    model = tw.import_model(FOLDER / "pmml" / f"{name}.pmml", X=rows, y=expected)
    assert model.import_report_.status == "verified on a table"
    assert model.import_report_.largest_difference < (2e-7 if "xgboost" in name else 1e-14)


def rows_near_thresholds(source, n, *, with_missing):
    """Rows at a threshold, at the next numbers and anywhere, in every column."""
    rng, nodes = np.random.default_rng(7), source.model.nodes
    columns = {}
    for at, name in enumerate(source.model.schema.names):
        cuts = nodes.threshold[nodes.is_inner & (nodes.feature == at)]
        cuts = cuts[np.isfinite(cuts)]
        around = [cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
        values = np.concatenate([*around, [0.0, -1e30, 1e30], [np.nan] * with_missing])
        columns[name] = np.where(rng.random(n) < 0.3, rng.normal(size=n), rng.choice(values, n))
    return columns


@pytest.fixture(scope="module")
def jpmml():
    """JPMML in a Java process of its own, which would stay otherwise."""
    evaluator, backend = imported("jpmml_evaluator"), imported("jpmml_evaluator.py4j").Py4JBackend
    yield lambda path: evaluator.make_evaluator(str(path), backend=backend()).verify()
    if backend.gateway is not None:
        backend.destroyGateway()


@needs("java")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "adaboost_number"])
def test_random_rows_are_predicted_as_by_jpmml(name, jpmml):
    pandas = imported("pandas")
    path = FOLDER / "pmml" / f"{name}.pmml"
    source = content_source(path.read_bytes(), "pmml", verify=False)
    takes_missing = name.startswith(("histogram", "xgboost", "lightgbm"))
    columns = rows_near_thresholds(source, N_RANDOM, with_missing=takes_missing)
    found = jpmml(path).evaluateAll(pandas.DataFrame(columns))
    model, rows = made_of(source.model), tw.table_from(columns)
    limit = 1e-6 if "xgboost" in name else 1e-12  # sums of float32
    if source.model.classes is None:
        expected = found["y"].to_numpy(dtype=np.float64)
        np.testing.assert_allclose(model.predict(rows), expected, rtol=limit)
        return
    shares = model.predict_proba(rows)
    for at, label in enumerate(model.classes_.tolist()):
        expected = found[f"probability({label})"].to_numpy(dtype=np.float64)
        np.testing.assert_allclose(shares[:, at], expected, rtol=limit, atol=limit)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("adaboost_number", b"", b"", "weightedMedian"),
        ("forest", b'"average"', b'"median"', "median"),
        ("boosting_two", b'"logit"', b'"cauchit"', "cauchit"),
        ("boosting_two", b'intercept="0.0"', b'intercept="1"', "intercept"),
        ("boosting_two", b"rescaleFactor", b"max", "unknown way"),
        ("boosting_two", b'"returnLastPrediction"', b'"returnNullPrediction"', "no branch fits"),
        (
            "xgboost_two",
            b'"float">\n\t\t\t<Value value="NaN"',
            b'"float"><Value value="-9"',
            "codes",
        ),
        ("forest", b'<Segment id="1">\n\t\t\t\t<True/>', b'<Segment id="1">', "condition"),
    ],
)
def test_ensembles_that_are_not_reproduced_are_named(name, old, new, words):
    content = (FOLDER / "pmml" / f"{name}.pmml").read_bytes()
    assert old in content
    with pytest.raises(UnsupportedError, match=words):
        tw.import_model(content.replace(old, new, 1))


@pytest.mark.parametrize("name", ["majorityVote", "weightedMajorityVote"])
def test_votes(name):
    content = (FOLDER / "pmml" / "forest.pmml").read_bytes()
    content = content.replace(b'"average"', f'"{name}"'.encode())
    rows = tw.table_from(dict(zip("abc", JPMML["X"].T, strict=True)))
    shares = tw.import_model(content).predict_proba(rows)
    assert set(np.round(3 * shares.ravel(), 9)) == {0.0, 1.0, 2.0, 3.0}
    weighted = content.replace(b'<Segment id="2"', b'<Segment id="2" weight="3"')
    with pytest.raises(UnsupportedError, match="weights"):
        tw.import_model(weighted.replace(name.encode(), b"weightedMajorityVote"))
