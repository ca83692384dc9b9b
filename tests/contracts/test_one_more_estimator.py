"""An estimator is added by one module and one entry in the registry; all the rest follows."""

import importlib.util
import inspect
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import treewright as tw
from contracts import test_every_neighbor, test_refit_while_predicting
from machine import imported
from torture import models, test_registry
from toy_estimator import ENTRY, FittedToy, ToyClassifier
from treewright import registry
from treewright.verbs.load import model_bytes

TESTS = Path(__file__).parents[1]
COMMAND = """
import sys
from treewright.registry import ESTIMATORS
from toy_estimator import ENTRY
ESTIMATORS["ToyClassifier"] = ENTRY
from treewright.cli.main import command
command()
"""


@pytest.fixture(autouse=True)
def one_more_entry(monkeypatch):
    monkeypatch.setitem(registry.ESTIMATORS, "ToyClassifier", ENTRY)
    yield
    vars(tw).pop("ToyClassifier", None)


@pytest.fixture
def fitted():
    return ToyClassifier(prior_count=1.0).fit(*tw.load_sample("tennis"))


def treewright(*words, folder):
    """What the command prints where the entry is in the registry."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_a_public_name(fitted):
    assert tw.ToyClassifier is ToyClassifier


def test_it_is_saved_and_loaded(fitted, tmp_path):
    X, _ = tw.load_sample("tennis")
    fitted.save(tmp_path / "toy.tw")
    loaded, saved = tw.load(tmp_path / "toy.tw"), tw.load_state(tmp_path / "toy.tw")
    assert type(loaded) is ToyClassifier
    assert type(saved.state) is FittedToy
    assert loaded.prior_count == 1.0
    for again in (loaded, saved):
        assert again.predict_proba(X).tobytes() == fitted.predict_proba(X).tobytes()
        assert again.predict(X).tolist() == fitted.predict(X).tolist()


def test_it_is_pickled(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert model_bytes(again) == model_bytes(fitted)


def test_its_parameters_are_checked_by_their_declarations():
    with pytest.raises(tw.ParameterError, match="prior_count=-1"):
        ToyClassifier(prior_count=-1).fit([[1.0]], ["a"])


def test_the_verbs_take_it(fitted):
    X, y = tw.load_sample("tennis")
    assert tw.evaluate(clone(fitted), X, y, folds=2).mean("accuracy") > 0
    assert tw.evaluate_fitted(fitted, X, y).mean("accuracy") == pytest.approx(9 / 14)
    assert tw.distil(fitted, X).model.get_n_leaves() == 1


@pytest.mark.full
def test_commands_train_it_and_use_its_file(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("size,color,y\n1,red,a\n2,blue,b\n3,red,b\n4,,b\n")
    words = (
        "train",
        "table.csv",
        "--target",
        "y",
        "--model",
        "toy",
        "--prior-count",
        "0.5",
        "--out",
        "toy.tw",
    )
    told = json.loads(treewright(*words, "--json", folder=tmp_path))
    assert told["model"] == "ToyClassifier"
    assert told["learned"] == {"counts_": [1.0, 3.0]}
    predicted = treewright("predict", "toy.tw", "table.csv", folder=tmp_path)
    assert predicted.split()[-1].endswith("b")
    assert "toy" in treewright("train", "--help", folder=tmp_path)


def test_the_reference_has_an_entry_for_it():
    imported("sphinx")
    where = TESTS.parent / "docs" / "every_estimator.py"
    spec = importlib.util.spec_from_file_location("every_estimator", where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert ".. autoclass:: treewright.ToyClassifier" in module.entries().splitlines()


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it():
    check_estimator(ToyClassifier())


# The contract of models other than trees; but a toy explains no row and has no worksheet.
NEED_PAGES = {
    "test_an_unfitted_model_says_so",
    "test_P14_a_saved_model_is_the_same_model",
    "test_pages_are_written_in_every_form",
    "test_two_rows_are_not_explained_at_once",
}
CONTRACT = {
    name: check
    for name, check in vars(test_every_neighbor).items()
    if name.startswith("test_") and "name" in inspect.signature(check).parameters
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", sorted(CONTRACT.keys() - NEED_PAGES))
def test_it_keeps_the_contract_of_its_family(check, tmp_path):
    needed = inspect.signature(CONTRACT[check]).parameters
    given = {"name": "ToyClassifier", "tmp_path": tmp_path}
    CONTRACT[check](**{key: given[key] for key in needed})


def test_it_passes_checks_of_every_estimator():
    kind = models.Model("ToyClassifier", "classes")
    test_registry.test_traits_are_true(kind)


@pytest.mark.filterwarnings("ignore")
def test_predictions_never_mix_two_fits():
    kind = models.Model("ToyClassifier", "classes")
    test_refit_while_predicting.test_predictions_never_mix_two_fits(kind)
