"""Models that are neither one tree nor predict by many, as a user types them."""

from pathlib import Path

import pytest

import treewright as tw


@pytest.fixture
def isolation(treewright):
    """i.tw holds a forest that finds the odd rows of iris."""
    words = ["train", "iris", "--model", "isolation", "--n-estimators", "5", "--out", "i.tw"]
    run = treewright(*words)
    assert run.code == 0
    assert "`species` is left out: this model uses no target" in run.err
    assert "of 150 training rows are outliers" in run.out
    return treewright


def test_what_learns_without_a_target_takes_every_column_of_a_file(treewright, tmp_path):
    rows = "".join(f"{at % 7},{at % 5},{at * 5 % 11}\n" for at in range(60))
    (tmp_path / "t.csv").write_text("x,y,z\n" + rows)
    run = treewright("train", "t.csv", "--model", "isolation", "--n-estimators", "5")
    assert (run.code, run.err) == (0, "")
    run = treewright("train", "t.csv", "--model", "isolation", "--drop", "x", "--drop", "y")
    assert run.code == 0
    run = treewright("train", "t.csv", "--model", "isolation", "-t", "w")
    assert (run.code, "did you mean" in run.err or "columns are" in run.err) == (2, True)


def test_what_learned_without_a_target_answers_and_explains(isolation):
    assert isolation("predict", "i.tw", "iris").out.startswith("prediction\n")
    assert "number of splits" in isolation("explain", "i.tw", "iris").out
    assert isolation("show", "i.tw").out.startswith("IsolationForest: 5 trees")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "iris", "--model", "isolation"],
        ["compare", "iris", "--model", "cart", "--model", "isolation"],
        ["tune", "iris", "--model", "isolation"],
        ["evaluate", "i.tw", "iris"],
        ["report", "i.tw", "iris", "--out", "r.html"],
        ["train", "iris", "--model", "isolation", "--report", "r.html"],
        ["train", "iris", "--model", "isolation", "--task", "regression"],
    ],
    ids=" ".join,
)
def test_without_a_target_nothing_is_judged(isolation, tmp_path, words):
    run = isolation(*words)
    assert (run.code, run.out) == (2, "")
    assert "without a target" in run.err
    assert "hint: " in run.err
    assert not (tmp_path / "r.html").exists()


def test_the_advice_to_judge_names_the_model_and_its_settings(treewright):
    words = ["iris", "--model", "boosted", "--n-estimators", "3", "--max-leaf-nodes", "4"]
    treewright("train", *words, "--out", "b.tw")
    told = treewright("evaluate", "b.tw", "iris").err
    flags = "--model boosted --n-estimators 3 --max-leaf-nodes 4"
    assert f"`treewright evaluate iris --target species {flags}`" in told
    assert treewright("evaluate", "iris", "--folds", "2", *flags.split()).code == 0


def test_early_stopping_needs_no_further_flag(treewright):
    run = treewright("train", "iris", "--model", "boosted", "--n-iter-no-change", "3")
    assert run.code == 0


# Model: a table that it learns, and flags that make it quick.
LEARNED = {
    "knn": ("iris", []),
    "linear": ("two_moons", []),
    "m5": ("two_moons", ["--task", "regression"]),
    "candidate_elimination": ("tennis", []),
    "find_s": ("tennis", []),
    "kmeans": ("iris", ["--n-clusters", "3"]),
    "kprototypes": ("tennis", ["--n-clusters", "2"]),
}
WITHOUT_TARGET = ("kmeans", "kprototypes")
for_every_model = pytest.mark.parametrize("model", LEARNED)


def trained(treewright, model: str) -> str:
    """m.tw holds the model; the name of its table."""
    table, flags = LEARNED[model]
    run = treewright("train", table, "--model", model, *flags, "--out", "m.tw")
    assert run.code == 0, run.err
    assert "saved to m.tw (" in run.err
    assert treewright("show", "m.tw").out in run.out
    return table


def judged(model: str) -> bool:
    return model not in WITHOUT_TARGET


@for_every_model
def test_a_model_that_is_no_tree_is_trained_shown_and_answers(treewright, model):
    table = trained(treewright, model)
    n_rows = tw.load_sample(table)[0].n_rows
    assert treewright("predict", "m.tw", table).out.count("\n") == n_rows + 1
    assert len(treewright("explain", "m.tw", table, "--row", "1").out.splitlines()) > 3
    sheet = treewright("worksheet", "m.tw", table)
    assert (sheet.code, sheet.out[:10]) == (0, "Worksheet:"), sheet.err
    run = treewright("distil", "m.tw", table, "--max-leaf-nodes", "3", "--out", "small.json")
    assert (run.code, "held-out rows: " in run.out) == (0, True)
    assert treewright("predict", "small.json", table).code == 0


