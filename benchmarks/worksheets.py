"""How long default worksheets take, and how large they are.

    python -m benchmarks.worksheets

Seconds of the processor for `tw.worksheet(model, X, y).to_html()`, the best of three. Real tables
are looked for as in the other benchmarks, and left out where they are not there.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.tables import MissingTableError, real_table

REAL: dict[str, tuple[str, Callable[[], Any]]] = {
    "adult": ("adult.csv.gz", tw.C45Classifier),
    "soybean": ("soybean.csv.gz", tw.C45Classifier),
    "digits": ("digits.csv.gz", tw.CARTClassifier),
    "arrhythmia": ("arrhythmia.csv.gz", tw.C45Classifier),
    "ames_housing": ("ames_housing.csv.gz", tw.CARTRegressor),
    "covertype": ("covertype.csv.gz", tw.CARTClassifier),
}
Case = tuple[str, Any, Any, Any]  # name, model, X, y


def generated() -> Iterator[Case]:
    """20,000 rows and ten columns, with and without holes."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20_000, 10)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=20_000) > 0).astype(int)
    holes = np.where(generator.random(X.shape) < 0.1, np.nan, X)
    numbers = X[:, 0] + X[:, 1] ** 2
    yield "CART", tw.CARTClassifier(prune=None), X, y
    yield "C4.5", tw.C45Classifier(), X, y
    yield "ID3", tw.ID3Classifier(), X, y
    yield "squares", tw.CARTRegressor(prune=None), X, numbers
    yield (
        "distances",
        tw.CARTRegressor(criterion="absolute_error", max_depth=8, prune=None),
        X,
        numbers,
    )
    for policy in ("fractional", "surrogate", "learned", "branch"):
        yield policy, tw.TreeClassifier(missing=policy), holes, y


def real() -> Iterator[Case]:
    """Tables as people have them."""
    for name, (file, make) in REAL.items():
        try:
            table = tw.read_table(real_table(file))
        except MissingTableError as absent:
            print(f"{name}: left out, {absent}")
            continue
        X, y = table.split_target(table.names[-1])
        yield name, make(), X, y.astype(int) if name in ("covertype", "digits") else y


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)
    print(
        f"{'worksheet':<14}{'rows':>9}{'columns':>9}{'nodes':>8}{'shown':>7}{'CPU':>9}{'HTML':>10}"
    )
    for name, model, X, y in (*generated(), *real()):
        model.fit(X, y)
        seconds, page = min((timed(model, X, y) for _ in range(3)), key=lambda one: one[0])
        shown, n_nodes = page.count("<h2 id='node-"), model.tree_.n_nodes
        print(
            f"{name:<14}{len(X):>9}{X.shape[1]:>9}{n_nodes:>8}{shown:>7}{seconds:>7.2f} s"
            f"{len(page) / 1e6:>7.2f} MB",
            flush=True,
        )


def timed(model: Any, X: Any, y: Any) -> tuple[float, str]:
    """Seconds of the processor, and the page."""
    started = time.process_time()
    page = tw.worksheet(model, X, y).to_html()
    return time.process_time() - started, page


if __name__ == "__main__":
    main()
