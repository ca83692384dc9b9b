"""The models that every release keeps a golden file of: each estimator, and settings that matter.

A later release may add to this list; what a release has written is never written again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from golden.tables import TABLES, GoldenColumn, Rows, rows_to_ask, without_holes
from treewright.tree.layout import THRESHOLD

IMPORTS = Path(__file__).parents[1] / "files" / "imports"
KINDS = {"string": "text", "integer": "integer", "boolean": "flag"}


@dataclass(frozen=True, slots=True)
class Golden:
    """One model: what is fitted to what."""

    estimator: str
    table: str = "mixed"
    n_classes: int | None = 3  # none: numbers are learnt
    params: dict[str, Any] = field(default_factory=dict)
    labels: Callable[[np.ndarray], np.ndarray] = lambda classes: classes
    weighted: bool = False
    takes_holes: bool = True
    then: Callable[[Any], Any] = lambda model: model

    @property
    def has_names(self) -> bool:
        return self.table != "numbers"

    def fitted(self) -> tuple[Any, Rows]:
        """The model, and the rows that are asked of it."""
        table = TABLES[self.table]()
        target = self.labels(table.target(self.n_classes))
        weights = {"sample_weight": np.arange(len(target)) % 4 + 0.5} if self.weighted else {}
        model = getattr(tw, self.estimator)(**self.params).fit(table.to_fit(), target, **weights)
        asks_size = hasattr(model, "tree_") or hasattr(model, "trees_")
        largest = 1.7e308 if asks_size and self.estimator != "M5Regressor" else 1e6
        rows = rows_to_ask(table, borders_of(model), largest)
        return self.then(model), rows if self.takes_holes else without_holes(rows)


@dataclass(frozen=True, slots=True)
class GoldenImport:
    """One model of another library: a file in tests/files/imports, or a model to fit to iris."""

    source: Any
    table: str | None = None  # its training rows, which name what a text does not

    @property
    def model(self) -> Any:
        if not isinstance(self.source, str):
            return tw.import_model(self.source.fit(*load_iris(return_X_y=True)), verify=False)
        X = None if self.table is None else tw.read_table(IMPORTS / self.table)
        return tw.import_model(IMPORTS / self.source, X=X, verify=False)

    @property
    def has_names(self) -> bool:
        return self.model.schema_.has_names

    def fitted(self) -> tuple[Any, Rows]:
        """The model, and the rows that are asked of it: at and beside thresholds, each category."""
        model, rng = self.model, np.random.default_rng(0)
        borders, rows = borders_of(model), {}
        for spec in model.schema_.columns:
            own = borders.get(spec.name, [])
            around = [one for cut in own for one in (np.nextafter(cut, -1e9), cut, cut + 0.5)]
            values = [*map(float, around), 0.0, 1e6, None]
            kind = "number"
            if not spec.is_numeric:
                values, kind = [*spec.levels, None], KINDS[spec.level_type]
            chosen = rng.integers(0, len(values), 40).tolist()
            rows[spec.name] = GoldenColumn(kind, tuple(values[at] for at in chosen))
        return model, rows


def borders_of(model: Any) -> dict[str, list[float]]:
    """Numbers at which the answer of a tree, or of what cut its columns, may change."""
    trees = [model.tree_] if hasattr(model, "tree_") else list(getattr(model, "trees_", ()))[:2]
    found: dict[str, list[float]] = {
        name: list(cuts) for name, cuts in getattr(model, "cut_points_", {}).items()
    }
    for tree in trees:
        for node in np.flatnonzero(tree.kind == THRESHOLD):
            name = tree.schema.names[tree.feature[node]]
            found.setdefault(name, []).append(float(tree.threshold[node]))
    return found


def share_of_others(weights: np.ndarray) -> float:
    """An impurity of the user's own, which a file holds by name only."""
    return float(1.0 - weights.max() / weights.sum())


def numbered(classes: np.ndarray) -> np.ndarray:
    return np.unique(classes, return_inverse=True)[1] * 10 - 5


COSTS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [8.0, 2.0, 0.0]]
FEW = {"n_estimators": 3}
BOOSTED = {"n_estimators": 4, "min_samples_leaf": 4, "max_leaf_nodes": 5, "learning_rate": 0.3}
FEW_STEPS = {"max_iter": 20}
FIVE = {"max_leaf_nodes": 5}
GROWN = {"prune": None}  # as CART was fitted when the first files were written

