"""How much each pruning method cuts, and what that does to accuracy: a table for the docs.

    python -m benchmarks.pruning_methods                 # all tables, as Markdown
    python -m benchmarks.pruning_methods vote credit_g   # some of them

A C4.5 tree is grown (at least two rows in two branches, no collapse) and pruned in every way;
beside them stand the rules that C45Rules learns. Leaves and rules are those of the model of all
rows; accuracy is that of ten stratified folds, in each of which the model is fitted anew. The real
tables are looked for as in the other benchmarks; `schema.json` beside them names nominal columns.
"""

import json
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

import treewright as tw
from benchmarks.tables import real_table

TABLES = (
    "breast_cancer_ljubljana",
    "breast_cancer_wisconsin",
    "car",
    "colic",
    "credit_g",
    "eucalyptus",
    "hypothyroid",
    "kr_vs_kp",
    "soybean",
    "spambase",
    "tic_tac_toe",
    "vote",
)
# Name in the table: method and options.
WAYS: dict[str, tuple[str | None, Mapping[str, Any]]] = {
    "none": (None, {}),
    "reduced error": ("reduced_error", {}),
    "error based": ("error_based", {}),
    "pessimistic": ("pessimistic", {}),
    "minimum error": ("minimum_error", {}),
    "MDL": ("mdl", {}),
    "cost complexity, CV": ("cost_complexity", {"risk": "error"}),
    "critical value 0.3": ("critical_value", {"value": 0.3}),
}


def main(names: list[str]) -> None:
    heads = ["table", *WAYS, "C45Rules"]
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for name in names or TABLES:
        X, y, nominal = read(name)
        cells = [result_of(model, X, y) for model in models(nominal)]
        print(f"| {' | '.join([name.replace('_', ' '), *cells])} |", flush=True)


def models(nominal: list[str]) -> list[Any]:
    """One unfitted model for each column of the table."""
    pruned = [
        tw.C45Classifier(
            collapse=False, prune=method, prune_options=options, categorical_features=nominal
        )
        for method, options in WAYS.values()
    ]
    return [*pruned, tw.C45Rules(categorical_features=nominal)]


def read(name: str) -> tuple[tw.Table, np.ndarray, list[str]]:
    """The table, its classes, and the names of its nominal columns."""
    about = json.loads(real_table("schema.json").read_text(encoding="utf-8"))[name]
    kinds = about["columns"]
    nominal = [c for c, kind in kinds.items() if kind == "categorical" and c != about["target"]]
    table = tw.read_table(real_table(about["file"]))
    X, y = table.split_target(about["target"])
    return X, y.astype(str), nominal


def result_of(model: Any, X: tw.Table, y: np.ndarray) -> str:
    """`leaves / rules / accuracy in percent`; of learned rules, `rules / accuracy`."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a fold may lack a rare class or level
        accuracy = cross_val_score(model, X, y, cv=folds).mean()
        model.fit(X, y)
    n_rules = sum(rule.weight > 0 for rule in tw.rules(model))
    size = f"{n_rules}" if isinstance(model, tw.C45Rules) else f"{model.get_n_leaves()} / {n_rules}"
    return f"{size} / {100 * accuracy:.1f}"


if __name__ == "__main__":
    main(sys.argv[1:])
