"""What `n_jobs` stands for."""

import os
import subprocess
import sys
import textwrap

import joblib
import pytest

from treewright.estimators import threads


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 4)
    monkeypatch.setattr(threads, "most_threads", lambda: threads.usable_cores())


@pytest.mark.parametrize(
    ("n_jobs", "expected"),
    [(None, 4), (1, 1), (2, 2), (-1, 4), (-2, 3), (-100, 1), (10_000, 4), (2**63, 4)],
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


def cores_seen(prepare):
    """What a fresh process takes for the number of its cores, after some statements."""
    code = textwrap.dedent(prepare) + (
        "\nfrom treewright.estimators.threads import n_threads\n"
        "print(n_threads(None, worth_it=True), n_threads(-1, worth_it=True),"
        " n_threads(64, worth_it=True))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_a_process_bound_to_one_core_uses_one_thread():
    bound = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"
    assert cores_seen(bound) == ["1", "1", "1"]


@pytest.mark.parametrize(
    "files",
    [
        {"/sys/fs/cgroup/cpu.max": "300000 100000"},
        {
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000",
            "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        },
    ],
    ids=["version 2", "version 1"],
)
def test_the_quota_of_a_container_counts(files):
    prepare = f"""
        import builtins, io, os
        files = {files!r}
        exists, opened = os.path.exists, builtins.open
        hidden = lambda path: str(path).startswith("/sys/fs/cgroup/")
        os.path.exists = lambda path: path in files if hidden(path) else exists(path)
        builtins.open = lambda path, *a, **k: (
            io.StringIO(files[path]) if path in files else opened(path, *a, **k))
        os.cpu_count = lambda: 64
        os.sched_getaffinity = lambda pid: set(range(64))
        """
    assert cores_seen(prepare) == ["3", "3", "3"]


FIT = """
    import resource, sys, time
    import numpy as np
    import treewright as tw
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = X[:, 0] * X[:, 1] + X[:, 2] > 0
    best = float("inf")
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        tw.BoostedTreesClassifier(n_estimators=40, n_jobs=int(sys.argv[1])).fit(X, y)
        best = min(best, time.perf_counter() - start)
    print(best)
    """


def fit_times(n_jobs, *, n_processes=1, repeats=5):
    command = [sys.executable, "-c", textwrap.dedent(FIT), str(n_jobs), str(repeats)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(n_processes)]
    return [float(run.communicate()[0]) for run in runs]


@pytest.mark.timed
def test_more_threads_than_cores_cost_nothing():
    cores = joblib.cpu_count()
    for _ in range(3):  # the clock of a machine that others use may be wrong once
        (usual,), (many,) = fit_times(cores), fit_times(8 * cores)
        if many <= 1.1 * usual:
            return
    pytest.fail(f"{cores} threads: {usual:.3f} s, {8 * cores} threads: {many:.3f} s")


@pytest.mark.timed
def test_processes_that_share_the_cores_do_not_stand_in_each_others_way():
    cores = joblib.cpu_count()
    (alone,) = fit_times(2 * cores)
    together = max(fit_times(2 * cores, n_processes=4))
    assert together <= 4 * 1.5 * alone
