"""T47 to T52: what a shell can do to a command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import treewright as tw

MODEL_COMMANDS = {
    "show": ["show", "{model}"],
    "worksheet": ["worksheet", "{model}", "{table}"],
    "explain": ["explain", "{model}", "{table}"],
    "predict": ["predict", "{model}", "{table}"],
    "prune": ["prune", "{model}"],
    "rules": ["rules", "{model}"],
    "export": ["export", "{model}", "--to", "python"],
    "evaluate": ["evaluate", "{model}", "{table}"],
    "report": ["report", "{model}", "{table}", "--out", "r.html"],
}
TABLE_COMMANDS = {
    "train": ["train", "{table}", "--target", "y"],
    "columns": ["columns", "{table}"],
    "evaluate": ["evaluate", "{table}", "--target", "y", "--folds", "3"],
    "compare": ["compare", "{table}", "--target", "y", "--folds", "3", "--model", "cart"],
    "tune": ["tune", "{table}", "--target", "y", "--folds", "3", "--grid", "max-depth=1,2"],
    "predict": ["predict", "{model}", "{table}"],
    "worksheet": ["worksheet", "{model}", "{table}"],
    "explain": ["explain", "{model}", "{table}"],
    "report": ["report", "{model}", "{table}", "--out", "r.html"],
}
WRITERS = {
    "train": ["train", "{table}", "--target", "y", "--out", "{out}"],
    "tune": ["tune", "{table}", "--target", "y", "--folds", "3", "--out", "{out}"],
    "predict": ["predict", "{model}", "{table}", "--out", "{out}"],
    "prune": ["prune", "{model}", "--method", "mdl", "--out", "{out}"],
    "rules": ["rules", "{model}", "--out", "{out}"],
    "export": ["export", "{model}", "--to", "c", "--out", "{out}"],
    "worksheet": ["worksheet", "{model}", "{table}", "--out", "{out}"],
    "explain": ["explain", "{model}", "{table}", "--out", "{out}"],
    "report": ["report", "{model}", "{table}", "--out", "{out}"],
}


@pytest.fixture
def folder(tmp_path):
    rows = "".join(
        f"{at % 9},{'abc'[at % 3]},{'yes' if at % 9 > 4 else 'no'}\n" for at in range(60)
    )
    (tmp_path / "t.csv").write_text("x,word,y\n" + rows)
    X, y = tw.read_table(tmp_path / "t.csv", target="y")
    model = tw.CARTClassifier().fit(X, y)
    model.target_name_ = "y"
    model.save(tmp_path / "m.json")
    return tmp_path


def run(folder, words, *, model="m.json", table="t.csv", out="new.json", **options):
    filled = [word.format(model=model, table=table, out=out) for word in words]
    command = [sys.executable, "-m", "treewright.cli.main", *filled]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120, **options
    )


def assert_refused(done, folder, before, *, code=2):
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert done.stdout == ""
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_T47_a_model_that_is_not_there_or_a_folder(folder, command):
    (folder / "sub").mkdir()
    before = {path.name for path in folder.iterdir()}
    for model in ("nosuch.json", "sub"):
        assert_refused(run(folder, MODEL_COMMANDS[command], model=model), folder, before)


@pytest.mark.parametrize("command", TABLE_COMMANDS)
def test_T47_a_table_that_is_not_there_or_a_folder(folder, command):
    (folder / "sub").mkdir()
    before = {path.name for path in folder.iterdir()}
    for table in ("nosuch.csv", "sub"):
        assert_refused(run(folder, TABLE_COMMANDS[command], table=table), folder, before)


@pytest.mark.parametrize("command", ["train", "evaluate", "compare", "tune"])
def test_T47_a_target_that_is_not_there_gets_the_nearest_name(folder, command):
    before = {path.name for path in folder.iterdir()}
    words = [word.replace("y", "wrod") if word == "y" else word for word in TABLE_COMMANDS[command]]
    done = run(folder, words)
    assert_refused(done, folder, before)
    assert "did you mean `word`?" in done.stderr


@pytest.mark.parametrize("command", WRITERS)
def test_T47_an_output_folder_that_is_not_there(folder, command):
    before = {path.name for path in folder.iterdir()}
    done = run(folder, WRITERS[command], out="nowhere/new.json")
    assert_refused(done, folder, before)
    assert "nowhere" in done.stderr


@pytest.mark.parametrize("tail", ["head -1", "true"])
@pytest.mark.parametrize("command", ["rules", "predict", "export", "worksheet"])
def test_T48_a_reader_that_goes_away(folder, command, tail):
    words = [word.format(model="m.json", table="t.csv") for word in MODEL_COMMANDS[command]]
    call = f"{sys.executable} -m treewright.cli.main {' '.join(words)}"
    line = f"{call} | {tail}; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] in ("0", "141")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", WRITERS)
def test_T49_a_full_device_is_named(folder, command):
    done = run(folder, WRITERS[command], out="/dev/full")
    assert done.returncode != 0
    assert "no space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_T50_a_killed_train_leaves_the_old_model_or_the_new_one(folder):
    old = (folder / "m.json").read_bytes()
    run(folder, ["train", "t.csv", "--target", "y", "--model", "c45", "--out", "new.json"])
    new = (folder / "new.json").read_bytes()
    command = [sys.executable, "-m", "treewright.cli.main"]
    words = ["train", "t.csv", "--target", "y", "--model", "c45", "--out", "m.json"]
    for wait in (0.3, 0.5, 0.7, 0.9, 1.1, 1.3):
        process = subprocess.Popen(
            [*command, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (folder / "m.json").read_bytes() in (old, new)
    run(folder, words)
    assert [path.name for path in folder.iterdir() if "tmp" in path.name] == []


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("\ufeffx,y\n1,a\n2,b\n".encode(), 0, ""),
        (b"x,y\r\n1,a\r\n2,b\r\n", 0, ""),
        (b'x,y\n"1","a"\n2,"b\nc"', 0, ""),
        (b"x;y\n1;a\n2;b\n", 0, ""),
        (b"x\ty\n1\ta\n2\tb\n", 0, ""),
        (b"x,y\n1,a\n2,b,c\n", 3, "line 3"),
        (b"x,y\n", 3, "no rows"),
        (b"", 3, ""),
        (b"x,y\n1,\xff\n", 3, "line 2"),
    ],
)
def test_T51_tables_as_people_save_them(folder, content, code, words):
    (folder / "in.csv").write_bytes(content)
    by_name = run(folder, ["columns", "in.csv"])
    by_pipe = subprocess.run(
        [sys.executable, "-m", "treewright.cli.main", "columns", "-"],
        input=content,
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert by_name.returncode == by_pipe.returncode == code, by_name.stderr
    assert words in by_name.stderr
    assert "Traceback" not in by_name.stderr


def test_T52_cells_that_spreadsheets_would_run(folder):
    values = ["=1+1", "+2", "-3x", "@A1", "＝1", "plain"]
    rows = "".join(f"{at},{values[at % 6]}\n" for at in range(6)) * 5
    (folder / "in.csv").write_text("x,y\n" + rows, encoding="utf-8")
    X, y = tw.read_table(folder / "in.csv", target="y")
    tw.CARTClassifier().fit(X, y).save(folder / "f.json")
    lines = run(folder, ["predict", "f.json", "in.csv", "--keep", "x"]).stdout.splitlines()
    assert lines[1:7] == ["0,'=1+1", "1,'+2", "2,'-3x", "3,'@A1", "4,'＝1", "5,plain"]
    raw = run(folder, ["predict", "f.json", "in.csv", "--raw"]).stdout.splitlines()
    assert raw[1] == "=1+1"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("command", WRITERS)
def test_T47_an_output_folder_that_is_read_only(folder, command):
    (folder / "locked").mkdir(mode=0o555)
    before = {path.name for path in folder.iterdir()}
    assert_refused(run(folder, WRITERS[command], out="locked/new.json"), folder, before)
