"""What shrinkage does to the probabilities of forests: log loss, accuracy, calibration error.

    python -m benchmarks.quality.probabilities            all tables; writes benchmarks/results
    python -m benchmarks.quality.probabilities car iris   some of them, printed only

The settings of shrinkage were chosen by the first group of tables; the second group was run once,
afterwards. Five folds, at most 10,000 rows of a table, nothing set but `shrinkage`.
"""

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from benchmarks.quality.problems import CHOSEN_BY, REPORTED, problem
from benchmarks.tables import ROOT

FORESTS = {
    "forest": (tw.RandomForestClassifier, tw.RandomForestRegressor),
    "extra trees": (tw.ExtraTreesClassifier, tw.ExtraTreesRegressor),
}
N_BINS = 15  # of the calibration error
LEAST = 1e-15  # share of a class, in the logarithm


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    pages = []
    for title, group in (("Tables that chose", CHOSEN_BY), ("Tables that did not", REPORTED)):
        tables = [name for name in group if not names or name in names]
        for kind in FORESTS:
            lines = [line_of(kind, name) for name in tables]
            pages.append(as_page(f"{title}: {kind}", lines))
            print(pages[-1], flush=True)
    if not names:
        text = "# Shrinkage of forests\n\nWritten by `python -m benchmarks.quality.probabilities`; "
        text += "do not edit. Without shrinkage -> with it.\n\n" + "\n".join(pages)
        path = ROOT / "benchmarks" / "results" / "shrinkage.md"
        path.write_text(text, encoding="utf-8")


def line_of(kind: str, name: str) -> tuple[str, bool, NDArray[np.float64], list[float]]:
    """The table, whether it has classes, (2, n_measures) means over the folds, the strengths."""
    some = problem(name).sampled()
    scores, strengths = [], []
    for train, test in some.folds():
        both = []
        for shrinkage in (0.0, "auto"):
            model: Any = FORESTS[kind][some.n_classes == 0](random_state=0, shrinkage=shrinkage)
            model.fit(some.X.iloc[train], some.y[train])
            both.append(measured(model, some.X.iloc[test], some.y[test]))
        scores.append(both)
        strengths.append(model.shrinkage_)
    return name, some.n_classes > 0, np.mean(scores, axis=0), strengths


def measured(model: Any, X: Any, y: NDArray[Any]) -> tuple[float, ...]:
    """Log loss, accuracy, calibration error and the share of certain errors; or relative RMSE."""
    if not hasattr(model, "classes_"):
        return (float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / np.std(y)),)
    shares = np.zeros((len(y), max(int(model.classes_.max()), int(y.max())) + 1))
    shares[:, model.classes_.astype(int)] = model.predict_proba(X)
    own = shares[np.arange(len(y)), y]
    is_right = shares.argmax(axis=1) == y
    return (
        float(-np.log(np.maximum(own, LEAST)).mean()),
        float(is_right.mean()),
        calibration_error(shares.max(axis=1), is_right),
        float(np.mean((own == 0) & np.isin(y, model.classes_))),
    )


def calibration_error(confidence: NDArray[Any], is_right: NDArray[Any]) -> float:
    """Expected calibration error: |accuracy - mean confidence| of bins, by their rows."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    rows = np.bincount(bins, minlength=N_BINS)
    gap = np.bincount(bins, is_right - confidence, minlength=N_BINS)
    return float(np.abs(gap).sum() / rows.sum())


def as_page(title: str, lines: list[Any]) -> str:
    page = [f"## {title}", ""]
    classes = [line for line in lines if line[1]]
    if classes:
        page += [
            "| table | log loss | accuracy | calibration error | rows of a class given 0 "
            "| strength |",
            "|---|---|---|---|---|---|",
        ]
        page += [row(name, scores, strengths) for name, _, scores, strengths in classes]
        means = np.mean([line[2] for line in classes], axis=0)
        page += [row(f"mean of {len(classes)}", means, [])]
        ratios = [line[2][1, 0] / line[2][0, 0] for line in classes]
        better = sum(ratio < 1 for ratio in ratios)
        page += [
            "",
            f"Log loss is lower on {better} of {len(classes)} tables; geometric mean of "
            f"the ratios {np.exp(np.mean(np.log(ratios))):.3f}, worst {max(ratios):.3f}.",
            "",
        ]
    numbers = [line for line in lines if not line[1]]
    if numbers:
        page += ["| table | RMSE / standard deviation | strength |", "|---|---|---|"]
        page += [row(name, scores, strengths) for name, _, scores, strengths in numbers]
        ratios = [line[2][1, 0] / line[2][0, 0] for line in numbers]
        page += [
            "",
            f"Geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.4f}, worst "
            f"{max(ratios):.4f}.",
            "",
        ]
    return "\n".join(page)


def row(name: str, scores: NDArray[np.float64], strengths: list[float]) -> str:
    cells = [f"{before:.4f} -> {after:.4f}" for before, after in scores.T]
    chosen = " ".join(f"{strength:g}" for strength in strengths)
    return f"| {name} | {' | '.join(cells)} | {chosen} |"


if __name__ == "__main__":
    main(sys.argv[1:])
