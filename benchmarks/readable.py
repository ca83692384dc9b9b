"""Trees of few leaves beside those of other libraries: `python -m benchmarks.readable`.

Every library learns from the same four fifths of a table and is judged on the same fifth, five
times, with at most 4, 8, 16 and 32 leaves. Nothing of `ReadableTreeClassifier` was chosen by these
tables. Tables of more rows than `--rows` are sampled once. scikit-learn and imodels get nominal
columns as zeros and ones (the 32 most frequent categories), and imodels and pystreed the median for
a missing number. FIGS is a sum of trees with as many splits as a tree of k leaves has; it knows two
classes only. pystreed searches trees of depth 3 at most, for 10 seconds; its leaves predict the
shares of their training rows.

    python -m benchmarks.readable                  all tables; results/readable.md and the docs page
    python -m benchmarks.readable --dry iris tips --folds 3    a look at some tables
    python -m benchmarks.readable --only pystreed  one of the contestants; others are remembered
"""

import argparse
import json
import math
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import treewright as tw
from benchmarks.quality.problems import REPORTED, Problem, problem
from benchmarks.tables import ROOT

RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "readable_trees.md"
START, END = "<!-- benchmark -->", "<!-- end of benchmark -->"
SIZES = (4, 8, 16, 32)
LEAST = 1e-3  # probabilities are clipped here, so that a hard zero does not decide a table
OURS = "treewright readable"
Fold = tuple[pd.DataFrame, NDArray[Any], pd.DataFrame, NDArray[Any]]


def encoder(words: list[str], *, fill: bool) -> Any:
    """Zeros and ones for nominal columns; the median for missing numbers if asked for."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    coded = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=32)
    numbers = SimpleImputer(keep_empty_features=True) if fill else "passthrough"
    made = make_column_transformer((coded, words), remainder=numbers, sparse_threshold=0)
    return made.set_params(verbose_feature_names_out=False)


def encoded(found: Problem, fold: Fold, *, fill: bool) -> tuple[Any, Any]:
    coder = encoder(found.words, fill=fill)
    train = np.asarray(coder.fit_transform(fold[0]), dtype=float)
    return train, np.asarray(coder.transform(fold[2]), dtype=float)


def by_code(model: Any, X: Any, n_classes: int) -> NDArray[Any]:
    if n_classes == 0:
        return np.asarray(model.predict(X), dtype=float).ravel()
    shares = np.zeros((len(X), n_classes))
    shares[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(X)
    return shares


def ours(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    kind = tw.ReadableTreeClassifier if found.n_classes else tw.ReadableTreeRegressor
    model = kind(n_jobs=1)
    rows = model.training_rows(fold[0], fold[1])
    for size, state in model.learn_sizes(rows, SIZES).items():
        yield size, by_code(model.with_state(state), fold[2], found.n_classes)


def our_cart(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    kind = tw.CARTClassifier if found.n_classes else tw.CARTRegressor
    for size in SIZES:
        model = kind(max_leaf_nodes=size, prune=None, n_jobs=1).fit(fold[0], fold[1])
        yield size, by_code(model, fold[2], found.n_classes)


def sklearn_tree(n_classes: int, **settings: Any) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return (DecisionTreeClassifier if n_classes else DecisionTreeRegressor)(
        random_state=0, **settings
    )


def sklearn_best_first(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    train, test = encoded(found, fold, fill=False)
    for size in SIZES:
        model = sklearn_tree(found.n_classes, max_leaf_nodes=size).fit(train, fold[1])
        yield size, by_code(model, test, found.n_classes)


def sklearn_pruned(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    """`ccp_alpha` by five-fold cross-validation, among those that leave at most k leaves."""
    from sklearn.model_selection import GridSearchCV

    train, test = encoded(found, fold, fill=False)
    alphas = sklearn_tree(found.n_classes).cost_complexity_pruning_path(train, fold[1]).ccp_alphas
    alphas = np.unique(np.maximum(alphas, 0.0))
    grown = {}  # leaves by alpha; those of many leaves are never asked for
    for alpha in alphas[::-1]:
        model = sklearn_tree(found.n_classes, ccp_alpha=alpha).fit(train, fold[1])
        if model.get_n_leaves() > max(SIZES):
            break
        grown[float(alpha)] = model.get_n_leaves()

    def scoring(model: Any, X: Any, y: NDArray[Any]) -> float:
        return -judged(found, by_code(model, X, found.n_classes), y)["loss"]

    for size in SIZES:
        grid = {"ccp_alpha": [alpha for alpha, leaves in grown.items() if leaves <= size]}
        search = GridSearchCV(sklearn_tree(found.n_classes), grid, scoring=scoring, cv=5)
        yield size, by_code(search.fit(train, fold[1]), test, found.n_classes)


def figs(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    from imodels import FIGSClassifier, FIGSRegressor

    if found.n_classes > 2:
        return
    train, test = encoded(found, fold, fill=True)
    for size in SIZES:
        kind = FIGSClassifier if found.n_classes else FIGSRegressor
        model = kind(max_rules=size - 1, random_state=0).fit(train, fold[1])
        yield size, by_code(model, test, found.n_classes)


def hs_tree(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    """scikit-learn's tree with hierarchical shrinkage, its strength by cross-validation."""
    from imodels import HSTreeClassifierCV, HSTreeRegressorCV

    train, test = encoded(found, fold, fill=True)
    order = np.random.default_rng(0).permutation(len(train))  # its folds are not shuffled
    train, y = train[order], fold[1][order]
    for size in SIZES:
        kind = HSTreeClassifierCV if found.n_classes else HSTreeRegressorCV
        tree = sklearn_tree(found.n_classes, max_leaf_nodes=size)
        model = kind(estimator_=tree, max_leaf_nodes=size).fit(train, y)
        yield size, by_code(model, test, found.n_classes)


