"""How often 95 % intervals hold the truth, on tables whose truth is known: a table for the docs.

    python -m benchmarks.interval_coverage

Not timed. Tables of 200 rows are drawn again and again from the same source. Cross-validation is
asked for the accuracy of the way to learn (the mean over many training sets of that size),
hold-out and a saved model for the accuracy of the one tree at hand; both are measured on 20,000
further rows. Beside the corrected intervals stand those that take folds as independent.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright.evaluation.resampled import interval

N_TABLES, N_ROWS, N_FURTHER = 300, 200, 20_000
MODEL = tw.CARTClassifier(max_depth=4, min_samples_leaf=5)
SCHEMES = {
    "10 folds": {"folds": 10},
    "10 x 10 folds": {"folds": 10, "repeats": 10},
    "5 folds": {"folds": 5},
}


@dataclass(frozen=True)
class Intervals:
    """The ends of an interval, and of the one without correction."""

    low: float
    high: float
    naive: tuple[float, float]


def main() -> None:
    generator = np.random.default_rng(0)
    further = rows(generator, N_FURTHER)
    intervals: dict[str, list[Intervals]] = defaultdict(list)
    truths: dict[str, list[float]] = defaultdict(list)
    n_held_by_wilson = 0
    for _ in range(N_TABLES):
        X, y = rows(generator, N_ROWS)
        for name, scheme in SCHEMES.items():
            found = tw.evaluate(MODEL, X, y, **scheme)
            corrected, naive = found.interval("accuracy"), interval(found.scores["accuracy"], 0.0)
            intervals[name].append(
                Intervals(corrected.low, corrected.high, (naive.low, naive.high))
            )
            learned = found.judgments[0].split.train
            truths[name].append(MODEL.fit(X[learned], y[learned]).score(*further))
        fitted = MODEL.fit(X[:100], y[:100])
        between = tw.evaluate_fitted(fitted, X[100:], y[100:]).interval("accuracy")
        n_held_by_wilson += between.low <= fitted.score(*further) <= between.high
    print("| scheme | truth | held by the interval | held without correction |")
    print("|---|---|---|---|")
    for name, found in intervals.items():
        truth = float(np.mean(truths[name]))
        held = np.mean([one.low <= truth <= one.high for one in found])
        naive = np.mean([one.naive[0] <= truth <= one.naive[1] for one in found])
        print(f"| {name} | {truth:.4f} | {held:.1%} | {naive:.1%} |")
    print(f"| one tree on 100 rows | its own | {n_held_by_wilson / N_TABLES:.1%} | |")


def rows(generator: np.random.Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two columns that tell, three that do not, and a tenth of the labels turned round."""
    X = generator.random((n, 5))
    y = (X[:, 0] + X[:, 1] > 1).astype(np.int64)
    is_turned = generator.random(n) < 0.1
    return X, np.where(is_turned, 1 - y, y)


if __name__ == "__main__":
    main()
