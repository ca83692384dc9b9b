"""A model file is read into its fitted state, which predicts, without scikit-learn or pandas."""

import json
import subprocess
import sys

import numpy as np
import pytest

import treewright as tw
from torture.models import MODELS
from treewright import registry

SCRIPT = """
import json, sys
from pathlib import Path

import numpy as np
import treewright as tw

folder = Path(sys.argv[1])
tables = json.loads((folder / "tables.json").read_text())
loaded = {}
for name, rows in tables.items():
    saved = tw.load_state(folder / f"{name}.model")
    np.save(folder / f"{name}.predict.npy", saved.predict(rows))
    if saved.state.classes is not None:
        np.save(folder / f"{name}.predict_proba.npy", saved.predict_proba(rows))
    loaded[name] = [one for one in ("sklearn", "pandas", "polars", "pyarrow") if one in sys.modules]
print(json.dumps(loaded))
"""
N_ROWS = 80
# Files whose parameters or whose models are of a kind of their own.
VARIANTS = {
    "C4.5 with Laplace": tw.C45Classifier(laplace=True),
    "a forest that votes": tw.RandomForestClassifier(n_estimators=8, voting="hard"),
    "a forest of estimators": tw.RandomForestClassifier(
        n_estimators=4, inductors=[tw.C45Classifier(), "id3"]
    ),
    "columns that the user calls nominal": tw.CARTClassifier(categorical_features=["count"]),
    "neighbors by distance": tw.KNeighborsClassifier(3, weights="distance", smooth=1.0),
    "a model tree without smoothing": tw.M5Regressor(smoothing=False),
}


def rows_of(n_rows=N_ROWS, *, words=True):
    """Rows with numbers, categories and missing values, which JSON keeps as they are."""
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(n_rows):
        row = {"size": round(rng.normal(), 2), "count": int(rng.integers(5))}
        if words:
            row["color"] = str(rng.choice(["red", "green", "blue"]))
            row["size"] = None if rng.random() < 0.1 else row["size"]
            row["color"] = None if rng.random() < 0.1 else row["color"]
        rows.append(row)
    return rows


def fitted(model, rows):
    numbers = np.array([(row["size"] or 0.0) + row["count"] for row in rows])
    classes = np.where(numbers > np.median(numbers), "high", "low")
    return model.fit(rows, classes if hasattr(model, "predict_proba") else numbers)


@pytest.fixture(scope="module")
def in_a_fresh_interpreter(tmp_path_factory):
    """Every model, its rows, the folder of what was predicted elsewhere, and what that imported."""
    folder = tmp_path_factory.mktemp("models")
    kinds = {name: MODELS[name]() for name in registry.ESTIMATORS} | VARIANTS
    tables, models = {}, {}
    for name, model in kinds.items():
        tables[name] = rows_of(words=not isinstance(model, tw.KMeans))
        models[name] = fitted(model, tables[name])
        models[name].save(folder / f"{name}.model")
    (folder / "tables.json").write_text(json.dumps(tables), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return models, tables, folder, json.loads(done.stdout)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*registry.ESTIMATORS, *VARIANTS])
def test_a_state_predicts_as_its_estimator_and_needs_no_scikit_learn(name, in_a_fresh_interpreter):
    models, tables, folder, loaded = in_a_fresh_interpreter
    assert loaded[name] == []
    for method in ("predict", "predict_proba"):
        if hasattr(models[name], method):
            there = np.load(folder / f"{name}.{method}.npy")
            here = getattr(models[name], method)(tables[name])
            assert there.dtype == here.dtype
            assert there.tobytes() == here.tobytes()


@pytest.mark.parametrize("name", registry.ESTIMATORS)
def test_the_registry_names_the_state_of_each_estimator(name):
    assert registry.state_type(name) is registry.estimator_type(name).state_type
    assert registry.params_of(name) == registry.estimator_type(name).params


@pytest.mark.filterwarnings("ignore")
def test_loading_is_reading_the_state_and_making_an_estimator_of_it(in_a_fresh_interpreter):
    models, _, folder, _ = in_a_fresh_interpreter
    for name, model in models.items():
        loaded, saved = tw.load(folder / f"{name}.model"), tw.load_state(folder / f"{name}.model")
        assert type(loaded) is type(model)
        assert repr(loaded) == repr(model)
        assert saved.model_name == type(model).__name__
        assert type(saved.state) is type(loaded.state_)


def test_rules_are_read_without_scikit_learn(tmp_path):
    X, y = tw.load_sample("tennis")
    tw.rules(tw.C45Classifier().fit(X, y)).save(tmp_path / "rules.json")
    code = (
        "import sys, treewright as tw\n"
        "rules = tw.load_state(sys.argv[1])\n"
        "print(rules.predict(tw.load_sample('tennis')[0]).tolist(), 'sklearn' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "rules.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"{y.tolist()} False"


def test_numbers_have_no_probabilities(tmp_path):
    tw.CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).save(tmp_path / "m")
    with pytest.raises(tw.ParameterError, match="predicts no classes"):
        tw.load_state(tmp_path / "m").predict_proba([[1.0]])
