"""Model files of other libraries are read without them, strictly.

By hand, with more changed files for each parser and more rows for each model:

    IMPORT_CHANGES=100000 IMPORT_ROWS=100000 pytest tests/imports
"""

import json
import os
import pickle
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from machine import imported
from treewright.errors import ModelFileError
from treewright.imports import import_model
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of

FOLDER = Path(__file__).parents[1] / "files" / "imports"
FILES = {
    "lightgbm": "lightgbm.txt",
    "xgboost": "xgboost.json",
    "xgboost in UBJSON": "xgboost.ubj",
    "catboost": "catboost.json",
}
GOLDEN = np.load(FOLDER / "scores.npz")


def content_of(name):
    return (FOLDER / FILES[name]).read_bytes()


def read(content):
    """The model in some bytes; the library never sees them."""
    return tw.import_model(content, verify=False)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_without_its_library(name):
    model = read(content_of(name))
    expected = GOLDEN[name.partition(" ")[0]]
    found = model.raw_scores(tw.table_from(GOLDEN["X"]))[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-13 if name == "catboost" else 0.0)
    assert model.import_report_.status == "not verified"
    assert model.import_report_.reason == "verify=False"


def test_predictions_of_the_original_verify_a_file():
    X, scores = GOLDEN["X"], GOLDEN["lightgbm"]
    p = 1 / (1 + np.exp(-scores))
    model = tw.import_model(FOLDER / "lightgbm.txt", X=X, y=p, verify=False)
    assert model.import_report_.status == "verified on a table"
    with pytest.raises(UnsupportedError, match="row 7 of the table"):
        tw.import_model(
            FOLDER / "lightgbm.txt", X=X, y=np.where(np.arange(200) == 7, 0.9, p), verify=False
        )
    with pytest.raises(tw.ParameterError, match="the original is not there"):
        tw.import_model(FOLDER / "lightgbm.txt", X=X, verify=False)


def n_changes(usual):
    """How many changed files a test tries."""
    return int(os.environ.get("IMPORT_CHANGES", usual))


def changed(content, rng):
    """The bytes with a few changes: of a byte, of a piece, or cut."""
    found = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, len(found)))
        match rng.integers(0, 6):
            case 0:
                found[at] = rng.integers(0, 256)
            case 1:
                found[at] = rng.choice(list(b'0123456789-+.eE ,[]{}\n"=:'))
            case 2:
                del found[at : at + int(rng.integers(1, 20))]
            case 3:
                found[at:at] = found[at : at + int(rng.integers(1, 30))]
            case 4:
                found[at:at] = rng.choice(
                    [b"9" * 20, b"-1", b"1e999", b"nan", b"null", b"\x00" * 8]
                )
            case _:
                if rng.random() < 0.2:
                    del found[at:]
        if not found:
            break
    return bytes(found)


def try_changes(name, n):
    content, rng = content_of(name), np.random.default_rng(0)
    n_read = 0
    for _ in range(n):
        try:
            model = made_of(checked(changed(content, rng), name))
        except ModelFileError:
            continue
        n_read += 1
        rows = GOLDEN["X"][:5]
        has_integers = all(one.level_type in ("", "integer") for one in model.schema_.columns)
        if model.n_features_in_ == 3 and has_integers:
            with suppress(tw.DataError):  # a category that the changed model does not know
                assert np.isfinite(model.raw_scores(rows)).all()
    return n_read


def checked(content, name):
    model = content_source(content, name.partition(" ")[0], verify=False).model
    model.check()
    return model


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FILES)
def test_changed_files_never_crash(name):
    n = n_changes(300)
    assert try_changes(name, n) < n


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_cut_is_refused(name):
    content = content_of(name)
    for end in range(1, len(content) - 1, max(1, len(content) // 40)):
        if name == "lightgbm" and b"end of trees" in content[:end]:
            continue  # all that matters is there
        with pytest.raises(ModelFileError):
            tw.import_model(content[:end], format=name.partition(" ")[0], verify=False)


def test_pickles_and_other_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    path.write_bytes(pickle.dumps({"learner": 1}))
    with pytest.raises(ModelFileError, match=r"m\.json: this is a pickle"):
        tw.import_model(path)
    monkeypatch.setattr(import_model, "MAX_BYTES", 9)
    with pytest.raises(ModelFileError, match="larger than"):
        tw.import_model(b"tree\nversion")
    monkeypatch.undo()
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="empty"):
        tw.import_model(path)
    path.write_text("hello")
    with pytest.raises(ModelFileError, match="no known model format"):
        tw.import_model(path)
    with pytest.raises(tw.ParameterError, match="not known"):
        tw.import_model(path, format="shogun")


class LGBMClassifier:
    """A model that a user has not fitted, without its library."""

    def fit(self, X, y):
        raise NotImplementedError


LGBMClassifier.__module__ = "lightgbm.sklearn"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (tw.CARTClassifier(), "a CARTClassifier is a model of treewright"),
        (tw.CARTClassifier, "CARTClassifier is a class"),
        (LGBMClassifier(), "the LGBMClassifier is not fitted"),
        ("tree\nversion=v4\n", "a text of several lines is no path"),
    ],
)
def test_what_is_given_by_mistake_is_named(source, words):
    with pytest.raises(tw.TreewrightError, match=words):
        tw.import_model(source)


