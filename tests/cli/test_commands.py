"""The commands, as a user types them."""

import json

import pytest

import treewright as tw

TENNIS_BY_ID3 = """\
outlook = Sunny
|   humidity = High: No (3)
|   humidity = Normal: Yes (2)
outlook = Overcast: Yes (4)
outlook = Rain
|   wind = Weak: Yes (3)
|   wind = Strong: No (2)

5 leaves, depth 2; training accuracy 100.0 % (14 of 14 rows)
not compared with guessing (too few rows): accuracy 80 % vs. 70 % for always \
predicting `Yes` (stratified 10-fold cross-validation)
"""


def test_train_prints_the_tree_of_the_lecture_notes(treewright):
    run = treewright("train", "tennis", "--target", "play", "--model", "id3")
    assert run.code == 0
    assert run.out == TENNIS_BY_ID3
    assert run.err == ""


def test_a_sample_knows_its_own_target(treewright):
    assert treewright("train", "tennis", "--model", "id3").out == TENNIS_BY_ID3
    assert treewright("train", "netball", "--model", "id3").out == TENNIS_BY_ID3


def test_show_prints_what_train_saved(treewright):
    trained = treewright("train", "tennis", "--model", "id3", "--out", "model.json")
    assert trained.err == "note: saved to model.json\n"
    shown = treewright("show", "model.json")
    assert shown.code == 0
    assert trained.out.startswith(shown.out.rstrip("\n"))


def test_train_reads_a_file_and_chooses_c45(treewright, tmp_path):
    (tmp_path / "loans.csv").write_text("income,job,ok\n1,a,yes\n2,b,yes\n8,a,no\n9,b,no\n")
    run = treewright("train", "loans.csv", "--target", "ok", "--json")
    facts = json.loads(run.out)
    assert facts["model"] == "C45Classifier"
    assert facts["target"] == "ok"
    assert facts["columns"] == ["income", "job"]
    assert facts["n_leaves"] == 2
    assert facts["file"] is None


def test_a_numeric_target_gives_a_regression_tree_and_says_so(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,1.5\n2,1.5\n3,7.25\n4,7.25\n")
    run = treewright("train", "t.csv", "--target", "y")
    assert run.code == 0
    assert "target `y` is numeric" in run.err
    assert "2 leaves, depth 1; training R² 1.000" in run.out
    as_classes = treewright("train", "t.csv", "-t", "y", "--model", "id3", "--task", "regression")
    assert as_classes.code == 2
    assert "id3 predicts classes, not numbers" in as_classes.err


def test_whole_numbers_can_be_classes(treewright):
    run = treewright("train", "two_moons", "--task", "classification", "--model", "cart", "--json")
    assert json.loads(run.out)["classes"] == [0, 1]


def test_settings_of_the_estimator_are_flags(treewright):
    run = treewright("train", "iris", "--model", "cart", "--max-depth", "1", "--json")
    assert json.loads(run.out)["depth"] == 1
    free = treewright(
        "train", "iris", "--model", "cart", "--max-depth", "none", "--prune", "none", "--json"
    )
    assert json.loads(free.out)["depth"] > 2
    switch = treewright("train", "iris", "--model", "c45", "--no-collapse", "--json")
    assert switch.code == 0


def test_a_setting_of_another_model_is_refused(treewright):
    run = treewright("train", "tennis", "--model", "id3", "--max-surrogates", "3")
    assert run.code == 2
    assert "--max-surrogates is not a setting of ID3Classifier" in run.err


def test_costs_are_given_as_json(treewright):
    run = treewright("train", "tennis", "--model", "cart", "--costs", "[[0, 9], [1, 0]]", "--json")
    assert run.code == 0
    broken = treewright("train", "tennis", "--model", "cart", "--costs", "0,9")
    assert broken.code == 2
    assert "--costs '0,9' is not JSON" in broken.err


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "three", "nan", "inf"])
def test_a_wrong_setting_is_named_as_it_was_typed(treewright, value):
    run = treewright("train", "tennis", "--max-depth", value)
    assert run.code == 2
    assert run.out == ""
    assert run.err.startswith("error: --max-depth ")
    assert "hint: use an integer of at least 1 or none" in run.err


