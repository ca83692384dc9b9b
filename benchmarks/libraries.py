"""How each library is asked for the same tree: the closest settings it has.

A library is a class with `fit(x, y)` and `scores(x)`; importing happens in `__init__`, so a
library that is not installed raises ModuleNotFoundError there and is skipped.
"""

import platform
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

MIN_ROWS_IN_LEAF = 5
MANY_LEAVES = 20_000  # for libraries that need a limit: more than any of these trees has


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of every library."""

    n_classes: int = 2  # 0: regression
    max_depth: int | None = None
    n_threads: int = 2


def why_skipped(error: ModuleNotFoundError) -> str:
    """Why a peer takes no part; an error of ours is no reason."""
    name = str(error.name)
    if name.startswith("treewright"):
        raise error
    if name == "ydf" and platform.machine() != "x86_64":
        return f"ydf has no wheel for {platform.machine()}"
    return f"{name} is not installed"


class Library(Protocol):
    """One library, ready to train on one task."""

    name: ClassVar[str]

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None: ...

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        """Class probabilities, or the predicted numbers."""


class Treewright:
    name = "treewright"

    def __init__(self, task: Task) -> None:
        import treewright

        kind = treewright.CARTClassifier if task.n_classes else treewright.CARTRegressor
        self.model = kind(
            min_samples_leaf=MIN_ROWS_IN_LEAF,
            max_depth=task.max_depth,
            prune=None,  # the others do not prune
            n_jobs=task.n_threads,
        )
        self.scores = self.model.predict_proba if task.n_classes else self.model.predict

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model.fit(x, y)


class ScikitLearn:
    name = "scikit-learn"

    def __init__(self, task: Task) -> None:
        from sklearn import tree

        kind = tree.DecisionTreeClassifier if task.n_classes else tree.DecisionTreeRegressor
        self.model = kind(
            min_samples_leaf=MIN_ROWS_IN_LEAF, max_depth=task.max_depth, random_state=0
        )
        self.scores = self.model.predict_proba if task.n_classes else self.model.predict

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model.fit(x, y)


class LightGBM:
    name = "lightgbm"

    def __init__(self, task: Task) -> None:
        import lightgbm

        self.lightgbm = lightgbm
        depth = task.max_depth
        objective = {0: "regression", 2: "binary"}.get(task.n_classes, "multiclass")
        self.settings = {
            "objective": objective,
            "num_threads": task.n_threads,
            "learning_rate": 1.0,
            "boost_from_average": True,
            "num_leaves": 2**depth if depth else MANY_LEAVES,
            "max_depth": depth or -1,
            "min_data_in_leaf": MIN_ROWS_IN_LEAF,
            "min_sum_hessian_in_leaf": 0.0,
            "verbosity": -1,
            "seed": 0,
        }
        if objective == "multiclass":
            self.settings["num_class"] = task.n_classes
        self.n_threads = task.n_threads

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        table = self.lightgbm.Dataset(x, y, params={"verbosity": -1})
        self.model = self.lightgbm.train(self.settings, table, 1)

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.predict(x, num_threads=self.n_threads))


class XGBoost:
    name = "xgboost"

    def __init__(self, task: Task) -> None:
        import xgboost

        self.xgboost = xgboost
        objectives = {0: "reg:squarederror", 2: "binary:logistic"}
        self.settings = {
            "objective": objectives.get(task.n_classes, "multi:softprob"),
            "nthread": task.n_threads,
            "tree_method": "hist",
            "eta": 1.0,
            "max_depth": task.max_depth or 0,
            "max_leaves": 0 if task.max_depth else MANY_LEAVES,
            "grow_policy": "depthwise" if task.max_depth else "lossguide",
            "min_child_weight": 1,
            "reg_lambda": 0,
            "verbosity": 0,
            "seed": 0,
        }
        if task.n_classes > 2:
            self.settings["num_class"] = task.n_classes
        self.n_threads = task.n_threads

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        table = self.xgboost.QuantileDMatrix(x, y, nthread=self.n_threads)
        self.model = self.xgboost.train(self.settings, table, 1)

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.inplace_predict(x))


class YDF:
    name = "ydf"

    def __init__(self, task: Task) -> None:
        import ydf

        ydf.verbose(0)
        self.learner = ydf.CartLearner(
            label="y",
            task=ydf.Task.CLASSIFICATION if task.n_classes else ydf.Task.REGRESSION,
            max_depth=task.max_depth or -1,
            min_examples=MIN_ROWS_IN_LEAF,
            validation_ratio=0.0,
            num_threads=task.n_threads,
        )
        self.n_threads = task.n_threads

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        self.model = self.learner.train({"x": x, "y": y})

    def scores(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.model.predict({"x": x}, num_threads=self.n_threads))


LIBRARIES = {kind.name: kind for kind in (Treewright, ScikitLearn, LightGBM, XGBoost, YDF)}
