"""T34 to T41: broken, hostile and foreign model files."""

import gzip
import io
import json
import locale
import os
import pickle
import re
import time
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from torture.trees import ESTIMATORS, for_every_estimator, words
from treewright.errors import ModelFileError
from treewright.models.file_text import document, model_in
from treewright.models.model_file import model_bytes, model_from_bytes


def a_model(kind=tw.C45Classifier):
    table, y = words()
    table["size"][3] = None
    return kind().fit(table, y)


def sections(kind=tw.C45Classifier) -> dict:
    """The content of a model file, to be spoilt."""
    return model_in(model_bytes(a_model(kind)))


def refused(spoilt: dict) -> str:
    """The message for a file with this content and a right checksum."""
    with pytest.raises(ModelFileError) as caught:
        model_from_bytes(document(spoilt))
    return str(caught.value)


@for_every_estimator
def test_T34_a_file_cut_at_any_byte_is_refused_by_name(kind, tmp_path):
    content = model_bytes(a_model(kind))
    for length in range(len(content)):
        with pytest.raises(ModelFileError):
            model_from_bytes(content[:length])
    path = tmp_path / "cut.json"
    path.write_bytes(content[:-1])
    with pytest.raises(ModelFileError, match=re.escape(str(path))):
        tw.load(path)


@pytest.mark.parametrize("seed", range(40))
def test_T35_flipped_bytes_are_noticed(seed):
    content = model_bytes(a_model())
    rng = np.random.default_rng(seed)
    for _ in range(50):
        spoilt = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 4)):
            spoilt[at] = rng.integers(0, 256)
        if bytes(spoilt) != content:
            with pytest.raises(ModelFileError):
                model_from_bytes(bytes(spoilt))


