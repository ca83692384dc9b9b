"""A user's script from the table to the export, with types; `test_user_script.py` checks it."""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright.protocols import Classifier, Estimator, FittedModel

CANDIDATES: dict[str, Estimator] = {
    "C4.5": tw.C45Classifier(),
    "CART": tw.CARTClassifier(prune=None, max_depth=3),
    "forest": tw.RandomForestClassifier(n_estimators=10),
}


def read_rows(folder: Path) -> tuple[tw.Table, NDArray[np.object_]]:
    """A table from a file, and its target."""
    path = folder / "loans.csv"
    X, y = tw.load_sample("loans")
    assert y is not None  # of a table with a target
    names = [*X.names, "decision"]
    columns = [X[name] for name in X.names]
    lines = [",".join(names)]
    for row in range(len(X)):
        cells = [column.value(row) for column in columns]
        lines.append(",".join(["" if cell is None else str(cell) for cell in [*cells, y[row]]]))
    path.write_text("\n".join(lines), encoding="utf-8")
    table, target = tw.read_table(path).split_target("decision")
    return table.drop("loan"), target


def best_of(candidates: dict[str, Estimator], X: tw.Table, y: NDArray[np.object_]) -> str:
    """The candidate that is most often right on rows that it has not seen."""
    accuracy = {
        name: tw.evaluate(model, X, y, folds=3).mean("accuracy")
        for name, model in candidates.items()
    }
    print(tw.compare(candidates, X, y, folds=3))
    return max(accuracy, key=lambda name: accuracy[name])


def pruned_tree(X: tw.Table, y: NDArray[np.object_]) -> tw.C45Classifier:
    """A tree, grown to its full size and pruned."""
    model = tw.C45Classifier(prune=None).fit(X, y)
    smaller = tw.prune(model, "error_based", X, y)
    report = smaller.pruning_
    assert report is not None
    print(report.n_leaves_before, "leaves became", report.n_leaves_after)
    return smaller


def write_pages(model: tw.C45Classifier, X: tw.Table, y: NDArray[np.object_], folder: Path) -> None:
    """Pictures, explanations, worksheets, rules."""
    tw.draw(model, direction="right", max_nodes=20).save(folder / "tree.svg")
    explanation = model.explain(X[:1])
    print(explanation)
    (folder / "row.html").write_text(explanation.to_html(), encoding="utf-8")
    tw.worksheet(model, X, y).save(folder / "worksheet.md")
    for rule in tw.rules(model).sort(by="weight")[:3]:
        print(rule)


def most_important(model: FittedModel, X: tw.Table, y: NDArray[np.object_]) -> str:
    """The column whose values matter most."""
    found = tw.importance(model, X, y, method="permutation", n_repeats=2)
    return found.names[int(np.argmax(found.values))]


def saved_and_loaded(model: FittedModel, path: Path) -> FittedModel:
    """The model from its file, as an estimator."""
    model.save(path)
    return tw.load(path)


def chances(model: FittedModel, X: tw.Table) -> NDArray[np.float64]:
    """Probabilities, where the model has any."""
    if not isinstance(model, Classifier):
        raise TypeError(f"{type(model).__name__} predicts no probabilities")
    return model.predict_proba(X)


def main(folder: Path) -> None:
    X, y = read_rows(folder)
    print(best_of(CANDIDATES, X, y))
    model = pruned_tree(X, y)
    write_pages(model, X, y, folder)
    loaded = saved_and_loaded(model, folder / "model.json")
    print(most_important(loaded, X, y), chances(loaded, X).round(2).tolist()[0])
    tw.draw(loaded).save(folder / "loaded.svg")
    code = tw.export(loaded, to="sql", dialect="postgresql", path=folder / "model.sql")
    print(len(code), tw.verify_export(loaded, tw.export(loaded, to="python"), to="python"))
    light = tw.load_state(folder / "model.json")
    assert light.predict(X).tolist() == loaded.predict(X).tolist()
    tuned = tw.tune(
        tw.CARTClassifier(prune=None), X, y, {"max_depth": [1, 2, 3]}, method="grid", folds=3
    )
    print(tuned.settings, tw.distil(tuned.model, X, max_leaf_nodes=4))
    if isinstance(loaded, tw.C45Classifier):
        print(loaded.get_n_leaves(), "leaves", loaded.classes_.tolist())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
