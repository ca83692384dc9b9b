"""Optimal trees beside pystreed: `python -m benchmarks.optimal`.

Both look for the tree with fewest errors among the same questions: pystreed gets them as columns of
zeros and ones, one for each question of ours. Each fit runs alone on one thread, the best of five
unless it takes long; errors are counted on the training rows, so fewer is better and equal is what
two proofs must come to. Tables that are not there are skipped, and so is pystreed (`pip install
pystreed`) where it is not installed.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.tables import MissingTableError, real_table
from treewright.data.column import NominalColumn
from treewright.data.table import Table
from treewright.data.target import encode_classes
from treewright.induction.optimal.drafts import goes_left
from treewright.induction.optimal.questions import Questions, questions_about

# Most thresholds of a numeric column; None: all. The target is the last column.
TABLES: dict[str, int | None] = {
    "tic_tac_toe": None,
    "car": None,
    "vote": None,
    "monks_2": None,
    "breast_cancer_wisconsin": None,
    "kr_vs_kp": None,
    "mushroom": None,
    "credit_g": 10,
    "titanic": 20,
    "spambase": 5,
    "breast_cancer_wdbc": None,
    "adult": None,
}
MOST_LEVELS = 50  # columns of more words are names and numbers of tickets
LONG = 1.0  # seconds of one fit or of several, then no further one
MOST_BITS = 1000  # pystreed needs memory for all pairs of them


def table_named(name: str) -> tuple[Table, Any]:
    """The columns of a table that trees can use, and its target."""
    table = tw.read_table(real_table(f"{name}.csv.gz"))
    X, y = table.split_target(table.names[-1])
    names = [
        column.name
        for column in X.columns
        if isinstance(column, NominalColumn) and len(column.levels) > MOST_LEVELS
    ]
    return X.drop(names), y


def zeros_and_ones(questions: Questions) -> np.ndarray:
    """A column for every question about the table."""
    predictions = []
    for number, family in enumerate(questions.families):
        column = questions.columns[family.column]
        cuts = range(1) if len(family.levels) or column.is_nominal else range(column.n_values)
        predictions += [goes_left(questions, number, cut) for cut in cuts]
    matrix = np.unique(np.array(predictions), axis=0).T
    return matrix[:, (matrix.any(axis=0)) & (~matrix.all(axis=0))].astype(np.int32)


def best_of_five(fit: Callable[[], Any]) -> tuple[Any, float, float]:
    """A fitted model, and the least wall and processor seconds of up to five fits."""
    walls, cpus = [], []
    while len(walls) < 5 and sum(walls) < LONG:
        start = time.perf_counter(), time.process_time()
        model = fit()
        walls.append(time.perf_counter() - start[0])
        cpus.append(time.process_time() - start[1])
    return model, min(walls), min(cpus)


def ours(X: Any, y: Any, depth: int, max_cuts: int | None, limit: float) -> dict[str, Any]:
    settings = {"max_depth": depth, "max_cuts": max_cuts, "time_limit": limit, "n_jobs": 1}
    model, wall, cpu = best_of_five(lambda: tw.OptimalTreeClassifier(**settings).fit(X, y))
    assert model.proof_ is not None
    wrong = int(np.count_nonzero(model.predict(X) != np.asarray(y)))
    assert wrong == model.proof_.errors
    return {"errors": wrong, "proven": model.proven_, "wall": wall, "cpu": cpu}


def theirs(matrix: np.ndarray, y: np.ndarray, depth: int, limit: float) -> dict[str, Any]:
    from pystreed import STreeDClassifier

    model, wall, cpu = best_of_five(
        lambda: STreeDClassifier("accuracy", max_depth=depth, time_limit=limit).fit(matrix, y)
    )
    wrong = int(np.count_nonzero(model.predict(matrix) != y))
    return {"errors": wrong, "proven": wall < limit, "wall": wall, "cpu": cpu}


def shown(found: dict[str, Any] | None) -> str:
    if found is None:
        return f"{'-':>8} {'-':>9} {'-':>9}"
    errors = f"{found['errors']}{'' if found['proven'] else '?'}"
    return f"{errors:>8} {1000 * found['wall']:9.1f} {1000 * found['cpu']:9.1f}"


def compare(name: str, depth: int, limit: float, has_peer: bool) -> bool:
    """One line of the table; whether ours is no worse."""
    max_cuts = TABLES[name]
    X, y = table_named(name)
    codes = encode_classes(y).codes
    questions = questions_about(X, "one_vs_rest", max_cuts)
    n_bits = questions.n_questions
    peer = None
    mine = ours(X, y, depth, max_cuts, limit)
    if n_bits <= MOST_BITS:
        matrix = zeros_and_ones(questions)
        n_bits = matrix.shape[1]
        peer = theirs(matrix, codes, depth, limit) if has_peer else None
    size = f"{len(codes)} x {n_bits}"
    print(f"{name:24} {depth:5} {size:>13} {shown(mine)} {shown(peer)}", flush=True)
    return peer is None or mine["errors"] <= peer["errors"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--depth", type=int, nargs="*", default=[2, 3])
    parser.add_argument("--time-limit", type=float, default=60.0)
    options = parser.parse_args()
    has_peer = find_spec("pystreed") is not None
    tw.OptimalTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])  # whatever loads on first use
    print(f"{'':45}{'treewright':^27} {'pystreed' if has_peer else '(no pystreed)':^27}")
    heads = f"{'errors':>8} {'wall ms':>9} {'cpu ms':>9}"
    print(f"{'table':24} {'depth':>5} {'rows x bits':>13} {heads} {heads}")
    no_worse = True
    for name in options.tables:
        try:
            for depth in options.depth:
                no_worse &= compare(name, depth, options.time_limit, has_peer)
        except MissingTableError as error:
            print(f"{name:24} skipped: {error}")
    print("? not proven in time")
    return 0 if no_worse else 1


if __name__ == "__main__":
    raise SystemExit(main())
