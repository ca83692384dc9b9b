"""Threads that judge side by side give up when nobody waits for what they make."""

import subprocess
import sys
import threading
import time

import pytest
from sklearn.base import clone

import treewright as tw
from treewright.evaluation.judging import side_by_side
from watched import SLOWER

SOON = 30 * SLOWER  # seconds; it takes a tenth of one, but the machine may be busy
LONG_FITS = {
    "one long kernel": tw.RandomForestClassifier(n_estimators=500_000, n_jobs=1),
    "many short kernels": tw.BoostedTreesClassifier(n_estimators=500_000, n_jobs=1),
}


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def seconds_until(is_so):
    begin = time.perf_counter()
    while not is_so():
        assert time.perf_counter() - begin < 60
        time.sleep(0.01)
    return time.perf_counter() - begin


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("model", LONG_FITS.values(), ids=LONG_FITS)
def test_the_fits_of_others_end_soon_after_an_error(iris, model, stop):
    begun = threading.Event()
    n_before = threading.active_count()

    def work(thing):
        if thing == "mistake":
            begun.wait()
            time.sleep(0.2)
            raise stop
        begun.set()
        clone(model).fit(*iris)

    with pytest.raises(stop):
        side_by_side(work, ["mistake", "long", "long"], n_jobs=2)
    assert seconds_until(lambda: threading.active_count() <= n_before) < SOON


@pytest.mark.full
def test_python_ends_soon_after_an_interrupted_evaluation():
    """Its end waits for all threads."""
    code = """if True:
        import os, signal, threading, time
        import treewright as tw
        model = tw.RandomForestClassifier(n_estimators=500_000, n_jobs=1)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            tw.evaluate(model, *tw.load_sample("iris"), n_jobs=2)
        except KeyboardInterrupt:
            print(time.time())
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert time.time() - float(done.stdout) < SOON


def test_an_interrupt_of_whoever_is_told_the_progress_ends_the_others(iris):
    n_before = threading.active_count()

    def work(is_long):
        return LONG_FITS["one long kernel"].fit(*iris) if is_long else None

    def told(done, in_all):
        assert (done, in_all) == (1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, [False, True], n_jobs=2, progress=told)
    assert seconds_until(lambda: threading.active_count() <= n_before) < SOON