@pytest.mark.parametrize("model", ["knn", "m5", "find_s", "kmeans"])
def test_a_model_that_is_no_tree_is_judged_if_it_has_a_target(treewright, model):
    table = trained(treewright, model)
    calls = [
        ["evaluate", "m.tw", table],
        ["report", "m.tw", table, "--folds", "2", "--out", "r.md"],
        ["evaluate", table, "--model", model, *LEARNED[model][1], "--folds", "2"],
    ]
    for words in calls:
        run = treewright(*words)
        assert (run.code == 0) == judged(model), run.err
    if judged(model):
        assert "## The model" in Path("r.md").read_text()
        assert (
            "so the scores are optimistic (run `treewright evaluate " in treewright(*calls[0]).err
        )


@pytest.mark.parametrize("model", ["linear", "m5", "kprototypes"])
def test_what_is_for_trees_says_how_to_come_to_one(treewright, model):
    trained(treewright, model)
    calls = [["prune", "m.tw"]]
    if model != "m5":  # which has exports, rules and a picture of its own
        calls += [["export", "m.tw", "--to", "c"], ["rules", "m.tw"]]
        calls += [["show", "m.tw", "--out", "t.svg"]]
    for words in calls:
        run = treewright(*words)
        assert (run.code, run.out) == (2, "")
        assert "`treewright distil" in run.err
        assert ("model tree" in run.err or "equations in its leaves" in run.err) == (model == "m5")
    for flag in (["--node", "1"], ["--round", "1"], ["--stability", "3"]):
        run = treewright("worksheet", "m.tw", LEARNED[model][0], *flag)
        assert (run.code, f"{flag[0]} is for trees" in run.err) == (2, True)


def test_model_trees_have_rules_and_a_picture(treewright, tmp_path):
    trained(treewright, "m5")
    assert treewright("rules", "m.tw").out.startswith("Rules for moon")
    assert treewright("rules", "m.tw", "--format", "csv").code == 2
    assert treewright("show", "m.tw", "--out", "t.svg").code == 0
    assert (tmp_path / "t.svg").read_text().startswith("<svg")


def test_clusters_start_where_the_user_says(treewright):
    words = ["train", "iris", "--model", "kmeans", "--n-clusters", "2"]
    points = "[[5, 3, 1, 0.2], [6, 3, 5, 2]]"
    assert "2 clusters of 150 rows" in treewright(*words, "--init", points).out
    run = treewright(*words, "--init", "[[5,")
    assert (run.code, "is not JSON" in run.err) == (2, True)


def test_words_are_no_place_in_space(treewright):
    run = treewright("train", "tennis", "--model", "kmeans")
    assert (run.code, "hint: use --model kprototypes, which handles" in run.err) == (3, True)


def test_an_algorithm_for_numbers_refuses_classes(treewright):
    run = treewright("train", "tennis", "--model", "m5")
    assert (run.code, "m5 predicts numbers" in run.err) == (2, True)


def test_algorithms_are_compared_and_tuned(treewright):
    words = ["two_moons", "--task", "regression", "--folds", "2"]
    both = ["--model", "linear", "--model", "m5"]
    assert "m5" in treewright("compare", *words, *both).out
    grid = ["--grid", "l2=0,0.1"]
    run = treewright("tune", *words, "--model", "linear", *grid, "--out", "m.tw")
    assert (run.code, "chosen" in run.out) == (0, True)


@pytest.mark.parametrize("model", ["oblique", "optimal"])
def test_trees_that_are_searched_for_do_what_trees_do(treewright, model):
    words = ["iris", "--model", model, "--max-depth", "2"]
    run = treewright("train", *words, "--out", "m.json")
    assert (run.code, "training accuracy" in run.out) == (0, True)
    assert treewright("show", "m.json").out in run.out
    assert treewright("rules", "m.json").out.startswith("R1: if")
    assert "def predict" in treewright("export", "m.json", "--to", "python").out
    assert "Node 0" in treewright("worksheet", "m.json", "iris", "--node", "0").out
    assert "accuracy" in treewright("evaluate", *words, "--folds", "2").out


def test_an_optimal_tree_tells_its_proof(treewright):
    words = ["train", "iris", "--model", "optimal", "--max-depth", "2", "--out", "m.json"]
    assert "Proven: this tree gets 6 of 150 wrong, and no tree of depth 2" in treewright(*words).out
    assert "Proven: " in treewright("show", "m.json").out
    run = treewright("report", "m.json", "iris", "--folds", "2", "--out", "r.md")
    assert (run.code, "Proven: " in Path("r.md").read_text()) == (0, True)


def test_the_elbow_says_how_many_clusters(treewright, tmp_path):
    run = treewright("elbow", "iris", "--to", "6", "--out", "e.svg")
    assert (run.code, "The elbow is at 2 clusters" in run.out) == (0, True)
    assert "to train it: treewright train iris --model kmeans --n-clusters 2" in run.out
    assert (tmp_path / "e.svg").read_text().startswith("<svg")
    run = treewright("elbow", "tennis", "--to=4", "--seed", "3", "--drop", "wind", "-q")
    learn = "treewright train tennis --drop wind --model kprototypes --n-clusters"
    assert f"to train it: {learn}" in run.out
    assert "--random-state 3\n" in run.out
    assert treewright("elbow", "five_points").code == 0
    run = treewright("elbow", "iris", "--from", "4", "--to", "5")
    assert (run.code, "hint: try 3 or more" in run.err) == (2, True)
