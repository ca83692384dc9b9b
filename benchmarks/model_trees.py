"""Model trees beside regression trees: leaves and errors, a table for the docs.

    python -m benchmarks.model_trees                # all tables, as Markdown
    python -m benchmarks.model_trees auto_mpg tips  # some of them
    python -m benchmarks.model_trees --time         # how long fits take, 20,000 x 10

CARTRegressor pruned by cross-validation, the regression tree of M5 and M5 itself, in the same ten
shuffled folds: mean leaves, and the root mean squared error of all rows as a percentage of the
standard deviation of the target. Columns that name the rows are left out. Tables that are not there
are left out as well, and said so.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

import treewright as tw
from benchmarks.pruning_methods import read
from benchmarks.tables import friedman_like
from treewright.estimators.training import columns_like_ids

TABLES = (
    "auto_mpg",
    "boston_housing",
    "abalone",
    "insurance",
    "tips",
    "diabetes_progression",
    "ram_price",
    "winequality_red",
    "cpu_act",
    "ames_housing",
)
MODELS: dict[str, dict[str, Any]] = {
    "CART": {"estimator": tw.CARTRegressor, "prune": "cv"},
    "M5, means": {"estimator": tw.M5Regressor, "models": False},
    "M5": {"estimator": tw.M5Regressor},
}
FOLDS = 10


def main(arguments: list[str]) -> None:
    if arguments == ["--time"]:
        show_times()
        return
    heads = [f"{name} {what}" for name in MODELS for what in ("leaves", "error %")]
    print(f"| table | rows | {' | '.join(heads)} |")
    print(f"|---|---:|{'---:|' * len(heads)}")
    for name in arguments or TABLES:
        try:
            X, y, nominal = read(name)
        except (FileNotFoundError, KeyError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        names = columns_like_ids(X)
        X, nominal = X.drop(names), [column for column in nominal if column not in names]
        cells = [name.replace("_", " "), f"{len(y):,}"]
        for settings in MODELS.values():
            leaves, error = result_of(settings, X, np.asarray(y, dtype=np.float64), nominal)
            cells += [f"{leaves:.1f}", f"{100 * error:.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def result_of(
    settings: dict[str, Any], X: tw.Table, y: np.ndarray, nominal: Any
) -> tuple[float, float]:
    """Mean leaves, and the error as a share of the standard deviation of the target."""
    own = {name: value for name, value in settings.items() if name != "estimator"}
    model = settings["estimator"](**own, categorical_features=nominal, n_jobs=1)
    leaves, predictions = [], np.empty(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a fold may lack a rare level
        for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(y):
            model.fit(X[train], y[train])
            predictions[test] = model.predict(X[test])
            leaves.append(model.get_n_leaves())
    return float(np.mean(leaves)), float(np.sqrt(np.mean((predictions - y) ** 2)) / y.std())


def show_times() -> None:
    """Processor time of fits to made-up rows, by one thread."""
    for n_rows in (20_000, 200_000):
        X, y = friedman_like(n_rows, n_columns=10)[:2]
        begin = time.process_time()
        model = tw.M5Regressor(n_jobs=1).fit(X, y)
        seconds = time.process_time() - begin
        print(f"{n_rows:,} x 10: {seconds:.2f} s, {model.get_n_leaves()} leaves")


if __name__ == "__main__":
    main(sys.argv[1:])
