"""How fast models of LightGBM are imported, and predict afterwards, beside LightGBM itself.

    python -m benchmarks.imported_models

28 columns, two classes; predictions for 20,000 rows, one thread. The best of several turns; both
libraries take turns, so that they meet the same load. Predictions by processor time, imports by the
clock, since LightGBM compares in a process of its own.
"""

import time
from collections.abc import Callable
from typing import Any

import lightgbm
import numpy as np

import treewright as tw

N_TRAINING, N_ROWS, N_COLUMNS, TURNS = 50_000, 20_000, 28, 3
MODELS = ((300, 31), (1000, 255))  # trees, leaves


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    call()
    return clock() - start


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_TRAINING, N_COLUMNS))
    y = (X[:, :6].sum(axis=1) + X[:, 6] * X[:, 7] + rng.normal(size=N_TRAINING) > 0).astype(int)
    rows = rng.normal(size=(N_ROWS, N_COLUMNS))
    print(
        "| trees x leaves | import | without comparing | LightGBM predicts | treewright | ratio |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    for n_trees, n_leaves in MODELS:
        theirs = lightgbm.LGBMClassifier(n_estimators=n_trees, num_leaves=n_leaves, verbose=-1)
        booster = theirs.fit(X, y).booster_
        text = booster.model_to_string().encode()
        ours = tw.import_model(text, verify=False).set_params(n_jobs=1)
        expected = booster.predict(rows, raw_score=True, num_threads=1)
        assert np.array_equal(ours.raw_scores(rows).ravel(), expected), "scores differ"
        turns = [
            (
                seconds(lambda text=text: tw.import_model(text), time.perf_counter),
                seconds(lambda text=text: tw.import_model(text, verify=False), time.perf_counter),
                seconds(lambda booster=booster: booster.predict(rows, num_threads=1)),
                seconds(lambda ours=ours: ours.predict_proba(rows)),
            )
            for _ in range(TURNS)
        ]
        whole, alone, other, own = np.min(turns, axis=0)
        print(
            f"| {n_trees} x {n_leaves} | {whole:.2f} s | {alone:.2f} s | {other:.3f} s "
            f"| {own:.3f} s | {other / own:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
