"""Verdicts and warnings on the command line."""

import json

import numpy as np
import pytest

from treewright.cli.verdicts import division_for


@pytest.fixture
def birth_weights(tmp_path):
    """A table whose column `bwt` predicts the target `low`, with a date and duplicate rows."""
    generator = np.random.default_rng(0)
    weight = generator.normal(2900, 700, 200).round().clip(700)
    lines = ["day,age,smokes,bwt,low"]
    for row in range(200):
        day = np.datetime64("2020-01-01") + row
        smokes = generator.choice(["yes", "no"])
        lines.append(
            f"{day},{generator.integers(16, 45)},{smokes},{weight[row]:.0f},{weight[row] < 2500:d}"
        )
    path = tmp_path / "births.csv"
    path.write_text("\n".join(lines) + "\n")
    return "births.csv"


@pytest.mark.parametrize("command", ["train", "evaluate", "columns"])
def test_a_column_that_decides_the_target_is_named(treewright, birth_weights, command):
    run = treewright(command, birth_weights, "--target", "low")
    assert run.code == 0
    assert "warning: `bwt` alone predicts " in run.err
    assert "(--drop bwt leaves it out)" in run.err


def test_compare_warns_too(treewright, birth_weights):
    run = treewright("compare", birth_weights, "--target", "low", "--model", "cart", "--folds", "3")
    assert run.code == 0
    assert "warning: `bwt` alone predicts " in run.err
    assert "cart: better than guessing by " in run.out


@pytest.mark.parametrize("command", ["train", "evaluate", "columns"])
def test_strict_makes_warnings_exit_code_1(treewright, birth_weights, command):
    assert treewright(command, birth_weights, "--target", "low", "--strict").code == 1
    clean = ["--target", "low", "--drop", "day", "--drop", "bwt", "--strict"]
    run = treewright(command, birth_weights, *clean)
    is_judged = command != "columns"  # age and smoking tell nothing
    assert run.code == int(is_judged)
    assert ("warning: the model is no" in run.err) == is_judged


def test_strict_is_content_with_a_sound_table(treewright):
    assert treewright("train", "iris", "--strict").code == 0
    assert treewright("evaluate", "iris", "--strict").code == 0


def test_quiet_hides_warnings_but_not_those_that_are_strict(treewright, birth_weights):
    assert "warning" not in treewright("columns", birth_weights, "-t", "low", "-q").err
    run = treewright("columns", birth_weights, "-t", "low", "-q", "--strict")
    assert run.code == 1
    assert "warning: `bwt`" in run.err


def test_train_ends_with_the_verdict_and_how_it_was_made(treewright):
    last = treewright("train", "iris").out.splitlines()[-1]
    assert last.startswith("better than guessing by 59 points (95 % CI: 54 to 64): accuracy 92.7 %")
    assert last.endswith("(stratified 10-fold cross-validation)")


def test_no_verdict_skips_it_and_still_warns(treewright, birth_weights):
    run = treewright("train", birth_weights, "--target", "low", "--no-verdict")
    assert "guessing by" not in run.out
    assert "warning: `bwt` alone predicts `low`" in run.err


def test_a_slow_fit_is_judged_by_held_out_rows():
    assert division_for(1000, 2.9) == {"folds": 10}
    assert division_for(1000, 3.1) == {"hold_out": 0.2}
    assert division_for(100_000, 5.9) == {"folds": 5}


def test_the_verdict_of_a_slow_fit_says_that_rows_were_held_out(treewright, monkeypatch):
    monkeypatch.setattr("treewright.cli.verdicts.QUICK", 0.0)
    assert treewright("train", "iris").out.splitlines()[-1].endswith("(20% of the rows held out)")


def test_train_with_a_report_takes_its_verdict(treewright, tmp_path):
    run = treewright("train", "iris", "--report", "page.md")
    assert run.out.splitlines()[-1].startswith("better than guessing by 59 points")
    assert "The model is better than guessing by 59 points" in (tmp_path / "page.md").read_text()


