"""T33: memory that runs out ends a fit and nothing else; files larger than two gigabytes."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from small_tables import numbers
from torture.in_a_child import bytes_in_use, can_limit_memory, done_in_a_child
from torture.models import MODELS, Model, answers, is_sane, learned
from watched import IS_WATCHED

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.skipif(not can_limit_memory, reason="memory is read from /proc"),
    pytest.mark.skipif(IS_WATCHED, reason="what watches the code needs memory of its own"),
]


@contextmanager
def little_memory(megabytes: float) -> Iterator[None]:
    """So much more than is in use, and no more; only in a child, where it does no harm."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(bytes_in_use("VmSize") + megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


HUNGRY = {  # what a fit of these rows needs is a multiple of the rows
    "C45Classifier": {},
    "CARTClassifier": {},
    "TreeRegressor": {},
    "M5Regressor": {},
    "RandomForestClassifier": {"n_estimators": 4},
    "ExtraTreesRegressor": {"n_estimators": 4},
    "BoostedTreesClassifier": {"n_estimators": 2},
    "IsolationForest": {"n_estimators": 4},
    "KNeighborsClassifier": {},
    "KMeans": {"n_clusters": 3, "n_init": 1},
    "GradientDescentRegressor": {"max_iter": 3},
}


def starved(kind: Model, params: dict[str, object], n_rows: int) -> str:
    """Fit with too little memory; then the old model is as before and the next fit works."""
    X, y = numbers(n_rows, 8)
    np.dot(y * 1.0, X)  # OpenBLAS ends the process if it gets no memory of its own at first
    model = kind(**params, n_jobs=2) if "n_jobs" in kind().get_params() else kind(**params)
    model.fit(X[:200], y[:200])
    before = learned(model)
    ended = "fitted"
    with little_memory(megabytes=X.nbytes * 0.2 / 2**20):
        try:
            model.fit(X, y)
        except MemoryError:
            ended = "MemoryError"
    if ended == "MemoryError":
        assert learned(model) == before
        assert is_sane(answers(model, X[:50]))
    assert learned(model.fit(X[:200], y[:200])) == before
    return ended


def starve_all(n_rows: int) -> None:
    """Print how each fit ends, one after the other in children of this process."""
    for name, params in HUNGRY.items():
        outcome = done_in_a_child(partial(starved, MODELS[name], params, n_rows))
        print(name, outcome.answer or f"{outcome.error}: {outcome.told}")


def ends_of_starved_fits(n_rows: int) -> dict[str, str]:
    """How each fit ends, from a fresh process: one that has worked before has memory to spare.

    Nor may glibc take from the 64 megabytes that it reserves for each of some threads.
    """
    script = f"from torture.test_too_little_memory import starve_all; starve_all({n_rows})"
    places = [str(Path(__file__).parents[1]), *sys.path]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={
            **os.environ,
            "MALLOC_ARENA_MAX": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(places),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


# An isolation forest draws few rows, so it may need nothing that it does not have.
STARVED = {name: {"MemoryError"} for name in HUNGRY} | {
    "IsolationForest": {"MemoryError", "fitted"}
}


def test_T33_too_little_memory_ends_a_fit_and_nothing_else():
    """An address space of 1.2 x the data: MemoryError, the old model and the next fit as ever."""
    ends = ends_of_starved_fits(60_000)
    assert ends.keys() == HUNGRY.keys()
    assert {name: end for name, end in ends.items() if end not in STARVED[name]} == {}


@pytest.mark.large
@pytest.mark.timeout(900)
def test_T33_too_little_memory_for_a_quarter_of_a_gigabyte_of_rows():
    ends = ends_of_starved_fits(4_000_000)
    assert {name: end for name, end in ends.items() if end not in STARVED[name]} == {}


@pytest.mark.large
@pytest.mark.timeout(1800)
def test_T33_a_model_file_above_two_gigabytes_comes_back_whole(tmp_path):
    """Neighbours keep their rows: 2.2 gigabytes of them."""
    rng = np.random.default_rng(0)
    X = rng.random((550_000, 500))
    y = X[:, 0] > 0.5
    path = tmp_path / "rows.tw"

    def work() -> bool:
        model = tw.KNeighborsClassifier(n_neighbors=3).fit(X, y)
        model.save(path)
        expected = model.predict_proba(X[:20])
        del model
        return bool((tw.load(path).predict_proba(X[:20]) == expected).all())

    outcome = done_in_a_child(work)
    assert outcome.error == "", outcome.told
    assert outcome.answer is True
    assert path.stat().st_size > 2**31
