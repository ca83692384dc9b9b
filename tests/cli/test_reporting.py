"""Pages about models, written by `train --report` and by `report`."""

import json

import treewright as tw
from treewright.cli.main import main


def test_a_report_has_the_names_that_the_user_knows(treewright, tmp_path):
    treewright("train", "loans", "--out", "m.json", "--report", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Predicting repaid from" in page
    assert "rows of loans." in page
    run = treewright("report", "m.json", "loans", "--out", "s.html", "--title", "Loans <of> ours")
    assert run.code == 0
    assert "report written to s.html" in run.err
    assert "<h1>Loans &lt;of&gt; ours</h1>" in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_a_model_from_a_file_knows_its_rows_again(treewright, tmp_path):
    treewright("train", "loans", "--model", "cart", "--out", "m.json")
    treewright("report", "m.json", "loans", "--out", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "stratified 10-fold cross-validation" in page
    assert "The calculation at the top" in page


def test_a_name_that_ends_in_md_asks_for_markdown(treewright, tmp_path):
    treewright("train", "tennis", "--model", "id3", "--out", "m.json", "--report", "r.md")
    assert (tmp_path / "r.md").read_text(encoding="utf-8").startswith("# Predicting play from ")
    treewright("report", "m.json", "tennis", "--out", "s.md")
    assert (tmp_path / "s.md").read_text(encoding="utf-8").startswith("# Predicting play from ")


def test_rules_have_a_report_too(treewright, tmp_path):
    treewright("train", "loans", "--model", "c45rules", "--out", "m.json")
    assert treewright("report", "m.json", "loans", "--out", "r.html").code == 0
    assert "The first rule that holds makes the prediction." in (tmp_path / "r.html").read_text(
        "utf-8"
    )


def test_columns_that_were_left_out_are_named(treewright, tmp_path):
    treewright("train", "loans", "--drop", "age", "--out", "m.json", "--report", "r.html")
    assert "Not given to the model: loan." in (tmp_path / "r.html").read_text("utf-8")
    treewright("report", "m.json", "loans", "--out", "s.html")
    assert "Not given to the model: loan, age." in (tmp_path / "s.html").read_text("utf-8")


def test_a_page_is_judged_on_rows_divided_as_the_flags_say(treewright, tmp_path):
    treewright("train", "loans", "--drop", "home", "--out", "m.json")
    flags = ("--groups", "home", "--folds", "3", "--json")
    run = treewright("report", "m.json", "loans", "--out", "r.md", *flags)
    shown = json.loads(run.out)["evaluation"]
    assert shown["scheme"] == "3-fold cross-validation by groups"
    table, y = tw.load_sample("loans")
    groups, X = table["home"].to_numpy(), table.drop(["loan", "home"])
    found = tw.evaluate(tw.C45Classifier(), X, y, groups=groups, folds=3)
    assert shown["measures"]["accuracy"]["mean"] == found.mean("accuracy")


def test_flags_that_divide_rows_are_of_no_use_on_new_ones_and_that_is_told(treewright):
    treewright("train", "loans", "--sql", "SELECT * FROM t LIMIT 300", "--out", "m.json")
    run = treewright("report", "m.json", "loans", "--out", "r.html", "--folds", "3")
    assert "flags for cross-validation had no effect" in run.err
    run = treewright("report", "m.json", "loans", "--out", "r.html")
    assert "no effect" not in run.err


def test_a_column_that_divides_rows_is_not_the_target(treewright):
    treewright("train", "tennis", "--out", "m.json")
    run = treewright("report", "m.json", "tennis", "--out", "r.html", "--groups", "play")
    assert run.code == 2
    assert "the column is the target" in run.err


def test_the_page_of_a_pruned_model_is_about_pruned_copies(treewright, tmp_path):
    treewright("train", "loans", "--model", "cart", "--prune", "none", "--out", "m.json")
    treewright("prune", "m.json", "--method", "pessimistic", "--out", "p.json")
    leaves = {}
    for model in ("m.json", "p.json"):
        run = treewright("report", model, "loans", "--out", "r.md", "--json")
        leaves[model] = json.loads(run.out)["evaluation"]["mean_leaves"]
    assert leaves["p.json"] < leaves["m.json"] / 3
    assert "tw.prune(model, 'pessimistic'" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_the_page_names_the_command_that_made_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["something", "else"])
    assert main(["train", "tennis", "--model", "id3", "--report", "my page.md", "-q"]) == 0
    page = (tmp_path / "my page.md").read_text(encoding="utf-8")
    assert "treewright train tennis --model id3 --report 'my page.md' -q" in page