def numbers_in(value, path=()):
    """Every number in a JSON value, with the way to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers_in(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from numbers_in(item, (*path, at))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def with_value(content: dict, path: tuple, value: object) -> dict:
    spoilt = json.loads(json.dumps(content))
    inner = spoilt
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return spoilt


@pytest.mark.parametrize("kind", ESTIMATORS)
@given(data=st.data())
def test_T35_a_changed_number_under_a_right_checksum_never_crashes(kind, data):
    content = sections(kind)
    path = data.draw(st.sampled_from(list(numbers_in(content))))
    odd = [-(2**63), -1, 0, 1, 2, 3, 2**31, 2**63, 1e308, -1e-308, 0.5]
    spoilt = with_value(content, path, data.draw(st.sampled_from(odd)))
    try:
        model = model_from_bytes(document(spoilt))
    except ModelFileError:
        return
    table, _ = words()
    assert len(model.predict(table)) == 60


@pytest.mark.parametrize("value", [-7, 10**6, 2**31, 2**63])
@pytest.mark.parametrize("name", ["first_child", "n_children", "feature", "missing_child", "kind"])
def test_T36_an_index_out_of_range_names_the_node(name, value):
    content = sections()
    content["tree"]["nodes"][name][0] = value
    assert "node 0" in refused(content)


@pytest.mark.parametrize("name", ["level_code", "level_child"])
@pytest.mark.parametrize("value", [-1, 99, 2**31])
def test_T36_a_level_out_of_range_is_refused(name, value):
    content = sections()
    content["tree"]["level"][name][0] = value
    assert "node" in refused(content)


def test_T36_a_leaf_with_children_and_an_inner_node_without_are_refused():
    content = sections()
    leaf = content["tree"]["nodes"]["kind"].index("leaf")
    content["tree"]["nodes"]["n_children"][leaf] = 2
    assert f"node {leaf}" in refused(content)
    content = sections()
    content["tree"]["nodes"]["kind"][0] = "leaf"
    assert "node 0" in refused(content)


def test_T37_lengths_that_disagree_are_refused():
    content = sections()
    content["tree"]["nodes"]["weight"].append(1.0)
    assert "weight" in refused(content)
    content = sections()
    content["tree"]["n_nodes"] = 2**62
    refused(content)
    content = sections()
    content["tree"]["classes"].append(7)
    refused(content)


def test_T38_deep_and_huge_content_is_refused_at_once():
    head = model_bytes(a_model())[:150]
    bodies = [b"[" * 10**6, b'{"a":' * 10**6, b'"' + b"x" * 50_000_000 + b'"']
    many_keys = document({str(key): 1 for key in range(200_000)})
    for content in [*bodies, *(head + body for body in bodies), many_keys]:
        begin = time.process_time()
        try:
            model_from_bytes(content)
        except ModelFileError as error:
            message = str(error)
        assert time.process_time() - begin < 2
        assert len(message) < 300


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_T39_unknown_and_missing_keys_are_refused(kind):
    content = sections(kind)
    assert "surprise" in refused({**content, "surprise": 1})
    assert "surprise" in refused({**content, "params": {**content["params"], "surprise": 1}})
    assert "surprise" in refused({**content, "tree": {**content["tree"], "surprise": []}})
    for key in content.keys() - {"pruning"}:  # kept only of a tree that was pruned
        assert key in refused({name: value for name, value in content.items() if name != key})
    for key in content["tree"]:
        fewer = {name: value for name, value in content["tree"].items() if name != key}
        refused({**content, "tree": fewer})


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_T39_wrong_types_are_refused(kind):
    content = sections(kind)
    for key in content:
        for odd in ("3", 3, 3.5, True, [3], {"a": 3}, ["3"]):
            if not (key == "notes" and odd == ["3"]):
                refused({**content, key: odd})
    for key, value in content["tree"]["nodes"].items():
        for odd in ("3", None, True, [], {}):
            nodes = {**content["tree"]["nodes"], key: [odd, *value[1:]]}
            refused({**content, "tree": {**content["tree"], "nodes": nodes}})
    refused({**content, "params": {**content["params"], "unseen": "nowhere"}})
    refused({**content, "params": {**content["params"], "max_depth": "3"}})


class Bomb:
    """Leaves a mark if it is ever unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_T40_other_formats_are_told_by_content_and_nothing_is_executed(tmp_path):
    mark = tmp_path / "executed"
    content = model_bytes(a_model())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../model.json", content)
    joblib.dump(Bomb(mark), tmp_path / "model.joblib")
    files = {
        "a pickle": pickle.dumps(Bomb(mark)),
        "not a treewright model": pickle.dumps(Bomb(mark), protocol=0),
        "zip": archive.getvalue(),
        "gzip": gzip.compress(content),
        "pickle": (tmp_path / "model.joblib").read_bytes(),
    }
    for message, foreign in files.items():
        path = tmp_path / "model.json"
        path.write_bytes(foreign)
        with pytest.raises(ModelFileError, match=message):
            tw.load(path)
    assert not mark.exists()


def test_T41_a_later_format_says_what_to_do():
    content = model_bytes(a_model()).replace(b'"format_version": 1,', b'"format_version": 7,')
    with pytest.raises(ModelFileError, match=r"file format 7.*(\n.*)*upgrade treewright"):
        model_from_bytes(content)


@for_every_estimator
def test_T41_saving_what_was_loaded_gives_the_same_bytes(kind):
    content = model_bytes(a_model(kind))
    assert model_bytes(model_from_bytes(content)) == content


def test_T41_the_locale_is_no_information(monkeypatch):
    content = model_bytes(a_model(tw.CARTRegressor))
    before = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", ""):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        try:
            assert model_bytes(model_from_bytes(content)) == content
        finally:
            locale.setlocale(locale.LC_ALL, before)
    monkeypatch.setitem(os.environ, "TZ", "Asia/Tokyo")
    assert model_bytes(model_from_bytes(content)) == content


def test_T28_a_user_function_is_kept_by_name_and_asks_for_itself(tmp_path):
    def my_impurity(weights):
        shares = weights / weights.sum()
        return 1 - shares.max()

    table, y = words()
    model = tw.TreeClassifier(criterion=my_impurity).fit(table, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    with pytest.raises(ValueError, match=r"my_impurity`, which a model file holds by name only"):
        loaded.fit(table, y)
    loaded.set_params(criterion=my_impurity).fit(table, y)
    assert model_bytes(loaded) == model_bytes(model)
