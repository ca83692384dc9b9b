"""A prediction belongs to one fit, even if another thread refits the model meanwhile."""

import sys
import threading
import time

import numpy as np
import pytest

from torture.models import for_every

SECONDS = 0.4
METHODS = ("predict", "predict_proba", "decision_function", "apply", "transform", "score_samples")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).round(2)
WITH_MISSING = np.where(RNG.random((40, 3)) < 0.2, np.nan, X)


@pytest.fixture(autouse=True)
def threads_that_change_often():
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def targets_of(kind):
    """Two targets whose models differ in all they learn; those of classes in their number."""
    if kind.is_classifier:
        many = kind.takes_any_number_of_classes
        first = np.where(X[:, 0] > 0, "high", "low")
        return first, np.array(["a", "b", "c"])[np.arange(40) % 3] if many else first[::-1]
    return X[:, 0] * 3, X[:, 1] ** 2 - 100


def predictions(model, table):
    """What the model says of the rows, by method; a table as text."""
    found = {}
    for name in METHODS:
        if callable(getattr(model, name, None)):
            found[name] = values_of(getattr(model, name)(table))
    return found


def values_of(said):
    return said if isinstance(said, np.ndarray) else said.to_pandas().to_csv()


def is_same(one, other):
    return np.shape(one) == np.shape(other) and np.array_equal(one, other)


@for_every(lambda kind: True)
@pytest.mark.filterwarnings("ignore")
def test_predictions_never_mix_two_fits(kind):
    settings = {"n_clusters": 2} if kind.gives == "groups" else {}
    table = WITH_MISSING if kind.gives == "tables" else X
    tables = (table, table[::-1] * 2.0 + 1.0)
    first, second = targets_of(kind) if kind.has_target else (np.arange(40) % 2, np.arange(40) % 3)
    fits = [(tables[0], first), (tables[1], second)]
    expected = [predictions(kind(**settings).fit(*fit), table) for fit in fits]
    model = kind(**settings).fit(*fits[0])
    is_over, troubles = threading.Event(), []

    def refit():
        while not is_over.is_set():
            for fit in fits:
                model.fit(*fit)

    other = threading.Thread(target=refit)
    other.start()
    end = time.perf_counter() + SECONDS
    try:
        while time.perf_counter() < end and not troubles:
            for name in expected[0]:
                said = values_of(getattr(model, name)(table))
                if not any(is_same(said, known[name]) for known in expected):
                    troubles.append(name)
    finally:
        is_over.set()
        other.join()
    assert not troubles