TREES = {
    "id3": Golden("ID3Classifier"),
    "id3_words": Golden("ID3Classifier", "words", 2),
    "id3_equal_width": Golden("ID3Classifier", params={"discretize": "equal_width", "n_bins": 3}),
    "id3_branch_for_missing": Golden("ID3Classifier", params={"missing": "branch"}),
    "id3_pruned": Golden("ID3Classifier", params={"prune": "pessimistic"}),
    "c45": Golden("C45Classifier"),
    "c45_laplace": Golden("C45Classifier", params={"laplace": True, "prune": None}),
    "c45_subsets": Golden("C45Classifier", params={"nominal": "subset"}, weighted=True),
    "c45_midpoints": Golden("C45Classifier", "numbers", 2, {"midpoint_thresholds": True}),
    "c45_rules": Golden("C45Rules"),
    "c45_rules_of_words": Golden("C45Rules", "words", 2, {"simple": True}),
    "cart": Golden("CARTClassifier", params=GROWN),
    "cart_entropy": Golden("CARTClassifier", params={"criterion": "entropy", **FIVE, **GROWN}),
    "cart_costs": Golden(
        "CARTClassifier", params={"costs": COSTS, "criterion": "cost_gini", **GROWN}
    ),
    "cart_priors": Golden("CARTClassifier", params={"priors": [0.2, 0.3, 0.5], **FIVE, **GROWN}),
    "cart_balanced": Golden("CARTClassifier", params={"class_weight": "balanced", **FIVE, **GROWN}),
    "cart_pruned": Golden("CARTClassifier", params={"prune": "cv"}, weighted=True),
    "cart_many_levels": Golden("CARTClassifier", "many_levels", 2, {**FIVE, **GROWN}),
    "cart_regressor": Golden("CARTRegressor", n_classes=None, params={"max_depth": 3, **GROWN}),
    "cart_regressor_absolute": Golden(
        "CARTRegressor", n_classes=None, params={"criterion": "absolute_error", **FIVE, **GROWN}
    ),
    "cart_regressor_pruned": Golden("CARTRegressor", n_classes=None, params={"ccp_alpha": 0.02}),
    "tree": Golden("TreeClassifier"),
    "tree_intervals": Golden("TreeClassifier", params={"numeric": "intervals", "max_depth": 2}),
    "tree_branches": Golden("TreeClassifier", params={"nominal": "branches", "max_depth": 3}),
    "tree_fractional": Golden("TreeClassifier", params={"missing": "fractional", **FIVE}),
    "tree_majority": Golden(
        "TreeClassifier", params={"missing": "majority", "handle_unknown": "majority", **FIVE}
    ),
    "tree_chi2": Golden("TreeClassifier", params={"criterion": "chi2", "significance": 0.05}),
    "tree_stopped_early": Golden("TreeClassifier", params={"validation_fraction": 0.25}),
    "tree_reduced_error": Golden(
        "TreeClassifier",
        params={"prune": "reduced_error", "prune_options": {"fraction": 0.3}},
    ),
    "tree_own_impurity": Golden("TreeClassifier", params={"criterion": share_of_others, **FIVE}),
    "tree_dates_and_grades": Golden("TreeClassifier", "dates_and_grades"),
    "tree_no_names": Golden("TreeClassifier", "numbers", 4, FIVE),
    "tree_number_labels": Golden("TreeClassifier", params=FIVE, labels=numbered),
    "tree_flag_labels": Golden("TreeClassifier", "words", 2, labels=lambda y: y == "low"),
    "tree_regressor": Golden("TreeRegressor", n_classes=None, params=FIVE),
    "tree_regressor_poisson": Golden(
        "TreeRegressor", "positive_numbers", None, {"criterion": "poisson", **FIVE}
    ),
    "tree_regressor_dates": Golden("TreeRegressor", "dates_and_grades", None, FIVE),
    "oblique": Golden("ObliqueTreeClassifier", "numbers", 2),
    "oblique_mixed": Golden("ObliqueTreeClassifier", params={"prune": None, **FIVE}),
    "optimal": Golden("OptimalTreeClassifier", params={"max_depth": 2}),
    "optimal_penalty": Golden(
        "OptimalTreeClassifier", "numbers", 2, {"penalty": 0.02, "max_depth": 2}, weighted=True
    ),
    "readable": Golden("ReadableTreeClassifier", params={"max_leaf_nodes": 4, "distil": False}),
    "readable_regressor": Golden(
        "ReadableTreeRegressor", n_classes=None, params={"max_leaf_nodes": 4, "distil": False}
    ),
    "rules_of_tree": Golden("CARTClassifier", params={**FIVE, **GROWN}, then=tw.rules),
    "rules_in_order": Golden("C45Rules", then=tw.rules),
}

