"""How good treewright's models are beside their peers, on real tables, with nothing set.

Boosted trees and forests by log loss or RMSE, on the tables that chose the defaults and on others
that did not; single trees on three tables, whose numbers ID3 discretizes first.

    python -m benchmarks.quality                              everything: hours
    python -m benchmarks.quality adult digits --only treewright   some of it; the rest is remembered
    python -m benchmarks.quality reported --only CatBoost     one library on the tables that report
    python -m benchmarks.quality unseen                       tables that Python packages ship
    python -m benchmarks.quality trees                        ID3 and other single trees

Every library learns from the same four fifths of a table and is judged on the same fifth, five
times, for two seeds. Larger tables are sampled: 10,000 rows. Two jobs run at once, with one thread
each. The figures go to benchmarks/results; those of tables and contestants that are not run now
stay.
"""

import argparse
import json
import sys
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.libraries import why_skipped
from benchmarks.quality.contestants import CONTESTANTS, TREES, Fold
from benchmarks.quality.page import as_markdown, table_lines
from benchmarks.quality.problems import (
    CHOSEN_BY,
    N_FOLDS,
    REPORTED,
    TREE_TABLES,
    Problem,
    problem,
)
from benchmarks.quality.unseen import UNSEEN
from benchmarks.tables import ROOT, MissingTableError

RESULTS = ROOT / "benchmarks" / "results"
GROUPS = {"reported": REPORTED, "unseen": list(UNSEEN), "chosen": CHOSEN_BY, "trees": TREE_TABLES}
SEEDS = (0, 1)
LEAST = 1e-15  # share of a class, in the logarithm
EVERYBODY = {**CONTESTANTS, **TREES}
Row = dict[str, Any]


def main() -> int:
    options = parse_options()
    rows = remembered()
    for name, field in work_of(options.tables):
        try:
            found = problem(name).sampled()
        except MissingTableError as missing:
            print(f"{name} skipped: {missing}")
            continue
        contestants = [c for c in field if c.lower().startswith(options.only.lower())]
        fresh = run_table(found, contestants, options.jobs)
        rows = rows if options.dry else remembered()  # another run may have written meanwhile
        rows = [row for row in rows if key(row) not in map(key, fresh)] + fresh
        print("\n".join(table_lines(name, fresh)), flush=True)
        if not options.dry:
            keep(rows)
    return 1 if any("failed" in row for row in rows) else 0


def work_of(names: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """The tables that are asked for, with their contestants."""
    work = []
    for name in names or GROUPS:
        field = TREES if name == "trees" else CONTESTANTS
        work += [(table, field) for table in GROUPS.get(name, [name])]
    return work


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="or: " + ", ".join(GROUPS))
    parser.add_argument("--only", default="", help="contestants whose name begins so")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="print, but write no results")
    options = parser.parse_args()
    known = [*GROUPS, *CHOSEN_BY, *REPORTED, *UNSEEN]
    unknown = [name for name in options.tables if name not in known]
    if unknown:
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def run_table(found: Problem, contestants: list[str], jobs: int) -> list[Row]:
    """A row for each contestant: the figures of each fold, and how long the folds took."""
    from joblib import Parallel, delayed

    places = [(seed, fold) for seed in SEEDS for fold in range(N_FOLDS)]
    work = [(name, *place) for name in contestants for place in places]
    results = Parallel(n_jobs=jobs)(delayed(run_fold)(found, *job) for job in work)
    rows: list[Row] = []
    for name in contestants:
        folds = [result for job, result in zip(work, results, strict=True) if job[0] == name]
        row: Row = {"table": found.name, "contestant": name, "n_classes": found.n_classes}
        trouble = next((f for f in folds if "skipped" in f or "failed" in f), None)
        if trouble is None:
            for figure in ("loss", "score"):
                row[figure] = [round(fold[figure], 6) for fold in folds]
            row["seconds"] = round(sum(fold["seconds"] for fold in folds), 2)
        rows.append({**row, **(trouble or {}), "when": time.strftime("%Y-%m-%d")})
    return rows


def run_fold(found: Problem, contestant: str, seed: int, number: int) -> Row:
    """One contestant on one fold, in a process that may have served others."""
    from threadpoolctl import threadpool_limits

    train, test = found.folds(seed)[number]
    y, y_test, n_classes = found.y[train], found.y[test], 0
    if found.n_classes:  # test rows of a class that the training rows lack are not judged
        classes, y = np.unique(y, return_inverse=True)
        test = test[np.isin(y_test, classes)]
        y_test, n_classes = np.searchsorted(classes, found.y[test]), len(classes)
    fold = Fold(found.X.iloc[train], y, found.X.iloc[test], n_classes, found.words, seed, 1)
    start = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            predictions = EVERYBODY[contestant](fold)
        except ModuleNotFoundError as error:
            return {"skipped": why_skipped(error)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:200]}
    seconds = time.process_time() - start
    if not np.isfinite(predictions).all():
        return {"failed": "predictions are not finite"}
    return {**figures(predictions, y_test, np.std(found.y)), "seconds": seconds}


def figures(predictions: NDArray[Any], truth: NDArray[Any], spread: float) -> Row:
    """Log loss, and AUC or accuracy; or RMSE as a share of the standard deviation, and R2."""
    from sklearn.metrics import r2_score, roc_auc_score

    if predictions.ndim == 1:
        loss = np.sqrt(np.mean((predictions - truth) ** 2)) / spread
        return {"loss": float(loss), "score": float(r2_score(truth, predictions))}
    own = predictions[np.arange(len(truth)), truth]
    loss = -np.log(np.maximum(own, LEAST)).mean()
    if predictions.shape[1] == 2:
        return {"loss": float(loss), "score": float(roc_auc_score(truth, predictions[:, 1]))}
    return {"loss": float(loss), "score": float(np.mean(predictions.argmax(axis=1) == truth))}


def key(row: Row) -> tuple[str, str]:
    return row["table"], row["contestant"]


def remembered() -> list[Row]:
    path = RESULTS / "quality.json"
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return [row for row in rows if row["contestant"] in EVERYBODY and "n_classes" in row]


def keep(rows: list[Row]) -> None:
    """Write the figures, in the order of the lists."""
    tables, contestants = [*REPORTED, *UNSEEN, *CHOSEN_BY], list(EVERYBODY)
    rows.sort(key=lambda row: (tables.index(row["table"]), contestants.index(row["contestant"])))
    RESULTS.mkdir(exist_ok=True)
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    (RESULTS / "quality.json").write_text(text, encoding="utf-8")
    (RESULTS / "quality.md").write_text(as_markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
