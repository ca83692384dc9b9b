"""What commands say of targets, settings and rows: in a user's words, and early."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def numbers(tmp_path):
    """A table of a class, a whole number and a fraction to predict."""
    lines = [f"{at % 7},{at * 37 % 1000},{at % 13}.5,{at % 3},{at % 4 or ''}" for at in range(400)]
    (tmp_path / "t.csv").write_text("\n".join(["x,price,charge,y,visit", *lines]) + "\n")
    return "t.csv"


@pytest.mark.parametrize("command", ["train", "evaluate", "compare", "tune"])
def test_many_numbers_are_no_classes_unless_the_user_says_so(treewright, numbers, command):
    words = (command, numbers, "--drop", "visit", "--model", "c45")
    run = treewright(*words, "-t", "price")
    assert (run.code, run.out) == (2, "")
    assert "target `price` is numeric with 400 different values" in run.err
    assert "hint: --model cart predicts numbers; --task classification" in run.err
    run = treewright(*words, "-t", "charge")
    assert (run.code, run.out) == (2, "")
    assert "target `charge` holds fractions such as 0.5, and c45 predicts classes" in run.err
    assert "hint: --model cart" in run.err


def test_many_classes_are_told_without_a_wrong_name(treewright, numbers):
    run = treewright(
        *("train", numbers, "-t", "price", "--task", "classification", "--model", "cart"),
        *("--max-depth", "1"),
    )
    assert run.code == 0
    assert "note: the target has 400 classes in 400 rows" in run.err
    assert "use --model cart --task regression" in run.err


def test_columns_says_what_trees_make_of_a_numeric_target(treewright, numbers):
    run = treewright("columns", numbers, "-t", "y")
    assert "target `y` is numeric with 3 different values, so this is regression" in run.err
    assert "--task classification" in run.err
    assert "numbers are predicted" not in treewright("columns", "tennis", "-t", "play").err


def test_the_flags_that_tune_names_train_the_same_model(treewright, numbers):
    words = (numbers, "-t", "y", "--task", "classification", "--drop", "visit")
    settings = ("--model", "cart", "--min-samples-leaf", "3")
    run = treewright("tune", *words, *settings, "--folds", "2", "--grid", "max-depth=1,2")
    flags = run.err.split("flags to train it: ")[1].split()
    assert flags[:4] == [*settings]
    assert flags[-2:] == ["--task", "classification"]
    tuned = ("--max-depth", flags[flags.index("--max-depth") + 1])
    expected = treewright("train", *words, *settings, *tuned, "--json").out
    assert treewright("train", numbers, "-t", "y", "--drop", "visit", *flags, "--json").out == (
        expected
    )


def test_rows_of_the_training_are_no_judges_of_what_to_cut(treewright, numbers):
    treewright("train", "loans", "--out", "m.json")
    doubt = "reduced_error needs rows that the tree was not grown on"
    assert doubt in treewright("prune", "m.json", "loans", "--method", "reduced_error").err
    assert doubt not in treewright("prune", "m.json", "loans").err


@pytest.mark.parametrize("flag", ["--groups", "--times"])
def test_a_hole_in_a_column_that_divides_rows_is_named(treewright, numbers, flag):
    run = treewright("evaluate", numbers, "-t", "y", flag, "visit")
    assert run.code == 3
    assert f"{flag}: column `visit` is missing in 100 rows, first in row 0" in run.err


def test_too_many_folds_are_told_with_how_many_can_be(treewright, numbers):
    words = ("evaluate", numbers, "-t", "y", "--drop", "visit")
    assert "hint: use --folds 7 or fewer" in treewright(*words, "--groups", "x").err
    assert "hint: use --folds 6 or fewer" in treewright(*words, "--times", "x").err


def test_a_column_that_divides_rows_may_be_dropped_too(treewright, numbers):
    treewright("train", numbers, "-t", "y", "--drop", "visit", "--drop", "x", "--out", "m.json")
    assert (
        treewright(
            "evaluate", numbers, "-t", "y", "--drop", "x", "--times", "x", "--folds", "3"
        ).code
        == 0
    )
    words = ("report", "m.json", numbers, "--drop", "x", "--groups", "x", "--folds", "2")
    assert treewright(*words, "--out", "page.md").code == 0


def test_messages_on_saved_models_name_what_was_typed(treewright):
    treewright("train", "loans", "--out", "m.json")
    for flags in ((), ("--json",)):
        run = treewright("worksheet", "m.json", "--node", "999", *flags)
        assert run.code == 2
        assert run.err.startswith("error: there is no node 999: the tree has ")


def test_prune_ignores_a_table_that_its_method_does_not_need(treewright):
    treewright("train", "loans", "--out", "m.json")
    for words in (("mdl",), ("cost_complexity", "--option", "alpha=0.005")):
        alone = treewright("prune", "m.json", "--method", *words)
        with_table = treewright("prune", "m.json", "loans", "--method", *words)
        assert with_table.code == 0
        assert with_table.out == alone.out
        assert "needs no rows, so the table is ignored" in with_table.err


@pytest.mark.parametrize(("to", "meant"), [("js", "javascript"), ("xlsx", "excel")])
def test_a_format_may_be_called_by_its_ending(treewright, to, meant):
    treewright("train", "tennis", "--out", "m.json")
    run = treewright("export", "m.json", "--to", to, "--json")
    assert run.code == 0
    assert json.loads(run.out)["format"] == meant


def test_a_dialect_in_the_place_of_a_format_is_told(treewright):
    treewright("train", "tennis", "--out", "m.json")
    run = treewright("export", "m.json", "--to", "mssql")
    assert "hint: did you mean --to sql --option dialect=tsql?" in run.err
    assert treewright("export", "m.json", "--to", "sql", "--option", "dialect=mssql").code == 0


def test_a_binary_file_is_not_written_to_a_terminal(treewright, monkeypatch):
    treewright("train", "tennis", "--out", "m.json")
    words = (("export", "m.json", "--to", "excel"), ("train", "tennis", "--model", "forest"))
    for line in (words[0], (*words[1], "--out", "-")):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout.isatty", lambda: True, raising=False)
            run = treewright(*line)
        assert (run.code, run.out) == (2, "")
        assert (
            "binary file, and the standard output is a terminal\nhint: write it to a file with"
            in run.err
        )


def test_a_binary_file_may_go_into_a_pipe(tmp_path, treewright):
    treewright("train", "tennis", "--out", "m.json")
    command = [sys.executable, "-m", "treewright", "export", "m.json", "--to", "excel"]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert piped.stdout.startswith(b"PK")


def test_every_command_may_be_told_to_be_quiet(treewright):
    for words in (("doctor", "-q"), ("samples", "-q"), ("samples", "tennis", "--quiet")):
        assert treewright(*words).code == 0


def test_the_help_of_rules_lists_every_order(treewright):
    from treewright.single_trees.rule_set import ORDERS

    told = " ".join(treewright("rules", "--help").out.split())
    assert all(f"{order}," in told or f"{order}." in told for order in ORDERS)
