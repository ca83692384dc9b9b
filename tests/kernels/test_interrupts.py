"""Kernels hear Ctrl-C soon, however much work one of their steps is."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from treewright._kernels import _native
from treewright._kernels.learners import EpochSettings, LinearLoss, LinearRows, Lloyd
from watched import SLOWER, best_of_three


def products_of_many_columns():
    numbers = np.ones((1024, 2400))
    slots = np.zeros((1024, 0), dtype=np.int32)
    rows = LinearRows(numbers, 2400, slots, 0, np.full(1024, 1 / 1024))
    out = np.empty((2400, 2400))
    return lambda: rows.products(None, out, 1)


def a_step_of_many_rows():
    numbers = np.ones((100, 400))
    rows = LinearRows(numbers, 400, np.zeros((100, 0), dtype=np.int32), 0, np.full(100, 0.01))
    order, steps = np.tile(np.arange(100), 60_000), EpochSettings()
    steps.batch_size, steps.rate = len(order), 0.1
    point, velocity = np.zeros((1, 400)), np.zeros((1, 400))
    loss, target = LinearLoss.squared_error, np.ones(100)
    return lambda: rows.descend(loss, target, order, steps, point, velocity)


def gaps_of_many_centers():
    centers = np.random.default_rng(0).normal(size=(8000, 50))
    kernel = Lloyd(centers[:64], 50, None, 1)
    kernel.assign(centers)
    return lambda: kernel.assign(centers + 0.01)


def jumps_of_many_rows():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(2, 50_000))
    codes = (columns[0] + columns[1] > 0).astype(np.int32)
    ones = np.ones(len(codes))
    target = _native.ObliqueTarget(_native.ObliqueImpurity.gini, codes, 2, ones, ones)
    settings = _native.ObliqueSettings()
    settings.n_jumps, settings.max_terms, settings.n_starts = 400, 2, 1
    return lambda: _native.search_sums(columns, target, settings, 1)


@pytest.mark.parametrize(
    "prepare",
    [
        products_of_many_columns,
        a_step_of_many_rows,
        gaps_of_many_centers,
        jumps_of_many_rows,
    ],
)
@pytest.mark.timed
@best_of_three
def test_an_interrupt_is_heard_soon(prepare):
    work = prepare()
    sent = []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    heard = time.process_time()
    timer.join()
    assert heard - sent[0] < 0.4 * SLOWER
