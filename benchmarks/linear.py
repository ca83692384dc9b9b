"""How near gradient descent comes to the solution without descent, and how fast.

    python -m benchmarks.linear                     # all tables, as Markdown
    python -m benchmarks.linear diamonds adult      # some of them

On made rows (100,000 x 20, numbers of many units) and on real tables: steps of the batch descent
with default settings, seconds of processor time on one thread, the same for the normal equations
or Newton's method, how much more the descent's result costs, and the largest difference of two
predictions (for numbers by their standard deviation, for classes of probabilities). Tables that
are not there are left out, and said so.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.tables import MissingTableError, real_table

MADE = "made"
TABLES = (
    MADE,
    "diamonds",
    "california_housing",
    "cpu_act",
    "abalone",
    "insurance",
    "winequality_white",
    "adult",
    "bank_marketing",
    "spambase",
    "mushroom",
    "iris",
)


def main(arguments: list[str]) -> None:
    print("| table | rows | terms | steps | s | direct s | cost more by | predictions differ by |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in arguments or TABLES:
        try:
            X, y, nominal = made_rows() if name == MADE else read(name)
        except (MissingTableError, FileNotFoundError, KeyError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        print(line_of(name, X, y, nominal), flush=True)


def made_rows() -> tuple[Any, Any, Any]:
    """Independent numbers of units from a thousandth to a thousand, and noise."""
    generator = np.random.default_rng(0)
    units = np.logspace(-3, 3, 20)
    X = generator.normal(size=(100_000, 20)) * units + units
    y = X @ (generator.uniform(1, 2, 20) / units) + generator.normal(size=100_000)
    return X, y, "from_dtype"


def read(name: str) -> tuple[Any, Any, Any]:
    """A real table, its target as numbers or classes, and the names of its nominal columns."""
    about = json.loads(real_table("schema.json").read_text(encoding="utf-8"))[name]
    target = about["target"]
    kinds = about["columns"].items()
    nominal = [column for column, kind in kinds if kind == "categorical" and column != target]
    X, y = tw.read_table(real_table(about["file"])).split_target(target)
    return X, y.astype(float if about["task"] == "regression" else str), nominal


def line_of(name: str, X: Any, y: Any, nominal: Any) -> str:
    is_number = np.asarray(y).dtype.kind == "f"
    kind = tw.GradientDescentRegressor if is_number else tw.GradientDescentClassifier
    solver = "normal_equations" if is_number else "newton"
    shared = {"categorical_features": nominal, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        descent, seconds = timed(lambda: kind(**shared).fit(X, y))
        direct, direct_seconds = timed(lambda: kind(solver=solver, **shared).fit(X, y))
        if is_number:
            gap = np.abs(descent.predict(X) - direct.predict(X)).max() / np.std(y)
        else:
            gap = np.abs(descent.predict_proba(X) - direct.predict_proba(X)).max()
    more = descent.cost_ / direct.cost_ - 1
    return (
        f"| {name} | {len(y)} | {len(descent.term_names_)} | {descent.n_iter_} | {seconds:.2f} "
        f"| {direct_seconds:.2f} | {more:.1e} | {gap:.1e} |"
    )


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and its processor time."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


if __name__ == "__main__":
    main(sys.argv[1:])
