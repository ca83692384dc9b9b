"""What the defaults do to probabilities: log loss, accuracy, calibration error, exact zeros.

    python -m benchmarks.quality.probabilities            all tables; writes benchmarks/results
    python -m benchmarks.quality.probabilities car iris   some of them; the others are remembered
    python -m benchmarks.quality.probabilities --only boosted reported    some of the models

Before is `n_estimators=500` for boosted trees and `shrinkage=0` for forests and extremely
randomized trees; after is the default. The defaults were chosen by one group of tables; the other
group was run once, afterwards. Five folds, at most 10,000 rows of a table. Boosted trees leave out
tables of more than 10 classes, which take long.
"""

import argparse
import json
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from benchmarks.quality.problems import CHOSEN_BY, REPORTED, problem
from benchmarks.quality.unseen import UNSEEN
from benchmarks.tables import ROOT

MODELS: dict[str, tuple[Any, Any, dict[str, Any]]] = {  # with the settings of before
    "forest": (tw.RandomForestClassifier, tw.RandomForestRegressor, {"shrinkage": 0.0}),
    "extra trees": (tw.ExtraTreesClassifier, tw.ExtraTreesRegressor, {"shrinkage": 0.0}),
    "boosted trees": (
        tw.BoostedTreesClassifier,
        tw.BoostedTreesRegressor,
        {"n_estimators": 500},
    ),
}
GROUPS = {"chosen": CHOSEN_BY, "reported": REPORTED, "unseen": list(UNSEEN)}
TITLES = {
    "chosen": "Tables that chose",
    "reported": "Tables that did not",
    "unseen": "Tables that Python packages ship",
}
MOST_CLASSES = 10  # for boosted trees
N_BINS = 15  # of the calibration error
LEAST = 1e-15  # share of a class, in the logarithm
MEASURES = ("log loss", "accuracy", "calibration error", "rows of a class given 0", "zeros")
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "forests.md"
START, END = "<!-- probabilities -->", "<!-- end of probabilities -->"
Line = dict[str, Any]


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser("benchmarks.quality.probabilities", description=__doc__)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--only", default="", help="models whose name begins so")
    options = parser.parse_args()
    tables = [one for name in options.tables or GROUPS for one in GROUPS.get(name, [name])]
    for name in tables:
        for kind in (kind for kind in MODELS if kind.startswith(options.only)):
            line = line_of(kind, name)
            if line:
                print(kind, row(line), flush=True)
                keep(line)


def line_of(kind: str, name: str) -> Line | None:
    """The means over the folds before and after, and what was chosen."""
    some = problem(name).sampled()
    if kind == "boosted trees" and some.n_classes > MOST_CLASSES:
        return None
    classifier, regressor, settings = MODELS[kind]
    scores, chosen = [], []
    for train, test in some.folds():
        both = []
        for own in (settings, {}):
            model = (classifier if some.n_classes else regressor)(random_state=0, **own)
            model.fit(some.X.iloc[train], some.y[train])
            both.append(measured(model, some.X.iloc[test], some.y[test]))
        scores.append(both)
        chosen.append(model.n_estimators_ if kind == "boosted trees" else model.shrinkage_)
    before, after = np.round(np.mean(scores, axis=0), 6).tolist()
    return {
        "table": name,
        "model": kind,
        "n_classes": some.n_classes,
        "before": before,
        "after": after,
        "chosen": chosen,
    }


def measured(model: Any, X: Any, y: NDArray[Any]) -> tuple[float, ...]:
    """The measures of a classifier; or the RMSE as a share of the standard deviation."""
    if not hasattr(model, "classes_"):
        return (float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / np.std(y)),)
    given = model.predict_proba(X)
    shares = np.zeros((len(y), max(int(model.classes_.max()), int(y.max())) + 1))
    shares[:, model.classes_.astype(int)] = given
    own = shares[np.arange(len(y)), y]
    is_right = shares.argmax(axis=1) == y
    return (
        float(-np.log(np.maximum(own, LEAST)).mean()),
        float(is_right.mean()),
        calibration_error(shares.max(axis=1), is_right),
        float(np.mean((own == 0) & np.isin(y, model.classes_))),
        float(np.mean(given == 0)),
    )


