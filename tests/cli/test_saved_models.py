"""What can be done with a saved model."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

import treewright as tw
from machine import imported


@pytest.fixture
def tennis(treewright):
    treewright("train", "tennis", "--model", "id3", "--out", "m.json")
    return "m.json"


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_predict_answers_row_by_row(treewright, tennis):
    run = treewright("predict", tennis, "tennis")
    X, _ = tw.load_sample("tennis")
    assert rows_of(run.out) == [["prediction"], *([x] for x in tw.load("m.json").predict(X))]


def test_predict_writes_probabilities_and_keeps_columns(treewright, tennis):
    run = treewright("predict", tennis, "tennis", "--proba", "--keep", "play", "--out", "p.csv")
    assert run.out == ""
    header, first, *_ = rows_of(Path("p.csv").read_text())
    assert header == ["play", "prediction", "probability_No", "probability_Yes"]
    assert first == ["No", "No", "1.0", "0.0"]


@pytest.mark.parametrize("model", ["tree", "rules"])
def test_probabilities_are_refused_where_numbers_are_predicted(treewright, model):
    X, _ = tw.load_sample("iris")
    tree = tw.CARTRegressor(max_depth=2).fit(X.select(["petal length"]), X["petal width"].values)
    (tree if model == "tree" else tw.rules(tree)).save("m.json")
    run = treewright("predict", "m.json", "iris", "--proba")
    assert (run.code, "--proba: this model predicts numbers" in run.err) == (2, True)


def test_predict_notes_an_unseen_level_once(treewright, tennis):
    days = treewright("samples", "tennis").out.replace("Sunny", "Foggy")
    Path("days.csv").write_text(days)
    run = treewright("predict", tennis, "days.csv", "--proba")
    assert run.err.count("categories not seen in training count as missing") == 1


def test_predict_reads_the_standard_input(treewright, tennis, monkeypatch):
    text = b"wind,outlook,humidity,temperature\nWeak,Sunny,High,Hot\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert treewright("predict", tennis, "-").out == "prediction\nNo\n"


def test_predict_as_json_is_one_object_a_line(treewright, tennis):
    lines = treewright("predict", tennis, "tennis", "--json").out.splitlines()
    assert json.loads(lines[0]) == {"prediction": "No"}
    assert len(lines) == 14


def test_extra_columns_are_ignored_with_one_note(treewright, tennis, tmp_path):
    (tmp_path / "t.csv").write_text("id,outlook,humidity,temperature,wind\n7,Sunny,High,Hot,Weak\n")
    run = treewright("predict", tennis, "t.csv")
    assert run.out == "prediction\nNo\n"
    assert run.err == "note: the model does not use `id`\n"


def test_answers_that_look_like_formulas_are_made_harmless(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,=1+1\n2,@home\n" * 10)
    treewright("train", "t.csv", "-t", "y", "--out", "m.json")
    assert "'=1+1" in treewright("predict", "m.json", "t.csv").out
    assert "\n=1+1\n" in treewright("predict", "m.json", "t.csv", "--raw").out


def test_blocks_give_the_same_answers_as_the_whole_file(treewright, tmp_path, monkeypatch):
    from treewright.data.sources import blocks

    lines = [
        f'{at % 17},"a ""{at % 3}""\n, b",{"yes" if at % 17 > 8 else "no"}' for at in range(500)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["x,word,y", *lines]) + "\n")
    treewright("train", "t.csv", "-t", "y", "--out", "m.json")
    whole = treewright("predict", "m.json", "t.csv").out
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    assert treewright("predict", "m.json", "t.csv").out == whole
    assert treewright("predict", "m.json", "t.csv.gz").out == whole
    assert whole.count("\n") == 501


def test_a_ragged_line_far_down_has_its_number(treewright, tmp_path, monkeypatch):
    from treewright.data.sources import blocks

    rows = "".join(f"{at * 7 % 50},{'ab'[at % 2]}\n" for at in range(300))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    treewright("train", "t.csv", "-t", "y", "--out", "m.json")
    (tmp_path / "bad.csv").write_text("x,y\n" + rows + "1,2,3\n" + rows)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 200)
    run = treewright("predict", "m.json", "bad.csv", "--out", "p.csv")
    assert run.code == 3
    assert "line 302" in run.err
    assert not (tmp_path / "p.csv").exists()


def test_rules_are_printed_sorted_filtered_and_saved(treewright, tennis):
    assert treewright("rules", tennis).out.startswith("R1: if outlook = Sunny")
    only = treewright("rules", tennis, "--prediction", "No", "--format", "csv")
    assert only.out.count("\n") == 3
    saved = treewright("rules", tennis, "--out", "rules.json")
    assert saved.err == "note: saved to rules.json\n"
    assert treewright("show", "rules.json").out.startswith("R1: if")
    assert treewright("predict", "rules.json", "tennis").out.count("Yes") == 9
    json.loads(treewright("rules", tennis, "--json").out)


def test_prune_says_what_it_cut(treewright):
    treewright("train", "iris", "--model", "cart", "--prune", "none", "--out", "m.json")
    run = treewright("prune", "m.json", "--method", "pessimistic", "--out", "p.json")
    assert run.code == 0
    assert "became" in run.out
    assert tw.load("p.json").get_n_leaves() < tw.load("m.json").get_n_leaves()
    refused = treewright("prune", "m.json", "--method", "reduced_error")
    assert refused.code == 2
    assert "needs rows" in refused.err
    assert treewright("prune", "m.json", "iris", "--method", "reduced_error").code == 0
    facts = json.loads(treewright("prune", "m.json", "--method", "mdl", "--json").out)
    assert facts["pruning"]["method"] == "mdl"


def test_export_writes_code_and_verifies_it(treewright, tennis):
    run = treewright("export", tennis, "--to", "python", "--verify")
    assert run.code == 0
    assert "agrees with the model on all" in run.err
    compile(run.out, "exported", "exec")
    sql = treewright("export", tennis, "--to", "sql", "--option", "dialect=sqlite", "--json")
    assert "SELECT" in json.loads(sql.out)["code"]
    wrong = treewright("export", tennis, "--to", "pythn")
    assert wrong.code == 2
    assert "python" in wrong.err


def test_explain_a_row_of_a_table_or_of_the_command_line(treewright, tennis):
    assert "prediction: No" in treewright("explain", tennis, "tennis", "--row", "0").out
    typed = treewright("explain", tennis, "--value", "outlook=Overcast", "--json")
    assert json.loads(typed.out)["prediction"] == "Yes"
    assert treewright("explain", tennis, "tennis", "--row", "14").code == 3
    assert treewright("explain", tennis).code == 2
    wrong = treewright("explain", tennis, "--value", "outlok=Sunny")
    assert "did you mean `outlook`?" in wrong.err


def test_worksheets_are_printed_and_written(treewright, tennis):
    run = treewright("worksheet", tennis, "tennis")
    assert "0.2467" in run.out
    treewright("worksheet", tennis, "tennis", "--out", "w.html")
    assert "<html" in Path("w.html").read_text()
    facts = json.loads(treewright("worksheet", tennis, "tennis", "--node", "0", "--json").out)
    assert facts[0]["chosen"]["column"] == "outlook"


@pytest.mark.parametrize(("name", "begin"), [("t.svg", "<svg"), ("t.html", "<!DOCTYPE html>")])
def test_show_draws_the_tree(treewright, tennis, name, begin):
    assert treewright("show", tennis, "--out", name).err == f"note: drawn to {name}\n"
    assert Path(name).read_text().startswith(begin)
    refused = treewright("show", tennis, "--out", "t.bmp")
    assert refused.code == 2
    assert ".svg" in refused.err


def test_show_draws_the_training_rows_at_the_splits(treewright, tennis):
    assert treewright("show", tennis, "tennis", "--out", "t.svg").err == "note: drawn to t.svg\n"
    treewright("show", tennis, "--out", "plain.svg")
    assert Path("t.svg").read_text() != Path("plain.svg").read_text()


def test_the_doctor_finds_everything_sound(treewright):
    run = treewright("doctor")
    assert run.code == 0
    assert run.out.count("ok ") == 3
    assert json.loads(treewright("doctor", "--json").out)["checks"]


def test_sql_chooses_rows_and_columns(treewright, tmp_path):
    imported("duckdb")
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20 + "3,c\n")
    run = treewright("columns", "t.csv", "--sql", "SELECT x FROM t", "--json")
    assert [line["name"] for line in json.loads(run.out)] == ["x"]
    wrong = treewright("columns", "t.csv", "--sql", "SELEC x FROM t")
    assert (wrong.code, wrong.out) == (2, "")


def test_what_counts_as_the_same_number_is_told_and_can_be_narrowed(treewright, tmp_path):
    lines = ["x,y", *(f"{x},{x * x / 7}" for x in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert treewright("train", "t.csv", "-t", "y", "--keep-ids", "--out", "m.json").code == 0
    usual = treewright("explain", "m.json", "--value", "x=3")
    assert "--tolerance changes it" in usual.err
    narrow = treewright("explain", "m.json", "--value", "x=3", "--tolerance", "0.5")
    assert "within 0.5" in narrow.out
    assert "--tolerance" not in narrow.err
    assert narrow.out != usual.out
