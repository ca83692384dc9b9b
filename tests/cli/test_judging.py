"""evaluate, compare and tune, as a user types them."""

import json

import pytest

import treewright as tw


@pytest.fixture
def loans(tmp_path):
    lines = ["income,job,branch,ok"]
    for at in range(60):
        ok = "yes" if at % 7 > 2 else "no"
        lines.append(f"{(at * 37) % 50 + (20 if ok == 'yes' else 0)},{'ab'[at % 2]},{at % 5},{ok}")
    (tmp_path / "loans.csv").write_text("\n".join(lines) + "\n")
    return "loans.csv"


def test_evaluate_is_what_python_says(treewright):
    run = treewright(
        "evaluate", "iris", "--model", "c45", "--folds", "5", "--repeats", "2", "--json"
    )
    assert run.code == 0
    facts = json.loads(run.out)
    X, y = tw.load_sample("iris")
    expected = tw.evaluate(tw.C45Classifier(), X, y, folds=5, repeats=2)
    assert facts["measures"]["accuracy"]["mean"] == expected.mean("accuracy")
    assert facts["n_splits"] == 10
    assert facts["classes"] == ["setosa", "versicolor", "virginica"]


def test_evaluate_prints_measures_classes_and_confusion(treewright):
    run = treewright("evaluate", "iris", "--model", "cart")
    for words in ("accuracy", "95 % interval", "sensitivity", "true \\ predicted", "leaves"):
        assert words in run.out
    assert run.err == ""


def test_a_saved_model_is_judged_on_a_table(treewright, loans):
    assert treewright("train", loans, "-t", "ok", "--model", "cart", "--out", "m.json").code == 0
    run = treewright("evaluate", "m.json", loans, "--json")
    assert run.code == 0
    facts = json.loads(run.out)
    X, y = tw.read_table(loans, target="ok")
    assert facts["measures"]["accuracy"]["mean"] == tw.load("m.json").score(X, y)
    assert sum(map(sum, facts["confusion"])) == 60


def test_a_table_without_the_columns_of_the_model_ends_with_4(treewright, loans, tmp_path):
    treewright("train", loans, "-t", "ok", "--out", "m.json")
    (tmp_path / "few.csv").write_text("income,jbo,branch,ok\n1,a,2,yes\n")
    for words in (["evaluate", "m.json", "few.csv"], ["predict", "m.json", "few.csv"]):
        run = treewright(*words)
        assert run.code == 4
        assert "lacks `job`" in run.err
        assert "did you mean `jbo`?" in run.err


def test_a_column_of_another_kind_ends_with_4(treewright, loans, tmp_path):
    treewright("train", loans, "-t", "ok", "--out", "m.json")
    (tmp_path / "words.csv").write_text("income,job,branch,ok\nmuch,a,2,yes\n")
    run = treewright("predict", "m.json", "words.csv")
    assert run.code in (3, 4)
    assert "income" in run.err
    assert "much" in run.err


def test_groups_and_times_divide_rows_and_are_not_learnt_from(treewright, loans):
    run = treewright("evaluate", loans, "-t", "ok", "--groups", "branch", "--folds", "5", "--json")
    assert "by groups" in json.loads(run.out)["scheme"]
    run = treewright("evaluate", loans, "-t", "ok", "--times", "income", "--folds", "3", "--json")
    assert "order of time" in json.loads(run.out)["scheme"]
    run = treewright("evaluate", loans, "-t", "ok", "--groups", "brunch")
    assert (run.code, run.out) == (2, "")
    assert "did you mean `branch`?" in run.err


def test_compare_takes_all_algorithms_unless_some_are_named(treewright):
    run = treewright("compare", "iris", "--folds", "3", "--json")
    assert set(json.loads(run.out)["models"]) == {"id3", "c45", "c45rules", "cart", "tree"}
    run = treewright("compare", "iris", "--model", "cart", "--model", "c45", "--folds", "3")
    assert "first better" in run.out
    run = treewright("compare", "iris", "--model", "c50")
    assert run.code == 2
    assert "did you mean `c45`?" in run.err


def test_tune_prints_a_table_and_saves_the_model(treewright):
    run = treewright(
        "tune", "iris", "--model", "cart", "--grid", "max-depth=1,2,none", "--out", "m.json"
    )
    assert run.code == 0
    assert "* chosen: max_depth=2" in run.out
    assert tw.load("m.json").max_depth == 2


def test_tune_has_a_usual_grid(treewright):
    run = treewright("tune", "iris", "--model", "c45", "--folds", "3", "--json")
    facts = json.loads(run.out)
    assert len(facts["candidates"]) == 20
    run = treewright("tune", "iris", "--confidence", "0.1", "--folds", "3", "--json")
    assert len(json.loads(run.out)["candidates"]) == 4


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("max-dept=1", "did you mean `max_depth`?"),
        ("max-depth", "not a setting and its values"),
        ("max-depth=0", "max_depth=0 is not allowed"),
    ],
)
def test_a_wrong_grid_is_named(treewright, word, message):
    run = treewright("tune", "iris", "--model", "cart", "--grid", word)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
