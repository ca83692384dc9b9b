"""T42, T43, T45, T46 of the torture list: forks, threads, errors in threads, the lock.

Every public estimator is tried; forks many times: see benchmarks/reliability/forks.py.
"""

import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV

import treewright as tw
from small_tables import numbers
from torture.models import MODELS, for_every, for_every_model, learned, predictions
from treewright.estimators import threads

WIDE = (1_500, 36)  # rows and columns: enough cells that every fit uses its threads


def with_threads(kind, n_jobs):
    """The estimator, with so many threads if it knows any."""
    return kind(n_jobs=n_jobs) if "n_jobs" in kind().get_params() else kind()


def what_it_learns(kind, X, y):
    model = with_threads(kind, 4).fit(X, y)
    return repr((learned(model), predictions(model, X).tobytes())).encode()


# ---------------------------------------------------------------------------- T42


def in_a_forked_child(work):
    """What the work gives in a child; an error if it takes more than a minute."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "wb") as out:
                out.write(work())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        if not select.select([told], [], [], 60)[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the forked child hangs")
        found = told.read()
    os.waitpid(child, 0)
    return found


@for_every_model
def test_T42_a_forked_child_fits_and_predicts_as_its_parent_does(kind):
    """After a fit with threads, a forked child fits with threads, and so does the parent."""
    X, y = numbers(*WIDE)
    expected = what_it_learns(kind, X, y)
    assert in_a_forked_child(lambda: what_it_learns(kind, X, y)) == expected
    assert what_it_learns(kind, X, y) == expected


def learns_in_a_worker(name):
    return what_it_learns(MODELS[name], *numbers(*WIDE))


def test_T42_a_pool_of_forked_processes_fits_every_model():
    """multiprocessing's own fork, with locks of its own about it."""
    kinds = ["CARTClassifier", "RandomForestRegressor", "BoostedTreesClassifier", "KMeans"]
    expected = [learns_in_a_worker(name) for name in kinds]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(learns_in_a_worker, kinds).get(timeout=60) == expected


AFTER_OTHERS = """
import os, warnings
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 20)); y = X[:, 0] > X[:, 1]
X.T @ X
HistGradientBoostingClassifier(max_iter=3).fit(X, y)
try:
    import xgboost
    xgboost.XGBClassifier(n_estimators=3, n_jobs=2).fit(X, y)
except ImportError:
    pass
import treewright as tw
def models():
    tree = tw.CARTClassifier(prune=None, n_jobs=4).fit(X, y)
    forest = tw.RandomForestClassifier(n_estimators=4, n_jobs=4).fit(X, y)
    return [tree.predict(X).sum(), forest.predict_proba(X).sum()]
before = models()
child = os.fork()
if child == 0:
    os._exit(0 if models() == before else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert models() == before
"""


def test_T42_threads_of_other_packages_do_no_harm():
    """NumPy's, scikit-learn's and XGBoost's threads have run before the fork."""
    subprocess.run([sys.executable, "-c", AFTER_OTHERS], check=True, timeout=120)


# ---------------------------------------------------------------------------- T43


@for_every_model
def test_T43_eight_threads_fit_and_predict_as_one_after_the_other(kind):
    X, y = numbers(300, 8)
    model = with_threads(kind, 2).fit(X, y)
    content, expected = learned(model), predictions(model, X).tobytes()

    def work(_):
        other = with_threads(kind, 2).fit(X, y)
        return learned(other) == content, predictions(model, X).tobytes() == expected

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [(True, True)] * 8


def test_T43_eight_threads_fit_eight_kinds_of_models():
    """At once, each with threads of its own."""
    X, y = numbers(*WIDE)
    names = ["CARTClassifier", "C45Classifier", "TreeRegressor", "RandomForestClassifier"]
    names += ["BoostedTreesRegressor", "KMeans", "GradientDescentClassifier", "IsolationForest"]
    expected = [what_it_learns(MODELS[name], X, y) for name in names]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda name: what_it_learns(MODELS[name], X, y), names)) == expected


# ---------------------------------------------------------------------------- T45


class TooMuchError(Exception):
    """Raised by a user's function."""


def unhappy(_weights):
    raise TooMuchError("I cannot go on")


def test_T45_an_error_of_a_users_function_comes_out_of_the_threads():
    X, y = numbers(*WIDE)
    with pytest.raises(TooMuchError, match="I cannot go on"):
        tw.TreeClassifier(criterion=unhappy, n_jobs=4).fit(X, y)

    def stop(_round):
        raise TooMuchError("not a round more")

    model = tw.BoostedTreesClassifier(n_estimators=5, callbacks=[stop], n_jobs=4)
    with pytest.raises(TooMuchError, match="not a round more"):
        model.fit(X, y)
    assert not model.__sklearn_is_fitted__()
    tw.TreeClassifier(n_jobs=4).fit(X, y)  # the threads are there for the next


# ---------------------------------------------------------------------------- T46


