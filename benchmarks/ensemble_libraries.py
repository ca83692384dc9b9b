"""How each library is asked for the same ensemble: the closest settings it has.

As in `libraries.py`, a library is a class with `fit(x, y)` and `scores(x)`, and one that is not
installed raises ModuleNotFoundError when it is made.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.libraries import MANY_LEAVES

LEARNING_RATE = 0.1
ROWS_IN_BOOSTED_LEAF = 20
ROWS_IN_FOREST_LEAF = 5
SHARE_OF_ROWS = 0.632  # where rows are drawn without replacement: what a bootstrap sample holds
SHARE_OF_COLUMNS = 0.19  # of 28, as the square root


@dataclass(frozen=True, slots=True)
class EnsembleTask:
    """What is asked of every library."""

    kind: str  # "boosted" or "forest"
    n_trees: int = 100
    n_leaves: int = 31  # of a boosted tree; those of a forest are fully grown
    n_classes: int = 2
    n_threads: int = 2

    @property
    def is_boosted(self) -> bool:
        return self.kind == "boosted"


class Treewright:
    name = "treewright"

    def __init__(self, task: EnsembleTask) -> None:
        import treewright

        if task.is_boosted:
            self.model = treewright.BoostedTreesClassifier(
                n_estimators=task.n_trees,
                max_leaf_nodes=task.n_leaves,
                learning_rate=LEARNING_RATE,
                min_samples_leaf=ROWS_IN_BOOSTED_LEAF,
                max_features_node=1.0,
                l2=0.0,
                n_jobs=task.n_threads,
            )
        else:
            self.model = treewright.RandomForestClassifier(
                n_estimators=task.n_trees,
                min_samples_leaf=ROWS_IN_FOREST_LEAF,
                n_jobs=task.n_threads,
            )
        self.scores = self.model.predict_proba

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model.fit(x, y)


class ScikitLearn:
    name = "scikit-learn"

    def __init__(self, task: EnsembleTask) -> None:
        from sklearn import ensemble

        if task.is_boosted:  # its threads are those of OpenMP, which the environment limits
            self.model = ensemble.HistGradientBoostingClassifier(
                max_iter=task.n_trees,
                max_leaf_nodes=task.n_leaves,
                learning_rate=LEARNING_RATE,
                min_samples_leaf=ROWS_IN_BOOSTED_LEAF,
                early_stopping=False,
            )
        else:
            self.model = ensemble.RandomForestClassifier(
                task.n_trees,
                min_samples_leaf=ROWS_IN_FOREST_LEAF,
                n_jobs=task.n_threads,
                random_state=0,
            )
        self.scores = self.model.predict_proba

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model.fit(x, y)


class LightGBM:
    name = "lightgbm"

    def __init__(self, task: EnsembleTask) -> None:
        import lightgbm

        self.lightgbm = lightgbm
        self.task = task
        self.settings: dict[str, Any] = {
            "objective": "binary" if task.n_classes == 2 else "multiclass",
            "num_threads": task.n_threads,
            "learning_rate": LEARNING_RATE,
            "verbosity": -1,
            "seed": 0,
        }
        if task.n_classes > 2:
            self.settings["num_class"] = task.n_classes
        if task.is_boosted:
            self.settings |= {
                "num_leaves": task.n_leaves,
                "min_data_in_leaf": ROWS_IN_BOOSTED_LEAF,
            }
        else:
            self.settings |= {
                "boosting": "rf",
                "bagging_freq": 1,
                "bagging_fraction": SHARE_OF_ROWS,
                "feature_fraction_bynode": SHARE_OF_COLUMNS,
                "num_leaves": MANY_LEAVES,
                "min_data_in_leaf": ROWS_IN_FOREST_LEAF,
                "min_sum_hessian_in_leaf": 0.0,
            }

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        table = self.lightgbm.Dataset(x, y, params={"verbosity": -1})
        self.model = self.lightgbm.train(self.settings, table, self.task.n_trees)

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.predict(x, num_threads=self.task.n_threads))


class XGBoost:
    name = "xgboost"

    def __init__(self, task: EnsembleTask) -> None:
        import xgboost

        self.xgboost = xgboost
        self.n_threads = task.n_threads
        self.n_rounds = task.n_trees if task.is_boosted else 1
        self.settings: dict[str, Any] = {
            "objective": "binary:logistic" if task.n_classes == 2 else "multi:softprob",
            "nthread": task.n_threads,
            "tree_method": "hist",
            "max_depth": 0,
            "grow_policy": "lossguide",
            "verbosity": 0,
            "seed": 0,
        }
        if task.n_classes > 2:
            self.settings["num_class"] = task.n_classes
        if task.is_boosted:
            self.settings |= {"eta": LEARNING_RATE, "max_leaves": task.n_leaves}
        else:
            self.settings |= {
                "eta": 1.0,
                "num_parallel_tree": task.n_trees,
                "subsample": SHARE_OF_ROWS,
                "colsample_bynode": SHARE_OF_COLUMNS,
                "max_leaves": MANY_LEAVES,
                "min_child_weight": 1,
                "reg_lambda": 0,
            }

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        table = self.xgboost.QuantileDMatrix(x, y, nthread=self.n_threads)
        self.model = self.xgboost.train(self.settings, table, self.n_rounds)

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.inplace_predict(x))


class CatBoost:
    """Boosted trees only, all of them symmetric: as many levels as `n_leaves` fill."""

    name = "catboost"

    def __init__(self, task: EnsembleTask) -> None:
        import catboost

        self.n_threads = task.n_threads
        self.model = catboost.CatBoostClassifier(
            iterations=task.n_trees,
            depth=max(1, (task.n_leaves + 1).bit_length() - 1),
            learning_rate=LEARNING_RATE,
            thread_count=task.n_threads,
            random_seed=0,
            verbose=False,
            allow_writing_files=False,
        )

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model.fit(x, y)

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.predict_proba(x, thread_count=self.n_threads))


class YDF:
    name = "ydf"

    def __init__(self, task: EnsembleTask) -> None:
        import ydf

        ydf.verbose(0)
        self.n_threads = task.n_threads
        settings: dict[str, Any] = {
            "label": "y",
            "num_trees": task.n_trees,
            "max_depth": -1,
            "num_threads": task.n_threads,
        }
        if task.is_boosted:
            self.learner = ydf.GradientBoostedTreesLearner(
                **settings,
                shrinkage=LEARNING_RATE,
                growing_strategy="BEST_FIRST_GLOBAL",
                max_num_nodes=task.n_leaves * 2 - 1,
                validation_ratio=0.0,
                early_stopping="NONE",
                discretize_numerical_columns=True,
            )
        else:
            self.learner = ydf.RandomForestLearner(
                **settings,
                min_examples=ROWS_IN_FOREST_LEAF,
                compute_oob_performances=False,
                winner_take_all=False,
            )

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model = self.learner.train({"x": x, "y": y})

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.predict({"x": x}, num_threads=self.n_threads))


ENSEMBLES = {
    kind.name: kind for kind in (Treewright, ScikitLearn, LightGBM, XGBoost, CatBoost, YDF)
}