def pystreed(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    from pystreed import STreeDClassifier

    if not found.n_classes or len(np.unique(fold[1])) < found.n_classes:
        return
    train, test = encoded(found, fold, fill=True)
    bits = bits_of(train, test)
    if bits[0].shape[1] > 300:
        return
    for size in SIZES[:2]:
        depth = math.ceil(math.log2(size))
        model = STreeDClassifier(
            max_depth=depth, max_num_nodes=size - 1, time_limit=10, cost_complexity=0.0
        )
        model.fit(bits[0], fold[1])
        yield size, np.asarray(model.predict_proba(bits[1]))


def bits_of(train: NDArray[Any], test: NDArray[Any]) -> list[NDArray[Any]]:
    """A column for each question `value <= cut`, for the octiles of the training rows."""
    cuts = [
        (at, cut)
        for at, column in enumerate(train.T)
        for cut in np.unique(np.quantile(column, np.arange(1, 8) / 8))
        if column.min() <= cut < column.max()
    ]
    return [
        np.column_stack([rows[:, at] <= cut for at, cut in cuts]).astype(np.int32)
        for rows in (train, test)
    ]


RPART = """
library(rpart)
train <- read.csv("train.csv", stringsAsFactors = TRUE)
test <- read.csv("test.csv", stringsAsFactors = TRUE)
is_class <- CLASSES > 0
if (is_class) train$target <- factor(train$target, levels = 0:(CLASSES - 1))
for (name in names(test)) if (is.factor(train[[name]]))
  test[[name]] <- factor(as.character(test[[name]]), levels = levels(train[[name]]))
set.seed(0)
tree <- rpart(target ~ ., train, method = if (is_class) "class" else "anova",
              control = rpart.control(cp = 0, minsplit = 2, minbucket = 1, xval = 10))
table <- tree$cptable
for (size in c(SIZES)) {
  fits <- table[table[, "nsplit"] < size, , drop = FALSE]
  cp <- fits[which.min(fits[, "xerror"]), "CP"]
  found <- predict(prune(tree, cp = cp), test)
  write.table(found, paste0("found", size, ".csv"), sep = ",", row.names = FALSE, col.names = FALSE)
}
"""


def rpart(found: Problem, fold: Fold) -> Iterator[tuple[int, NDArray[Any]]]:
    """R's trees, pruned by their own cross-validation among those of at most k leaves."""
    script = RPART.replace("CLASSES", str(found.n_classes))
    script = script.replace("SIZES", ", ".join(map(str, SIZES)))
    with tempfile.TemporaryDirectory() as folder:
        fold[0].assign(target=fold[1]).to_csv(f"{folder}/train.csv", index=False)
        fold[2].to_csv(f"{folder}/test.csv", index=False)
        command = ["Rscript", "-e", script]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)
        for size in SIZES:
            predicted = np.loadtxt(f"{folder}/found{size}.csv", delimiter=",", ndmin=2)
            yield size, predicted if found.n_classes else predicted[:, 0]