def calibration_error(confidence: NDArray[Any], is_right: NDArray[Any]) -> float:
    """Expected calibration error: |accuracy - mean confidence| of bins, by their rows."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    rows = np.bincount(bins, minlength=N_BINS)
    gap = np.bincount(bins, is_right - confidence, minlength=N_BINS)
    return float(np.abs(gap).sum() / rows.sum())


def keep(fresh: Line) -> None:
    """Write the figures after every table, so that a stop loses nothing."""
    path = RESULTS / "shrinkage.json"
    lines = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    lines = [line for line in lines if key(line) != key(fresh)] + [fresh]
    tables = [name for group in GROUPS.values() for name in group]
    lines.sort(key=lambda line: (list(MODELS).index(line["model"]), tables.index(line["table"])))
    text = "[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]\n"
    path.write_text(text, encoding="utf-8")
    pages = [
        as_page(f"{TITLES[group]}: {kind}", own)
        for group, names in GROUPS.items()
        for kind in MODELS
        if (own := [one for one in lines if one["model"] == kind and one["table"] in names])
    ]
    text = "# Probabilities of the defaults\n\nWritten by `python -m "
    text += "benchmarks.quality.probabilities`; do not edit. Before -> after: with\n"
    text += "`n_estimators=500` (boosted trees) or `shrinkage=0` (forests) -> with the defaults.\n"
    text += "Zeros are the share of all predicted probabilities that are exactly 0.\n\n"
    (RESULTS / "shrinkage.md").write_text(text + "\n".join(pages), encoding="utf-8")
    start, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    end = rest.partition(END)[2]
    page = f"{start}{START}\n\n{summary(lines)}\n{END}{end}"
    PAGE.write_text(page, encoding="utf-8")


def summary(lines: list[Line]) -> str:
    """The means of each model over the tables that did not choose the defaults."""
    page = [
        "| model | tables | log loss | accuracy | calibration error | rows of a class given 0 "
        "| probabilities of exactly 0 |",
        "|---|---:|---|---|---|---|---|",
    ]
    for kind in MODELS:
        own = [
            one
            for one in lines
            if one["model"] == kind and one["n_classes"] and one["table"] not in CHOSEN_BY
        ]
        if own:
            cells = row({"table": f"{kind} | {len(own)}", "chosen": [], **mean_of(own)})
            page.append(cells.removesuffix(" |  |") + " |")
    return "\n".join(page) + "\n"


def mean_of(lines: list[Line]) -> Line:
    """The means of the measures before and after, of the lines that have them."""
    values = {at: np.array([line[at] for line in lines], dtype=float) for at in ("before", "after")}
    return {at: np.nanmean(of, axis=0).tolist() for at, of in values.items()}


def key(line: Line) -> tuple[str, str]:
    return line["table"], line["model"]


def as_page(title: str, lines: list[Line]) -> str:
    page = [f"## {title}", ""]
    classes = [line for line in lines if line["n_classes"]]
    if classes:
        page += [f"| table | {' | '.join(MEASURES)} | chosen |", "|---" * 7 + "|"]
        page += [row(line) for line in classes]
        means = mean_of(classes)
        page += [row({"table": f"mean of {len(classes)}", "chosen": [], **means})]
        ratios = [line["after"][0] / line["before"][0] for line in classes if line["before"][0]]
        better = sum(ratio < 1 for ratio in ratios)
        page += [
            "",
            f"Log loss is lower on {better} of {len(classes)} tables; geometric mean of "
            f"the ratios {np.exp(np.mean(np.log(ratios))):.3f}, worst {max(ratios):.3f}.",
            "",
        ]
    numbers = [line for line in lines if not line["n_classes"]]
    if numbers:
        page += ["| table | RMSE / standard deviation | chosen |", "|---|---|---|"]
        page += [row(line) for line in numbers]
        ratios = [line["after"][0] / line["before"][0] for line in numbers]
        page += [
            "",
            f"Geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.4f}, worst "
            f"{max(ratios):.4f}.",
            "",
        ]
    return "\n".join(page)


def row(line: Line) -> str:
    pairs = np.array([line["before"], line["after"]], dtype=float).T  # NaN: not measured
    cells = ["" if np.isnan(pair).any() else "{:.4f} -> {:.4f}".format(*pair) for pair in pairs]
    chosen = " ".join(f"{one:g}" for one in line["chosen"])
    return f"| {line['table']} | {' | '.join(cells)} | {chosen} |"


if __name__ == "__main__":
    main()
