"""The table of exit codes in docs/commands.md, for every command that can end so."""

import os

import pytest

from every_command import (
    CALLS,
    READ_BOTH,
    READ_MODEL,
    READ_TABLE,
    filled,
    write_model_and_table,
)
from treewright.cli import main as cli

JUDGE_SAVED = ["evaluate", "m.json", "t.csv"]


@pytest.fixture
def folder(tmp_path):
    write_model_and_table(tmp_path)
    return tmp_path


def assert_refused(run, code):
    assert run.code == code, run.err
    assert run.out == ""
    assert run.err.count("error: ") == 1
    assert "Traceback" not in run.err
    assert "unexpected" not in run.err


@pytest.mark.parametrize("command", CALLS)
def test_0_when_all_is_well(treewright, folder, command):
    run = treewright(*filled(command))
    assert run.code == 0, run.err
    assert "error" not in run.err


@pytest.mark.parametrize("command", CALLS)
def test_2_for_a_wrong_flag(treewright, folder, command):
    assert_refused(treewright(*filled(command), "--nosuch"), 2)


@pytest.mark.parametrize("command", READ_TABLE)
def test_2_for_an_unknown_table_or_column(treewright, folder, command):
    assert_refused(treewright(*filled(command, table="u.csv")), 2)
    for flag in ("--drop", "--categorical", "--numeric", "--weight"):
        run = treewright(*filled(command), flag, "wrod")
        if flag == "--weight" and command in {"predict", "explain", "distil"}:
            continue  # weights do not count there
        assert_refused(run, 2)
        assert "did you mean `word`?" in run.err


@pytest.mark.parametrize("command", READ_MODEL)
def test_2_for_an_unknown_model(treewright, folder, command):
    assert_refused(treewright(*filled(command, model="n.json")), 2)


def test_2_for_an_unknown_sample(treewright):
    assert_refused(treewright("samples", "tenis"), 2)


@pytest.mark.parametrize("command", READ_TABLE)
@pytest.mark.parametrize("content", [b"", b"x,word,y\n1,a,no\n2,b\n", b"x,word,y\n", b"\0\1\2"])
def test_3_for_a_table_that_cannot_be_read(treewright, folder, command, content):
    (folder / "t.csv").write_bytes(content)
    assert_refused(treewright(*filled(command)), 3)


@pytest.mark.parametrize("command", READ_MODEL)
@pytest.mark.parametrize("content", [b"", b"{}", b"\x80\x04cos\n", b'{"estimator": "Evil"}'])
def test_3_for_a_model_that_cannot_be_read(treewright, folder, command, content):
    (folder / "bad.json").write_bytes(content)
    assert_refused(treewright(*filled(command, model="bad.json")), 3)


@pytest.mark.parametrize("words", [*map(filled, READ_BOTH), JUDGE_SAVED], ids=lambda x: x[0])
def test_4_for_a_table_that_lacks_or_mistypes_a_column(treewright, folder, words):
    (folder / "t.csv").write_text("x,wrod,y\n1,a,no\n2,b,yes\n")
    run = treewright(*words)
    assert_refused(run, 4)
    assert "lacks `word`" in run.err
    assert "did you mean `wrod`?" in run.err
    (folder / "t.csv").write_text("x,word,y\nmuch,a,no\n2,b,yes\n")
    run = treewright(*words)
    assert_refused(run, 4)
    assert "`x`" in run.err
    assert "much" in run.err


@pytest.mark.parametrize("command", CALLS)
def test_130_for_ctrl_c_and_1_for_what_nobody_thought_of(treewright, folder, command, monkeypatch):
    def raising(error):
        def raised(*_, **__):
            raise error

        return raised

    for error, code in ((KeyboardInterrupt(), 130), (RuntimeError("a bug"), 1), (MemoryError(), 1)):
        monkeypatch.setattr("treewright.cli.output.Output.__init__", raising(error))
        run = treewright(*filled(command))
        assert (run.code, run.out) == (code, "")
        assert "Traceback" not in run.err
        monkeypatch.undo()
        os.chdir(folder)


def test_1_when_the_doctor_finds_something(treewright, monkeypatch):
    monkeypatch.setattr("treewright.cli.commands.doctor.threads_agree", lambda: False)
    run = treewright("doctor")
    assert run.code == 1
    assert "FAILED one and two threads" in run.out


def test_the_page_lists_the_codes_that_there_are():
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = {
        int(line.split("|")[1])
        for line in page.splitlines()
        if line.startswith("| ") and line[2].isdigit()
    }
    assert listed == {0, 1, *(code for _, code in cli.EXIT_CODES), cli.INTERRUPTED}
