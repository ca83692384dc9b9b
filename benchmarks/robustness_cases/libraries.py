"""How each library is asked: its nearest models, with settings that let them learn small tables.

Every class offers the same: `tree` and `boosted` make an unfitted model of classes or of numbers,
`save` and `load` keep it the way the library recommends. Settings have scikit-learn's names and are
translated, `max_depth=None` too, which is no limit; a setting that a library lacks raises
`NotAskableError`.
"""

import pickle
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from benchmarks.robustness_cases.case import NotAskableError

CLASSES = "classes"
NUMBERS = "numbers"


class Treewright:
    """The library under test, as it is installed."""

    name = "treewright"
    package = "treewright"
    suffix = ".json"
    has_bins = False

    def tree(self, task: str = CLASSES, **settings: Any) -> Any:
        import treewright

        kind = treewright.CARTClassifier if task == CLASSES else treewright.CARTRegressor
        return kind(**settings)

    def boosted(self, task: str = CLASSES, **settings: Any) -> Any:
        import treewright

        is_classes = task == CLASSES
        kind = treewright.BoostedTreesClassifier if is_classes else treewright.BoostedTreesRegressor
        ours = {"n_estimators": 20, "min_samples_leaf": 1, "learning_rate": 0.3, **settings}
        return kind(**ours)

    def save(self, model: Any, path: Path) -> None:
        model.save(path)

    def load(self, path: Path) -> Any:
        import treewright

        return treewright.load(path)


class ScikitLearn:
    """Its decision tree, and its histogram boosting where levels or rounds are asked for."""

    name = "scikit-learn"
    package = "sklearn"
    suffix = ".pkl"
    has_bins = False

    def tree(self, task: str = CLASSES, **settings: Any) -> Any:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        refuse(settings, "n_jobs", "its single trees have no threads")
        kind = DecisionTreeClassifier if task == CLASSES else DecisionTreeRegressor
        return kind(**{"random_state": 0, **settings})

    def boosted(self, task: str = CLASSES, **settings: Any) -> Any:
        from sklearn.ensemble import (
            HistGradientBoostingClassifier,
            HistGradientBoostingRegressor,
        )

        is_classes = task == CLASSES
        kind = HistGradientBoostingClassifier if is_classes else HistGradientBoostingRegressor
        refuse(settings, "n_jobs", "its boosted trees take the threads of OpenMP")
        theirs = {"n_estimators": 20, "min_samples_leaf": 1, "learning_rate": 0.3, **settings}
        theirs["max_iter"] = theirs.pop("n_estimators")
        return kind(early_stopping=False, categorical_features="from_dtype", **theirs)

    def save(self, model: Any, path: Path) -> None:
        with open(path, "wb") as file:
            pickle.dump(model, file)

    def load(self, path: Path) -> Any:
        with open(path, "rb") as file:
            return pickle.load(file)


class XGBoost:
    """Boosted trees alone: a "tree" is a few rounds without shrinking."""

    name = "XGBoost"
    package = "xgboost"
    suffix = ".json"
    has_bins = True

    def tree(self, task: str = CLASSES, **settings: Any) -> Any:
        return self.boosted(task, **{"learning_rate": 1.0, "n_estimators": 10, **settings})

    def boosted(self, task: str = CLASSES, **settings: Any) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        theirs = {"n_estimators": 20, "learning_rate": 0.3, "random_state": 0, **settings}
        if "min_samples_leaf" in theirs:
            theirs["min_child_weight"] = theirs.pop("min_samples_leaf")
        if "max_depth" in theirs and theirs["max_depth"] is None:
            theirs["max_depth"] = 0  # where `None` is its default of 6
        kind = XGBClassifier if task == CLASSES else XGBRegressor
        return kind(
            **{"min_child_weight": 0, "reg_lambda": 0, "enable_categorical": True, **theirs}
        )

    def save(self, model: Any, path: Path) -> None:
        model.save_model(path)

    def load(self, path: Path) -> Any:
        from xgboost import XGBClassifier

        model = XGBClassifier()
        model.load_model(path)
        return model


class LightGBM:
    """Boosted trees alone, with its limits for small tables lifted."""

    name = "LightGBM"
    package = "lightgbm"
    suffix = ".txt"
    has_bins = True

    def tree(self, task: str = CLASSES, **settings: Any) -> Any:
        return self.boosted(task, **{"learning_rate": 1.0, "n_estimators": 10, **settings})

    def boosted(self, task: str = CLASSES, **settings: Any) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor, register_logger

        register_logger(WarningsOfLightGBM())
        theirs = {
            "n_estimators": 20,
            "learning_rate": 0.3,
            "min_samples_leaf": 1,
            "random_state": 0,
            **settings,
        }
        theirs["min_child_samples"] = theirs.pop("min_samples_leaf")
        if "max_depth" in theirs and theirs["max_depth"] is None:
            theirs.update(max_depth=-1, num_leaves=4096)
        if "n_jobs" in theirs:  # how it promises one answer for any number of threads
            theirs.update(deterministic=True, force_row_wise=True)
        kind = LGBMClassifier if task == CLASSES else LGBMRegressor
        small = {"min_data_in_bin": 1, "min_data_per_group": 1}
        levels = {"cat_smooth": 0, "cat_l2": 0}
        return kind(**{**small, **levels, "verbose": 0, **theirs})

    def save(self, model: Any, path: Path) -> None:
        model.booster_.save_model(path)

    def load(self, path: Path) -> Any:
        from lightgbm import Booster

        return RoundedBooster(Booster(model_file=path))


