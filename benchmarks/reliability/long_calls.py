"""Long calls beside fits: judging, predicting, explaining, reading, writing, searching.

Each entry makes, for a scale, a call without arguments that takes about half a second by itself
and returns the same bytes every time: of results that hold seconds, the text without them.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from benchmarks.reliability.long_fits import (
    mixed_alone,
    mixed_classes,
    numbers_and_classes,
)
from benchmarks.reliability.made_rows import classes, mixed, numbers

Call = Callable[[], Any]


def sized(n: int, scale: float) -> int:
    return max(20, int(n * scale))


# ---------------------------------------------------------------------------- predicting


def tree_predicts(scale: float) -> Call:
    X, y = mixed_classes(5_000)
    model = tw.C45Classifier(prune=None).fit(X, y)
    table = tw.table_from(mixed_alone(sized(300_000, scale))[0])
    return lambda: model.predict_proba(table)


def tree_finds_leaves(scale: float) -> Call:
    X, y = numbers(60_000)
    model = tw.CARTRegressor().fit(X, y)
    rows = numbers(sized(1_500_000, scale))[0]
    return lambda: model.apply(rows)


def rules_predict(scale: float) -> Call:
    model = tw.C45Rules().fit(*mixed_classes(800))
    table = tw.table_from(mixed_alone(sized(400_000, scale))[0])
    return lambda: model.predict(table)


def forest_predicts(scale: float) -> Call:
    X, y = numbers_and_classes(5_000)
    model = tw.RandomForestClassifier().fit(X, y)
    rows = numbers(sized(60_000, scale))[0]
    return lambda: model.predict_proba(rows)


def quantiles_of_a_forest(scale: float) -> Call:
    X, y = numbers(5_000)
    model = tw.RandomForestRegressor(n_estimators=50, keep_targets=True).fit(X, y)
    rows = numbers(sized(15_000, scale))[0]
    return lambda: model.predict_quantiles(rows, [0.1, 0.9])


def boosted_trees_predict(scale: float) -> Call:
    X, y = numbers(5_000)
    model = tw.BoostedTreesRegressor(n_estimators=200).fit(X, y)
    rows = numbers(sized(200_000, scale))[0]
    return lambda: model.predict(rows)


def isolation_scores(scale: float) -> Call:
    model = tw.IsolationForest().fit(numbers(5_000)[0])
    rows = numbers(sized(40_000, scale))[0]
    return lambda: model.score_samples(rows)


def neighbors_predict(scale: float) -> Call:
    model = tw.KNeighborsClassifier().fit(*mixed_classes(20_000))
    table = tw.table_from(mixed_alone(sized(1_500, scale))[0])
    return lambda: model.predict_proba(table)


def neighbors_are_found(scale: float) -> Call:
    X, y = numbers(20_000, 20)
    model = tw.KNeighborsRegressor().fit(X, y)
    rows = numbers(sized(2_000, scale), 20, seed=1)[0]
    return lambda: model.kneighbors(rows)


def clusters_predict(scale: float) -> Call:
    model = tw.KMeans(60, n_init=1, max_iter=3).fit(numbers(2_000)[0])
    rows = numbers(sized(300_000, scale))[0]
    return lambda: model.transform(rows)


def model_tree_predicts(scale: float) -> Call:
    model = tw.M5Regressor().fit(*numbers(2_000))
    rows = numbers(sized(600_000, scale))[0]
    return lambda: model.predict(rows)


# ---------------------------------------------------------------------------- judging


def evaluate(scale: float) -> Call:
    X, y = mixed_classes(1_000)
    repeats = max(1, round(4 * scale))
    return lambda: str(tw.evaluate(tw.C45Classifier(), X, y, repeats=repeats, n_jobs=2))


def compare(scale: float) -> Call:
    X, y = numbers_and_classes(sized(2_000, scale))
    models = {"tree": tw.CARTClassifier(), "forest": tw.RandomForestClassifier(n_estimators=10)}
    return lambda: str(tw.compare(models, X, y))


def tune(scale: float) -> Call:
    X, y = numbers(sized(2_000, scale))
    return lambda: tw.tune(tw.CARTRegressor(), X, y, {"min_samples_leaf": [1, 2, 5, 10, 20]})


def learning_curve(scale: float) -> Call:
    X, y = mixed_classes(sized(2_000, scale))
    return lambda: tw.learning_curve(tw.CARTClassifier(), X, y)


def missing_study(scale: float) -> Call:
    X, y = mixed_classes(sized(500, scale))
    return lambda: str(tw.missing_study(tw.TreeClassifier(), X, y))


def report(scale: float) -> Call:
    X, y = mixed_classes(sized(300, scale))
    model = tw.C45Classifier().fit(X, y)
    return lambda: tw.report(model, X, y).to_html()


def silhouette(scale: float) -> Call:
    X = numbers(sized(7_000, scale))[0]
    labels = (X[:, 0] > 0).astype(int)
    return lambda: tw.silhouette(X, labels)


def elbow(scale: float) -> Call:
    X = numbers(sized(1_500, scale))[0]
    return lambda: tw.elbow(X, range(1, 9))


# ---------------------------------------------------------------------------- pruning, optimality


def prune_by_folds(scale: float) -> Call:
    X, y = numbers_and_classes(sized(4_000, scale))
    model = tw.CARTClassifier().fit(X, y)
    return lambda: tw.cost_complexity_path(model, X, y)


def prune_by_errors(scale: float) -> Call:
    X, y = mixed_classes(sized(60_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: tw.prune(model, "error_based", X, y)


def prune_by_held_out_rows(scale: float) -> Call:
    X, y = mixed_classes(sized(60_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: tw.prune(model, "reduced_error", X, y)


def optimality_gap(scale: float) -> Call:
    X, y = numbers_and_classes(sized(400, scale), 8)
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    return lambda: tw.optimality_gap(model, X, y)


# ---------------------------------------------------------------------------- explaining


def shapley_values_of_a_tree(scale: float) -> Call:
    X, y = numbers(4_000)
    model = tw.CARTRegressor(max_depth=10).fit(X, y)
    rows = numbers(sized(10_000, scale))[0]
    return lambda: tw.shap_values(model, rows)


def shapley_values_of_a_forest(scale: float) -> Call:
    X, y = mixed_classes(2_000)
    model = tw.RandomForestClassifier(n_estimators=20, max_depth=8).fit(X, y)
    rows = mixed(sized(800, scale))[0]
    return lambda: tw.shap_values(model, rows)


def shapley_values_against_rows(scale: float) -> Call:
    X, y = numbers(4_000)
    model = tw.BoostedTreesRegressor(n_estimators=50).fit(X, y)
    rows = numbers(sized(200, scale))[0]
    return lambda: tw.shap_values(model, rows, background=X[:100])


def interactions(scale: float) -> Call:
    X, y = numbers(4_000)
    model = tw.CARTRegressor(max_depth=8).fit(X, y)
    rows = numbers(sized(3_000, scale))[0]
    return lambda: tw.shap_values(model, rows, interactions=True)


def importance(scale: float) -> Call:
    X, y = numbers_and_classes(sized(2_000, scale))
    model = tw.RandomForestClassifier(n_estimators=30).fit(X, y)
    return lambda: tw.importance(model, X, y)


def explain_a_row(scale: float) -> Call:
    X, y = mixed_classes(sized(6_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: str(model.explain(X.iloc[0]))


def distil(scale: float) -> Call:
    X, y = numbers_and_classes(sized(60_000, scale))
    model = tw.RandomForestClassifier(n_estimators=20).fit(X, y)
    return lambda: tw.distil(model, X)


# ---------------------------------------------------------------------------- showing


def worksheet(scale: float) -> Call:
    X, y = mixed_classes(sized(150, scale))
    model = tw.C45Classifier().fit(X, y)
    return lambda: tw.worksheet(model, X, y).to_html()


def stability(scale: float) -> Call:
    X, y = mixed_classes(1_000)
    model = tw.C45Classifier(max_depth=4).fit(X, y)
    n = sized(40, scale)
    return lambda: tw.stability(model, X, y, n=n)


def write_rules(scale: float) -> Call:
    X, y = mixed_classes(sized(60_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: str(tw.rules(model))


def draw(scale: float) -> Call:
    X, y = mixed_classes(sized(4_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: tw.draw(model, max_nodes=2_000).to_svg()


def export_code(scale: float) -> Call:
    X, y = mixed_classes(sized(30_000, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    return lambda: tw.export(model, "python")


def verify_export(scale: float) -> Call:
    X, y = mixed_classes(sized(500, scale))
    model = tw.C45Classifier(prune=None).fit(X, y)
    code = tw.export(model, "python")
    return lambda: tw.verify_export(model, code, "python")


# ---------------------------------------------------------------------------- files


def in_own_folder(name: str) -> Path:
    return Path(tempfile.mkdtemp()) / name


def read_a_csv_file(scale: float) -> Call:
    path = in_own_folder("rows.csv")
    frame, score = mixed(sized(150_000, scale))
    frame.assign(target=classes(score)).to_csv(path, index=False)
    return lambda: tw.read_table(path, "target")


def read_a_frame_of_words(scale: float) -> Call:
    frame = mixed(sized(200_000, scale), 4, 300)[0].astype(object)
    return lambda: tw.table_from(frame)


def read_words_of_numpy(scale: float) -> Call:
    rng = np.random.default_rng(0)
    words = rng.integers(0, 10**6, size=(sized(300_000, scale), 2)).astype(str)
    return lambda: tw.table_from(words)


def save_a_forest(scale: float) -> Call:
    X, y = numbers(sized(40_000, scale))
    model = tw.RandomForestRegressor(n_estimators=50).fit(X, y)
    path = in_own_folder("forest.tw")
    model.save(path)

    def save() -> bytes:
        model.save(path)
        if [*path.parent.iterdir()] != [path]:
            raise AssertionError("a temporary file is left")
        return path.read_bytes()

    return save


def load_a_forest(scale: float) -> Call:
    X, y = numbers(sized(40_000, scale))
    path = in_own_folder("forest.tw")
    tw.RandomForestRegressor(n_estimators=50).fit(X, y).save(path)
    return lambda: tw.load(path)


def load_a_tree(scale: float) -> Call:
    X, y = mixed_classes(sized(60_000, scale))
    path = in_own_folder("tree.json")
    tw.C45Classifier(prune=None).fit(X, y).save(path)
    return lambda: tw.load(path)


CALLS = [
    tree_predicts,
    tree_finds_leaves,
    rules_predict,
    forest_predicts,
    quantiles_of_a_forest,
    boosted_trees_predict,
    isolation_scores,
    neighbors_predict,
    neighbors_are_found,
    clusters_predict,
    model_tree_predicts,
    evaluate,
    compare,
    tune,
    learning_curve,
    missing_study,
    report,
    silhouette,
    elbow,
    prune_by_folds,
    prune_by_errors,
    prune_by_held_out_rows,
    optimality_gap,
    shapley_values_of_a_tree,
    shapley_values_of_a_forest,
    shapley_values_against_rows,
    interactions,
    importance,
    explain_a_row,
    distil,
    worksheet,
    stability,
    write_rules,
    draw,
    export_code,
    verify_export,
    read_a_csv_file,
    read_a_frame_of_words,
    read_words_of_numpy,
    save_a_forest,
    load_a_forest,
    load_a_tree,
]
LONG_CALLS = {call.__name__.replace("_", " "): call for call in CALLS}
