"""What `n_jobs` stands for."""

import os

import joblib
import pytest

from treewright.estimators import threads


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 4)


@pytest.mark.parametrize(
    ("n_jobs", "expected"),
    [(None, 4), (1, 1), (2, 2), (-1, 4), (-2, 3), (-100, 1), (10_000, 16), (2**63, 16)],
)
def test_n_jobs_is_cut_to_what_the_machine_has(n_jobs, expected):
    assert threads.n_threads(n_jobs, worth_it=True) == expected


def test_little_work_is_done_by_one_thread_unless_asked_otherwise():
    assert threads.n_threads(None, worth_it=False) == 1
    assert threads.n_threads(2, worth_it=False) == 2


def test_workers_of_joblib_use_one_thread_each():
    for prefer in ("threads", "processes"):
        ask = joblib.delayed(threads.is_worker)
        assert joblib.Parallel(n_jobs=2, prefer=prefer)(ask() for _ in range(2)) == [True, True]
    assert not threads.is_worker()


def test_a_forked_child_uses_one_thread():
    child = os.fork()
    if child == 0:
        os._exit(threads.n_threads(None, worth_it=True))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1
