"""Odd settings and legal extremes: T25 to T28."""

import numpy as np

from benchmarks.robustness_cases.case import case
from benchmarks.robustness_cases.values import CLASSES, X

RATE = r"learning_rate|\beta\b|shrinkage"
ROUNDS = "n_estimators|max_iter|num_boost|iteration|rounds|num_trees"


def fit_boosted(library, **settings):
    return library.boosted(**settings).fit(X, CLASSES)


@case(
    "T25",
    "max_depth=-5",
    names=("max_?depth",),
    place="-5",
    legal={"LightGBM": "documents that 0 and below is no limit"},
)
def negative_depth(library):
    fit_boosted(library, max_depth=-5)
    return False


@case("T25", "max_depth=1.5", names=("max_?depth|int",), place=r"1\.5")
def broken_depth(library):
    fit_boosted(library, max_depth=1.5)
    return False


@case("T25", "max_depth='3'", names=("max_?depth",), place="3")
def depth_of_text(library):
    as_number = np.asarray(fit_boosted(library, max_depth=3).predict_proba(X))
    return np.array_equal(fit_boosted(library, max_depth="3").predict_proba(X), as_number)


@case("T25", "learning_rate=nan", names=(RATE,), place="nan")
def rate_that_is_no_number(library):
    fit_boosted(library, learning_rate=float("nan"))
    return False


@case("T25", "learning_rate=-1", names=(RATE,), place="-1")
def negative_rate(library):
    fit_boosted(library, learning_rate=-1.0)
    return False


@case("T25", "n_estimators=0", names=(ROUNDS,), place="0")
def no_trees(library):
    shares = np.asarray(fit_boosted(library, n_estimators=0).predict_proba(X))
    return np.allclose(shares[:, 1], CLASSES.mean(), atol=1e-5)


@case("T25", "n_estimators=2.5", names=(f"{ROUNDS}|int",), place=r"2\.5")
def half_a_tree(library):
    fit_boosted(library, n_estimators=2.5)
    return False


@case("T26", "max_depth=1,000,000,000", names=("max_?depth",))
def endless_depth(library):
    return np.array_equal(fit_boosted(library, max_depth=10**9).predict(X), CLASSES)


@case(
    "T26", "leaves larger than the table: the shares of the classes", names=("leaf|child|samples",)
)
def leaves_larger_than_the_table(library):
    shares = np.asarray(fit_boosted(library, min_samples_leaf=1000).predict_proba(X))
    return np.allclose(shares[:, 1], CLASSES.mean(), atol=1e-5)


@case("T26", "learning_rate=1e-300: finite shares", names=(RATE,))
def endless_patience(library):
    shares = np.asarray(fit_boosted(library, learning_rate=1e-300).predict_proba(X))
    return np.allclose(shares[:, 1], CLASSES.mean(), atol=1e-5)


@case("T27", "random_state=-1", names=("random_state|seed",), place="-1")
def negative_seed(library):
    first = np.asarray(fit_boosted(library, random_state=-1).predict_proba(X))
    return np.array_equal(fit_boosted(library, random_state=-1).predict_proba(X), first)


@case("T27", "n_jobs=0", names=("n_jobs|thread",), place="0")
def no_threads(library):
    usual = np.asarray(fit_boosted(library, n_jobs=1).predict_proba(X))
    return np.array_equal(fit_boosted(library, n_jobs=0).predict_proba(X), usual)


@case("T27", "n_jobs=10,000 does not start 10,000 threads", names=("n_jobs|thread",))
def thousands_of_threads(library):
    from pathlib import Path

    usual = np.asarray(fit_boosted(library, n_jobs=1).predict_proba(X))
    same = np.array_equal(fit_boosted(library, n_jobs=10_000).predict_proba(X), usual)
    return same and len(list(Path("/proc/self/task").iterdir())) < 1000


@case("T28", "a setting that does not exist", names=("max_detph",))
def unknown_setting(library):
    fit_boosted(library, max_detph=3)
    return False
