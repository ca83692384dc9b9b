"""The compiled search for optimal trees keeps its time and takes nothing that does not fit."""

import signal
import threading
import time

import numpy as np
import pytest

from treewright._kernels.learners import MISSING_LAST, SET, OptimalLimits, best_tree
from watched import SLOWER, best_of_three

NOTHING = np.zeros(0, dtype=np.uint32)


def limits_of(**given):
    limits = OptimalLimits()
    limits.leaf_price = 1
    for name, value in given.items():
        setattr(limits, name, value)
    return limits


def searched(codes, n_values, classes, limits, *, features=None, weights=None, n_rows=None):
    ones = np.ones(len(classes), dtype=np.int64)
    weights = ones if weights is None else np.asarray(weights, dtype=np.int64)
    n_rows = ones if n_rows is None else np.asarray(n_rows)
    if features is None:
        features = [(column, MISSING_LAST, NOTHING) for column in range(len(codes))]
    rows = (classes, weights, n_rows.astype(np.uint32), np.zeros_like(weights))
    return best_tree(codes, n_values, features, rows, int(classes.max()) + 1, limits)


def a_large_table(n_rows, n_columns):
    rng = np.random.default_rng(0)
    codes = [rng.permutation(n_rows).astype(np.uint32) for _ in range(n_columns)]
    classes = (codes[0] > n_rows // 2) ^ (rng.random(n_rows) < 0.2)
    return codes, [n_rows] * n_columns, classes.astype(np.uint32)


@pytest.mark.timed
@best_of_three
def test_time_is_kept_before_the_first_question():
    table = a_large_table(30_000, 60)  # takes a third of a second to sort and to cut
    start = time.process_time()
    found = searched(*table, limits_of(seconds=1e-6))
    assert time.process_time() - start < 0.3 * SLOWER
    assert not found["proven"]
    assert found["feature"].tolist() == [-1]
    assert 0 < found["bound"] < found["cost"]


@pytest.mark.timed
@best_of_three
def test_ctrl_c_is_heard_before_the_first_question():
    table = a_large_table(30_000, 60)
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        searched(*table, limits_of())
    assert time.process_time() - start < 0.25 * SLOWER


@pytest.mark.timed
@best_of_three
def test_no_more_threads_are_prepared_than_can_be_used():
    codes = [np.arange(50, dtype=np.uint32)]
    classes = (np.arange(50) % 2).astype(np.uint32)
    start = time.process_time()
    found = searched(codes, [50], classes, limits_of(n_threads=1_000_000))
    assert time.process_time() - start < 0.5 * SLOWER
    assert found["proven"]


FEW = ([np.array([0, 1, 2], dtype=np.uint32)], [3], np.array([0, 1, 0], dtype=np.uint32))
MANY = ([np.arange(70, dtype=np.uint32)], [70], (np.arange(70) % 2).astype(np.uint32))


@pytest.mark.parametrize(
    ("table", "given", "words"),
    [
        (FEW, {"weights": [1, -1, 1]}, "weights: from 0"),
        (FEW, {"weights": [2**59, 2**59, 1]}, "weights: from 0"),
        (FEW, {"n_rows": [1, 0, 1]}, "n_rows: one at least"),
        (FEW, {"features": [(0, SET, np.array([2, 1], dtype=np.uint32))]}, "levels in order"),
        (FEW, {"features": [(0, SET, np.array([1, 1], dtype=np.uint32))]}, "levels in order"),
        (FEW, {"features": [(0, MISSING_LAST, NOTHING), (0, SET, NOTHING)]}, "all in order or"),
        (MANY, {"features": [(0, SET, np.array([1, 2], dtype=np.uint32))]}, "each alone"),
    ],
)
def test_rows_and_questions_that_do_not_fit_are_refused(table, given, words):
    with pytest.raises(ValueError, match=words):
        searched(*table, limits_of(), **given)


@pytest.mark.parametrize(
    "limit", [{"max_depth": -1}, {"max_depth": 63}, {"leaf_price": -1}, {"leaf_price": 2**60}]
)
def test_limits_beyond_the_range_of_sums_are_refused(limit):
    with pytest.raises(ValueError, match=next(iter(limit))):
        searched(*FEW, limits_of(**limit))
