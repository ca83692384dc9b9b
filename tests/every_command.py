"""Every command, called well: for tests that do something to each of them."""

from pathlib import Path

import treewright as tw
from treewright.cli.app import LEARNING, OTHERS

FOREIGN = str(Path(__file__).parent / "files" / "imports" / "lightgbm.txt")

# {model}, {ensemble}, {table} and {out} stand for files.
CALLS = {
    "train": ["train", "{table}", "-t", "y", "--model", "cart"],
    "evaluate": ["evaluate", "{table}", "-t", "y", "--folds", "3"],
    "compare": ["compare", "{table}", "-t", "y", "--folds", "3", "--model", "cart"],
    "tune": ["tune", "{table}", "-t", "y", "--folds", "3", "--grid", "max-depth=1,2"],
    "threshold": ["threshold", "{table}", "-t", "y", "--folds", "3"],
    "show": ["show", "{model}"],
    "worksheet": ["worksheet", "{model}", "{table}"],
    "exercise": ["exercise", "{table}", "-t", "y"],
    "explain": ["explain", "{model}", "{table}"],
    "predict": ["predict", "{model}", "{table}"],
    "prune": ["prune", "{model}", "{table}"],
    "distil": ["distil", "{ensemble}", "{table}"],
    "rules": ["rules", "{model}"],
    "export": ["export", "{model}", "--to", "python"],
    "import": ["import", FOREIGN, "--no-verify"],
    "report": ["report", "{model}", "{table}", "--folds", "2", "--out", "{out}"],
    "frontier": ["frontier", "{table}", "-t", "y", "--leaves", "2", "--folds", "2", "--no-distil"],
    "elbow": ["elbow", "{table}", "-t", "y", "--to", "4"],
    "columns": ["columns", "{table}"],
    "impute": ["impute", "{table}"],
    "discretize": ["discretize", "{table}", "-t", "y"],
    "samples": ["samples", "tennis"],
    "doctor": ["doctor"],
}
ANOTHER_FILE = {"train --report": [*CALLS["train"], "--report", "{out}"]}  # than that of --out
ENSEMBLE = "e.tw"
READ_TABLE = [name for name, words in CALLS.items() if "{table}" in words]
READ_MODEL = [name for name, words in CALLS.items() if {"{model}", "{ensemble}"} & {*words}]
READ_BOTH = [name for name in READ_TABLE if name in READ_MODEL]
WRITE = [
    "train",
    "tune",
    "threshold",
    "predict",
    "prune",
    "distil",
    "rules",
    "export",
    "import",
    "worksheet",
    "exercise",
    "explain",
    "report",
    "impute",
    "discretize",
    "show",
    "elbow",
    "frontier",
    *ANOTHER_FILE,
]
WRITE_PAGES = ["report", "train --report", "show", "elbow", "frontier"]  # by the ending
PRINT = [name for name in CALLS if name != "report"]

if CALLS.keys() != {*LEARNING, *OTHERS}:
    raise AssertionError(f"not called: {CALLS.keys() ^ {*LEARNING, *OTHERS}}")


def filled(command, *, model=None, table="t.csv", out=None):
    """The words of a call; with `out` it writes there."""
    words = ANOTHER_FILE.get(command) or CALLS[command]
    if out is not None and "{out}" not in words:
        words = [*words, "--out", "{out}"]
    models = {"model": model or "m.json", "ensemble": model or ENSEMBLE}
    files = {**models, "table": table, "out": out or "r.html"}
    return [word.format(**files) for word in words]


def write_model_and_table(folder):
    """m.json is a model, e.tw an ensemble, t.csv their table."""
    rows = "".join(
        f"{at * 5 % 9},{'abc'[at % 3]},{'yes' if at * 5 % 9 > 4 else 'no'}\n" for at in range(60)
    )
    (folder / "t.csv").write_text("x,word,y\n" + rows)
    model = tw.CARTClassifier(prune=None).fit(*tw.read_table(folder / "t.csv", target="y"))
    model.name_target("y")
    model.save(folder / "m.json")
    X, y = tw.read_table(folder / "t.csv", target="y")
    tw.RandomForestClassifier(n_estimators=3).fit(X, y).save(folder / ENSEMBLE)
