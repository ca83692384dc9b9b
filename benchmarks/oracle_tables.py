"""C4.5 on four tables beside Weka's J48, and ten times ten folds: tables for the docs.

    python -m benchmarks.oracle_tables

Not timed. The tables, Weka's folds and its predictions are those of tests/files/oracles.
"""

import numpy as np
from tests.oracles.goldens import golden_of, problem

import treewright as tw

TABLES = {
    "soybean": "mlbench_soybean",
    "vote": "weka_vote",
    "glass": "weka_glass",
    "labor": "weka_labor",
}


def main() -> None:
    print("| table | rows | classes | Weka's J48 | C45Classifier | rows predicted otherwise |")
    print("|---|---|---|---|---|---|")
    for name in TABLES:
        print(f"| {' | '.join(same_folds(name))} |", flush=True)
    print()
    print("| table | accuracy | 95 % interval | kappa | AUC | Brier score | leaves |")
    print("|---|---|---|---|---|---|---|")
    for name in TABLES:
        print(f"| {' | '.join(ten_times_ten(name))} |", flush=True)


def same_folds(name: str) -> list[str]:
    """Ten folds that Weka dealt out: its predictions and ours."""
    data = problem(TABLES[name], ordered=False)
    theirs = np.array(golden_of("weka", TABLES[name], "j48_default")["cv"])
    found = tw.evaluate(tw.C45Classifier(j48_gaps=True), data.table, data.y, folds=data.folds)
    ours = np.array(found.classes)[found.predictions[0]]
    rates = [f"{(predictions == data.y).mean():.2%}" for predictions in (theirs, ours)]
    n_classes = len(np.unique(data.y))
    return [name, f"{len(ours)}", f"{n_classes}", *rates, f"{(ours != theirs).sum()}"]


def ten_times_ten(name: str) -> list[str]:
    """Means and standard deviations over a hundred stratified folds."""
    data = problem(TABLES[name], ordered=False)
    found = tw.evaluate(tw.C45Classifier(), data.table, data.y, folds=10, repeats=10)
    between = found.interval("accuracy")
    spread = [
        f"{found.mean(one):.4f} ± {found.deviation(one):.4f}"
        for one in ("accuracy", "kappa", "auc", "brier")
    ]
    low_to_high = f"{between.low:.4f} to {between.high:.4f}"
    return [name, spread[0], low_to_high, *spread[1:], f"{found.mean_leaves:.1f}"]


if __name__ == "__main__":
    main()
