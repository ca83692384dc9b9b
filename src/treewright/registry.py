"""Every estimator of treewright, once: where it lives, and what the command line calls it.

Model files, the command line, the public names of the package, the contract tests and the reference
page read this list. To add an estimator, write its module and add a line here.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLASSIFICATION, REGRESSION, NO_TARGET = "classification", "regression", "no target"


class Entry:
    """One estimator; no dataclass, since `import treewright` reads this and should be quick."""

    __slots__ = ("family", "model", "module", "params", "task")

    def __init__(self, module: str, params: str, task: str, *, model: str, family: str) -> None:
        self.module = f"treewright.{module}"
        self.params = f"treewright.{params}"  # where its parameters are declared
        self.task = task
        self.model = model  # its `--model` on the command line
        self.family = family  # the models that share most parameters


ESTIMATORS = {
    "ID3Classifier": Entry(
        "single_trees.id3",
        "single_trees.param_tables.ID3_PARAMS",
        CLASSIFICATION,
        model="id3",
        family="trees",
    ),
    "C45Classifier": Entry(
        "single_trees.c45",
        "single_trees.param_tables.C45_PARAMS",
        CLASSIFICATION,
        model="c45",
        family="trees",
    ),
    "C45Rules": Entry(
        "single_trees.c45_rules",
        "single_trees.param_tables.C45_RULES_PARAMS",
        CLASSIFICATION,
        model="c45rules",
        family="trees",
    ),
    "CARTClassifier": Entry(
        "single_trees.cart",
        "single_trees.param_tables.CART_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="cart",
        family="trees",
    ),
    "CARTRegressor": Entry(
        "single_trees.cart",
        "single_trees.param_tables.CART_REGRESSOR_PARAMS",
        REGRESSION,
        model="cart",
        family="trees",
    ),
    "TreeClassifier": Entry(
        "single_trees.general",
        "single_trees.param_tables.TREE_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="tree",
        family="trees",
    ),
    "TreeRegressor": Entry(
        "single_trees.general",
        "single_trees.param_tables.TREE_REGRESSOR_PARAMS",
        REGRESSION,
        model="tree",
        family="trees",
    ),
    "M5Regressor": Entry(
        "model_trees.m5",
        "model_trees.params.M5_PARAMS",
        REGRESSION,
        model="m5",
        family="model trees",
    ),
    "ObliqueTreeClassifier": Entry(
        "single_trees.oblique",
        "single_trees.param_tables.OBLIQUE_PARAMS",
        CLASSIFICATION,
        model="oblique",
        family="oblique trees",
    ),
    "OptimalTreeClassifier": Entry(
        "single_trees.optimal",
        "single_trees.param_tables.OPTIMAL_PARAMS",
        CLASSIFICATION,
        model="optimal",
        family="optimal trees",
    ),
    "RandomForestClassifier": Entry(
        "ensembles.forests.random_forest",
        "ensembles.forests.params.RANDOM_FOREST_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="forest",
        family="forests",
    ),
    "RandomForestRegressor": Entry(
        "ensembles.forests.random_forest",
        "ensembles.forests.params.RANDOM_FOREST_REGRESSOR_PARAMS",
        REGRESSION,
        model="forest",
        family="forests",
    ),
    "ExtraTreesClassifier": Entry(
        "ensembles.forests.extra_trees",
        "ensembles.forests.params.EXTRA_TREES_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="extra_trees",
        family="forests",
    ),
    "ExtraTreesRegressor": Entry(
        "ensembles.forests.extra_trees",
        "ensembles.forests.params.EXTRA_TREES_REGRESSOR_PARAMS",
        REGRESSION,
        model="extra_trees",
        family="forests",
    ),
    "BoostedTreesClassifier": Entry(
        "ensembles.boosting.boosted_trees",
        "ensembles.boosting.params.BOOSTED_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="boosted",
        family="boosted trees",
    ),
    "BoostedTreesRegressor": Entry(
        "ensembles.boosting.boosted_trees",
        "ensembles.boosting.params.BOOSTED_REGRESSOR_PARAMS",
        REGRESSION,
        model="boosted",
        family="boosted trees",
    ),
    "IsolationForest": Entry(
        "ensembles.forests.isolation",
        "ensembles.forests.params.ISOLATION_FOREST_PARAMS",
        NO_TARGET,
        model="isolation",
        family="isolation",
    ),
    "KNeighborsClassifier": Entry(
        "neighbors.classifier",
        "neighbors.params.K_NEIGHBORS_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="knn",
        family="neighbors",
    ),
    "KNeighborsRegressor": Entry(
        "neighbors.regressor",
        "neighbors.params.K_NEIGHBORS_REGRESSOR_PARAMS",
        REGRESSION,
        model="knn",
        family="neighbors",
    ),
    "KMeans": Entry(
        "clustering.kmeans",
        "clustering.params.KMEANS_PARAMS",
        NO_TARGET,
        model="kmeans",
        family="clusters",
    ),
    "KPrototypes": Entry(
        "clustering.kprototypes",
        "clustering.params.KPROTOTYPES_PARAMS",
        NO_TARGET,
        model="kprototypes",
        family="clusters",
    ),
    "CandidateElimination": Entry(
        "concepts.candidate_elimination",
        "concepts.params.CANDIDATE_ELIMINATION_PARAMS",
        CLASSIFICATION,
        model="candidate_elimination",
        family="concepts",
    ),
    "FindS": Entry(
        "concepts.find_s",
        "concepts.params.FIND_S_PARAMS",
        CLASSIFICATION,
        model="find_s",
        family="concepts",
    ),
    "GradientDescentRegressor": Entry(
        "linear.regressor",
        "linear.params.DESCENT_REGRESSOR_PARAMS",
        REGRESSION,
        model="linear",
        family="linear",
    ),
    "GradientDescentClassifier": Entry(
        "linear.classifier",
        "linear.params.DESCENT_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="linear",
        family="linear",
    ),
}


def estimator_type(name: str) -> type:
    """The class of an estimator; a `KeyError` for a name that is not listed."""
    kind: type = getattr(import_module(ESTIMATORS[name].module), name)
    return kind


def params_of(name: str) -> "tuple[Any, ...]":
    """The declared parameters of an estimator, without importing the estimator."""
    module, _, table = ESTIMATORS[name].params.rpartition(".")
    params: tuple[Any, ...] = getattr(import_module(module), table)
    return params


def is_listed(kind: type) -> bool:
    """Whether a class is one of the estimators above, not just of the same name."""
    entry = ESTIMATORS.get(kind.__name__)
    return entry is not None and entry.module == kind.__module__