ENSEMBLES = {
    "random_forest": Golden("RandomForestClassifier", params=FEW),
    "random_forest_votes": Golden("RandomForestClassifier", params={"voting": "hard", **FEW}),
    "random_forest_out_of_bag": Golden(
        "RandomForestClassifier", params={"n_estimators": 8, "oob_score": True, "max_depth": 2}
    ),
    "random_forest_exact": Golden("RandomForestClassifier", params={"splits": "exact", **FEW}),
    "random_forest_inductors": Golden(
        "RandomForestClassifier",
        params={"inductors": [tw.C45Classifier(), tw.ID3Classifier(max_depth=2)], **FEW},
    ),
    "random_forest_many_levels": Golden("RandomForestClassifier", "many_levels", 2, FEW),
    "random_forest_regressor": Golden("RandomForestRegressor", n_classes=None, params=FEW),
    "random_forest_quantiles": Golden(
        "RandomForestRegressor", n_classes=None, params={"keep_targets": True, **FEW}
    ),
    "extra_trees": Golden("ExtraTreesClassifier", params=FEW, weighted=True),
    "extra_trees_regressor": Golden("ExtraTreesRegressor", n_classes=None, params=FEW),
    "isolation_forest": Golden("IsolationForest", params={"max_samples": 16, **FEW}),
    "isolation_forest_share": Golden(
        "IsolationForest", "numbers", params={"contamination": 0.1, "max_samples": 16, **FEW}
    ),
    "boosted_two_classes": Golden("BoostedTreesClassifier", n_classes=2, params=BOOSTED),
    "boosted_three_classes": Golden("BoostedTreesClassifier", params=BOOSTED, labels=numbered),
    "boosted_dropped": Golden(
        "BoostedTreesClassifier", n_classes=2, params={"drop_rate": 0.5, **BOOSTED}
    ),
    "boosted_symmetric": Golden(
        "BoostedTreesClassifier",
        n_classes=2,
        params={"growth": "symmetric", **BOOSTED, "max_leaf_nodes": None, "max_depth": 2},
    ),
    "boosted_many_levels": Golden("BoostedTreesClassifier", "many_levels", 2, BOOSTED),
    "boosted_monotone": Golden(
        "BoostedTreesRegressor",
        n_classes=None,
        params={"monotonic_cst": {"size": 1}, "interaction_cst": [["size", "count"]], **BOOSTED},
    ),
    "boosted_dates": Golden("BoostedTreesRegressor", "dates_and_grades", None, BOOSTED),
    "boosted_early": Golden(
        "BoostedTreesRegressor",
        n_classes=None,
        params={**BOOSTED, "n_estimators": 20, "validation_fraction": 0.25, "n_iter_no_change": 2},
    ),
    **{
        f"boosted_{loss}": Golden(
            "BoostedTreesRegressor", "positive_numbers", None, {"loss": loss, **BOOSTED}
        )
        for loss in (
            "squared_error",
            "absolute_error",
            "huber",
            "quantile",
            "poisson",
            "gamma",
            "tweedie",
        )
    },
}

