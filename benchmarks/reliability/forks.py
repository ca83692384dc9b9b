"""Whether a forked child fits and predicts as its parent does, and never hangs.

    python -m benchmarks.reliability.forks --runs 1000

The parent has used its threads, and those of NumPy, scikit-learn and XGBoost where they are there.
It forks while it is idle, or while two of its threads fit models and the pool is seen at work for
them; some children fork again. Each child fits one kind of model with four threads and must give
the parent's bytes. Parent and child do not compete for long: those two fits soon end.
"""

import argparse
import contextlib
import hashlib
import importlib.util
import os
import pickle
import random
import select
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.figures import write_figures
from benchmarks.reliability.made_rows import classes, numbers

PATIENCE = 60.0  # seconds that a child has
N_ROWS, N_COLUMNS = 1_500, 36  # enough cells that every model uses its threads
QUICK = {  # settings of estimators that would take long otherwise
    "OptimalTreeClassifier": {"max_depth": 2},
    "ObliqueTreeClassifier": {"max_depth": 2},
    "KMeans": {"n_clusters": 3, "n_init": 1},
    "KPrototypes": {"n_clusters": 3, "n_init": 1},
    "CandidateElimination": {"discretize": "equal_width"},
    "FindS": {"discretize": "equal_width"},
}
IDLE = contextlib.nullcontext()
FITS_TAKE = 0.03  # seconds of the two fits beside which the parent forks, on a quick machine
MANNERS = ("idle", "threads at work", "child of a child")


def every_estimator() -> list[str]:
    """The public names of all that can be fitted."""
    return [name for name in tw.__all__ if hasattr(getattr(tw, name), "fit")]


def made(name: str) -> Any:
    """An estimator with four threads and few trees, where it has such."""
    kind = getattr(tw, name)
    shared = {"n_jobs": 4, "n_estimators": 4}
    known = kind._get_param_names()
    return kind(**QUICK.get(name, {}), **{key: shared[key] for key in shared if key in known})


def digest_of(name: str, X: np.ndarray, y: np.ndarray) -> bytes:
    """What the model is and answers, in a few bytes."""
    model = made(name).fit(X, y)
    told = hashlib.sha256(pickle.dumps(model))
    prediction = model.predict if hasattr(model, "predict") else model.transform
    told.update(pickle.dumps(np.asarray(prediction(X))))
    return told.digest()


def use_other_threads(X: np.ndarray, y: np.ndarray) -> list[str]:
    """Let other packages start the threads that they like."""
    np.ones((500, 500)) @ np.ones((500, 500))
    used = ["NumPy"]
    if importlib.util.find_spec("sklearn"):
        from sklearn.ensemble import HistGradientBoostingClassifier

        HistGradientBoostingClassifier(max_iter=3).fit(X, y)
        used.append("scikit-learn")
    if importlib.util.find_spec("xgboost"):
        import xgboost

        xgboost.XGBClassifier(n_estimators=3, n_jobs=2).fit(X, y)
        used.append("XGBoost")
    return used


def in_child(work: Callable[[], bytes], manner: str) -> bytes | None:
    """What the work gives in a forked process; None if it takes too long."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            found = in_child(work, "idle") if manner == "child of a child" else work()
            os.write(writer, found or b"a child of the child hangs")
        os._exit(0)
    os.close(writer)
    try:
        ready, _, _ = select.select([reader], [], [], PATIENCE)
        if not ready:
            os.kill(child, signal.SIGKILL)
            return None
        return os.read(reader, 100)
    finally:
        os.close(reader)
        os.waitpid(child, 0)


def pool_is_at_work() -> bool:
    """Whether a thread that is not Python's is running now: it can only be one of the pool."""
    of_python = {str(thread.native_id) for thread in threading.enumerate()}
    for one in set(os.listdir("/proc/self/task")) - of_python:
        with contextlib.suppress(OSError), open(f"/proc/self/task/{one}/stat") as told:
            if told.read().rpartition(")")[2].split()[0] == "R":
                return True
    return False


@contextlib.contextmanager
def threads_at_work(X: np.ndarray, y: np.ndarray, draw: random.Random) -> Iterator[None]:
    """Two threads that fit a forest and clusters, entered while the pool is at work.

    They are started anew each time and share no lock or event of this program, which a child
    would inherit as it was.
    """
    models = [
        tw.RandomForestClassifier(n_estimators=20, n_jobs=4),
        tw.KMeans(n_clusters=8, n_init=1, n_jobs=4),
    ]
    while True:
        threads = [threading.Thread(target=model.fit, args=(X, y)) for model in models]
        for thread in threads:
            thread.start()
        time.sleep(draw.uniform(0, FITS_TAKE))
        if all(thread.is_alive() for thread in threads) and pool_is_at_work():
            break
        for thread in threads:
            thread.join()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


def run_all(n_runs: int) -> tuple[Counter[str], Counter[str]]:
    """So many forks: how many of each manner, and of each kind of failure."""
    X, score = numbers(N_ROWS, N_COLUMNS)
    y = classes(score, 2)
    print("threads used before:", ", ".join([*use_other_threads(X, y), "Treewright"]), flush=True)
    kinds = every_estimator()
    expected = {name: digest_of(name, X, y) for name in kinds}
    n_done: Counter[str] = Counter()
    failures: Counter[str] = Counter()

    draw = random.Random(0)

    def run(at: int, manner: str) -> None:
        name = kinds[at % len(kinds)]
        at_work = threads_at_work(X, y, draw) if manner == "threads at work" else IDLE
        with at_work:
            found = in_child(lambda: digest_of(name, X, y), manner)
        n_done[manner] += 1
        if found != expected[name]:
            wrong = "hangs" if found is None else "another model" if found else "no answer"
            failures[f"{name}, {manner}: {wrong}"] += 1

    thirds = [range(part, n_runs, len(MANNERS)) for part in range(len(MANNERS))]
    for manner, runs in zip(MANNERS, thirds, strict=True):
        for at in runs:
            run(at // len(MANNERS), manner)
    for name in kinds:  # the parent goes on as before
        if digest_of(name, X, y) != expected[name]:
            failures[f"{name}: the parent gives another model"] += 1
    return n_done, failures


def main() -> int:
    """Read the command line, fork, tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=at_least_one, default=1000)
    n_runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    begin = time.monotonic()
    n_done, failures = run_all(n_runs)
    lines = ["| forked while | runs | hangs or wrong |", "|---|---|---|"]
    for manner in MANNERS:
        n_failed = sum(n for what, n in failures.items() if f", {manner}:" in what)
        lines.append(f"| {manner} | {n_done[manner]} | {n_failed} |")
    write_figures("forks", f"--runs {n_runs}", lines)
    print("\n".join([*lines, *(f"{what}: {n} times" for what, n in failures.items())]))
    print(f"{time.monotonic() - begin:.0f} s")
    not_tried = [manner for manner in MANNERS if not n_done[manner]]
    if not_tried:
        print("not tried:", ", ".join(not_tried))
    return int(bool(failures or not_tried))


if __name__ == "__main__":
    raise SystemExit(main())
