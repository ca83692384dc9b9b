"""Forests and boosted trees on the command line: trained, shown, used, told apart from trees."""

import json

import pytest

import treewright as tw

MODELS = ["forest", "extra_trees", "boosted"]
QUICK = ["--n-estimators", "3"]


@pytest.fixture
def forest(treewright):
    """f.tw holds a forest for iris."""
    assert treewright("train", "iris", "--model", "forest", *QUICK, "--out", "f.tw").code == 0
    return treewright


@pytest.mark.parametrize("model", MODELS)
def test_training_tells_size_and_importances(treewright, model):
    run = treewright("train", "iris", "--model", model, *QUICK, "--out", "m.tw")
    assert run.code == 0
    assert "trees, " in run.out
    assert "column importances" in run.out
    assert "training accuracy" in run.out
    assert "saved to m.tw" in run.err
    assert treewright("show", "m.tw").out in run.out


@pytest.mark.parametrize("model", MODELS)
def test_numbers_are_learned_too(treewright, model):
    words = ["two_moons", "--task", "regression", "--model", model, *QUICK]
    assert "training R²" in treewright("train", *words).out


def test_every_command_that_answers_takes_an_ensemble(forest):
    assert forest("predict", "f.tw", "iris", "--proba").out.count("\n") == 151
    assert "accuracy" in forest("evaluate", "f.tw", "iris").out
    assert "Contribution of each column to" in forest("explain", "f.tw", "iris", "--row", "70").out
    assert "petal" in forest("show", "f.tw", "--tree", "2").out
    assert forest("rules", "f.tw", "--tree", "0").out.startswith("R1: if")
    assert "def predict" in forest("export", "f.tw", "--to", "python", "--tree", "0").out
    assert forest("show", "f.tw", "--tree", "1", "--out", "t.svg").code == 0
    assert forest("report", "f.tw", "iris", "--folds", "2", "--out", "r.html").code == 0


def test_a_forest_without_importances_is_shown(treewright, tmp_path):
    path = str(tmp_path / "odd.tw")
    tw.IsolationForest(n_estimators=3).fit(tw.load_sample("iris")[0]).save(path)
    assert treewright("show", path).out.startswith("IsolationForest: 3 trees, ")
    assert json.loads(treewright("show", path, "--json").out)["importances"] == {}


def test_an_ensemble_is_judged_compared_and_tuned(treewright):
    words = ["iris", "--folds", "2"]
    assert "accuracy" in treewright("evaluate", *words, "--model", "boosted", *QUICK).out
    both = ["--model", "cart", "--model", "forest"]
    assert "too close to call" in treewright("compare", *words, *both).out
    grid = ["--grid", "n-estimators=1,2"]
    run = treewright("tune", *words, "--model", "forest", *grid, "--out", "m.tw")
    assert "chosen" in run.out
    assert json.loads(treewright("show", "m.tw", "--json").out)["n_trees"] in (1, 2)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["show", "f.tw", "--out", "t.svg"], "--tree 0 draws the first of them"),
        (["show", "f.tw", "--tree", "3"], "use numbers from 0 to 2"),
        (["rules", "f.tw"], "--tree 0"),
        (["prune", "f.tw"], "--max-leaf-nodes"),
        (["worksheet", "f.tw"], "worksheet f.tw TABLE"),
        (["explain", "f.tw", "iris", "--wanted", "setosa"], "treewright distil"),
    ],
)
def test_what_needs_one_tree_says_so_and_what_to_do(forest, words, hint):
    run = forest(*words)
    assert run.code == 2
    _, mark, told = run.err.partition("hint: ")
    assert mark
    assert hint in told


def test_a_format_for_one_tree_asks_for_one(forest):
    run = forest("export", "f.tw", "--to", "dot")
    assert run.code == 1
    assert "dot is for one tree" in run.err
    assert "--tree 0 takes the first of its trees" in run.err
    assert forest("export", "f.tw", "--to", "dot", "--tree", "0").code == 0


def test_a_tree_has_no_trees_to_pick_from(treewright):
    treewright("train", "tennis", "--out", "m.json")
    run = treewright("show", "m.json", "--tree", "0")
    assert (run.code, "not an ensemble" in run.err) == (2, True)
    run = treewright("distil", "m.json", "tennis")
    assert (run.code, "already holds a tree" in run.err) == (2, True)


def test_an_ensemble_becomes_one_readable_tree(forest):
    run = forest("distil", "f.tw", "iris", "--max-leaf-nodes", "3", "--out", "small.json")
    assert "agreement with the ensemble (3 trees" in run.out
    assert forest("show", "small.json").out in run.out
    assert "accuracy" in forest("evaluate", "small.json", "iris").out


def test_a_broken_file_of_an_ensemble_is_told(forest, tmp_path):
    content = (tmp_path / "f.tw").read_bytes()
    (tmp_path / "f.tw").write_bytes(content[:-100])
    run = forest("show", "f.tw")
    assert (run.code, "checksum" in run.err) == (3, True)


def test_a_model_without_a_table_is_told_by_its_ending(forest):
    assert "f.tw TABLE" in forest("evaluate", "f.tw").err


def test_a_judged_forest_tells_if_it_knows_the_rows(forest):
    assert "was trained on these rows" in forest("evaluate", "f.tw", "iris").err


def test_the_rounds_of_boosted_trees_are_worked_out(treewright):
    words = ["iris", "--model", "boosted", "--n-estimators", "3", "--max-leaf-nodes", "3"]
    assert treewright("train", *words, "--out", "b.tw").code == 0
    run = treewright("worksheet", "b.tw", "iris", "--round", "2")
    assert "Round 2" in run.out
    assert "Round 1" not in run.out
    for given, told in [
        (["iris", "--round", "9"], "numbers from 1 to 3"),
        (["iris", "--round", "9", "--json"], "numbers from 1 to 3"),
        (["iris", "--node", "1"], "--round 1"),
        ([], "worksheet b.tw TABLE"),
    ]:
        run = treewright("worksheet", "b.tw", *given)
        assert (run.code, told in run.err) == (2, True), run.err


def test_help_tells_what_a_flag_is_in_each_family(treewright):
    words = " ".join(treewright("train", "--help-all").out.split())
    assert "Boosted trees: number of rounds without a better validation loss" in words
    assert "Trees: number of consecutive splits without improvement on the validation" in words
    assert "--max-samples auto|NUMBER|none" in words


def test_members_of_a_forest_are_named(treewright):
    words = ["train", "iris", "--model", "forest", "--n-estimators", "2"]
    one, other = (treewright(*words, "--inductors", text) for text in ("id3,c45", '["id3", "c45"]'))
    assert (one.code, one.out) == (0, other.out)


def test_a_flag_of_another_algorithm_is_refused(treewright):
    run = treewright("train", "iris", "--model", "cart", "--n-estimators", "3")
    assert (run.code, "--n-estimators is not a setting of CARTClassifier" in run.err) == (2, True)
