"""Every public estimator, quick to fit, with what it takes and what it has: for this folder.

A case of the torture list holds for every estimator whose traits say that it applies. A new
estimator of the registry is tried with the usual traits until it is listed here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
import pytest

import treewright as tw
from small_tables import words
from treewright.registry import (
    CLASSIFICATION,
    ESTIMATORS,
    NO_TARGET,
    REGRESSION,
    is_listed,
)
from treewright.verbs.load import model_bytes

FEW_TREES = {"n_estimators": 8}
ANY_LEAF = {"min_samples_leaf": 1}
FEW_CLUSTERS = {"n_clusters": 2, "n_init": 2}


@dataclass(frozen=True)
class Model:
    """An estimator: how tests make it, and its traits."""

    name: str
    gives: Literal["classes", "numbers", "groups", "oddness", "tables"]
    settings: Mapping[str, object] = field(default_factory=dict)
    trees: Literal["one", "many", "none"] = "none"
    takes_words: bool = True  # columns that are not numbers
    takes_infinities: bool = False  # as the extreme values that they are
    takes_any_number_of_classes: bool = True
    splits_at: Literal["any two values", "heavier groups", "nothing"] = "nothing"
    has_missing_policies: bool = False
    has_importances: bool = False
    has_unseen: bool = True  # the setting that says what a new level is

    @property
    def is_classifier(self) -> bool:
        return self.gives == "classes"

    @property
    def has_target(self) -> bool:
        return self.gives in ("classes", "numbers")

    @property
    def is_saved(self) -> bool:
        return True

    def __call__(self, **params: object) -> Any:
        """An estimator, not fitted."""
        return getattr(tw, self.name)(**{**self.settings, **params})

    def default(self) -> Any:
        """An estimator as users first make it, though one that any row is enough for."""
        few = ("n_clusters", "n_neighbors", "strategy", "discretize")
        kept = {key: value for key, value in self.settings.items() if key in few}
        return getattr(tw, self.name)(**kept)

    def alone(self) -> Any:
        """An estimator that one row is enough for."""
        model = self()
        known = model.get_params()
        few = {"n_clusters": 1, "n_neighbors": 1}
        return model.set_params(**{key: few[key] for key in few if key in known})


TREE: dict[str, Any] = {
    "trees": "one",
    "takes_infinities": True,
    "has_missing_policies": True,
    "has_importances": True,
}
EXACT: dict[str, Any] = {**TREE, "splits_at": "any two values"}
FOREST: dict[str, Any] = {
    "settings": {**FEW_TREES, **ANY_LEAF},
    "trees": "many",
    "takes_infinities": True,
    "splits_at": "any two values",
    "has_importances": True,
}
CONCEPT: dict[str, Any] = {
    "settings": {"discretize": "equal_width"},
    "takes_infinities": True,
    "takes_any_number_of_classes": False,
}

MODELS = {
    model.name: model
    for model in (
        Model("ID3Classifier", "classes", **{**TREE, "splits_at": "heavier groups"}),
        Model("C45Classifier", "classes", **{**TREE, "splits_at": "heavier groups"}),
        Model(
            "C45Rules",
            "classes",
            **{**TREE, "splits_at": "heavier groups", "has_missing_policies": False},
        ),
        Model("CARTClassifier", "classes", **EXACT),
        Model("CARTRegressor", "numbers", **EXACT),
        Model("TreeClassifier", "classes", **EXACT),
        Model("TreeRegressor", "numbers", **EXACT),
        Model("M5Regressor", "numbers", trees="one", has_importances=True),
        Model(
            "ObliqueTreeClassifier",
            "classes",
            **{**EXACT, "has_missing_policies": False},
        ),
        Model(
            "OptimalTreeClassifier",
            "classes",
            {"max_depth": 2},
            **{**EXACT, "has_missing_policies": False},
        ),
        Model(
            "ReadableTreeClassifier",
            "classes",
            {"distil": False, "max_leaf_nodes": 4},
            **{**EXACT, "has_missing_policies": False},
        ),
        Model(
            "ReadableTreeRegressor",
            "numbers",
            {"distil": False, "max_leaf_nodes": 4},
            **{**EXACT, "has_missing_policies": False},
        ),
        Model("RandomForestClassifier", "classes", **FOREST),
        Model("RandomForestRegressor", "numbers", **FOREST),
        Model("ExtraTreesClassifier", "classes", **FOREST),
        Model("ExtraTreesRegressor", "numbers", **FOREST),
        Model(
            "IsolationForest",
            "oddness",
            **{**FOREST, "settings": FEW_TREES, "has_importances": False},
        ),
        Model("BoostedTreesClassifier", "classes", **FOREST),
        Model("BoostedTreesRegressor", "numbers", **FOREST),
        Model("KNeighborsClassifier", "classes"),
        Model("KNeighborsRegressor", "numbers"),
        Model("KMeans", "groups", FEW_CLUSTERS, takes_words=False, has_unseen=False),
        Model("KPrototypes", "groups", FEW_CLUSTERS),
        Model("CandidateElimination", "classes", **CONCEPT),
        Model("FindS", "classes", **CONCEPT),
        Model("GradientDescentRegressor", "numbers"),
        Model("GradientDescentClassifier", "classes"),
        Model("Discretizer", "tables", takes_infinities=True, has_unseen=False),
        Model("Imputer", "tables", takes_infinities=True, has_unseen=False),
    )
}

GIVES: dict[str, Any] = {CLASSIFICATION: "classes", REGRESSION: "numbers", NO_TARGET: "groups"}
MODELS |= {
    name: Model(name, GIVES[entry.task]) for name, entry in ESTIMATORS.items() if name not in MODELS
}


def for_every(applies: Callable[[Model], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Run a test for every estimator whose traits say that it applies."""
    chosen = {name: model for name, model in MODELS.items() if applies(model)}
    return pytest.mark.parametrize("kind", chosen.values(), ids=chosen)


