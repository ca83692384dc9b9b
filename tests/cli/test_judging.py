"""evaluate, compare and tune, as a user types them."""

import io
import json
from pathlib import Path

import pytest

import treewright as tw
from treewright.cli.algorithms import algorithms_of
from treewright.plain_text import json_text


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
    assert run.code == 4
    assert "income" in run.err
    assert "much" in run.err


@pytest.fixture
def visits(tmp_path):
    """Three rows of each patient, whose number alone tells the answer."""
    lines = ["patient,day,noise,ill"]
    for at in range(60):
        patient = at // 3
        lines.append(f"{patient},{at},{at * 7919 % 13},{'yes' if patient % 2 else 'no'}")
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    return "visits.csv"


def facts_of(run):
    """What was found, without the time that it took."""
    assert run.code == 0, run.err
    return [line for line in run.out.splitlines() if "seconds" not in line]


JUDGING = [
    ["evaluate"],
    ["compare", "--model", "cart"],
    ["tune", "--model", "cart", "--grid", "max-depth=2,4"],
]


@pytest.mark.parametrize(
    ("flags", "argument"), [(["--groups", "patient"], "groups"), (["--times", "day"], "times")]
)
def test_groups_and_times_divide_rows_and_are_not_learned_from(treewright, visits, flags, argument):
    words = ["evaluate", visits, "-t", "ill", "--model", "cart", "--folds", "4", "--json"]
    found = facts_of(treewright(*words, *flags, "--keep-ids"))
    X, y = tw.read_table(visits, target="ill")
    column = flags[1]
    expected = tw.evaluate(
        tw.CARTClassifier(prune=None),
        X.drop(column),
        y,
        folds=4,
        **{argument: X[column].to_numpy()},
    )
    values = X[column].values
    for split in expected.plan:
        if argument == "groups":
            assert not set(values[split.test]) & set(values[split.train])
        else:
            assert values[split.test].min() > values[split.train].max()
    facts = json_text(expected.to_dict()).splitlines()
    assert found == [line for line in facts if "seconds" not in line]


@pytest.mark.parametrize("words", JUDGING, ids=lambda words: words[0])
def test_a_column_that_divides_the_rows_is_read_with_the_rest(
    treewright, visits, words, monkeypatch
):
    command, *flags = words
    flags = [*flags, "-t", "ill", "--groups", "patient", "--folds", "3", "--json", "-q"]
    by_name = facts_of(treewright(command, visits, *flags))
    content = io.BytesIO(Path(visits).read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    assert facts_of(treewright(command, "-", *flags)) == by_name
    # what is dropped anyway may divide the rows
    assert facts_of(treewright(command, visits, *flags, "--drop", "patient")) == by_name


@pytest.mark.parametrize("words", JUDGING, ids=lambda words: words[0])
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--groups", "ptient"], "did you mean `patient`?"),
        (["--groups", "ill"], "--groups `ill`: the column is the target"),
        (["--times", "day", "--weight", "day"], "--times `day`: the column is the weight"),
        (["--times", "day", "--groups", "day"], "--groups and --times cannot be combined"),
        (["--hold-out", "0.3", "--folds", "5"], "--hold-out and --folds cannot be combined"),
    ],
)
def test_flags_that_rule_each_other_out_are_named(treewright, visits, words, flags, message):
    run = treewright(words[0], visits, *words[1:], "-t", "ill", *flags)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    "flags",
    [
        ["--folds", "3"],
        ["--groups", "job"],
        ["--model", "cart"],
        ["--max-depth", "3"],
        ["--repeats", "4"],
        ["--hold-out", "0.2"],
        ["--no-stratified"],
        ["--keep-ids"],
    ],
)
def test_a_saved_model_takes_no_flag_for_learning(treewright, loans, flags):
    treewright("train", loans, "-t", "ok", "--out", "m.json")
    run = treewright("evaluate", "m.json", loans, *flags)
    assert (run.code, run.out) == (2, "")
    assert f"error: {flags[0].replace('no-', '')} is for training" in run.err


def test_a_model_in_the_place_of_a_table_is_told_so(treewright, loans):
    treewright("train", loans, "-t", "ok", "--out", "m.json")
    run = treewright("evaluate", "m.json")
    assert (run.code, run.out) == (2, "")
    assert "hint: `treewright evaluate m.json TABLE`" in run.err
    run = treewright("evaluate", loans, "m.json")
    assert (run.code, run.out) == (2, "")
    assert "hint: `treewright evaluate m.json loans.csv`" in run.err


