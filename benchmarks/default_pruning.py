"""What the default pruning of CART costs and saves: tables for benchmarks/results.

    python -m benchmarks.default_pruning sizes              # leaves and scores on 20 tables
    python -m benchmarks.default_pruning sizes vote adult   # some of them
    python -m benchmarks.default_pruning times              # time, beside scikit-learn and rpart
    python -m benchmarks.default_pruning ratios             # how many growths ten folds cost

`sizes`: five folds; in each, the grown tree, the pruned one, and the subtree of the pruning path
for each of many sizes. The best size is the one of the best mean score on the held-out rows, which
nobody knows beforehand; the loss is what the default tree is below it. Scores are accuracy or R².

`times`: seconds of processor time in one thread, so that other work on the machine does not count,
and once by the clock on all cores (rpart and scikit-learn's trees use one). scikit-learn
searches a grid of `ccp_alpha` (of its own pruning path, evenly spread) in ten folds; nominal
columns are one-hot and missing values are filled, which is not timed. rpart grows with `cp=0` and
`xval=10`.

`ratios`: processor time in one thread of a fit with `prune=None` and with `prune="cv"`, best of
three, and the share of a growth that nodes of many rows take: what trees of folds could be cut
down to. Loads of other programs hardly matter, since both take turns.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from benchmarks.tables import higgs_like, real_table

TABLES = (
    "abalone",
    "adult",
    "auto_mpg",
    "breast_cancer_wdbc",
    "california_housing",
    "car",
    "credit_default_24k",
    "credit_g",
    "diamonds",
    "eucalyptus",
    "hypothyroid",
    "insurance",
    "kr_vs_kp",
    "letter",
    "nursery",
    "soybean",
    "spambase",
    "tic_tac_toe",
    "vote",
    "winequality_white",
)
SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000, 2000, 10**9)
N_FOLDS = 5
OTHER_ERRORS = (0.5, 0.0)
N_ALPHAS = 10  # of scikit-learn's grid
LEAST_ROWS = (100, 1000)  # of nodes that are split


def read(name: str) -> tuple[tw.Table, np.ndarray, Callable[..., Any]]:
    """The table, its target, and how to make a tree for it."""
    about = json.loads(real_table("schema.json").read_text(encoding="utf-8"))[name]
    is_class = about["task"] == "classification"
    kinds = about["columns"]
    nominal = [c for c, kind in kinds.items() if kind == "categorical" and c != about["target"]]
    X, y = tw.read_table(real_table(about["file"])).split_target(about["target"])
    kind = tw.CARTClassifier if is_class else tw.CARTRegressor

    def make(**settings: Any) -> Any:
        return kind(categorical_features=nominal, **settings)

    return X, y.astype(str) if is_class else y.astype(float), make


def sizes(names: list[str]) -> None:
    heads = ["table", "rows", "leaves grown", "pruned", "score grown", "pruned", "best", "at"]
    heads += ["loss", "0.5 SE", "0 SE"]
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    losses = []
    for name in names or TABLES:
        X, y, make = read(name)
        leaves, scores, by_size = scores_of(X, y, make)
        best = int(by_size.argmax())
        losses.append(by_size[best] - np.array(scores[1:]))
        size = "all" if SIZES[best] == SIZES[-1] else str(SIZES[best])
        cells = [name.replace("_", " "), f"{len(y):,}", *(f"{n:,.0f}" for n in leaves)]
        cells += [*(f"{score:.3f}" for score in scores[:2]), f"{by_size[best]:.3f}", size]
        print(f"| {' | '.join([*cells, *(f'{loss:.3f}' for loss in losses[-1])])} |", flush=True)
    means = ", ".join(f"{loss:.4f}" for loss in np.mean(losses, axis=0))
    print(f"\nMean loss against the best size, by 1, 0.5 and 0 standard errors: {means}")


def scores_of(
    X: tw.Table, y: np.ndarray, make: Callable[..., Any]
) -> tuple[list[float], list[float], np.ndarray]:
    """Mean leaves and scores of the grown and the pruned tree, and the score of every size."""
    splitter = StratifiedKFold if y.dtype.kind == "U" else KFold
    leaves, scores, by_size = [], [], []
    for fitted, held_out in splitter(N_FOLDS, shuffle=True, random_state=0).split(
        np.zeros(len(y)), y
    ):
        grown = make(prune=None).fit(X[fitted], y[fitted])
        pruned = make().fit(X[fitted], y[fitted])
        others = [with_standard_errors(pruned, errors) for errors in OTHER_ERRORS]
        leaves.append([grown.get_n_leaves(), pruned.get_n_leaves()])
        models = (grown, pruned, *others)
        scores.append([model.score(X[held_out], y[held_out]) for model in models])
        path = tw.cost_complexity_path(grown, risk="error")
        steps = [int(np.argmax(path.n_leaves <= size)) for size in SIZES]
        known = {
            step: grown.with_tree(path.tree_at(step)).score(X[held_out], y[held_out])
            for step in set(steps)
        }
        by_size.append([known[step] for step in steps])
    means = np.mean(leaves, axis=0).tolist(), np.mean(scores, axis=0).tolist()
    return *means, np.mean(by_size, axis=0)


def with_standard_errors(pruned: Any, errors: float) -> Any:
    """The tree that another number of standard errors chooses, from the same cross-validation."""
    path = pruned.pruning_.path
    if path.held_out is None:
        return pruned
    tree = path.tree_at(path.held_out.simplest(errors))
    return pruned.with_tree(replace(tree, schema=pruned.schema_))


def times(names: list[str]) -> None:
    for name in names or ("adult", "tree_100k"):
        X, y, make = read(name) if name == "adult" else higgs()
        make(n_jobs=1).fit(X[:500], y[:500])
        grown = min(seconds(make(prune=None, n_jobs=1).fit, X, y) for _ in range(3))
        pruned = min(seconds(make(n_jobs=1).fit, X, y) for _ in range(2))
        print(f"{name}: one growth {grown:.2f} s, default pruning {pruned:.2f} s", flush=True)
        grown_by_all = min(wall_seconds(make(prune=None).fit, X, y) for _ in range(3))
        by_all = min(wall_seconds(make().fit, X, y) for _ in range(3))
        print(f"  on all cores, by the clock: {grown_by_all:.2f} s, {by_all:.2f} s", flush=True)
        rpart = seconds_of_rpart(X, y)
        ratios = f"{rpart / pruned:.1f} x, by the clock {rpart / by_all:.1f} x"
        print(f"  rpart: {rpart:.1f} s, {ratios}", flush=True)
        search, n_alphas = seconds_of_search(X, y)
        print(
            f"  scikit-learn, {n_alphas} prices: {search:.0f} s, {search / pruned:.0f} x",
            flush=True,
        )


def ratios() -> None:
    heads = ["table", "leaves", "pruned", "growth", "with `cv`", "ratio", *map(str, LEAST_ROWS)]
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    made = {
        "10,000 x 10, two classes": lambda: made_up(10_000, 10),
        "10,000 x 10, numbers": lambda: made_up(10_000, 10, numbers=True),
        "100,000 x 20, two classes": lambda: made_up(100_000, 20),
        "100,000 x 20, numbers": lambda: made_up(100_000, 20, numbers=True),
        "adult": lambda: read("adult"),
    }
    for name, make_table in made.items():
        X, y, make = make_table()
        plain, pruned = make(prune=None, n_jobs=1), make(prune="cv", n_jobs=1)
        plain.fit(X[:500], y[:500])
        rounds = [(seconds(plain.fit, X, y), seconds(pruned.fit, X, y)) for _ in range(3)]
        growth, with_cv = np.min(rounds, axis=0)
        cells = [name, f"{plain.get_n_leaves():,}", f"{pruned.get_n_leaves():,}"]
        cells += [f"{growth:.3f} s", f"{with_cv:.2f} s", f"{with_cv / growth:.1f}"]
        for least in LEAST_ROWS:
            upper = make(prune=None, n_jobs=1, min_samples_split=least)
            cells.append(f"{min(seconds(upper.fit, X, y) for _ in range(3)) / growth:.2f}")
        print(f"| {' | '.join(cells)} |", flush=True)


def made_up(
    n_rows: int, n_columns: int, *, numbers: bool = False
) -> tuple[np.ndarray, np.ndarray, Callable[..., Any]]:
    """Five useful columns, and as much noise as there is to be found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] - 0.5 * X[:, 4] ** 2
    score += rng.normal(size=n_rows)
    return (X, score, tw.CARTRegressor) if numbers else (X, score > 0, tw.CARTClassifier)


