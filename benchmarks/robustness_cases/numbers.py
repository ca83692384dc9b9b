"""Rounding, order and repetition: T62 to T70."""

import numpy as np

from benchmarks.robustness_cases.case import case
from benchmarks.robustness_cases.libraries import NUMBERS
from benchmarks.robustness_cases.values import INFINITE

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(2000, 5))
NOISY = np.where(TABLE[:, 0] > 0, 3.0, 1.0) + np.where(TABLE[:, 1] > 0.5, 0.5, 0.0)


@case("T62", "targets moved up by 1,000,000,000: the same splits")
def moved_targets(library):
    plain = library.tree(NUMBERS, max_depth=3).fit(TABLE, NOISY).predict(TABLE)
    moved = library.tree(NUMBERS, max_depth=3).fit(TABLE, NOISY + 1e9).predict(TABLE)
    return np.allclose(moved - 1e9, plain, atol=1e-3)


@case("T63", "targets close to the largest double: finite answers", names=(INFINITE,))
def giant_targets(library):
    y = np.where(TABLE[:, 0] > 0, 1.6e308, -1.6e308)
    predictions = library.tree(NUMBERS).fit(TABLE, y).predict(TABLE)
    return np.allclose(predictions / 1e308, y / 1e308)


@case("T66", "shares of 60 classes add up to 1", seconds=180)
def shares_add_up(library):
    y = RNG.integers(0, 60, len(TABLE))
    shares = np.asarray(library.boosted(n_estimators=5).fit(TABLE, y).predict_proba(TABLE))
    rounding = 60 * np.finfo(shares.dtype).eps
    return bool((abs(shares.sum(axis=1) - 1) <= rounding).all() and (shares >= 0).all())


@case("T67", "2,000 rounds at full rate on classes that separate: finite shares", seconds=120)
def separable_classes(library):
    x = TABLE[:200]
    model = library.boosted(n_estimators=2000, learning_rate=1.0).fit(x, (x[:, 0] > 0).astype(int))
    shares = np.asarray(model.predict_proba(x))
    return bool(np.isfinite(shares).all() and (shares.argmax(axis=1) == (x[:, 0] > 0)).all())


@case("T68", "1, 2 and 3 threads: the same shares, bit for bit", seconds=120)
def number_of_threads(library):
    x = RNG.normal(size=(50_000, 10))
    y = (x[:, :3].sum(axis=1) + RNG.normal(size=len(x)) > 0).astype(int)
    predictions = [
        np.asarray(library.boosted(n_estimators=30, n_jobs=n).fit(x, y).predict_proba(x))
        for n in (1, 2, 3)
    ]
    return all(np.array_equal(prediction, predictions[0]) for prediction in predictions)


@case("T70", "one row at a time is as all at once")
def one_row_at_a_time(library):
    model = library.boosted(NUMBERS).fit(TABLE, NOISY)
    at_once = np.asarray(model.predict(TABLE[:200]))
    return all(model.predict(TABLE[i : i + 1])[0] == at_once[i] for i in range(200))


@case("T70", "the order of the rows does not change a tree")
def order_of_rows(library):
    y = (TABLE.sum(axis=1) > 0).astype(int)
    shuffled = RNG.permutation(len(TABLE))
    model = library.tree(max_depth=6).fit(TABLE, y)
    other = library.tree(max_depth=6).fit(TABLE[shuffled], y[shuffled])
    return np.array_equal(model.predict_proba(TABLE), other.predict_proba(TABLE))
