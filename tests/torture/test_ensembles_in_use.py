"""Odd settings, sizes, threads, forks and interrupts of ensembles: T25 to T32, T42 to T44."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import treewright as tw
from contracts.ensembles import (
    BOOSTED,
    PREDICTORS,
    answers,
    for_every_predictor,
    numbers,
    small,
)
from treewright.any_model.saved_model import model_bytes

ODD = [-1, 0, 1.5, float("nan"), float("inf"), "3", True, None, [], 2**63]
EVERY_PARAMETER = [
    pytest.param(kind, param, id=f"{kind.__name__}-{param.name}")
    for kind in PREDICTORS.values()
    for param in kind.params
]
COSTLY = {"n_estimators": [2**63]}  # legal, and as long as it says


def refusal_of(model, X, y) -> str | None:
    """What fit has against this table; None if it fits."""
    try:
        model.fit(X, y)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("kind", "param"), EVERY_PARAMETER)
def test_T25_every_odd_value_is_refused_at_fit_or_gives_trees(kind, param):
    X, y = numbers(20)
    for value in ODD:
        if value in COSTLY.get(param.name, []):
            continue
        model = kind(**{"n_estimators": 2, param.name: value})  # never refused here
        try:
            param.check(value)
        except tw.ParameterError:
            with pytest.raises(tw.ParameterError) as caught:
                model.fit(X, y)
            assert f"{param.name}=" in str(caught.value)
            assert param.allowed in str(caught.value)
            assert not hasattr(model, "trees_")
        else:
            refusal = refusal_of(model, X, y)  # right alone, but wrong with the others?
            assert refusal is None or param.name in refusal


@for_every_predictor
def test_T26_legal_extremes_give_a_correct_model(kind):
    X, y = numbers(40)
    whole = small(kind).fit(X, y)
    for params in ({"min_samples_leaf": 10**6}, {"min_gain": float("inf")}):
        for tree in small(kind, **params).fit(X, y).trees_:
            assert tree.n_nodes == 1
    for params in ({"max_depth": 10**9}, {"max_depth": 2**63}):
        deep = small(kind, **params).fit(X, y)
        np.testing.assert_array_equal(answers(deep, X), answers(whole, X))
    assert np.isfinite(answers(small(kind, max_bins=2).fit(X, y), X)).all()
    assert len(kind(n_estimators=1).fit(X, y).predict(X)) == 40
    if kind in BOOSTED:
        assert np.isfinite(answers(small(kind, learning_rate=1e-300).fit(X, y), X)).all()


@for_every_predictor
def test_T27_seeds_and_threads_of_every_kind(kind):
    X, y = numbers(100)
    for seed in (0, np.int64(3), None, np.random.RandomState(0), np.random.default_rng(0)):
        small(kind, random_state=seed).fit(X, y)
    for odd in (-1, 1.5):
        with pytest.raises(ValueError, match=f"random_state={odd}"):
            kind(random_state=odd).fit(X, y)
    with pytest.raises(ValueError, match="n_jobs=0"):
        kind(n_jobs=0).fit(X, y)
    many = {model_bytes(small(kind, n_jobs=n).fit(X, y)) for n in (1, -1, 10_000)}
    assert len(many) == 1


@for_every_predictor
def test_T28_an_unknown_parameter_gets_the_nearest_name(kind):
    with pytest.raises(ValueError, match=r"`max_detph`(.*\n)*.*did you mean `max_depth`"):
        kind().set_params(max_detph=3)


@for_every_predictor
def test_T31_many_columns_and_many_classes(kind):
    rng = np.random.default_rng(0)
    wide = rng.random((50, 5_000))
    small(kind, n_estimators=2).fit(wide, wide[:, 7] > 0.5)
    if is_classifier(kind()):
        X = rng.random((3_000, 3))
        model = small(kind, n_estimators=1, max_depth=4).fit(X, np.arange(3_000) % 300)
        assert model.predict_proba(X[:5]).shape == (5, 300)


@for_every_predictor
def test_T32_a_nominal_column_with_very_many_levels(kind):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 20_000, 40_000)
    X = pd.DataFrame({"id": pd.Categorical.from_codes(codes, [f"i{i}" for i in range(20_000)])})
    y = (codes % 7 < 3).astype(int)
    model = small(kind, n_estimators=2).fit(X, y)
    assert np.isfinite(answers(model, X)).all()


@for_every_predictor
def test_T43_models_can_be_fitted_and_asked_by_several_threads(kind):
    X, y = numbers(500, 5)
    model = small(kind).fit(X, y)
    expected, content = answers(model, X), model_bytes(model)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: answers(model, X), range(8)):
            np.testing.assert_array_equal(found, expected)
        for other in pool.map(lambda _: model_bytes(small(kind, n_jobs=2).fit(X, y)), range(8)):
            assert other == content


IN_A_FORKED_CHILD = """
import multiprocessing, sys
import numpy as np, treewright as tw
from treewright.any_model.saved_model import model_bytes
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 6)); y = X[:, 0] > X[:, 1]
def fit(kind):
    return model_bytes(kind(n_estimators=4, n_jobs=4).fit(X, y))
kinds = [tw.RandomForestClassifier, tw.BoostedTreesRegressor]
before = [fit(kind) for kind in kinds]
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert pool.map(fit, kinds) == before
assert [fit(kind) for kind in kinds] == before
"""


def test_T42_a_forked_child_fits_the_same_model():
    subprocess.run([sys.executable, "-c", IN_A_FORKED_CHILD], check=True, timeout=120)


INTERRUPTED = """
import signal, threading, time
import numpy as np, treewright as tw
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 20)); y = X[:, 0] > X[:, 1]
for kind in (tw.RandomForestClassifier, tw.ExtraTreesRegressor, tw.BoostedTreesClassifier):
    model = kind(n_estimators=100_000)
    began = []
    def strike():
        began.append(time.monotonic())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    threading.Timer(0.7, strike).start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        late = time.monotonic() - began[0]
        assert late < 10, late  # a second on a machine of its own
    else:
        raise SystemExit("was not interrupted")
    assert not hasattr(model, "trees_")
    small = kind(n_estimators=2).fit(X[:500], y[:500])
    assert len(small.predict(X[:5])) == 5
"""


def test_T44_an_interrupt_ends_the_fit_and_leaves_nothing():
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=200)
