"""Imputer and Discretizer in model files: the same table after loading, and no bad file read."""

import json
import pickle
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ModelFileError, ParameterError
from treewright.persistence.file_text import document, model_in
from treewright.verbs.load import model_bytes, model_from_bytes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def people(seed=0, n_rows=60):
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n_rows).round(1)
    age[rng.random(n_rows) < 0.2] = np.nan
    town = [None if rng.random() < 0.2 else str(rng.choice(["Ulm", "Rom"])) for _ in range(n_rows)]
    born = np.datetime64("1980-01-01") + rng.integers(0, 9000, n_rows).astype("timedelta64[D]")
    born[rng.random(n_rows) < 0.2] = np.datetime64("NaT")
    size = [None if rng.random() < 0.2 else bool(rng.random() < 0.5) for _ in range(n_rows)]
    y = np.where(np.nan_to_num(age, nan=40) > 42, "old", "young")
    return {"age": age, "town": town, "born": born, "large": size}, y


def rows_of(table):
    return [[table.columns[c].value(row) for c in range(table.n_columns)] for row in range(60)]


def same(ours, theirs):
    assert ours.names == theirs.names
    for one, other in zip(ours.columns, theirs.columns, strict=True):
        assert one.kind == other.kind
        assert getattr(one, "levels", ()) == getattr(other, "levels", ())
        np.testing.assert_array_equal(one.to_numpy(), other.to_numpy())


TRANSFORMERS = {
    "mean": tw.Imputer(),
    "median": tw.Imputer(strategy="median", add_indicator=True),
    "mode": tw.Imputer(strategy="mode"),
    "by class": tw.Imputer(by_class=True),
    "constants": tw.Imputer(
        strategy="constant",
        fill_value={"age": 1.5, "town": "Bonn", "born": np.datetime64("2001-02-03")},
    ),
    "a date": tw.Imputer(strategy="constant", fill_value={"born": date(2001, 2, 3)}),
    "mdl": tw.Discretizer(),
    "equal width": tw.Discretizer(strategy="equal_width", n_bins=4),
    "given": tw.Discretizer(strategy="given", cut_points={"age": [30.0, 45.0]}),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_a_loaded_transformer_gives_the_same_table(name, tmp_path):
    X, y = people()
    fitted = TRANSFORMERS[name].fit(X, y)
    path = tmp_path / "step.json"
    fitted.save(path)
    others, _ = people(7)
    for again in (tw.load(path), pickle.loads(pickle.dumps(fitted))):
        assert type(again) is type(fitted)
        same(fitted.transform(others), again.transform(others))
        assert model_bytes(again) == model_bytes(fitted)
    params = {**tw.load(path).get_params()}
    if name != "a date":  # it comes back as NumPy's type
        assert params == fitted.get_params()
    tw.load(path).fit(X, y)
    saved = tw.load_state(path)
    with pytest.raises(ParameterError, match="does not predict"):
        saved.predict(others)


@given(values=st.lists(st.floats(allow_nan=True, width=64), min_size=3, max_size=20))
@settings(max_examples=40, deadline=None)
def test_any_numbers_come_back(values):
    X = {"x": np.array(values)}
    for step in (tw.Imputer(strategy="median"), tw.Imputer(strategy="mode")):
        fitted = step.fit(X)
        again = model_from_bytes(model_bytes(fitted))
        assert again.fill_values_ == fitted.fill_values_


def changed(fitted, **learned):
    model = model_in(model_bytes(fitted))
    model["learned"] |= learned
    return document(model)


BAD_FILLS = [
    {"fill_values_": [["nobody", 1.0]]},
    {"fill_values_": [["age", "forty"]]},
    {"fill_values_": [["age", 40.0], ["age", 41.0]]},
    {"fill_values_": {"age": 40.0}},
    {"fill_values_": [["age", {"float": "nan"}]]},
    {"fill_values_": [["age", [1.0]]]},
    {"class_fill_values_": [["age", [["old", 1.0], 3]]]},
    {"class_fill_values_": [["age", [[None, 1.0]]]]},
    {"indicators_": ["nobody"]},
    {"indicators_": 5},
]
BAD_CUTS = [
    {"cut_points_": [["age", [2.0, 1.0]]]},
    {"cut_points_": [["age", ["1"]]]},
    {"cut_points_": [["town", [1.0]]]},
    {"cut_points_": [["nobody", [1.0]]]},
    {"cut_points_": [["age"]]},
    {"cut_points_": None},
]


@pytest.mark.parametrize("learned", BAD_FILLS, ids=json.dumps)
def test_a_spoilt_file_of_fills_is_refused(learned):
    X, y = people()
    with pytest.raises(ModelFileError):
        model_from_bytes(changed(tw.Imputer(by_class=True).fit(X, y), **learned))


@pytest.mark.parametrize("learned", BAD_CUTS, ids=json.dumps)
def test_a_spoilt_file_of_cuts_is_refused(learned):
    X, y = people()
    with pytest.raises(ModelFileError):
        model_from_bytes(changed(tw.Discretizer().fit(X, y), **learned))


@pytest.mark.parametrize("time", [["datetime64[D]"], ["object", 3], ["datetime64[D]", 2**63], 4])
def test_a_spoilt_time_is_refused(time):
    X, y = people()
    model = model_in(model_bytes(TRANSFORMERS["a date"].fit(X, y)))
    model["params"]["fill_value"] = {"pairs": [["born", {"time": time}]]}
    with pytest.raises(ModelFileError, match="time"):
        model_from_bytes(document(model))


def test_an_unfitted_transformer_has_no_file(tmp_path):
    with pytest.raises(Exception, match="not fitted"):
        tw.Imputer().save(tmp_path / "x.json")


def test_commands_that_predict_refuse_its_file(tmp_path):
    from treewright.cli.main import main

    X, y = people()
    path = tmp_path / "step.json"
    tw.Imputer().fit(X, y).save(path)
    assert main(["show", str(path)]) != 0
