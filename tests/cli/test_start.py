"""Commands that only read a model start without scikit-learn, and read values as typer does."""

import inspect
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from typer.models import OptionInfo

import treewright as tw
from treewright.cli.quick_values import UNSURE, read
from treewright.registry import ESTIMATORS, state_type
from treewright.verbs.load import model_bytes, reader_from_bytes

SLOW = ("sklearn", "scipy", "joblib", "pandas", "polars", "pyarrow", "pydantic")
COMMANDS = """
import contextlib, io, json, sys
from treewright.cli.main import main

codes = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        codes.append(main(words))
print(json.dumps([codes, [name for name in json.loads(sys.argv[2]) if name in sys.modules]]))
"""


def loaded_by(commands):
    """The exit codes of commands in one process, and the slow packages that it has loaded."""
    words = [json.dumps(commands), json.dumps(SLOW)]
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *words], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    X, y = tw.load_sample("tennis")
    kinds = {
        "tree": tw.C45Classifier(),
        "cut": tw.ID3Classifier(),
        "forest": tw.RandomForestClassifier(n_estimators=3),
        "boosted": tw.BoostedTreesClassifier(n_estimators=3),
        "neighbors": tw.KNeighborsClassifier(),
    }
    for name, model in kinds.items():
        model.fit(X, y).name_target("play").save(folder / name)
    return {name: str(folder / name) for name in kinds}


def test_commands_that_read_a_model_load_no_slow_package(models, tmp_path):
    commands = [["--help"], ["predict", models["neighbors"], "tennis"]]
    for name in ("tree", "cut", "forest", "boosted"):
        path = models[name]
        commands += [["show", path], ["show", path, "--json"], ["predict", path, "tennis"]]
        commands += [["explain", path, "tennis", "--row", "3", "--value", "wind=Strong"]]
    for name in ("tree", "cut"):
        path = models[name]
        commands += [["rules", path], ["show", path, "-o", str(tmp_path / "tree.svg")]]
        commands += [["export", path, "--to", to] for to in ("python", "sql", "dot", "json")]
    codes, loaded = loaded_by(commands)
    assert codes == [0] * len(commands)
    assert loaded == []


def test_other_models_are_described_by_their_estimator(models):
    assert loaded_by([["show", models["neighbors"]]])[0] == [0]


@pytest.mark.timed
def test_a_command_that_reads_a_model_starts_in_less_than_a_second(models):
    def seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = seconds()
    subprocess.run(
        [sys.executable, "-m", "treewright", "show", models["tree"]],
        check=True,
        capture_output=True,
    )
    assert seconds() - before < 0.8  # 0.4 on an idle machine


def test_a_reader_has_what_its_estimator_has(models):
    X, _ = tw.load_sample("tennis")
    for path in models.values():
        content = Path(path).read_bytes()
        estimator, reader = tw.load(path), reader_from_bytes(content)
        assert type(reader).__name__ == type(estimator).__name__
        assert reader.predict(X).tolist() == estimator.predict(X).tolist()
        assert reader.predict_proba(X).tolist() == estimator.predict_proba(X).tolist()
        assert str(reader.explain(X[:1])) == str(estimator.explain(X[:1]))
        assert reader.target_name_ == "play"
    tree, read_tree = (
        make(Path(models["cut"]).read_bytes()) for make in (loaded, reader_from_bytes)
    )
    assert read_tree.export_text() == tree.export_text()
    assert tw.rules(read_tree).to_text() == tw.rules(tree).to_text()
    assert tw.draw(read_tree).to_svg() == tw.draw(tree).to_svg()
    assert tw.export(read_tree, "python") == tw.export(tree, "python")


def loaded(content):
    from treewright.verbs.load import model_from_bytes

    return model_from_bytes(content)


def test_every_tree_and_ensemble_but_rules_can_be_read():
    of_trees = ("trees", "forests", "boosted trees", "oblique trees", "optimal trees")
    for name, entry in ESTIMATORS.items():
        if entry.family in of_trees and name != "C45Rules":
            assert state_type(name).reading, name


def test_a_rule_model_is_read_as_itself():
    X, y = tw.load_sample("tennis")
    rules = tw.rules(tw.ID3Classifier().fit(X, y))
    assert reader_from_bytes(model_bytes(rules)).to_dict() == rules.to_dict()


def limits(**given):
    return OptionInfo(**given)


@pytest.mark.parametrize(
    ("value", "kind", "given", "found"),
    [
        ("a b", str, {}, "a b"),
        ("x/y", Path, {}, Path("x/y")),
        ("12", int, {}, 12),
        ("-3", int, {"min": 0}, UNSURE),
        ("3", int, {"max": 2}, UNSURE),
        ("1_000", int, {}, UNSURE),
        ("0.5", float, {"min": 0, "max": 1}, 0.5),
        ("1e-3", float, {}, 0.001),
        ("nan", float, {}, UNSURE),
        ("text", Literal["text", "html"], {}, "text"),
        ("txt", Literal["text", "html"], {}, UNSURE),
        (["a", "b"], list[str], {}, ["a", "b"]),
        (("1", "x"), list[int], {}, UNSURE),
        ("yes", bool, {}, UNSURE),
        (0, int, {}, 0),
        ("x", Path, {"exists": True}, UNSURE),
    ],
)
def test_obvious_values_are_read_and_others_left_to_typer(value, kind, given, found):
    assert read(value, kind, limits(**given)) == found


def test_explanations_of_every_model_take_changes():
    for name in ESTIMATORS:
        explain = getattr(getattr(tw, name), "explain", None)
        if explain is not None and name != "C45Rules":
            kinds = [one.kind for one in inspect.signature(explain).parameters.values()]
            assert inspect.Parameter.VAR_KEYWORD in kinds, name
