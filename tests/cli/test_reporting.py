"""Pages about models, written by `train --report` and by `report`."""


def test_a_report_has_the_names_that_the_user_knows(treewright, tmp_path):
    treewright("train", "loans", "--out", "m.json", "--report", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Report: repaid by C45Classifier</title>" in page
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
    assert (tmp_path / "r.md").read_text(encoding="utf-8").startswith("# Report: play by ID3")
    treewright("report", "m.json", "tennis", "--out", "s.md")
    assert (tmp_path / "s.md").read_text(encoding="utf-8").startswith("# Report: play by ID3")


def test_rules_have_a_report_too(treewright, tmp_path):
    treewright("train", "loans", "--model", "c45rules", "--out", "m.json")
    assert treewright("report", "m.json", "loans", "--out", "r.html").code == 0
    assert "The first rule that holds answers." in (tmp_path / "r.html").read_text("utf-8")


def test_columns_that_were_left_out_are_named(treewright, tmp_path):
    treewright("train", "loans", "--drop", "age", "--out", "m.json", "--report", "r.html")
    assert "Not given to the model: loan." in (tmp_path / "r.html").read_text("utf-8")
    treewright("report", "m.json", "loans", "--out", "s.html")
    assert "Not given to the model: loan, age." in (tmp_path / "s.html").read_text("utf-8")