def test_compare_takes_all_algorithms_unless_some_are_named(treewright):
    run = treewright("compare", "iris", "--folds", "3", "--json")
    assert set(json.loads(run.out)["models"]) == set(algorithms_of("classification"))
    run = treewright("compare", "iris", "--model", "cart", "--model", "c45", "--folds", "3")
    assert "behind" in run.out
    assert len(run.out.splitlines()) <= 10
    run = treewright("compare", "iris", "--model", "c50")
    assert run.code == 2
    assert "did you mean `c45`?" in run.err
    run = treewright("compare", "iris", "--model", "c45", "--model", "c45")
    assert (run.code, run.out) == (2, "")
    assert "--model names c45 twice" in run.err


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
    run = treewright("tune", "iris", "--confidence", "0.1", "--min-samples-leaf", "3")
    assert (run.code, run.out) == (2, "")
    assert "nothing is left to try: --confidence 0.1 --min-samples-leaf 3 fixes" in run.err


def test_a_value_that_is_named_twice_is_tried_once(treewright):
    words = ["tune", "iris", "--model", "cart", "--folds", "2", "--json"]
    run = treewright(*words, "--grid", "max-depth=1,1, 2")
    assert len(json.loads(run.out)["candidates"]) == 2


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("max-dept=1", "did you mean `max_depth`?"),
        ("max-depth", "not a setting and its values"),
        ("max-depth=0", "--max-depth 0 is not allowed"),
        (
            "criterion=gini --criterion entropy",
            "--criterion and --grid criterion=... cannot be combined",
        ),
        ("max-depth=1 --grid max_depth=2", "--grid names max_depth twice"),
    ],
)
def test_a_wrong_grid_is_named(treewright, word, message):
    run = treewright("tune", "iris", "--model", "cart", "--grid", *word.split())
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "iris", "--hold-out", "3"], "--hold-out 3.0 is not allowed"),
        (["evaluate", "iris", "--jobs", "0"], "--jobs: must be at least 1"),
        (["compare", "iris", "--measure", "cost", "--model", "c45"], "--costs"),
        (["train", "iris", "--max-depth", "0"], "use an integer of at least 1 or none"),
        (["train", "iris", "--numeric-split", "x", "--model", "tree"], "--numeric-split x"),
    ],
)
def test_messages_speak_of_flags(treewright, words, message):
    run = treewright(*words)
    assert (run.code, run.out) == (2, "")
    assert message in run.err.replace("'", "")
    assert "=" not in run.err


def test_notes_speak_of_flags(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("7,y\n?,a\nw,b\n" * 9)
    run = treewright("columns", "t.csv")
    assert "--na TEXT makes a text missing in every column" in run.err
    assert "=" not in run.err
    (tmp_path / "t.csv").write_text("a,y\n1,2,3\n")
    assert "hint: every line must use the separator" in treewright("columns", "t.csv").err


def test_what_is_made_of_a_numeric_target_is_told(treewright, loans):
    words = ["train", loans, "-t", "income", "--json"]
    for model in ("c45", "id3"):
        run = treewright(*words, "--model", model)
        assert "treated as classes, because" in run.err
        assert "(--model cart can)" in run.err
    assert "so this is regression" in treewright(*words, "--model", "cart").err
    assert "treated as classes" not in treewright("train", loans, "-t", "ok", "--json").err


def test_a_threshold_is_chosen_saved_and_used(treewright, loans):
    words = ("threshold", loans, "-t", "ok", "--model", "knn", "--folds", "4", "--label", "no")
    run = treewright(*words, "--costs", '{"no": 9}', "--out", "m.tw", "--json")
    assert run.code == 0, run.err
    X, y = tw.read_table(loans, target="ok")
    model = tw.KNeighborsClassifier(costs={"no": 9})
    choice = tw.choose_threshold(model, X, y, label="no", folds=4)
    assert json.loads(run.out) == choice.to_dict()
    expected = choice.apply(model.fit(X, y)).predict(X)
    assert tw.load("m.tw").predict(X).tolist() == expected.tolist()
    assert "classes are: no, yes" in treewright(*words[:-1], "n0").err
