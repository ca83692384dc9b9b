"""T33: memory that runs out ends a fit and nothing else; files larger than two gigabytes."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from small_tables import numbers
from torture.in_a_child import bytes_in_use, can_limit_memory, done_in_a_child
from torture.models import MODELS, Model, is_sane, learned, prediction_of, predictions
from treewright.verbs.load import model_bytes, model_from_bytes
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


QUICK = {  # settings that make a fit short
    "OptimalTreeClassifier": {"max_depth": 1},
    "KMeans": {"n_clusters": 3, "n_init": 1},
    "KPrototypes": {"n_clusters": 3, "n_init": 1},
    "GradientDescentRegressor": {"max_iter": 3},
    "GradientDescentClassifier": {"max_iter": 3},
}


def quick(kind: Model) -> Any:
    """An estimator whose fit is short, on two threads where it has threads."""
    model = kind(**QUICK.get(kind.name, {}))
    return model.set_params(n_jobs=2) if "n_jobs" in model.get_params() else model


def ended_as(work: Callable[[], object], megabytes: float) -> str:
    """How a call ends that has so much more memory than is in use."""
    with little_memory(megabytes):
        try:
            work()
        except MemoryError:
            return "MemoryError"
    return "done"


def starved(kind: Model, n_rows: int) -> str:
    """Fit with too little memory; then the old model is as before and the next fit works."""
    X, y = numbers(n_rows, 8)
    np.dot(y * 1.0, X)  # OpenBLAS ends the process if it gets no memory of its own at first
    model = quick(kind).fit(X[:200], y[:200])
    before = learned(model)
    ended = ended_as(partial(model.fit, X, y), X.nbytes * 0.2 / 2**20)
    if ended == "MemoryError":
        assert learned(model) == before
        assert is_sane(predictions(model, X[:50]))
    assert learned(model.fit(X[:200], y[:200])) == before
    return ended


def starved_of_answers(kind: Model, n_rows: int) -> str:
    """Ask, save and load with too little memory; then all of it works, and as before."""
    X, y = numbers(n_rows, 8)
    np.dot(y * 1.0, X)
    rows = n_rows if kind.name.startswith("KNeighbors") else 500  # which a model of rows keeps
    model = quick(kind).fit(X[:rows], y[:rows])
    few, before = predictions(model, X[:50]), learned(model)
    ends = {
        ended_as(partial(prediction_of, model, X), part * X.nbytes / 2**20) for part in (0, 0.1)
    }
    if kind.is_saved:
        for part in (0.0, 0.1, 0.5, 1.5):
            megabytes = part * len(before) / 2**20
            ends.add(ended_as(partial(model_bytes, model), megabytes))
            ends.add(ended_as(partial(model_from_bytes, before), megabytes))
        assert learned(model_from_bytes(before)) == before
    assert (predictions(model, X[:50]) == few).all()
    assert learned(model) == before
    return " or ".join(sorted(ends))


def starve_all(work: Callable[[Model, int], str], n_rows: int) -> None:
    """Print how the work with each model ends, one after the other in children of this process."""
    for name, kind in MODELS.items():
        outcome = done_in_a_child(partial(work, kind, n_rows))
        print(name, outcome.result or f"{outcome.error}: {outcome.told}".replace("\n", " "))


def ends_of(work: Callable[[Model, int], str], n_rows: int) -> dict[str, str]:
    """How each ends, from a fresh process: one that has worked before has memory to spare.

    Nor may glibc take from the 64 megabytes that it reserves for each of some threads.
    """
    call = f"starve_all(tests.{work.__name__}, {n_rows})"
    script = f"from torture import test_too_little_memory as tests; tests.{call}"
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
FITS = {name: {"MemoryError"} for name in MODELS} | {"IsolationForest": {"MemoryError", "done"}}


def test_T33_too_little_memory_ends_a_fit_and_nothing_else():
    """An address space of 1.2 x the data: MemoryError, the old model and the next fit as ever."""
    ends = ends_of(starved, 60_000)
    assert ends.keys() == MODELS.keys()
    assert {name: end for name, end in ends.items() if end not in FITS[name]} == {}


@pytest.mark.large
def test_T33_too_little_memory_ends_answers_and_files_and_nothing_else():
    ends = ends_of(starved_of_answers, 60_000)
    assert ends.keys() == MODELS.keys()
    sound = {"MemoryError", "done", "MemoryError or done"}
    assert {name: end for name, end in ends.items() if end not in sound} == {}
    assert sum("MemoryError" in end for end in ends.values()) > len(MODELS) / 2


@pytest.mark.large
@pytest.mark.timeout(900)
def test_T33_too_little_memory_for_a_quarter_of_a_gigabyte_of_rows():
    ends = ends_of(starved, 4_000_000)
    assert {name: end for name, end in ends.items() if end not in FITS[name]} == {}


@pytest.mark.large
@pytest.mark.timeout(1800)
def test_T33_a_model_file_above_two_gigabytes_comes_back_whole(tmp_path):
    """Neighbors keep their rows: 2.2 gigabytes of them."""
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
    assert outcome.result is True
    assert path.stat().st_size > 2**31
