"""Ctrl-C ends every long command at once: 130, one line, no half-written file."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from machine import imported
from watched import SLOWER

SOON = 30 * SLOWER  # seconds; it takes half of one, but the machine may be busy
LONG = {
    "train": ["train", "{slow}", "-t", "species", "--out", "new.json"],
    "evaluate": ["evaluate", "iris", "--repeats", "5000"],
    "evaluate long fits": ["evaluate", "iris", "--model", "forest", "--n-estimators", "500000"],
    "compare": ["compare", "iris", "--repeats", "5000"],
    "tune": ["tune", "iris", "--repeats", "5000", "--out", "new.json"],
    "predict": ["predict", "m.json", "{slow}", "--out", "new.csv"],
    "worksheet": ["worksheet", "m.json", "iris", "--stability", "90000", "--out", "new.html", "-q"],
    "report": ["report", "m.json", "iris", "--repeats", "5000", "--out", "new.html"],
}


def opened_for(process, fifo):
    """The writing end of a pipe, once the process has begun to read; it then waits for rows."""
    while process.poll() is None:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.02)
    return None


def wait_until_at_work(process):
    """What Python takes to begin is about a second of a processor, however busy that is."""
    if not Path("/proc/self/stat").exists():
        time.sleep(2)
        return
    ticks = 0
    while process.poll() is None and ticks < 2 * os.sysconf("SC_CLK_TCK"):
        time.sleep(0.05)
        times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        ticks = sum(map(int, times))


@pytest.mark.parametrize("command", LONG)
def test_a_command_at_work_ends_soon(treewright, tmp_path, command):
    treewright("train", "iris", "--model", "cart", "--out", "m.json")
    os.mkfifo(tmp_path / "slow.csv")
    before = set(os.listdir(tmp_path))
    words = [word.format(slow="slow.csv") for word in LONG[command]]
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright.cli.main", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    file = None
    if "slow.csv" in words:
        file = opened_for(process, tmp_path / "slow.csv")
    else:
        wait_until_at_work(process)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if file is not None:
        os.close(file)
    assert time.perf_counter() - sent < SOON
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")
    assert set(os.listdir(tmp_path)) == before


@pytest.mark.skipif(sys.platform == "win32", reason="has no process groups")
def test_ctrl_c_in_a_terminal_ends_a_local_cluster_without_tracebacks(tmp_path):
    imported("distributed")
    (tmp_path / "scratch").mkdir()
    words = ["evaluate", "iris", "--model", "forest", "--n-estimators", "500000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright.cli.main", *words, "--dask", "local:2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
    )
    until = time.monotonic() + SOON
    while not [*tmp_path.rglob("worker-*")] and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")
    assert not [*(tmp_path / "scratch").glob("treewright-dask-*")]


def test_threads_that_hear_nothing_do_not_delay_the_end(tmp_path):
    code = """if True:
        import os, signal, sys, threading, time
        from treewright.files import open_file
        from treewright.cli import main
        def deaf(_arguments):
            with open_file("half.csv") as file:
                threading.Thread(target=time.sleep, args=(60,)).start()
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(60)
        main.call_app = deaf
        main.command()
    """
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert time.perf_counter() - begin < 2 * SOON
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")
    assert os.listdir(tmp_path) == []


def test_a_main_thread_that_hears_nothing_is_left_after_a_moment(tmp_path):
    code = """if True:
        import os, signal, time
        from treewright.files import open_file
        from treewright.cli import interrupts
        interrupts.watch_for_interrupt()
        with open_file("half.csv") as file:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            finally:
                time.sleep(60)
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")
    assert os.listdir(tmp_path) == []


def test_whoever_wants_ctrl_c_ignored_gets_it_ignored():
    code = """if True:
        import os, signal, sys
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from treewright.cli import main
        def ignoring(_arguments):
            os.kill(os.getpid(), signal.SIGINT)
            return 0
        main.call_app = ignoring
        main.command()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "module", ["treewright.cli.main", "treewright.errors", "typer", "numpy", "sklearn.base"]
)
def test_ctrl_c_while_modules_are_loaded_leaves_no_traceback(module):
    code = f"""if True:
        import os, signal, sys
        from importlib.abc import MetaPathFinder

        class Interrupting(MetaPathFinder):
            def find_spec(self, name, path=None, target=None):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Interrupting())
        from treewright.__main__ import command
        sys.argv = ["treewright", "train", "tennis"]
        command()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr in ("", "error: interrupted\n")
    assert done.stdout == ""


def test_the_command_starts_where_ctrl_c_is_minded():
    """The entry point loads nothing before it can end quietly."""
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"treewright": "treewright.__main__:command"}


def test_an_error_that_a_package_makes_of_ctrl_c_is_an_interrupt():
    code = """if True:
        import os, signal
        from treewright.cli import main
        def converting(_arguments):
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000): pass
            except KeyboardInterrupt as interrupt:
                raise ImportError("something was not loaded") from interrupt
        main.call_app = converting
        main.command()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")
