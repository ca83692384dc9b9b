"""No command writes over what it reads."""

import os
import subprocess
import sys

import pytest

from every_command import WRITE

COMMANDS = {
    "train --out": ("train", "t.csv", "-t", "play", "--out", "{}"),
    "train --report": ("train", "t.csv", "-t", "play", "--report", "{}"),
    "tune": ("tune", "t.csv", "-t", "play", "--folds", "2", "--out", "{}"),
    "threshold": ("threshold", "t.csv", "-t", "play", "--folds", "2", "--out", "{}"),
    "predict": ("predict", "m.json", "t.csv", "--out", "{}"),
    "report": ("report", "m.json", "t.csv", "--out", "{}"),
    "explain": ("explain", "m.json", "t.csv", "--neighbors", "n.csv", "--out", "{}"),
    "worksheet": ("worksheet", "m.json", "t.csv", "--out", "{}"),
    "exercise": ("exercise", "t.csv", "-t", "play", "--out", "{}"),
    "exercise --solution": ("exercise", "t.csv", "-t", "play", "--solution", "{}"),
    "prune": ("prune", "m.json", "t.csv", "--out", "{}"),
    "prune without rows": ("prune", "m.json", "--out", "{}"),
    "distil": ("distil", "m.json", "t.csv", "--out", "{}"),
    "frontier": ("frontier", "t.csv", "-t", "play", "--no-distil", "--out", "{}"),
    "elbow": ("elbow", "t.csv", "--out", "{}"),
    "rules": ("rules", "m.json", "--out", "{}"),
    "import": ("import", "m.json", "--table", "t.csv", "--out", "{}"),
    "export": ("export", "m.json", "--to", "python", "--out", "{}"),
    "show": ("show", "m.json", "--out", "{}"),
    "impute": ("impute", "t.csv", "--from", "n.csv", "--out", "{}"),
    "discretize": ("discretize", "t.csv", "--from", "n.csv", "-t", "play", "--out", "{}"),
    "discretize --worksheet": ("discretize", "t.csv", "-t", "play", "--worksheet", "{}"),
}


@pytest.fixture
def files(treewright, tmp_path):
    """A table, its copy and a model of it; returns what they hold."""
    table = treewright("samples", "tennis").out
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "n.csv").write_text(table)
    assert treewright("train", "t.csv", "-t", "play", "--out", "m.json", "-q").code == 0
    os.link(tmp_path / "t.csv", tmp_path / "linked.html")
    return lambda: {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_no_command_writes_over_a_file_that_it_reads(treewright, files, words):
    before = files()
    read = [word for word in words if word in ("m.json", "t.csv", "n.csv")]
    for name in read:
        run = treewright(*(word.format(name) for word in words))
        assert run.code == 2
        assert f"`{name}` is an input of this command and would be overwritten" in run.err
    assert files() == before


def test_every_command_that_writes_is_in_the_list():
    assert {name.partition(" ")[0] for name in WRITE} == {words[0] for words in COMMANDS.values()}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_another_name_of_the_same_file_is_seen(treewright, files, words):
    """A longer path, a hard link, a symbolic link, and a link to the folder."""
    os.symlink(".", "here")
    os.symlink("m.json", "pointed.json")
    os.link("m.json", "linked.json")
    before = files()
    others = {"t.csv": ["./t.csv", "linked.html", "here/t.csv"]}
    others["m.json"] = ["./m.json", "linked.json", "pointed.json", "here/m.json"]
    read = [name for name in others if name in words]
    for out in (name for source in read for name in others[source]):
        run = treewright(*(word.format(out) for word in words))
        assert run.code == 2
        assert "is an input of this command and would be overwritten" in run.err
    assert files() == before


def test_a_model_from_the_standard_input_is_kept_as_well(treewright, files):
    before = files()
    for command in ("prune - --out m.json", "show - --out m.json", "rules - --out m.json"):
        line = f"'{sys.executable}' -m treewright {command} < m.json"
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "`m.json` is an input of this command" in done.stderr
    assert files() == before


def test_a_new_model_may_take_the_place_of_an_older_one(treewright, files):
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
            assert "hint: use one of the extensions .html, .htm, .md" in run.err
    assert files() == before


def test_two_results_need_two_files(treewright, files):
    run = treewright("train", "t.csv", "-t", "play", "--out", "a.html", "--report", "./a.html")
    assert run.code == 2
    assert "`a.html` can take one output only" in run.err