def test_columns_can_be_dropped_and_retyped(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,z,y\n1,1,a\n2,1,b\n3,2,a\n1,2,a\n2,3,b\n3,3,a\n")
    nominal = treewright("train", "t.csv", "-t", "y", "--model", "id3", "--categorical", "x")
    assert "x = 1: a (2)" in nominal.out
    without = treewright("train", "t.csv", "-t", "y", "--drop", "x", "--json")
    assert json.loads(without.out)["columns"] == ["z"]
    none_left = treewright("train", "t.csv", "-t", "y", "--drop", "x", "--drop", "z")
    assert none_left.code == 3
    assert "no column of t.csv is left" in none_left.err


def test_columns_of_names_are_left_out_with_a_note(treewright, tmp_path):
    rows = "".join(f"person {i},{i % 3},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("name,group,y\n" + rows)
    run = treewright("train", "t.csv", "-t", "y", "--json")
    assert json.loads(run.out)["columns"] == ["group"]
    assert (
        "note: left out because they look like ids: `name` (30 different values in 30 rows); --keep"
        in run.err
    )
    kept = treewright("train", "t.csv", "-t", "y", "--json", "--keep-ids")
    assert json.loads(kept.out)["columns"] == ["name", "group"]
    assert treewright("train", "t.csv", "-t", "y", "--quiet").err == ""


def test_of_a_large_tree_the_smaller_parts_are_folded(treewright, tmp_path):
    rows = "".join(f"{i},{i * 7919 % 1009},{'ab'[i * 31 % 97 % 2]}\n" for i in range(1500))
    (tmp_path / "t.csv").write_text("x,z,y\n" + rows)
    flags = ("--model", "cart", "--prune", "none", "--out", "model.json")
    run = treewright("train", "t.csv", "-t", "y", *flags)
    assert "leaves; branches with few rows are folded" in run.err
    assert " leaves\n" in run.out
    assert len(run.out.splitlines()) < 60
    assert len(treewright("show", "model.json").out.splitlines()) > 200


def test_a_target_of_two_whole_numbers_is_two_classes(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,0\n2,0\n3,1\n4,1\n" * 3)
    run = treewright("train", "t.csv", "-t", "y")
    assert "note: target `y` is 0 or 1, treated as two classes (--task regression" in run.err
    assert "x <= 2: 0 (6)" in run.out
    assert "training accuracy 100.0 % (12 of 12 rows)" in run.out
    numbers = treewright("train", "t.csv", "-t", "y", "--task", "regression", "--json")
    assert json.loads(numbers.out)["classes"] is None


def test_weights_come_from_a_column(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,w,y\n1,1,a\n1,5,b\n2,0,a\n2,0,b\n")
    run = treewright("train", "t.csv", "-t", "y", "--weight", "w", "--model", "cart")
    assert ": b (6/1)" in run.out
    words = treewright("train", "t.csv", "-t", "x", "--weight", "y")
    assert words.code == 3
    assert "column `y` of t.csv holds text, but weights are numbers" in words.err


def test_na_names_the_cells_that_are_missing(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\nunknown,b\n3,b\n")
    run = treewright("columns", "t.csv", "--na", "unknown")
    assert run.code == 0
    assert "numeric" in run.out


def test_columns_explains_what_was_inferred(treewright):
    run = treewright("columns", "tennis", "--target", "play")
    assert run.code == 0
    assert ["outlook", "nominal", "3", "0", "strings"] in [x.split() for x in run.out.splitlines()]
    facts = json.loads(treewright("columns", "tennis", "--json").out)
    assert [line["name"] for line in facts][-1] == "play"


def test_samples_are_listed(treewright):
    run = treewright("samples")
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0].split() == ["name", "rows", "columns", "target"]
    assert lines[1].split() == ["tennis", "14", "4", "play"]
    facts = {row["name"]: row for row in json.loads(treewright("samples", "--json").out)}
    assert facts["five_points"]["target"] is None


def test_the_facts_about_iris_are_true(treewright):
    listed = {row["name"]: row for row in json.loads(treewright("samples", "--json").out)}["iris"]
    header, *rows = treewright("samples", "iris").out.splitlines()
    assert len(rows) == listed["rows"]
    assert header.count(",") == listed["columns"]
    assert header.endswith(f",{listed['target']}")


def test_a_sample_written_as_csv_trains_to_the_same_tree(treewright, tmp_path):
    (tmp_path / "days.csv").write_text(treewright("samples", "tennis").out)
    run = treewright("train", "days.csv", "-t", "play", "--model", "id3")
    assert run.out == TENNIS_BY_ID3


def test_show_can_stop_at_a_depth(treewright):
    treewright("train", "tennis", "--model", "id3", "--out", "model.json")
    shown = treewright("show", "model.json", "--max-depth", "1")
    assert "humidity" not in shown.out
    assert "outlook = Sunny" in shown.out


def test_show_draws_the_training_rows_at_each_split(treewright, tmp_path):
    treewright("train", "loans", "--out", "model.json")
    assert treewright("show", "model.json", "--out", "plain.svg").code == 0
    shown = treewright("show", "model.json", "loans", "--color", "yes=teal", "--out", "rows.svg")
    assert shown.code == 0
    plain, with_rows = ((tmp_path / name).read_text() for name in ("plain.svg", "rows.svg"))
    assert with_rows.count("<rect") > plain.count("<rect") + 20


def test_show_gives_the_facts_as_json(treewright):
    treewright("train", "tennis", "--model", "id3", "--out", "model.json")
    facts = json.loads(treewright("show", "model.json", "--json").out)
    assert facts == {
        "model": "ID3Classifier",
        "classes": ["No", "Yes"],
        "columns": ["outlook", "temperature", "humidity", "wind"],
        "n_rows": 14,
        "n_leaves": 5,
        "n_nodes": 8,
        "depth": 2,
    }


def test_training_twice_writes_the_same_bytes(treewright, tmp_path):
    for name in ("one.json", "two.json"):
        treewright("train", "iris", "--out", name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_show_prints_saved_rules(treewright):
    rules = tw.rules(tw.ID3Classifier().fit(*tw.load_sample("tennis")))
    rules.save("rules.json")
    assert treewright("show", "rules.json").out == rules.to_text() + "\n"
    assert len(json.loads(treewright("show", "rules.json", "--json").out)["rules"]) == 5


def test_a_column_that_counts_the_rows_is_left_out(treewright, tmp_path):
    rows = "".join(f"{at + 1},{at % 3},{'no' if at < 20 else 'yes'}\n" for at in range(40))
    (tmp_path / "t.csv").write_text("number,x,y\n" + rows)
    run = treewright("train", "t.csv", "-t", "y", "--json")
    assert json.loads(run.out)["columns"] == ["x"]
    assert "left out because they look like ids: `number` (it numbers the rows" in run.err
    kept = treewright("train", "t.csv", "-t", "y", "--json", "--keep-ids")
    assert json.loads(kept.out)["columns"] == ["number", "x"]


def test_the_json_of_train_lists_other_sizes(treewright):
    facts = json.loads(treewright("train", "loans", "--model", "cart", "--json").out)
    rungs = facts["sizes"]["rungs"]
    assert [rung["n_leaves"] for rung in rungs if rung["chosen"]] == [facts["n_leaves"]]
    assert all(rung["n_leaves"] <= rung["at_most"] for rung in rungs if rung["at_most"])
    forest = treewright("train", "loans", "--model", "forest", "--n-estimators", "3", "--json")
    assert json.loads(forest.out)["sizes"] is None
