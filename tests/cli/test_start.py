"""Commands that only read a model start without scikit-learn, and read values as typer does."""

import inspect
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from typer.models import OptionInfo

import treewright as tw
from torture.models import MODELS, table_for
from treewright.cli.quick_values import UNSURE, read
from treewright.estimators.base import Model
from treewright.registry import ESTIMATORS, IMPORTED, IN_FILES, TRANSFORMERS
from treewright.verbs.load import as_reader, model_bytes, saved_in

SLOW = ("sklearn", "scipy", "joblib", "pandas", "polars", "pyarrow", "pydantic")
COMMANDS = """
import contextlib, io, json, sys
from treewright.cli.main import main
from treewright.verbs import load

slow, commands, as_estimators = json.loads(sys.stdin.read())
if as_estimators:
    load.as_reader = load.as_estimator
found = []
for words in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    loaded = [name for name in slow if name in sys.modules]
    found.append([code, out.getvalue(), err.getvalue(), loaded])
print(json.dumps(found))
"""


def run(commands, *, as_estimators=False):
    """Of each command: its exit code, what it prints, and the slow packages loaded by then."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input=json.dumps([SLOW, commands, as_estimators]),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


PRINTED = Path(__file__).parents[1] / "files" / "imports" / "printed"


def imported(name):
    """A model imported into an estimator of this name, most from scikit-learn, and its rows."""
    if name == "ImportedModelTreeRegressor":
        X = tw.read_table(PRINTED / "weka_m5p_leaf.arff")
        return tw.import_model(PRINTED / "weka_m5p_leaf.txt", X=X), X
    X = tw.load_sample("iris")[0].to_pandas()
    codes = [0, 1, 2] * 50
    source = {
        "ImportedClassifier": RandomForestClassifier(3, max_depth=3),
        "ImportedRegressor": RandomForestRegressor(3, max_depth=3),
        "ImportedTreeClassifier": DecisionTreeClassifier(max_depth=3),
        "ImportedTreeRegressor": DecisionTreeRegressor(max_depth=3),
    }[name]
    model = tw.import_model(source.fit(X, codes))
    assert type(model).__name__ == name
    return model, X


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Every kind of model that a file may hold: the file, and a table of its training rows."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name in IN_FILES:
        if name in IMPORTED:
            model, X = imported(name)
        else:
            X, y = table_for(MODELS[name])
            model = MODELS[name]().fit(X, y)
        if name in IMPORTED or MODELS[name].has_target:
            model.name_target("label")
        model.save(folder / name)
        table = folder / f"{name}.csv"
        tw.table_from(X).to_pandas().to_csv(table, index=False)
        found[name] = (str(folder / name), str(table))
    return found


def reading_commands(path, table, folder):
    """Every command that only reads a model."""
    picture = str(folder / "tree.svg")
    return [
        ["show", path],
        ["show", path, "--json"],
        ["show", path, "--out", picture, "--json"],
        ["rules", path],
        ["rules", path, "--format", "markdown"],
        *(["export", path, "--to", to] for to in ("python", "sql", "dot", "json")),
        ["explain", path, table, "--row", "3"],
        ["explain", path, table, "--row", "3", "--value", "color=red", "--json"],
        ["predict", path, table],
        ["predict", path, table, "--proba"],
    ]


def test_commands_that_read_a_model_load_no_slow_package(files, tmp_path):
    commands = [["--help"]]
    for path, table in files.values():
        commands += reading_commands(path, table, tmp_path)
    explains = [words for words in commands if words[0] == "explain"]
    others = [words for words in commands if words[0] != "explain"]
    for words, (_, _, err, loaded) in zip(others, run(others), strict=True):
        assert loaded == [], (words, err)
    for words, (_, _, err, loaded) in zip(explains, run(explains), strict=True):
        assert {*loaded} <= {"scipy"}, (words, err)  # Student's t, for the mean of a leaf


@pytest.mark.full
def test_these_commands_print_what_the_estimator_gives(files, tmp_path):
    commands = [words for one in files.values() for words in reading_commands(*one, tmp_path)]
    read, expected = (run(commands, as_estimators=by) for by in (False, True))
    assert "sklearn" in expected[0][3]
    for words, ours, theirs in zip(commands, read, expected, strict=True):
        assert ours[:3] == theirs[:3], words
    n_done = {
        name: sum(one[0] == 0 for words, one in zip(commands, read, strict=True) if path in words)
        for name, (path, _) in files.items()
    }
    assert all(
        n_done[name] >= 4 for name in (*ESTIMATORS, *IMPORTED)
    )  # show twice, explain, predict
    assert all(n_done[name] == 0 for name in TRANSFORMERS)


@pytest.mark.full
def test_a_picture_with_training_rows_is_drawn_by_the_estimator(files, tmp_path):
    path, _ = files["C45Classifier"]
    X, y = table_for(MODELS["C45Classifier"])
    rows = str(tmp_path / "rows.csv")
    tw.table_from({**X, "label": y.tolist()}).to_pandas().to_csv(rows, index=False)
    picture = tmp_path / "tree.svg"
    code, _, err, _ = run([["show", path, rows, "--out", str(picture)]])[0]
    assert code == 0, err
    assert picture.read_text() == tw.draw(tw.load(path), X, y).to_svg()


@pytest.mark.timed
def test_a_command_that_reads_a_model_starts_in_less_than_a_second(files):
    def seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = seconds()
    subprocess.run(
        [sys.executable, "-m", "treewright", "show", files["C45Classifier"][0]],
        check=True,
        capture_output=True,
    )
    assert seconds() - before < 0.8  # 0.4 on an idle machine


@pytest.mark.parametrize("name", [*ESTIMATORS, *IMPORTED])
def test_a_reader_has_what_its_estimator_has(files, name):
    estimator, reader = tw.load(files[name][0]), as_reader(tw.load_state(files[name][0]))
    rows = imported(name)[1] if name in IMPORTED else table_for(MODELS[name])[0]
    X = tw.table_from(rows)
    assert not isinstance(reader, Model)
    assert type(reader).__name__ == name
    assert reader.predict(X).tolist() == estimator.predict(X).tolist()
    assert reader.target_name_ == estimator.target_name_
    assert str(reader.explain(X[:1])) == str(estimator.explain(X[:1]))
    for method in ("predict_proba", "apply"):
        if hasattr(reader, method):
            assert np.array_equal(getattr(reader, method)(X), getattr(estimator, method)(X))
    for method in ("summary", "export_text", "equation", "rules", "get_n_leaves", "get_depth"):
        if hasattr(reader, method):
            assert str(getattr(reader, method)()) == str(getattr(estimator, method)())


def test_a_rule_model_is_read_as_itself():
    X, y = tw.load_sample("tennis")
    rules = tw.rules(tw.ID3Classifier().fit(X, y))
    assert as_reader(saved_in(model_bytes(rules))).to_dict() == rules.to_dict()


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
        if explain is not None:
            kinds = [one.kind for one in inspect.signature(explain).parameters.values()]
            assert inspect.Parameter.VAR_KEYWORD in kinds, name
