"""Time of Shapley values beside LightGBM, XGBoost and shap: CPU seconds on one thread.

OMP_NUM_THREADS=1 python -m benchmarks.shapley
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import treewright as tw

N_ROWS, N_COLUMNS, N_TREES = 20_000, 28, 100
N_EXPLAINED, N_BACKGROUND = 1_000, 100
Task = Callable[[], object]


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Numbers with a product, a bend and a sum to find."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    signal = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * X[:, 3:8].sum(axis=1)
    return X, (signal + rng.normal(size=N_ROWS) > 0.8).astype(int)


def best_of_three(task: Task) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        task()
        times.append(time.process_time() - begin)
    return min(times)


def boosted(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, str, Task]]:
    """Task, library and call: boosted trees of 31 leaves."""
    many, few = X[:N_EXPLAINED], X[:N_BACKGROUND]
    by_weight = f"{N_EXPLAINED:,} rows, {N_TREES} boosted trees, by weight"
    against = f"{N_BACKGROUND} rows, {N_TREES} boosted trees, {N_BACKGROUND} background rows"
    ours = tw.BoostedTreesClassifier(n_estimators=N_TREES, n_jobs=1).fit(X, y)
    yield by_weight, "treewright", lambda: tw.shap_values(ours, many, n_jobs=1)
    yield against, "treewright", lambda: tw.shap_values(ours, few, few, n_jobs=1)
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        light = lightgbm.LGBMClassifier(n_estimators=N_TREES, n_jobs=1, verbose=-1).fit(X, y)
        yield by_weight, "LightGBM", lambda: light.predict(many, pred_contrib=True)
    if importlib.util.find_spec("xgboost"):
        import xgboost

        theirs = xgboost.XGBClassifier(
            n_estimators=N_TREES, n_jobs=1, max_leaves=31, max_depth=0, grow_policy="lossguide"
        ).fit(X, y)
        matrix = xgboost.DMatrix(many, nthread=1)
        booster = theirs.get_booster()
        yield by_weight, "XGBoost", lambda: booster.predict(matrix, pred_contribs=True)
        if importlib.util.find_spec("shap"):
            import shap

            explainer = shap.TreeExplainer(theirs, few, feature_perturbation="interventional")
            yield against, "shap", lambda: explainer.shap_values(few, check_additivity=False)


def forests(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, str, Task]]:
    """Task, library and call: 20 deep trees on 5,000 rows."""
    X, y, few = X[:5_000], y[:5_000], X[:N_BACKGROUND]
    name = f"{N_BACKGROUND} rows, forest of 20 deep trees, by weight"
    ours = tw.RandomForestClassifier(n_estimators=20, n_jobs=1).fit(X, y)
    yield name, "treewright", lambda: tw.shap_values(ours, few, n_jobs=1)
    if importlib.util.find_spec("shap"):
        import shap
        from sklearn.ensemble import RandomForestClassifier

        theirs = RandomForestClassifier(n_estimators=20, n_jobs=1).fit(X, y)
        explainer = shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent")
        yield name, "shap", lambda: explainer.shap_values(few, check_additivity=False)


def one_row(_: np.ndarray, __: np.ndarray) -> Iterator[tuple[str, str, Task]]:
    """Task, library and call: `explain` of one row in a model of 500 trees."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=len(X))
    y = np.where(signal > 0, "yes", "no")
    for model, target in (
        (tw.BoostedTreesClassifier(n_estimators=500), y),
        (tw.BoostedTreesRegressor(n_estimators=500), signal),
        (tw.RandomForestClassifier(n_estimators=500), y),
        (tw.RandomForestRegressor(n_estimators=500), signal),
    ):
        model.fit(X, target)
        name = f"explain one row, {type(model).__name__}, {model.trees_.n_nodes:,} nodes"
        yield name, "treewright", partial(model.explain, X[1])


def main() -> None:
    """Print one line for each task and library."""
    X, y = rows()
    for tasks in (boosted, forests, one_row):
        for name, library, task in sorted(tasks(X, y), key=lambda entry: entry[0]):
            print(f"{name:<66} {library:<12} {best_of_three(task):8.3f} s")


if __name__ == "__main__":
    main()