def test_the_wrong_format_and_files_of_ours_are_named(tmp_path):
    with pytest.raises(ModelFileError, match="looks like a file of lightgbm, not of xgboost"):
        tw.import_model(content_of("lightgbm"), format="xgboost")
    with pytest.raises(tw.ParameterError, match="did you mean `lightgbm`"):
        tw.import_model(content_of("lightgbm"), format="lightbgm")
    tree = tw.CARTClassifier().fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    forest = tw.RandomForestClassifier(n_estimators=2).fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    for model in (tree, forest):
        model.save(tmp_path / "m")
        with pytest.raises(ModelFileError, match="m: this is a model file of treewright"):
            tw.import_model(tmp_path / "m")


def test_a_table_without_the_columns_of_the_model_is_named():
    imported("lightgbm")
    with pytest.raises(tw.DataError, match="3 features as input"):
        tw.import_model(content_of("lightgbm"), X=GOLDEN["X"][:, :2])
    rpart = FOLDER / "printed" / "rpart_class.txt"
    with pytest.raises(tw.DataError, match=r"no column `.*` in the table"):
        tw.import_model(rpart, X=tw.table_from({"other": [1.0, 2.0]}))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"version=v4", b"version=v9", "v9"),
        (b"objective=binary sigmoid:1", b"objective=magic", "magic"),
        (b"num_leaves=5", b"num_leaves=500000000", "numbers, not"),
        (b"is_linear=0", b"is_linear=1", "linear"),
        (b"split_feature=", b"split_feature=99 ", "split_feature"),
        (b"decision_type=", b"decisio9998\ndecision_type=", "not followed by `=`"),
    ],
)
def test_what_lightgbm_writes_otherwise_is_named(old, new, words):
    with pytest.raises(ModelFileError, match=words):
        read(content_of("lightgbm").replace(old, new))


def test_what_xgboost_writes_otherwise_is_named():
    data = json.loads(content_of("xgboost"))
    objective = data["learner"]["objective"]
    objective["name"] = "reg:magic"
    with pytest.raises(UnsupportedError, match="reg:magic"):
        read(json.dumps(data).encode())
    objective["name"] = "binary:logistic"
    trees = data["learner"]["gradient_booster"]["model"]["trees"]
    trees[0]["default_left"][0] = 7
    with pytest.raises(ModelFileError, match="something else than 0 and 1"):
        read(json.dumps(data).encode())
    trees[0]["default_left"][0] = 1
    data["learner"]["gradient_booster"]["name"] = "gblinear"
    with pytest.raises(UnsupportedError, match="gblinear"):
        read(json.dumps(data).encode())


def test_what_the_library_cannot_load_is_named():
    imported("lightgbm")
    content = content_of("lightgbm").replace(b"label_index=0\n", b"")
    with pytest.raises(ModelFileError, match="LightGBM cannot load it: Model file"):
        tw.import_model(content)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"split_index":0', '"split_index":1', "than `split_index` says"),
        ('"split_index":0', '"split_place":0', "`split_index` is"),
        ('"border":0.2249', '"border":0.3249', "than `split_index` says"),
        (" 2.5,", " 2.5, 2.5,", "different ones in their order"),
    ],
)
def test_a_catboost_file_that_contradicts_itself_is_refused(old, new, words):
    content = content_of("catboost").decode()
    assert old in content
    with pytest.raises(ModelFileError, match=words):
        read(content.replace(old, new, 1).encode())


def test_a_version_that_is_not_known_is_named():
    data = json.loads(content_of("xgboost"))
    data["version"] = [99, 0, 0]
    with pytest.raises(UnsupportedError, match=r"version 99\.0\.0 of XGBoost is not known"):
        read(json.dumps(data).encode())
    pmml = (FOLDER / "pmml" / "tree.pmml").read_bytes().replace(b'version="4.4"', b'version="9.4"')
    with pytest.raises(UnsupportedError, match=r"version `9\.4` of PMML"):
        read(pmml)


@pytest.mark.parametrize(
    "content",
    [
        b"{L\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner[$T#L\x00\x00\x00\x00\x7f\xff\xff\xff",
        b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner" + b"[" * 100_000,
    ],
)
def test_announced_sizes_take_no_memory(content):
    with pytest.raises(ModelFileError):
        tw.import_model(content, format="xgboost", verify=False)


def test_a_split_that_only_asks_for_missing_values_comes_back_from_xgboost():
    imported("xgboost")
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 1)) < 0.4, np.nan, rng.normal(size=(300, 1)).astype(np.float32))
    model = tw.BoostedTreesClassifier(n_estimators=5).fit(X, np.isnan(X[:, 0]))
    content = str(tw.export(model, to="xgboost")).encode()
    assert b"1e+39" in content
    found = tw.import_model(content)
    assert found.import_report_.status == "verified"
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), rtol=1e-5)
    for wrong in (b"-1e+39", b"NaN"):
        with pytest.raises(ModelFileError):
            tw.import_model(content.replace(b"1e+39", wrong))
