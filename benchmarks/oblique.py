"""How much smaller oblique trees are than ordinary ones, and how good: a table for the docs.

    python -m benchmarks.oblique                    # all tables, as Markdown
    python -m benchmarks.oblique iris wine          # some of them
    python -m benchmarks.oblique --prune cv iris    # pruned by cross-validation, not by MDL

CARTClassifier and ObliqueTreeClassifier, pruned in the same way, in the same ten stratified folds:
mean leaves, accuracy, how many columns a sum has on average, and the difference of accuracies with
its corrected 95 % interval (Nadeau and Bengio). The last line counts the tables on which the
oblique tree is smaller at equal accuracy: its mean accuracy is no worse, or worse by less than
half a point and within the interval. Tables that are not there are left out, and said so.
"""

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.model_selection import StratifiedKFold

import treewright as tw
from benchmarks.pruning_methods import read
from treewright.evaluation.resampled import corrected_error
from treewright.tree.layout import OBLIQUE

TABLES = (
    "iris",
    "wine",
    "breast_cancer_wdbc",
    "breast_cancer_wisconsin",
    "balance_scale",
    "winequality_red",
    "digits",
    "spambase",
    "credit_g",
    "colic",
)
FOLDS = 10
SMALL_LOSS = 0.005  # of accuracy


@dataclass(frozen=True, slots=True)
class Result:
    """One model in all folds."""

    accuracy: np.ndarray
    leaves: float
    columns_of_sums: float  # NaN without sums


def main(arguments: list[str]) -> None:
    prune = "mdl"
    if arguments[:1] == ["--prune"]:
        prune, arguments = arguments[1], arguments[2:]
    print(f"pruned by: {prune}\n")
    print(
        "| table | rows | leaves: CART | oblique | accuracy: CART | oblique | difference | terms |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    n_smaller = n_tables = 0
    for name in arguments or TABLES:
        try:
            X, y, nominal = read(name)
        except (FileNotFoundError, KeyError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        shared = {"prune": prune, "categorical_features": nominal, "n_jobs": 1}
        cart = result_of(tw.CARTClassifier(missing="learned", **shared), X, y)
        oblique = result_of(tw.ObliqueTreeClassifier(**shared), X, y)
        print(line_of(name, len(y), cart, oblique), flush=True)
        n_smaller += is_smaller(cart, oblique)
        n_tables += 1
    print(f"\nsmaller at equal accuracy: {n_smaller} of {n_tables} tables")


def result_of(model: Any, X: tw.Table, y: np.ndarray) -> Result:
    accuracy, leaves, terms = [], [], []
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a fold may lack a rare class or level
        for train, test in folds.split(np.zeros(len(y)), y):
            model.fit(X[train], y[train])
            accuracy.append(model.score(X[test], y[test]))
            leaves.append(model.get_n_leaves())
            tree = model.tree_
            terms += np.diff(tree.term_start)[tree.kind == OBLIQUE].tolist()
    mean_terms = float(np.mean(terms)) if terms else float("nan")
    return Result(np.array(accuracy), float(np.mean(leaves)), mean_terms)


def line_of(name: str, n_rows: int, cart: Result, oblique: Result) -> str:
    difference, half_width = difference_of(cart, oblique)
    terms = "" if np.isnan(oblique.columns_of_sums) else f"{oblique.columns_of_sums:.1f}"
    cells = [
        name.replace("_", " "),
        f"{n_rows:,}",
        f"{cart.leaves:.1f}",
        f"{oblique.leaves:.1f}",
        f"{100 * cart.accuracy.mean():.1f}",
        f"{100 * oblique.accuracy.mean():.1f}",
        f"{100 * difference:+.1f} ± {100 * half_width:.1f}",
        terms,
    ]
    return f"| {' | '.join(cells)} |"


def difference_of(cart: Result, oblique: Result) -> tuple[float, float]:
    """The mean difference of accuracies, and half the width of its interval."""
    differences = oblique.accuracy - cart.accuracy
    error = corrected_error(differences, 1 / (FOLDS - 1))
    return float(differences.mean()), float(stdtrit(FOLDS - 1, 0.975)) * error


def is_smaller(cart: Result, oblique: Result) -> bool:
    difference, half_width = difference_of(cart, oblique)
    is_equal = difference >= 0 or (difference > -SMALL_LOSS and difference + half_width > 0)
    return oblique.leaves < cart.leaves and is_equal


if __name__ == "__main__":
    main(sys.argv[1:])
