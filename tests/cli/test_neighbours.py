"""Models that are neither one tree nor predict by many, as a user types them."""

import pytest


@pytest.fixture
def isolation(treewright):
    """i.tw holds a forest that finds the odd rows of iris."""
    words = ["train", "iris", "--model", "isolation", "--n-estimators", "5", "--out", "i.tw"]
    run = treewright(*words)
    assert run.code == 0
    assert "`species` is left out: isolation learns without a target" in run.err
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


def test_what_learnt_without_a_target_answers_and_explains(isolation):
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
    assert f"`treewright evaluate iris --target species {flags}` judges" in told
    assert treewright("evaluate", "iris", "--folds", "2", *flags.split()).code == 0


def test_hints_of_boosting_are_flags(treewright):
    run = treewright("train", "iris", "--model", "boosted", "--patience", "3")
    assert (run.code, "hint: --validation-fraction 0.1" in run.err) == (2, True)
