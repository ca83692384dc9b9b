"""How good treewright's models are beside their peers, on real tables, with nothing set.

Boosted trees and forests on ten tables; single trees on three, whose numbers ID3 cuts in advance.

    python -m benchmarks.quality                              everything
    python -m benchmarks.quality adult digits --only treewright   some of it; the rest is remembered
    python -m benchmarks.quality iris wine letter             ID3 and other single trees

Every library learns from the same four fifths of a table and is judged on the same fifth, five
times. Two jobs run at once, with one thread each. The figures go to benchmarks/results; those of
tables and contestants that are not run now stay.
"""

import argparse
import json
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.libraries import why_skipped
from benchmarks.quality.contestants import CONTESTANTS, TREES, Fold
from benchmarks.quality.page import as_markdown, table_line
from benchmarks.quality.problems import N_FOLDS, TABLES, TREE_TABLES, Problem, problem
from benchmarks.tables import ROOT, MissingTableError

RESULTS = ROOT / "benchmarks" / "results"
EVERY_TABLE = {**TABLES, **TREE_TABLES}
EVERYBODY = {**CONTESTANTS, **TREES}
Row = dict[str, Any]


def main() -> int:
    options = parse_options()
    rows = remembered()
    for name in options.tables or EVERY_TABLE:
        try:
            found = problem(name)
        except MissingTableError as missing:
            print(f"{name} skipped: {missing}")
            continue
        field = TREES if name in TREE_TABLES else CONTESTANTS
        contestants = [c for c in field if c.lower().startswith(options.only.lower())]
        fresh = run_table(found, contestants, options.jobs)
        rows = rows if options.dry else remembered()  # another run may have written meanwhile
        rows = [row for row in rows if (row["table"], row["contestant"]) not in keys(fresh)] + fresh
        print(table_line(name, [row for row in rows if row["table"] == name]), flush=True)
        if not options.dry:
            keep(rows)
    print(as_markdown(rows))
    return 1 if any("failed" in row for row in rows) else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(EVERY_TABLE))
    parser.add_argument("--only", default="", help="contestants whose name begins so")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="print, but write no results")
    options = parser.parse_args()
    unknown = [name for name in options.tables if name not in EVERY_TABLE]
    if unknown:
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(EVERY_TABLE)}")
    return options


def run_table(found: Problem, contestants: list[str], jobs: int) -> list[Row]:
    """A row for each contestant: the quality of each fold, and how long the folds took."""
    from joblib import Parallel, delayed

    work = [(name, fold) for name in contestants for fold in range(N_FOLDS)]
    results = Parallel(n_jobs=jobs)(delayed(run_fold)(found.name, *job) for job in work)
    rows: list[Row] = []
    for name in contestants:
        folds = [result for job, result in zip(work, results, strict=True) if job[0] == name]
        row: Row = {"table": found.name, "contestant": name, "measure": found.measure}
        trouble = next((f for f in folds if "skipped" in f or "failed" in f), None)
        if trouble is None:
            row["qualities"] = [fold["quality"] for fold in folds]
            row["seconds"] = round(sum(fold["seconds"] for fold in folds), 2)
        rows.append({**row, **(trouble or {}), "when": time.strftime("%Y-%m-%d")})
    return rows


def run_fold(table: str, contestant: str, number: int) -> Row:
    """One contestant on one fold, in a process that may have served others."""
    from threadpoolctl import threadpool_limits

    found = problem(table)
    train, test = found.folds()[number]
    fold = Fold(found, found.X.iloc[train], found.y[train], found.X.iloc[test], 1)
    start = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            predictions = EVERYBODY[contestant](fold)
        except ModuleNotFoundError as error:
            return {"skipped": why_skipped(error)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"}
    if not np.isfinite(predictions).all():
        return {"failed": "answers are not finite"}
    seconds = time.process_time() - start
    return {"quality": found.quality(predictions, found.y[test]), "seconds": seconds}


def keys(rows: list[Row]) -> set[tuple[str, str]]:
    return {(row["table"], row["contestant"]) for row in rows}


def remembered() -> list[Row]:
    path = RESULTS / "quality.json"
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return [row for row in rows if row["table"] in EVERY_TABLE and row["contestant"] in EVERYBODY]


def keep(rows: list[Row]) -> None:
    """Write the figures, in the order of the lists."""
    order = list(EVERY_TABLE), list(EVERYBODY)
    rows.sort(key=lambda row: (order[0].index(row["table"]), order[1].index(row["contestant"])))
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(rows, indent=1) + "\n"
    (RESULTS / "quality.json").write_text(text, encoding="utf-8")
    (RESULTS / "quality.md").write_text(as_markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
