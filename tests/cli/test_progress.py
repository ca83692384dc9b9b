"""Bars and colors are for people at a terminal; everybody else gets plain text."""

import os
import pty
import re
import subprocess
import sys

from treewright.cli import progress
from treewright.data.sources import blocks
from treewright.data.sources.from_csv import ReadSettings

ESCAPE = "\x1b["


AT_ONCE = """\
from treewright.cli import main, progress
from treewright.ensembles.boosting.callbacks import ProgressBar

progress.DELAY = ProgressBar.DELAY = 0.0
main.command()
"""


def at_terminal(words, folder, program=("-m", "treewright.cli.main"), **variables):
    """What a command writes to stderr when that is a terminal, and its standard output."""
    parent, child = pty.openpty()
    with (folder / "printed").open("w") as printed:  # a pipe would be full before it is read
        process = subprocess.Popen(
            [sys.executable, *program, *words],
            cwd=folder,
            stdout=printed,
            stderr=child,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **variables},
        )
    os.close(child)
    seen = b""
    while True:
        try:
            read = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        seen += read
    os.close(parent)
    assert process.wait() in (0, 2)
    return seen.decode(), (folder / "printed").read_text()


def test_an_evaluation_shows_a_bar_with_rate_and_time_left(tmp_path):
    words = ["evaluate", "iris", "--repeats", "5", "--jobs", "1", "--json"]
    seen, out = at_terminal(words, tmp_path, ("-c", AT_ONCE))
    assert re.search(r"folds .*/50", seen)
    assert "/ s" in seen
    assert re.search(r"\d:\d\d:\d\d", seen)
    assert out.startswith("{")
    assert ESCAPE not in out


def test_training_in_rounds_shows_a_bar(tmp_path):
    words = ["train", "iris", "--model", "boosted", "--n-estimators", "30", "--no-verdict"]
    seen, out = at_terminal(words, tmp_path, ("-c", AT_ONCE))
    assert re.search(r"boosting .*/30", seen)
    assert ESCAPE not in out


def test_quiet_shows_none(tmp_path):
    words = ["evaluate", "iris", "--repeats", "5", "--jobs", "1", "-q", "--json"]
    assert at_terminal(words, tmp_path, ("-c", AT_ONCE))[0] == ""


def test_errors_are_colored_for_people_who_want_that(tmp_path):
    words = ["show", "nosuch.json"]
    assert ESCAPE in at_terminal(words, tmp_path)[0]
    assert ESCAPE not in at_terminal(words, tmp_path, NO_COLOR="1")[0]
    assert ESCAPE not in at_terminal(words, tmp_path, TERM="dumb")[0]
    assert "nosuch.json" in at_terminal(words, tmp_path, NO_COLOR="1")[0]


def test_without_a_terminal_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.progress_bar("folds") as show:
        show(1, 10)
    assert capsys.readouterr().err == ""


def test_short_work_has_no_bar(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress.progress_bar("folds") as show:
        show(1, 10)
    assert capsys.readouterr().err == ""


def test_files_tell_how_much_of_them_was_read(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 50)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 50)
    monkeypatch.setattr(blocks, "MEGABYTE", 1)
    told = []
    for _ in blocks.table_blocks(
        str(tmp_path / "t.csv"), ReadSettings(), lambda *done: told.append(done)
    ):
        pass
    size = (tmp_path / "t.csv").stat().st_size
    assert told == sorted(told)
    assert told[-1] == (size, size)
    assert len(told) > 3
