"""What choosing the rounds costs: processor time of the default and of `n_estimators=500`.

    python -m benchmarks.quality.fit_times            tables of up to 2,000 rows that chose defaults
    python -m benchmarks.quality.fit_times iris wine  some of them

One fit of each whole table on one thread; the shorter of two times counts.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.quality.problems import CHOSEN_BY, Problem, problem

MOST_ROWS = 2_000


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    found = []
    print("| table | rows | classes | 500 rounds, s | default, s | ratio | rounds | trees |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for name in names:
        some = problem(name)
        if len(some.y) > MOST_ROWS:
            continue
        before, _ = fitted(some, n_estimators=500)
        after, model = fitted(some)
        found.append((before, after))
        print(
            f"| {name} | {len(some.y)} | {some.n_classes} | {before:.2f} | {after:.2f} "
            f"| {after / before:.1f} | {model.n_estimators_} | {model.growth_} |",
            flush=True,
        )
    before, after = np.sum(found, axis=0)
    ratios = [late / early for early, late in found]
    print(f"\nIn sum {after / before:.2f}, median of the ratios {np.median(ratios):.2f}.")


def fitted(some: Problem, **settings: Any) -> tuple[float, Any]:
    """Seconds of processor time, and the model."""
    kind = tw.BoostedTreesClassifier if some.n_classes else tw.BoostedTreesRegressor
    seconds = []
    for _ in range(2):
        start = time.process_time()
        model = kind(n_jobs=1, **settings).fit(some.X, some.y)
        seconds.append(time.process_time() - start)
    return min(seconds), model


if __name__ == "__main__":
    main(sys.argv[1:] or CHOSEN_BY)