for_every_model = for_every()
for_every_predictor = for_every(lambda kind: kind.has_target)
for_every_classifier = for_every(lambda kind: kind.is_classifier)
for_every_many_classes = for_every(
    lambda kind: kind.is_classifier and kind.takes_any_number_of_classes
)


def table_for(kind: Model, n_rows: int = 60, seed: int = 0) -> tuple[dict[str, list], np.ndarray]:
    """Words and a number, or two numbers where words are not taken; and a target."""
    table, y = words(n_rows, seed)
    if not kind.takes_words:
        table["color"] = [float(len(word)) for word in table["color"]]
    return table, y


def prediction_of(model: Any, X: Any) -> np.ndarray | tw.Table:
    """What tells most: probabilities, distances, scores, numbers, or a table."""
    for name in ("predict_proba", "score_samples", "transform"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    return model.predict(X)


def predictions(model: Any, X: Any) -> np.ndarray:
    """What tells most, to compare: an array of it."""
    return array_of(prediction_of(model, X))


def array_of(found: np.ndarray | tw.Table) -> np.ndarray:
    """An answer as an array; of a table, its cells."""
    return cells_of(found) if isinstance(found, tw.Table) else found


def cells_of(table: tw.Table) -> np.ndarray:
    """The cells of a table as text; numbers with all their digits."""
    columns = [
        [str(cell) for cell in frame_column.astype(object)]
        if frame_column.dtype.kind not in "fi"
        else [repr(float(cell)) for cell in frame_column]
        for _, frame_column in table.to_pandas().items()
    ]
    return np.array(columns).T


def is_sane(found: np.ndarray) -> bool:
    """Whether answers are numbers, where they are not words."""
    return found.dtype.kind in "OUT" or bool(np.isfinite(found).all())


def problem_of(call: Callable[[], object]) -> str:
    """What is told of input that cannot be used; nothing if it can."""
    try:
        call()
    except tw.DataError as error:
        return str(error)
    return ""


def learned(model: Any) -> object:
    """Everything that a fit has learned, to compare: the bytes of its file where it has one."""
    if is_listed(type(model)):
        return model_bytes(model)
    state = model.state_
    return {one.name: repr(getattr(state, one.name)) for one in fields(state)}


def trees_of(model: Any) -> list[tw.Tree]:
    """The tree of a model, or all of them."""
    return [model.tree_] if hasattr(model, "tree_") else list(model.trees_)