def test_verdict_and_warnings_are_in_the_json(treewright, birth_weights):
    facts = json.loads(treewright("train", birth_weights, "--target", "low", "--json").out)
    assert facts["verdict"]["is_better"]
    assert "bwt" in [one["column"] for one in facts["warnings"]]
    facts = json.loads(treewright("train", "iris", "--no-verdict", "--json").out)
    assert (facts["verdict"], facts["warnings"]) == (None, [])


def test_a_table_too_small_for_folds_has_no_verdict(treewright, tmp_path):
    (tmp_path / "one.csv").write_text("a,w,y\n1,1,x\n2,1,y\n3,0,x\n")
    run = treewright("train", "one.csv", "--target", "y", "--weight", "w")
    assert run.code == 0
    assert run.out.splitlines()[-1].startswith("no verdict: ")


def test_clusters_have_no_verdict(treewright):
    run = treewright("train", "iris", "--model", "kmeans", "--n-clusters", "3", "--strict")
    assert run.code == 0
    assert "guessing" not in run.out


# ---------------------------------------------------------------------------- dates


def test_shuffled_folds_of_a_dated_table_name_the_flag(treewright, birth_weights):
    run = treewright("evaluate", birth_weights, "--target", "low", "--drop", "bwt")
    assert "warning: the rows have dates (`day`, 2020-01-01 to 2020-07-18)" in run.err
    assert "(--times day tests on later rows only)" in run.err
    in_time = treewright("evaluate", birth_weights, "--target", "low", "--times", "day")
    assert "dated" not in in_time.err


def test_train_names_the_command_that_tests_in_time(treewright, birth_weights):
    run = treewright("train", birth_weights, "--target", "low", "--drop", "bwt")
    command = "`treewright evaluate births.csv --target low --times day`"
    assert f"({command} tests on later rows only)" in run.err


def test_a_model_that_splits_on_a_date_says_so(treewright, tmp_path):
    lines = [f"{np.datetime64('2020-01-01') + row},{row % 7},{row >= 40:d}" for row in range(80)]
    (tmp_path / "days.csv").write_text("\n".join(["day,size,y", *lines]) + "\n")
    run = treewright("train", "days.csv", "--target", "y")
    assert run.err.count("the model uses the dates of `day` as numbers") == 1
    assert (
        "--times day` leaves the column out and tests on later rows only; --dates parts " in run.err
    )


# ---------------------------------------------------------------------------- duplicate rows


@pytest.fixture
def copied_rows(tmp_path):
    """A table in which 30 of 130 rows are duplicates, each with its own number and day."""
    generator = np.random.default_rng(0)
    lines = [f"{generator.random():.4f},{generator.choice(list('xy'))}" for _ in range(100)]
    lines += lines[:30]
    numbered = [f"{row},{row // 2},{line}" for row, line in enumerate(lines)]
    (tmp_path / "copies.csv").write_text("\n".join(["number,when,size,y", *numbered]) + "\n")
    return "copies.csv"


def test_copies_of_rows_are_warned_of_and_left_out(treewright, copied_rows):
    flags = ["evaluate", copied_rows, "--target", "y", "--drop", "when"]
    run = treewright(*flags)
    assert "warning: 30 of 130 rows (23.1 %) are exact duplicates of earlier rows" in run.err
    assert "--drop-duplicates drops them" in run.err
    run = treewright(*flags, "--drop-duplicates")
    assert "note: left out: 30 of 130 rows, which are duplicates" in run.err
    assert "100 rows" in run.out.splitlines()[0]
    assert "warning" not in run.err


@pytest.mark.parametrize("flag", ["--times", "--groups"])
def test_copies_are_left_out_of_the_folds_too(treewright, copied_rows, flag):
    flags = [copied_rows, "--target", "y", flag, "when", "--drop-duplicates", "--folds", "3"]
    run = treewright("evaluate", *flags)
    assert run.code == 0
    assert "100 rows" in run.out.splitlines()[0]


def test_train_leaves_copies_out(treewright, copied_rows):
    flags = ["--target", "y", "--drop", "when", "--drop-duplicates", "--json"]
    facts = json.loads(treewright("train", copied_rows, *flags).out)
    assert facts["n_rows"] == 100
