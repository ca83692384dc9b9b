"""The library of a file runs in a process of its own: whatever it does, the user's goes on."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from machine import imported
from treewright.errors import ModelFileError
from treewright.imports import library_process
from treewright.imports.library_process import Library, LibraryProcess

FOLDER = Path(__file__).parents[1] / "files" / "imports"
# `lightgbm.txt`, cut in its parameters, which Treewright does not need; LightGBM 4.7 crashes.
CRASHES = FOLDER / "lightgbm_crashes.txt"


def fake_library(folder, monkeypatch, code):
    """A package `lightgbm` whose Booster does what the test wants."""
    body = "\n".join(f"        {line}" for line in code.split("\n"))
    text = (
        "import os, sys, time\n"
        "class Booster:\n"
        "    def __init__(self, model_str):\n"
        "        pass\n"
        "    def predict(self, rows, **settings):\n"
        f"{body}\n"
    )
    (folder / "lightgbm.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))


def read():
    return tw.import_model(FOLDER / "lightgbm.txt")


def test_damage_that_only_lightgbm_sees_is_an_error():
    imported("lightgbm")
    content = (FOLDER / "lightgbm.txt").read_bytes()
    for old, new in [
        (b"internal_weight=49.5074 31.6032", b"internal_weight=49.5074"),
        (b"internal_value=0.00146563", b"internal_value=0.00146563 0.1"),
        (b"leaf_weight=5.7448251694440842", b"leaf_weight="),
    ]:
        assert old in content
        with pytest.raises(ModelFileError, match=r"LightGBM (was ended by SIG|cannot load it)"):
            tw.import_model(content.replace(old, new, 1))


@pytest.mark.parametrize("damage", ["cut parameters", "[]"])
def test_damage_that_makes_lightgbm_read_out_of_bounds(damage):
    """What LightGBM does is chance: it crashes, raises an error, or reads the model as it was."""
    imported("lightgbm")
    content = (FOLDER / "lightgbm.txt").read_bytes()
    damaged = CRASHES.read_bytes()
    if damage == "[]":
        damaged = content.replace(b"[boosting: gbdt]", b"[]", 1)
    assert damaged != content
    with suppress(ModelFileError):
        assert tw.import_model(damaged).import_report_.status == "verified"
    model = tw.import_model(damaged, verify=False)
    whole = tw.import_model(content, verify=False)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "kind"])
    rows["kind"] = rng.integers(0, 9, size=50)
    np.testing.assert_array_equal(model.predict(rows), whole.predict(rows))


def test_the_command_says_what_to_do(tmp_path, monkeypatch):
    fake_library(tmp_path, monkeypatch, "os.abort()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    command = [sys.executable, "-m", "treewright", "import", str(FOLDER / "lightgbm.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "LightGBM was ended by SIGABRT" in done.stderr
    assert "--no-verify reads it without LightGBM" in done.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("os.abort()", "was ended by SIGABRT"),
        ("os._exit(3)", "ended with exit code 3 while it predicted"),
        ("raise ValueError('no such leaf')", "cannot predict with the model: no such leaf"),
        ("raise SystemExit(5)", "ended with exit code 5"),
        ("return object()", "cannot predict with the model: Object arrays"),
    ],
)
def test_what_a_library_does_is_named(code, words, tmp_path, monkeypatch):
    fake_library(tmp_path, monkeypatch, code)
    with pytest.raises(ModelFileError, match=words) as caught:
        read()
    assert "verify=False reads it" in caught.value.hint


def test_what_a_library_prints_is_not_read(tmp_path, monkeypatch, capfd):
    code = "os.write(1, b'P' * 99)\nprint('hello')\nos.write(2, b'oh')\nraise ValueError('none')"
    fake_library(tmp_path, monkeypatch, code)
    with pytest.raises(ModelFileError, match="none"):
        read()
    assert capfd.readouterr() == ("", "")


def test_a_library_that_does_not_end_is_ended(tmp_path, monkeypatch):
    fake_library(tmp_path, monkeypatch, "time.sleep(100)")
    monkeypatch.setattr(library_process, "SECONDS", 1.0)
    with pytest.raises(ModelFileError, match="it had not predicted after 1 seconds"):
        read()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise RuntimeError('no OpenMP')", "LightGBM cannot be imported: no OpenMP"),
        ("import os; os.abort()", "LightGBM cannot be imported: LightGBM was ended by SIGABRT"),
    ],
)
def test_a_library_that_cannot_be_imported_leaves_the_model_not_verified(
    code, reason, tmp_path, monkeypatch
):
    (tmp_path / "lightgbm.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    report = read().import_report_
    assert report.status == "not verified"
    assert report.reason.startswith(reason)


def test_without_a_python_to_start_the_model_is_not_verified(monkeypatch):
    imported("lightgbm")
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert "no process can be started to run LightGBM" in read().import_report_.reason
    monkeypatch.setattr(sys, "executable", "")
    assert "no Python program to run LightGBM" in read().import_report_.reason
    monkeypatch.undo()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "no Python program to run LightGBM" in read().import_report_.reason


def test_the_library_is_never_imported_here():
    imported("lightgbm")
    code = (
        "import sys, treewright as tw\n"
        f"print(tw.import_model({str(FOLDER / 'lightgbm.txt')!r}).import_report_.status)\n"
        "print('lightgbm' in sys.modules)"
    )
    # As in a notebook, there is no file of the main module.
    done = subprocess.run(
        [sys.executable, "-"], input=code, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["verified", "False"]


def test_files_are_imported_in_threads_and_no_process_stays():
    imported("lightgbm")
    found = []
    threads = [threading.Thread(target=lambda: found.append(read())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [model.import_report_.status for model in found] == ["verified"] * 3


def test_a_process_ends_with_its_import(tmp_path, monkeypatch):
    made = []
    start = library_process.started
    monkeypatch.setattr(
        library_process, "started", lambda name: made.append(start(name)) or made[-1]
    )
    fake_library(tmp_path, monkeypatch, "raise ValueError")
    with pytest.raises(ModelFileError):
        read()
    fake_library(tmp_path, monkeypatch, "import numpy\nreturn numpy.zeros(len(rows))")
    with pytest.raises(ModelFileError, match="where the original predicts"):
        read()
    assert [one.returncode for one in made] == [-signal.SIGKILL] * len(made)
    assert len(made) == 2


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
def test_ctrl_c_ends_an_import(tmp_path):
    (tmp_path / "lightgbm.py").write_text("import time\ntime.sleep(100)")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import treewright as tw\n"
        "from treewright.imports import library_process as own\n"
        "start = own.started\n"
        "def started(name):\n"
        "    process = start(name)\n"
        "    print(process.pid, flush=True)\n"
        "    return process\n"
        "own.started = started\n"
        f"tw.import_model({str(FOLDER / 'lightgbm.txt')!r})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    for _ in range(50):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_rows_of_every_kind_reach_the_library():
    pandas, lightgbm = imported("pandas"), imported("lightgbm")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["x", "y"], 200)})
    frame["b"] = frame["b"].astype("category")
    y = frame["a"] + (frame["b"] == "x")
    model = lightgbm.LGBMRegressor(n_estimators=3, verbose=-1, n_jobs=1).fit(frame, y)
    content = model.booster_.model_to_string().encode()
    for rows in (frame, tw.table_from(frame)):
        found = tw.import_model(content, X=rows)
        assert found.import_report_.n_table_rows == 200


def test_a_process_takes_requests_one_after_the_other():
    imported("lightgbm")
    content = (FOLDER / "lightgbm.txt").read_bytes()
    process = LibraryProcess(Library("lightgbm", "LightGBM"))
    try:
        process.read(content)
        rows = np.zeros((5, 3))
        once = process.predict(rows)
        assert np.array_equal(process.predict(rows), once)
    finally:
        process.close()
