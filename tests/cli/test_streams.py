"""`-` stands for the standard input or output, wherever a file can be named."""

import io
import json

import pytest

import treewright as tw


@pytest.fixture
def typed_in(monkeypatch):
    """What the next command reads from its standard input."""

    def put(content):
        content = content if isinstance(content, bytes) else content.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def test_a_model_goes_from_command_to_command(treewright, typed_in):
    trained = treewright("train", "tennis", "--model", "id3", "--out", "-")
    assert trained.err == ""
    typed_in(trained.out)
    pruned = treewright("prune", "-", "--method", "mdl", "--out", "-")
    assert pruned.err == ""
    typed_in(pruned.out)
    assert treewright("predict", "-", "tennis").out.startswith("prediction\n")


@pytest.mark.parametrize("command", ["train", "tune"])
def test_a_model_is_all_that_is_printed(treewright, command, tmp_path):
    run = treewright(command, "iris", "--model", "cart", "--out", "-")
    (tmp_path / "m.json").write_text(run.out)
    assert isinstance(tw.load("m.json"), tw.CARTClassifier)


def test_reports_pictures_and_code_can_be_printed(treewright):
    treewright("train", "tennis", "--model", "id3", "--out", "m.json")
    assert treewright("show", "m.json", "--out", "-").out.startswith("<svg")
    assert treewright("export", "m.json", "--to", "c", "--out", "-").out.count("{") > 2
    page = treewright("report", "m.json", "tennis", "--folds", "2", "--out", "-")
    assert page.out.startswith("<!DOCTYPE html>")
    page = treewright("train", "tennis", "--model", "id3", "--report", "-")
    assert page.out.startswith("<!DOCTYPE html>")


def test_every_command_reads_a_table_from_the_standard_input(treewright, typed_in):
    text = treewright("samples", "iris").out
    treewright("train", "iris", "--model", "cart", "--max-depth", "2", "--out", "m.json")
    for words in (
        ["train", "-", "-t", "species"],
        ["evaluate", "-", "-t", "species", "--folds", "2"],
        ["compare", "-", "-t", "species", "--folds", "2", "--model", "cart"],
        ["tune", "-", "-t", "species", "--folds", "2", "--grid", "max-depth=1,2"],
        ["columns", "-"],
        ["evaluate", "m.json", "-"],
        ["predict", "m.json", "-"],
        ["worksheet", "m.json", "-"],
        ["explain", "m.json", "-"],
        ["prune", "m.json", "-"],
        ["report", "m.json", "-", "--out", "r.html", "--folds", "2"],
    ):
        typed_in(text)
        run = treewright(*words)
        assert run.code == 0, run.err


def test_two_things_cannot_share_a_stream(treewright):
    treewright("train", "tennis", "--out", "m.json")
    for words in (
        ["train", "tennis", "--out", "-", "--json"],
        ["train", "tennis", "--out", "-", "--report", "-"],
        ["export", "m.json", "--to", "c", "--out", "-", "--json"],
        ["predict", "-", "-"],
        ["evaluate", "-", "-"],
        ["report", "-", "-", "--out", "r.html"],
    ):
        run = treewright(*words)
        assert (run.code, run.out) == (2, "")
        assert "only once" in run.err or "one output only" in run.err


def test_a_model_that_is_none_is_refused_by_name(treewright, typed_in):
    typed_in("{}")
    run = treewright("show", "-")
    assert (run.code, run.out) == (3, "")
    assert "standard input: " in run.err


def test_json_goes_where_the_output_goes(treewright, tmp_path):
    treewright("train", "tennis", "--model", "id3", "--out", "m.json")
    for command in ("worksheet", "explain", "rules", "predict"):
        table = [] if command == "rules" else ["tennis"]
        run = treewright(command, "m.json", *table, "--json", "--out", "facts.json")
        assert (run.code, run.out) == (0, "")
        json.loads(
            (tmp_path / "facts.json").read_text().splitlines()[0]
            if command == "predict"
            else (tmp_path / "facts.json").read_text()
        )
    drawn = treewright("show", "m.json", "--json", "--out", "t.svg")
    assert json.loads(drawn.out)["file"] == "t.svg"
