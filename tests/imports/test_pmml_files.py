"""PMML files with a tree predict as the tree that was exported."""

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed
from treewright.errors import ModelFileError
from treewright.imports.import_model import content_source, made_of

RNG = np.random.default_rng(0)


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
        np.testing.assert_allclose(
            again.predict_proba(TABLE), model.predict_proba(TABLE), rtol=1e-12
        )
    else:
        np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))
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
    with pytest.raises(ModelFileError, match="compound condition"):
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
    for _ in range(200):
        try:
            found = content_source(changed(content, rng), "pmml", verify=False)
            made_of(found.model)
        except ModelFileError:
            continue