def searched(kind):
    """The score of a search by four jobs over an estimator that wants all cores."""
    X, y = numbers(200, 8)
    search = GridSearchCV(kind(), {"n_jobs": [-1, 3]}, n_jobs=4, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search.fit(X, y).best_score_


@for_every(lambda kind: kind.has_target and "n_jobs" in kind().get_params())
def test_T46_a_search_by_threads_over_models_with_threads_ends(kind):
    """GridSearchCV(n_jobs=4) over estimators with n_jobs=-1."""
    with parallel_config("threading"):
        assert np.isfinite(searched(kind))


def n_threads_now(_model, _X, _y):
    """A score: how many threads the process has that fitted the model."""
    return len(os.listdir("/proc/self/task"))


def most_threads_of_children(backend):
    """Of processes that fit by all cores, as a search by four jobs starts them."""
    X, y = numbers(*WIDE)
    forest = tw.RandomForestClassifier(n_estimators=4)
    grid = {"n_jobs": [-1, 16], "min_samples_leaf": [1, 2]}
    search = GridSearchCV(forest, grid, n_jobs=4, cv=2, scoring=n_threads_now)
    with parallel_config(backend), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    found = np.array([search.cv_results_[f"split{at}_test_score"] for at in range(2)])
    assert np.isfinite(found).all()
    is_all = np.array([params["n_jobs"] == -1 for params in search.cv_results_["params"]])
    return found[:, is_all].max(), found.max()


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize(
    "backend", ["multiprocessing", pytest.param("loky", marks=pytest.mark.large)]
)
def test_T46_a_search_by_processes_over_models_with_threads_ends_with_few_threads(
    backend, monkeypatch
):
    """Each child has a pool of its own, never larger than what its largest fit may use."""
    monkeypatch.setattr(threads, "most_threads", threads.usable_cores)  # as outside the tests
    for most in most_threads_of_children(backend):
        assert most <= 2 * (os.cpu_count() or 1) + 8


@pytest.mark.large
def test_T46_a_search_by_processes_over_models_with_threads_ends():
    assert searched(MODELS["RandomForestClassifier"]) > 0.5


def test_T46_many_fits_at_once_share_few_threads():
    """Eight fits of eight threads each: the pool has as many threads as one of them wants."""
    code = """if True:
        import os
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np, treewright as tw
        X = np.random.default_rng(0).normal(size=(5_000, 12)); y = X[:, 0] > X[:, 1]
        tw.CARTClassifier(prune=None, n_jobs=1).fit(X, y)
        before = len(os.listdir("/proc/self/task"))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: tw.CARTClassifier(prune=None, n_jobs=8).fit(X, y), range(8)))
        print(len(os.listdir("/proc/self/task")) - before)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 7


@for_every(lambda kind: kind.is_saved)
def test_T46_signal_handlers_of_the_user_stay(kind):
    X, y = numbers(60)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    mine = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        before = signal.getsignal(signal.SIGINT)
        model = kind().fit(X, y)
        predictions(model, X)
        assert signal.getsignal(signal.SIGINT) is before
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        signal.signal(signal.SIGINT, mine)
    assert {number: signal.getsignal(number) for number in handlers} == handlers


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_T46_signal_handlers_of_the_user_run_during_a_fit_and_stay(n_jobs):
    """A handler that does not raise is called meanwhile, and the fit goes on to the same model."""
    X, y = numbers(20_000, 20)
    fit = tw.RandomForestClassifier(n_estimators=30, n_jobs=n_jobs).fit
    expected = learned(fit(X, y))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    called = []
    wanted = (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
    before = {one: signal.signal(one, lambda number, _: called.append(number)) for one in wanted}
    mine = {one: signal.getsignal(one) for one in wanted}
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        model = fit(X, y)
        n_calls = len(called)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert signal.set_wakeup_fd(-1) == writing
        kept = {one: signal.signal(one, handler) for one, handler in before.items()}
        os.close(reading)
        os.close(writing)
    assert kept == mine
    assert n_calls > 0
    assert learned(model) == expected


@pytest.mark.parametrize("name", ["CARTClassifier", "RandomForestClassifier", "KMeans"])
def test_T46_signal_handlers_of_the_user_stay_after_an_error(name):
    def mine(*_):
        return None

    before = signal.signal(signal.SIGINT, mine)
    try:
        with pytest.raises(ValueError, match="row 1"):
            MODELS[name]().fit([[1.0], [2.0]], [0, 1], sample_weight=[1.0, -1.0])
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def longest_silence(call):
    """The longest time that another Python thread could not run, as a share of the call."""
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    call()
    end = time.monotonic()
    over.set()
    thread.join()
    inside = np.array([begin, *(at for at in ticks if begin < at < end), end])
    return np.diff(inside).max() / (end - begin)


def long_call(name):
    """A call that is nearly all in compiled code."""
    from benchmarks.reliability.long_calls import LONG_CALLS
    from benchmarks.reliability.long_fits import LONG_FITS

    if name in LONG_CALLS:
        return LONG_CALLS[name](0.3)
    fit = LONG_FITS[name]
    rows = fit.many(0.3)
    return lambda: fit.made(1).fit(*rows)


@pytest.mark.parametrize(
    "name",
    [
        "CARTRegressor",
        "M5Regressor",
        "OptimalTreeClassifier",
        "ExtraTreesRegressor",
        "KNeighborsRegressor",
        "tree finds leaves",
        "forest predicts",
        "silhouette",
        "clusters predict",
        "read a csv file",
        "read words of numpy",
    ],
)
def test_T46_other_threads_go_on_during_long_calls(name):
    """A thread that ticks is never silent for most of a call: compiled code lets go of the lock."""
    call = long_call(name)
    call()
    silences = []
    while len(silences) < 4 and min(silences, default=1.0) > 0.5:  # the machine may be busy
        silences.append(longest_silence(call))
    assert min(silences) <= 0.5
