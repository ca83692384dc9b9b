"""A user's mistake gets one clear message, the right exit code, and leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

from treewright.cli import main as cli


def python(*words, **options):
    command = [sys.executable, "-m", "treewright.cli.main", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def assert_refused(run, code, *texts):
    assert run.code == code
    assert run.out == ""
    assert run.err.startswith("error: ")
    assert "Traceback" not in run.err
    for text in texts:
        assert text in run.err


@pytest.mark.parametrize("command", ["train", "columns"])
def test_an_unknown_table_is_named(treewright, command):
    assert_refused(treewright(command, "nosuch.csv"), 2, "no file or sample `nosuch.csv`")


def test_a_misspelled_sample_gets_the_nearest_name(treewright):
    assert_refused(treewright("train", "tenis"), 2, "did you mean the sample `tennis`?")


def test_an_unknown_column_gets_the_nearest_name(treewright):
    assert_refused(
        treewright("train", "tennis", "--target", "plya"),
        2,
        "no column `plya` in tennis",
        "hint: did you mean `play`?",
    )
    assert_refused(treewright("train", "tennis", "--drop", "windy"), 2, "no column `windy`")
    assert_refused(treewright("train", "tennis", "--weight", "w"), 2, "no column `w`")
    assert_refused(treewright("columns", "tennis", "--target", "w"), 2, "no column `w`")


def test_a_file_needs_a_target(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    assert_refused(treewright("train", "t.csv"), 2, "--target is missing", "columns are: x, y")


def test_a_misspelled_flag_gets_the_nearest_one(treewright):
    assert_refused(
        treewright("train", "tennis", "--max-detph", "3"), 2, "did you mean `--max-depth`?"
    )


def test_a_readable_tree_has_two_leaves(treewright):
    run = treewright("train", "iris", "--model", "readable", "--leaves", "1")
    assert_refused(run, 2, "--leaves 1 is a tree without splits", "hint: use --leaves 2 or more")


def test_a_misspelled_command_gets_the_nearest_one(treewright):
    assert_refused(treewright("trian"), 2, "train")


def test_a_folder_is_no_table(treewright, tmp_path):
    (tmp_path / "folder").mkdir()
    assert_refused(treewright("train", "folder", "-t", "y"), 2, "folder")


def test_the_output_is_checked_before_the_work(treewright, tmp_path):
    run = treewright("train", "tennis", "--out", "no/such/folder/model.json")
    assert_refused(run, 2, "there is no folder `no/such/folder`")
    (tmp_path / "folder").mkdir()
    assert_refused(treewright("train", "tennis", "--out", "folder"), 2, "`folder` is a folder")
    assert sorted(os.listdir(tmp_path)) == ["folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write and read everything")
def test_a_place_that_must_not_be_used_is_refused(treewright, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    run = treewright("train", "tennis", "--out", "locked/model.json")
    assert_refused(run, 2, "permission denied")
    (tmp_path / "secret.csv").write_text("x,y\n1,a\n")
    (tmp_path / "secret.csv").chmod(0)
    assert_refused(treewright("train", "secret.csv", "-t", "y"), 2, "secret.csv")


def test_contents_that_are_no_table_are_refused(treewright, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    assert_refused(treewright("train", "empty.csv", "-t", "y"), 3)
    (tmp_path / "ragged.csv").write_text("x,y\n1,a\n1,2,3\n")
    assert_refused(treewright("train", "ragged.csv", "-t", "y"), 3, "line 3")


def test_a_target_with_holes_is_refused(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,\n3,b\n")
    assert_refused(treewright("train", "t.csv", "-t", "y"), 3, "missing")


def test_a_file_that_is_no_model_is_refused(treewright, tmp_path):
    assert_refused(treewright("show", "nosuch.json"), 2, "nosuch.json")
    (tmp_path / "broken.json").write_text("{")
    assert_refused(treewright("show", "broken.json"), 3, "broken.json")
    (tmp_path / "pickle.json").write_bytes(b"\x80\x04cos\nsystem\n")
    assert_refused(treewright("show", "pickle.json"), 3, "pickle.json")


def test_a_good_model_survives_a_bad_run(treewright, tmp_path):
    treewright("train", "tennis", "--out", "model.json")
    before = (tmp_path / "model.json").read_bytes()
    assert treewright("train", "tenis", "--out", "model.json").code == 2
    assert (tmp_path / "model.json").read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_reported_with_its_path(treewright):
    run = treewright("train", "tennis", "--out", "/dev/full")
    assert run.code in (1, 2)
    assert run.err.startswith("error: ")
    assert "/dev/full" in run.err


def test_an_unexpected_error_says_how_to_report_it(treewright, monkeypatch):
    def broken(_words):
        raise RuntimeError("a bug")

    monkeypatch.setattr(cli, "call_app", broken)
    assert_refused(treewright("samples"), 1, "unexpected RuntimeError: a bug", cli.TRACEBACK)


def test_ctrl_c_ends_with_130(treewright, monkeypatch):
    def interrupted(_words):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "call_app", interrupted)
    assert_refused(treewright("samples"), 130, "interrupted")


def test_ctrl_c_in_the_middle_of_a_run_ends_with_130(tmp_path):
    fifo = tmp_path / "slow.csv"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "treewright.cli.main", "train", str(fifo), "-t", "y"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with fifo.open("w"):  # opens once the command has begun to read, which then waits for rows
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "error: interrupted\n"


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_goes_away_is_no_error(reader):
    command = f"'{sys.executable}' -m treewright.cli.main samples two_moons | {reader}"
    shell = ["bash", "-c", f"set -o pipefail; {command}"]
    run = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert run.stderr == ""


def test_without_the_packages_of_the_command_line_it_says_what_to_install():
    code = (
        "import sys; sys.modules['typer'] = None\n"
        "from treewright.cli.main import main; sys.exit(main(['samples']))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "pip install 'treewright[cli]'" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_target_of_dates_is_refused(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,due day\n1,2020-01-01\n2,2020-01-02\n")
    run = treewright("train", "t.csv", "-t", "due day")
    assert_refused(
        run, 3, "`due day` holds dates", "hint: --categorical 'due day' makes each date a class"
    )
    assert treewright("train", "t.csv", "-t", "due day", "--categorical", "due day").code == 0