class WarningsOfLightGBM:
    """What it would print, as Python's warnings."""

    def info(self, text: str) -> None:
        if "[Warning]" in text:  # its core says everything at this level
            self.warning(text)

    def warning(self, text: str) -> None:
        warnings.warn(text, stacklevel=2)


class RoundedBooster:
    """A loaded booster knows shares only; the classes of two-class models are these, rounded."""

    def __init__(self, booster: Any) -> None:
        self.booster = booster

    def predict(self, rows: Any) -> Any:
        return (self.booster.predict(rows) > 0.5).astype(int)

    def predict_proba(self, rows: Any) -> Any:
        return self.booster.predict(rows)


class YDF:
    """Its CART learner and its boosted trees, in scikit-learn's words. No wheel for ARM."""

    name = "YDF"
    package = "ydf"
    suffix = ".ydf"
    has_bins = False

    def tree(self, task: str = CLASSES, **settings: Any) -> Any:
        return LearnerOfYDF("CartLearner", task, {"validation_ratio": 0.0, **settings})

    def boosted(self, task: str = CLASSES, **settings: Any) -> Any:
        theirs = {"n_estimators": 20, "learning_rate": 0.3, **settings}
        theirs["shrinkage"] = theirs.pop("learning_rate")
        theirs["num_trees"] = theirs.pop("n_estimators")
        return LearnerOfYDF(
            "GradientBoostedTreesLearner", task, {"validation_ratio": 0.0, **theirs}
        )

    def save(self, model: Any, path: Path) -> None:
        raise NotAskableError("its model is a folder of files")

    def load(self, path: Path) -> Any:
        raise NotAskableError("its model is a folder of files")


class LearnerOfYDF:
    """A learner that is fitted and asked as scikit-learn's are."""

    NAMES: ClassVar = {
        "n_jobs": "num_threads",
        "random_state": "random_seed",
        "min_samples_leaf": "min_examples",
    }

    def __init__(self, learner: str, task: str, settings: dict[str, Any]) -> None:
        self.learner = learner
        self.task = task
        self.settings = {self.NAMES.get(name, name): value for name, value in settings.items()}
        if self.settings.get("max_depth", 0) is None:
            self.settings["max_depth"] = -1

    def fit(self, x: Any, y: Any, sample_weight: Any = None) -> "LearnerOfYDF":
        import ydf

        ydf.verbose(0)
        task = ydf.Task.CLASSIFICATION if self.task == CLASSES else ydf.Task.REGRESSION
        weight = {} if sample_weight is None else {"weight": sample_weight}
        settings = {"min_examples": 1, "weights": next(iter(weight), None), **self.settings}
        learner = getattr(ydf, self.learner)(label="y", task=task, **settings)
        self.model = learner.train(self.dataset(x, y=y, **weight))
        return self

    @staticmethod
    def dataset(x: Any, **more_columns: Any) -> Any:
        """A frame as it is, an array as a column of several dimensions: it takes no plain ones."""
        if hasattr(x, "assign"):
            return x.assign(**more_columns)
        if hasattr(x, "hstack"):
            import polars as pl

            return x.hstack([pl.Series(name, values) for name, values in more_columns.items()])
        if np.ndim(x) == 1:
            raise NotAskableError("takes named columns, and an array of one dimension is one")
        return {"x": x, **more_columns}

    def predict_proba(self, x: Any) -> Any:
        shares = np.asarray(self.model.predict(self.dataset(x)))
        if len(self.model.label_classes()) == 1:
            return shares[:, None]
        return np.column_stack([1 - shares, shares]) if shares.ndim == 1 else shares

    def predict(self, x: Any) -> Any:
        if self.task == NUMBERS:
            return self.model.predict(self.dataset(x))
        labels = np.asarray(self.model.label_classes())
        chosen = labels[self.predict_proba(x).argmax(axis=1)]
        is_whole = all(label.lstrip("-").isdigit() for label in labels)
        return chosen.astype(int) if is_whole else chosen


LIBRARIES = {library.name: library for library in (Treewright, ScikitLearn, XGBoost, LightGBM, YDF)}


def refuse(settings: dict[str, Any], name: str, reason: str) -> None:
    if name in settings:
        raise NotAskableError(reason)