CONTESTANTS: dict[str, Callable[[Problem, Fold], Iterable[tuple[int, NDArray[Any]]]]] = {
    OURS: ours,
    "treewright CART": our_cart,
    "scikit-learn, best first": sklearn_best_first,
    "scikit-learn, ccp_alpha tuned": sklearn_pruned,
    "imodels FIGS": figs,
    "imodels HSTree": hs_tree,
    "pystreed": pystreed,
    "R's rpart": rpart,
}


def judged(found: Problem, predicted: NDArray[Any], truth: NDArray[Any]) -> dict[str, float]:
    if found.n_classes == 0:
        return {"loss": float(np.mean((predicted - truth) ** 2))}
    shares = np.clip(predicted, LEAST, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    loss = -float(np.mean(np.log(shares[np.arange(len(truth)), truth])))
    return {"loss": loss, "accuracy": float(np.mean(predicted.argmax(axis=1) == truth))}


def run_table(name: str, most_rows: int, n_folds: int, only: str) -> list[dict[str, Any]]:
    """The mean scores of all contestants on one table."""
    warnings.simplefilter("ignore")
    found = problem(name).sampled(most_rows)
    X, y = found.X.reset_index(drop=True), found.y
    for column in X:
        if column in found.words:
            X[column] = X[column].cat.remove_unused_categories()
    found = Problem(name, X, y, found.n_classes)
    scores: dict[tuple[str, int], list[dict[str, float]]] = {}
    seconds = dict.fromkeys(CONTESTANTS, 0.0)
    for train, test in found.folds()[:n_folds]:
        fold = (X.iloc[train], y[train], X.iloc[test], y[test])
        for contestant, run in CONTESTANTS.items():
            if only and only not in contestant:
                continue
            start = time.process_time()
            try:
                for size, predicted in run(found, fold):
                    scores.setdefault((contestant, size), []).append(
                        judged(found, predicted, y[test])
                    )
            except Exception as error:  # a library that cannot do a table is out
                print(f"{name}: {contestant} failed: {type(error).__name__}: {error}"[:200])
            seconds[contestant] += time.process_time() - start
    lines = []
    for (contestant, size), own in scores.items():
        if len(own) < n_folds:
            continue
        line = {"table": name, "contestant": contestant, "leaves": size, "rows": len(X)}
        line |= {"folds": n_folds, "most_rows": most_rows}
        line["seconds"] = round(seconds[contestant], 1)  # of all sizes and folds
        line["loss"] = float(np.mean([one["loss"] for one in own]))
        line["measure"] = "log loss" if found.n_classes else "RMSE"
        if found.n_classes:
            line["accuracy"] = float(np.mean([one["accuracy"] for one in own]))
        else:
            line["loss"] = math.sqrt(line["loss"])
        lines.append(line)
    return lines


def ranks(lines: list[dict[str, Any]], size: int, key: str = "loss") -> pd.DataFrame:
    """The rank of each contestant on each table; equal scores share a rank."""
    frame = pd.DataFrame([line for line in lines if line["leaves"] == size and key in line])
    wide = frame.pivot_table(index="table", columns="contestant", values=key).round(6)
    return wide.rank(axis=1, ascending=key == "loss")


def as_markdown(lines: list[dict[str, Any]]) -> str:
    """Mean ranks by size, then our losses relative to the others."""
    parts = ["Mean rank by log loss or RMSE (1 is best; in brackets the number of tables):\n"]
    names = [name for name in CONTESTANTS if any(line["contestant"] == name for line in lines)]
    head = [f"{size} leaves" for size in SIZES]
    parts += [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(SIZES)]
    by_size = {size: ranks(lines, size) for size in SIZES}
    for name in names:
        cells = []
        for size in SIZES:
            own = by_size[size].get(name)
            cells.append("" if own is None else f"{own.mean():.2f} ({own.count()})")
        parts.append(f"| {name} | {' | '.join(cells)} |")
    parts += ["\nTables on which the readable tree has the lower loss, against each:\n"]
    parts += [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(SIZES)]
    for name in names[1:]:
        cells = []
        for size in SIZES:
            both = (
                by_size[size][[OURS]].join(by_size[size].get(name, pd.Series(name=name))).dropna()
            )
            wins = int((both[OURS] < both[name]).sum())
            losses = int((both[OURS] > both[name]).sum())
            cells.append(f"{wins} of {wins + losses}" if len(both) else "")
        parts.append(f"| {name} | {' | '.join(cells)} |")
    parts += ["\nMean accuracy rank of the tables with classes:\n"]
    parts += [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(SIZES)]
    for name in names:
        cells = []
        for size in SIZES:
            own = ranks(lines, size, "accuracy").get(name)
            cells.append("" if own is None else f"{own.mean():.2f}")
        parts.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(parts) + "\n"


def table_by_table(lines: list[dict[str, Any]]) -> str:
    parts = []
    for size in SIZES:
        frame = pd.DataFrame([line for line in lines if line["leaves"] == size])
        wide = frame.pivot_table(index=["table", "measure"], columns="contestant", values="loss")
        wide = wide[[name for name in CONTESTANTS if name in wide]]
        parts += [f"## {size} leaves\n", f"| table | | {' | '.join(wide.columns)} |"]
        parts.append("|---|---|" + "---:|" * len(wide.columns))
        for (name, measure), row in wide.iterrows():
            cells = ["" if math.isnan(value) else f"{value:.4g}" for value in row]
            parts.append(f"| {name} | {measure} | {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.readable", description=__doc__)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="contestants whose name contains this")
    parser.add_argument("--dry", action="store_true", help="write no files")
    options = parser.parse_args()
    work = partial(run_table, most_rows=options.rows, n_folds=options.folds, only=options.only)
    remembered = RESULTS / "readable.json"
    lines: list[dict[str, Any]] = []
    if remembered.exists() and not options.dry:
        lines = json.loads(remembered.read_text())
    with ProcessPoolExecutor(options.jobs) as pool:
        for some in pool.map(work, options.tables or REPORTED):
            fresh = {(one["table"], one["contestant"]) for one in some}
            lines = [one for one in lines if (one["table"], one["contestant"]) not in fresh] + some
            print(table_line(some), flush=True)
            if not options.dry:  # after every table, so that a stop loses nothing
                remembered.write_text("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n")
                write_pages(lines)
    print(as_markdown(lines))


