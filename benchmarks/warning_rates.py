"""How often the warnings are raised on real tables, and on chance: the tables of docs/warnings.md.

    TREEWRIGHT_BENCH_DATA=FOLDER python -m benchmarks.warning_rates

Not timed. The folder holds `schema.json` (target and task of each table) and the tables. Each is
searched for leaks, and a tree of depth 4 is compared with guessing by ten folds, on at most 2,000
rows. Then the target of at most 300 rows is shuffled: now no model is better than guessing, and
every "better" is wrong.
"""

import json
import os
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.tables import DATA_FOLDER, ROOT
from treewright.data.leaks import leaks_in, target_phrase
from treewright.evaluation.protocol import usual_folds

MOST_ROWS, MOST_SHUFFLED = 2000, 300
N_SHUFFLES = 3


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get(DATA_FOLDER) or ROOT.parent / "shared" / "data")
    schema = json.loads((folder / "schema.json").read_text())
    n_columns, alarms, verdicts, false = 0, Counter[str](), Counter[str](), 0
    n_shuffled = 0
    for name in names or sorted(schema):
        about = schema[name]
        table = tw.read_table(folder / about["file"])
        target, X = table[about["target"]], table.drop(about["target"])
        is_classes = about["task"] == "classification"
        n_columns += X.n_columns
        named = target.renamed(target_phrase(target.name))
        for leak in leaks_in(X, named, of_classes=is_classes):
            alarms[leak.subject] += 1
            print(f"{name}: {leak.subject}: {leak.sentence}")
        rows = np.random.default_rng(0).permutation(table.n_rows)[:MOST_ROWS]
        some, y = X.take(rows), target.take(rows).to_numpy()
        verdict = compared(some, y, is_classes=is_classes)
        verdicts["better" if verdict.is_better else "not better"] += 1
        print(f"{name}: verdict: {verdict}", flush=True)
        for seed in range(N_SHUFFLES):
            mixed = np.random.default_rng(seed + 1).permutation(y[:MOST_SHUFFLED])
            n_shuffled += 1
            false += compared(some[:MOST_SHUFFLED], mixed, is_classes=is_classes).is_better
    print(f"{n_columns} columns; alarms {dict(alarms)}; verdicts {dict(verdicts)}")
    print(f"{false} of {n_shuffled} shuffled targets are called better than guessing")


def compared(X: Any, y: Any, *, is_classes: bool) -> tw.Verdict:
    """The verdict on a small tree."""
    model = (tw.CARTClassifier if is_classes else tw.CARTRegressor)(max_depth=4, prune=None)
    return tw.evaluate(model, X, y, folds=usual_folds(len(y))).verdict


if __name__ == "__main__":
    main(sys.argv[1:])
