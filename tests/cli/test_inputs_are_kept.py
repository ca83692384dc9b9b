"""No command writes over what it reads."""

import os

import pytest

COMMANDS = {
    "train --out": ("train", "t.csv", "-t", "play", "--out", "{}"),
    "train --report": ("train", "t.csv", "-t", "play", "--report", "{}"),
    "tune": ("tune", "t.csv", "-t", "play", "--folds", "2", "--out", "{}"),
    "predict": ("predict", "m.json", "t.csv", "--out", "{}"),
    "report": ("report", "m.json", "t.csv", "--out", "{}"),
    "explain": ("explain", "m.json", "t.csv", "--neighbours", "n.csv", "--out", "{}"),
    "worksheet": ("worksheet", "m.json", "t.csv", "--out", "{}"),
    "prune": ("prune", "m.json", "t.csv", "--out", "{}"),
    "rules": ("rules", "m.json", "--out", "{}"),
    "export": ("export", "m.json", "--to", "python", "--out", "{}"),
    "show": ("show", "m.json", "--out", "{}"),
    "impute": ("impute", "t.csv", "--from", "n.csv", "--out", "{}"),
    "discretize": ("discretize", "t.csv", "-t", "play", "--worksheet", "{}"),
}


@pytest.fixture
def files(treewright, tmp_path):
    """A table, its copy and a model of it; returns what they hold."""
    table = treewright("samples", "tennis").out
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "n.csv").write_text(table)
    assert treewright("train", "t.csv", "-t", "play", "--out", "m.json", "-q").code == 0
    os.link(tmp_path / "t.csv", tmp_path / "linked.html")
    return lambda: {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_no_command_writes_over_a_file_that_it_reads(treewright, files, words):
    before = files()
    read = [word for word in words if word in ("m.json", "t.csv", "n.csv")]
    for name in read if words[0] != "prune" else ["t.csv"]:
        run = treewright(*(word.format(name) for word in words))
        assert run.code == 2
        assert f"`{name}` is read by this command, and would be overwritten" in run.err
    assert files() == before


def test_another_name_of_the_same_file_is_seen(treewright, files):
    before = files()
    for out in ("./t.csv", "linked.html"):
        assert treewright("predict", "m.json", "t.csv", "--out", out).code == 2
    assert treewright("report", "m.json", "t.csv", "--out", "linked.html").code == 2
    assert files() == before


def test_a_model_may_take_the_place_of_an_older_one(treewright, files):
    assert treewright("prune", "m.json", "--out", "m.json").code == 0
    assert treewright("train", "t.csv", "-t", "play", "--out", "m.json").code == 0
    assert treewright("show", "m.json").code == 0


def test_a_page_has_the_name_of_a_page(treewright, files):
    before = files()
    for name in ("page.csv", "page", "m.json.bak"):
        for words in (
            ("report", "m.json", "t.csv", "--out", name),
            ("train", "t.csv", "-t", "play", "--report", name),
        ):
            run = treewright(*words)
            assert run.code == 2
            assert "hint: use one of the endings .html, .htm, .md" in run.err
    assert files() == before


def test_two_results_need_two_files(treewright, files):
    run = treewright("train", "t.csv", "-t", "play", "--out", "a.html", "--report", "./a.html")
    assert run.code == 2
    assert "`a.html` can take one thing only" in run.err