def write_pages(lines: list[dict[str, Any]]) -> None:
    """The page of results with every table, and the summary in the docs."""
    kinds = sorted({(one["folds"], one["most_rows"]) for one in lines})
    commands = " and ".join(
        f"`python -m benchmarks.readable --folds {folds} --rows {rows}`" for folds, rows in kinds
    )
    done = {one["table"] for one in lines}
    missing = [name for name in REPORTED if name not in done]
    about = f"{commands}, {len(done)} tables."
    if missing:
        about += f" Not finished: {', '.join(missing)}."
    summary = f"{about}\n\n{as_markdown(lines)}"
    page = f"# Trees of few leaves\n\nWritten by {summary}\n"
    RESULTS.joinpath("readable.md").write_text(page + table_by_table(lines))
    before, _, rest = PAGE.read_text().partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n\n{summary}\n{END}{after}")


def table_line(lines: list[dict[str, Any]]) -> str:
    """The losses on one table, for each contestant by size."""
    own = {(one["contestant"], one["leaves"]): one["loss"] for one in lines}
    names = dict.fromkeys(name for name, _ in own)
    cells = ["/".join(f"{own.get((name, k), math.nan):.4g}" for k in SIZES) for name in names]
    shown = "  ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True))
    return f"{lines[0]['table']}  {shown}" if lines else "nothing"


if __name__ == "__main__":
    main()