def higgs() -> tuple[np.ndarray, np.ndarray, Callable[..., Any]]:
    X, y = higgs_like(100_000)
    return X, y, tw.CARTClassifier


def seconds(function: Callable[..., Any], *arguments: Any) -> float:
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def wall_seconds(function: Callable[..., Any], *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def seconds_of_search(X: Any, y: np.ndarray) -> tuple[float, int]:
    """The processor time of a search over ten prices in ten folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    matrix = as_numbers(X)
    start = time.process_time()
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(matrix, y)
    alphas = path.ccp_alphas[:: max(1, len(path.ccp_alphas) // N_ALPHAS)][:N_ALPHAS]
    tree = DecisionTreeClassifier(random_state=0)
    GridSearchCV(tree, {"ccp_alpha": alphas}, cv=10).fit(matrix, y)
    return time.process_time() - start, len(alphas)


def as_numbers(X: Any) -> np.ndarray:
    """Nominal columns one-hot, missing numbers as the median."""
    if not isinstance(X, tw.Table):
        return X
    import pandas as pd

    frame = pd.get_dummies(X.to_pandas())
    return frame.fillna(frame.median()).to_numpy(np.float32)


def seconds_of_rpart(X: Any, y: np.ndarray) -> float:
    """The user time of rpart with ten folds, reading not counted."""
    import pandas as pd

    frame = X.to_pandas() if isinstance(X, tw.Table) else pd.DataFrame(X)
    frame["target"] = np.asarray(y).astype(str)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.to_csv(path, index=False)
        code = f"""
            library(rpart)
            d <- read.csv("{path}", stringsAsFactors = TRUE)
            d$target <- factor(d$target)
            t <- system.time(rpart(target ~ ., d, method = "class",
                control = rpart.control(cp = 0, minsplit = 2, minbucket = 1, xval = 10)))
            cat(t[["user.self"]] + t[["sys.self"]])
        """
        found = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return float(found.stdout.split()[-1])


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore", UserWarning)
    if arguments[:1] == ["times"]:
        times(arguments[1:])
    elif arguments[:1] == ["ratios"]:
        ratios()
    else:
        sizes([name for name in arguments if name != "sizes"])


if __name__ == "__main__":
    main(sys.argv[1:])
