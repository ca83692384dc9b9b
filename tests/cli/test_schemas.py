"""What `--json` prints is what docs/schemas says, for every command."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import treewright as tw
from every_command import FOREIGN
from treewright.cli.app import LEARNING, OTHERS

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"

# m.json: a tree for iris; n.json: one that predicts numbers; rules.json: rules of the first;
# f.tw: a forest for iris; b.tw: boosted trees; k.tw: clusters.
CALLS = {
    "train": [
        ["train", "tennis"],
        ["train", "iris", "--model", "cart", "--out", "m2.json"],
        ["train", "iris", "--model", "c45rules", "--max-depth", "2"],
        ["train", "iris", "--model", "forest", "--n-estimators", "3", "--out", "g.tw"],
        ["train", "two_moons", "--task", "regression", "--report", "r.html"],
        ["train", "iris", "--model", "optimal", "--max-depth", "2"],
        ["train", "iris", "--model", "kmeans", "--n-clusters", "3"],
        ["train", "tennis", "--model", "knn"],
        ["train", "iris", "--model", "isolation", "--n-estimators", "3"],
    ],
    "show": [
        ["show", "m.json"],
        ["show", "rules.json"],
        ["show", "m.json", "--out", "t.svg"],
        ["show", "f.tw"],
        ["show", "f.tw", "--tree", "1"],
        ["show", "k.tw"],
    ],
    "worksheet": [
        ["worksheet", "m.json", "iris"],
        ["worksheet", "m.json"],
        ["worksheet", "m.json", "iris", "--stability", "5", "--measure", "gini_gain"],
        ["worksheet", "n.json", "two_moons", "--node", "0"],
        ["worksheet", "b.tw", "iris", "--round", "2"],
        ["worksheet", "k.tw", "iris"],
    ],
    "exercise": [
        ["exercise", "tennis"],
        ["exercise", "iris", "--model", "c45", "--blanks", "4"],
    ],
    "explain": [
        ["explain", "m.json", "iris"],
        ["explain", "m.json", "iris", "--neighbors", "iris", "--immutable", "petal width"],
        ["explain", "m.json", "--value", "petal width=2"],
        ["explain", "m.json", "iris", "--row", "3", "--value", "petal width=2"],
        ["explain", "n.json", "two_moons", "--row", "3"],
        ["explain", "f.tw", "iris"],
        ["explain", "k.tw", "iris"],
    ],
    "evaluate": [
        ["evaluate", "iris", "--folds", "3"],
        ["evaluate", "iris", "--hold-out", "0.3"],
        ["evaluate", "two_moons", "--task", "regression", "--folds", "3"],
        ["evaluate", "m.json", "iris"],
        ["evaluate", "n.json", "two_moons"],
        ["evaluate", "f.tw", "iris"],
    ],
    "compare": [
        ["compare", "iris", "--folds", "3", "--model", "c45", "--model", "cart"],
        ["compare", "two_moons", "--task", "regression", "--folds", "3"],
    ],
    "tune": [
        ["tune", "iris", "--folds", "3", "--grid", "max-depth=1,none"],
        ["tune", "iris", "--folds", "3", "--grid", "max-depth=1,2", "--nested", "2"],
    ],
    "threshold": [
        ["threshold", "loans", "--folds", "3"],
        ["threshold", "loans", "--folds", "3", "--costs", '{"yes": 4}', "--label", "no"],
        ["threshold", "loans", "--hold-out", "0.3", "--min-recall", "0.9", "--out", "c.json"],
    ],
    "distil": [["distil", "f.tw", "iris"], ["distil", "f.tw", "iris", "--out", "d.json"]],
    "prune": [["prune", "m.json"], ["prune", "m.json", "iris", "--out", "p.json"]],
    "rules": [["rules", "m.json"], ["rules", "n.json"], ["rules", "rules.json"]],
    "export": [["export", "m.json", "--to", "c"], ["export", "m.json", "--to", "excel"]],
    "import": [
        ["import", FOREIGN, "--no-verify"],
        ["import", FOREIGN, "--no-verify", "--out", "i.json"],
    ],
    "report": [["report", "m.json", "iris", "--out", "r.html", "--folds", "3"]],
    "predict": [
        ["predict", "m.json", "iris"],
        ["predict", "m.json", "iris", "--proba", "--keep", "species"],
        ["predict", "n.json", "two_moons", "--keep", "x0"],
        ["predict", "rules.json", "iris"],
    ],
    "frontier": [
        ["frontier", "iris", "--leaves", "2,3", "--folds", "2", "--no-distil"],
        ["frontier", "iris", "--leaves", "2", "--folds", "2", "--no-distil", "--out", "e.svg"],
    ],
    "elbow": [["elbow", "iris", "--to", "4"], ["elbow", "tennis", "--to", "3", "--out", "e.svg"]],
    "columns": [["columns", "iris"], ["columns", "loans", "--target", "repaid"]],
    "impute": [
        ["impute", "loans"],
        ["impute", "loans", "--by-class", "--strategy", "median", "--out", "f.csv"],
        ["impute", "five_points"],
    ],
    "discretize": [
        ["discretize", "iris"],
        ["discretize", "five_points", "--strategy", "equal_width", "--out", "i.csv"],
    ],
    "samples": [["samples"], ["samples", "tennis"], ["samples", "loans"]],
    "doctor": [["doctor"]],
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with six models."""
    folder = tmp_path_factory.mktemp("models")
    tree = tw.C45Classifier().fit(*tw.load_sample("iris"))
    tree.name_target("species")
    tree.save(folder / "m.json")
    tw.rules(tree).save(folder / "rules.json")
    forest = tw.RandomForestClassifier(n_estimators=3).fit(*tw.load_sample("iris"))
    forest.name_target("species")
    forest.save(folder / "f.tw")
    boosted = tw.BoostedTreesClassifier(n_estimators=2).fit(*tw.load_sample("iris"))
    boosted.name_target("species")
    boosted.save(folder / "b.tw")
    clusters = tw.KMeans(n_clusters=3).fit(tw.load_sample("iris")[0])
    clusters.save(folder / "k.tw")
    X, y = tw.load_sample("two_moons")
    numbers = tw.CARTRegressor(prune=None, max_depth=3).fit(X, y.astype(float))
    numbers.name_target("moon")
    numbers.save(folder / "n.json")
    return folder


def test_every_command_has_a_schema():
    assert set(CALLS) == {*LEARNING, *OTHERS}


def test_every_schema_is_sound_and_used():
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(CALLS)
    for path in SCHEMAS.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("command", "words"),
    [(command, words) for command, calls in CALLS.items() for words in calls],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_is_printed_follows_the_schema(treewright, models, tmp_path, command, words):
    shutil.copytree(models, tmp_path, dirs_exist_ok=True)
    schema = json.loads((SCHEMAS / f"{command}.json").read_text())
    run = treewright(*words, "--json")
    assert run.code == 0, run.err
    texts = run.out.splitlines() if command == "predict" else [run.out]
    for text in texts:
        found = json.loads(text, parse_constant=pytest.fail)  # NaN is not JSON
        jsonschema.validate(found, schema)
