"""T42 and T43: forks and threads, as far as one estimator sees them."""

import multiprocessing
import threading

import numpy as np
import pytest

from torture.trees import for_every_estimator, numbers
from treewright.models.model_file import model_bytes


def fit_and_send(queue, kind, X, y):
    model = kind(n_jobs=4).fit(X, y)
    model.predict(X)
    queue.put(model_bytes(model))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@for_every_estimator
def test_T42_a_forked_child_fits_and_predicts_after_its_parent_did(kind):
    X, y = numbers(6000, 10)
    expected = model_bytes(kind(n_jobs=4).fit(X, y))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fit_and_send, args=(queue, kind, X, y))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(timeout=60)
    assert model_bytes(kind(n_jobs=4).fit(X, y)) == expected


@for_every_estimator
def test_T43_threads_fit_and_predict_as_one_after_the_other(kind):
    X, y = numbers(3000, 8)
    model = kind(n_jobs=2).fit(X, y)
    expected, answers = model_bytes(model), model.predict(X)
    results = []

    def work():
        results.append(model_bytes(kind(n_jobs=2).fit(X, y)) == expected)
        results.append(np.array_equal(model.predict(X), answers))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 16
