"""Threads that share work: they end together, also with the thread that began them."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import treewright as tw
from treewright._kernels._native import StopFlag
from treewright._kernels.shared_work import heeding, shared_work
from treewright.errors import keeping_warnings, warn_user


def long_fit(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20_000, 20))
    tw.RandomForestClassifier(n_estimators=5_000, n_jobs=1).fit(X, X[:, 0] > X[:, 1])


def test_a_flag_stops_the_threads_of_a_thread_that_heeds_it():
    outer = StopFlag()
    threading.Timer(0.5, outer.set).start()
    began = time.monotonic()
    with (
        pytest.raises(KeyboardInterrupt),
        heeding(outer),
        shared_work(long_fit, range(2), n_threads=2) as results,
    ):
        list(results)
    assert time.monotonic() - began < 5
    tw.CARTClassifier().fit([[1.0], [2.0]], [0, 1])  # this thread heeds no flag any more


def test_a_flag_that_is_not_above_stops_nothing():
    inner = StopFlag()
    with heeding(StopFlag()):
        below = StopFlag()
    inner.set()
    with heeding(below):
        tw.CARTClassifier().fit([[1.0], [2.0]], [0, 1])


def test_a_scan_of_blocks_in_memory_stops_too():
    flag, n_read = StopFlag(), []

    def blocks():
        for number in range(100):
            if number == 3:
                flag.set()
            n_read.append(number)
            yield {"x": [1.0, 2.0], "y": [0, 1]}

    with pytest.raises(KeyboardInterrupt), heeding(flag):
        tw.CARTClassifier().fit(tw.scan(blocks, target="y"))
    assert len(n_read) == 4


def test_warnings_that_are_kept_do_not_concern_other_threads(recwarn):
    def warn_and_keep(name):
        with keeping_warnings() as kept:
            both.wait()
            warn_user(name)
            both.wait()
        return kept

    both = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(warn_and_keep, "ab")] == [["a"], ["b"]]
    assert not recwarn.list
    warn_user("c")
    assert [str(one.message) for one in recwarn.list] == ["c"]