OTHERS = {
    "kmeans": Golden("KMeans", "numbers", params={"n_clusters": 3}),
    "kmeans_scaled": Golden(
        "KMeans", "positive_numbers", params={"n_clusters": 2, "scale": "range"}, weighted=True
    ),
    "kprototypes": Golden("KPrototypes", params={"n_clusters": 3}),
    "kprototypes_gamma": Golden("KPrototypes", "words", params={"n_clusters": 2, "gamma": 0.5}),
    "neighbors": Golden("KNeighborsClassifier"),
    "neighbors_distance": Golden(
        "KNeighborsClassifier",
        params={"weights": "distance", "metric": "gower", "smooth": 1.0, "ties": "first"},
        weighted=True,
    ),
    "neighbors_numbers": Golden(
        "KNeighborsClassifier",
        "numbers",
        2,
        {"metric": "euclidean", "scale": "standard"},
        takes_holes=False,
    ),
    "neighbors_regressor": Golden("KNeighborsRegressor", n_classes=None),
    "neighbors_manhattan": Golden(
        "KNeighborsRegressor", "positive_numbers", None, {"metric": "manhattan", "scale": None}
    ),
    "linear": Golden("GradientDescentRegressor", n_classes=None, params=FEW_STEPS),
    "linear_direct": Golden(
        "GradientDescentRegressor", n_classes=None, params={"solver": "normal_equations"}
    ),
    "linear_lasso": Golden("GradientDescentRegressor", "numbers", None, {"l1": 0.1}),
    "linear_stochastic": Golden(
        "GradientDescentRegressor", "numbers", None, {"method": "stochastic", "max_iter": 20}
    ),
    "logistic": Golden("GradientDescentClassifier", n_classes=2, params=FEW_STEPS),
    "logistic_three_classes": Golden(
        "GradientDescentClassifier", params=FEW_STEPS, labels=numbered, weighted=True
    ),
    "logistic_newton": Golden("GradientDescentClassifier", "numbers", 2, {"solver": "newton"}),
    "candidate_elimination": Golden(
        "CandidateElimination", "words", 2, labels=lambda y: y == "mid"
    ),
    "candidate_elimination_cut": Golden(
        "CandidateElimination", n_classes=2, params={"discretize": "equal_width", "n_bins": 2}
    ),
    "find_s": Golden("FindS", "words", 2),
    "find_s_cut": Golden("FindS", n_classes=2, params={"discretize": "equal_frequency"}),
    "m5": Golden("M5Regressor", n_classes=None, params={"prune": False, "max_depth": 2}),
    "m5_pruned": Golden("M5Regressor", n_classes=None),
    "m5_means": Golden("M5Regressor", n_classes=None, params={"models": False, "prune": False}),
    "m5_not_smoothed": Golden(
        "M5Regressor", "numbers", None, {"smoothing": False, "prune": False, "max_depth": 1}
    ),
}

IMPORTED = {
    "imported_lightgbm": GoldenImport("lightgbm.txt"),
    "imported_xgboost": GoldenImport("xgboost.json"),
    "imported_catboost": GoldenImport("catboost.json"),
    "imported_onnx_forest": GoldenImport("onnx_forest.onnx"),
    "imported_onnx_tree": GoldenImport("onnx_tree.onnx"),
    "imported_pmml_boosting": GoldenImport("pmml/boosting.pmml"),
    "imported_pmml_number": GoldenImport("pmml/forest_number.pmml"),
    "imported_rpart": GoldenImport("printed/rpart_class.txt"),
    "imported_j48": GoldenImport("printed/weka_j48_missing.txt"),
    "imported_id3": GoldenImport("printed/weka_id3.txt"),
    "imported_xgboost_ubj": GoldenImport("xgboost.ubj"),
    "imported_onnx_boosted": GoldenImport("onnx_boosted_three.onnx"),
    "imported_onnx_lightgbm": GoldenImport("onnx_lightgbm.onnx"),
    "imported_pmml_tree": GoldenImport("pmml/tree.pmml"),
    "imported_pmml_xgboost": GoldenImport("pmml/xgboost_two.pmml"),
    "imported_partykit": GoldenImport("printed/partykit_class.txt"),
    "imported_reptree": GoldenImport("printed/weka_reptree.txt"),
    "imported_sklearn_tree": GoldenImport(DecisionTreeClassifier(max_depth=3)),
    "imported_sklearn_forest": GoldenImport(RandomForestClassifier(3, max_depth=3, random_state=0)),
    "imported_sklearn_histogram": GoldenImport(
        HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4)
    ),
    "imported_sklearn_boosting": GoldenImport(
        GradientBoostingRegressor(n_estimators=3, max_depth=2)
    ),
    "imported_m5p": GoldenImport("printed/weka_m5p_number.txt"),
    "imported_m5p_equations": GoldenImport(
        "printed/weka_m5p_missing.txt", "printed/weka_m5p_missing.arff"
    ),
}

GOLDENS = {**TREES, **ENSEMBLES, **OTHERS, **IMPORTED}
