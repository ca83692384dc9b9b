"""Every estimator of treewright, once: where it lives, and what the command line calls it.

Model files, the command line, the public names of the package, the contract tests and the reference
page read this list. To add an estimator, write its module and add an entry here.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLASSIFICATION, REGRESSION, NO_TARGET = "classification", "regression", "no target"


class Entry:
    """One estimator; no dataclass, since `import treewright` reads this and should be quick."""

    __slots__ = ("family", "model", "module", "params", "state", "task")

    def __init__(  # noqa: PLR0913 -- one argument for each field
        self, module: str, params: str, task: str, *, model: str, family: str, state: str
    ) -> None:
        self.module = module
        self.params = params  # where its parameters are declared
        self.task = task
        self.model = model  # its `--model` on the command line
        self.family = family  # the models that share most parameters
        self.state = state  # the class of its fitted state; its module knows no scikit-learn


ESTIMATORS = {
    "ID3Classifier": Entry(
        "treewright.single_trees.id3",
        "treewright.single_trees.param_tables.ID3_PARAMS",
        CLASSIFICATION,
        model="id3",
        family="trees",
        state="treewright.single_trees.fitted.FittedCutTree",
    ),
    "C45Classifier": Entry(
        "treewright.single_trees.c45",
        "treewright.single_trees.param_tables.C45_PARAMS",
        CLASSIFICATION,
        model="c45",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "C45Rules": Entry(
        "treewright.single_trees.c45_rules",
        "treewright.single_trees.param_tables.C45_RULES_PARAMS",
        CLASSIFICATION,
        model="c45rules",
        family="trees",
        state="treewright.single_trees.fitted.FittedRules",
    ),
    "CARTClassifier": Entry(
        "treewright.single_trees.cart",
        "treewright.single_trees.param_tables.CART_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="cart",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "CARTRegressor": Entry(
        "treewright.single_trees.cart",
        "treewright.single_trees.param_tables.CART_REGRESSOR_PARAMS",
        REGRESSION,
        model="cart",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "TreeClassifier": Entry(
        "treewright.single_trees.general",
        "treewright.single_trees.param_tables.TREE_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="tree",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "TreeRegressor": Entry(
        "treewright.single_trees.general",
        "treewright.single_trees.param_tables.TREE_REGRESSOR_PARAMS",
        REGRESSION,
        model="tree",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "M5Regressor": Entry(
        "treewright.model_trees.m5",
        "treewright.model_trees.params.M5_PARAMS",
        REGRESSION,
        model="m5",
        family="model trees",
        state="treewright.model_trees.fitted.FittedModelTree",
    ),
    "ObliqueTreeClassifier": Entry(
        "treewright.single_trees.oblique",
        "treewright.single_trees.param_tables.OBLIQUE_PARAMS",
        CLASSIFICATION,
        model="oblique",
        family="oblique trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "OptimalTreeClassifier": Entry(
        "treewright.single_trees.optimal",
        "treewright.single_trees.param_tables.OPTIMAL_PARAMS",
        CLASSIFICATION,
        model="optimal",
        family="optimal trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "RandomForestClassifier": Entry(
        "treewright.ensembles.forests.random_forest",
        "treewright.ensembles.forests.params.RANDOM_FOREST_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="forest",
        family="forests",
        state="treewright.ensembles.fitted.FittedClassForest",
    ),
    "RandomForestRegressor": Entry(
        "treewright.ensembles.forests.random_forest",
        "treewright.ensembles.forests.params.RANDOM_FOREST_REGRESSOR_PARAMS",
        REGRESSION,
        model="forest",
        family="forests",
        state="treewright.ensembles.fitted.FittedNumberForest",
    ),
    "ExtraTreesClassifier": Entry(
        "treewright.ensembles.forests.extra_trees",
        "treewright.ensembles.forests.params.EXTRA_TREES_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="extra_trees",
        family="forests",
        state="treewright.ensembles.fitted.FittedClassForest",
    ),
    "ExtraTreesRegressor": Entry(
        "treewright.ensembles.forests.extra_trees",
        "treewright.ensembles.forests.params.EXTRA_TREES_REGRESSOR_PARAMS",
        REGRESSION,
        model="extra_trees",
        family="forests",
        state="treewright.ensembles.fitted.FittedNumberForest",
    ),
    "BoostedTreesClassifier": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        "treewright.ensembles.boosting.params.BOOSTED_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="boosted",
        family="boosted trees",
        state="treewright.ensembles.fitted.FittedBoosting",
    ),
    "BoostedTreesRegressor": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        "treewright.ensembles.boosting.params.BOOSTED_REGRESSOR_PARAMS",
        REGRESSION,
        model="boosted",
        family="boosted trees",
        state="treewright.ensembles.fitted.FittedBoosting",
    ),
    "IsolationForest": Entry(
        "treewright.ensembles.forests.isolation",
        "treewright.ensembles.forests.params.ISOLATION_FOREST_PARAMS",
        NO_TARGET,
        model="isolation",
        family="isolation",
        state="treewright.ensembles.fitted.FittedIsolation",
    ),
    "KNeighborsClassifier": Entry(
        "treewright.neighbors.classifier",
        "treewright.neighbors.params.K_NEIGHBORS_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="knn",
        family="neighbors",
        state="treewright.neighbors.fitted.FittedClassNeighbors",
    ),
    "KNeighborsRegressor": Entry(
        "treewright.neighbors.regressor",
        "treewright.neighbors.params.K_NEIGHBORS_REGRESSOR_PARAMS",
        REGRESSION,
        model="knn",
        family="neighbors",
        state="treewright.neighbors.fitted.FittedNumberNeighbors",
    ),
    "KMeans": Entry(
        "treewright.clustering.kmeans",
        "treewright.clustering.params.KMEANS_PARAMS",
        NO_TARGET,
        model="kmeans",
        family="clusters",
        state="treewright.clustering.fitted.FittedClusters",
    ),
    "KPrototypes": Entry(
        "treewright.clustering.kprototypes",
        "treewright.clustering.params.KPROTOTYPES_PARAMS",
        NO_TARGET,
        model="kprototypes",
        family="clusters",
        state="treewright.clustering.fitted.FittedClusters",
    ),
    "CandidateElimination": Entry(
        "treewright.concepts.candidate_elimination",
        "treewright.concepts.params.CANDIDATE_ELIMINATION_PARAMS",
        CLASSIFICATION,
        model="candidate_elimination",
        family="concepts",
        state="treewright.concepts.fitted.FittedVersionSpace",
    ),
    "FindS": Entry(
        "treewright.concepts.find_s",
        "treewright.concepts.params.FIND_S_PARAMS",
        CLASSIFICATION,
        model="find_s",
        family="concepts",
        state="treewright.concepts.fitted.FittedFindS",
    ),
    "GradientDescentRegressor": Entry(
        "treewright.linear.regressor",
        "treewright.linear.params.DESCENT_REGRESSOR_PARAMS",
        REGRESSION,
        model="linear",
        family="linear",
        state="treewright.linear.fitted.FittedNumbersLinear",
    ),
    "GradientDescentClassifier": Entry(
        "treewright.linear.classifier",
        "treewright.linear.params.DESCENT_CLASSIFIER_PARAMS",
        CLASSIFICATION,
        model="linear",
        family="linear",
        state="treewright.linear.fitted.FittedClassesLinear",
    ),
}


def estimator_type(name: str) -> type:
    """The class of an estimator; a `KeyError` for a name that is not listed."""
    kind: type = getattr(import_module(ESTIMATORS[name].module), name)
    return kind


def params_of(name: str) -> "tuple[Any, ...]":
    """The declared parameters of an estimator, without importing the estimator."""
    params: tuple[Any, ...] = named(ESTIMATORS[name].params)
    return params


def state_type(name: str) -> "Any":
    """The class of an estimator's fitted state, without importing the estimator."""
    return named(ESTIMATORS[name].state)


def named(path: str) -> "Any":
    """What a module calls by the last part of a path."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def is_listed(kind: type) -> bool:
    """Whether a class is one of the estimators above, not just of the same name."""
    entry = ESTIMATORS.get(kind.__name__)
    return entry is not None and entry.module == kind.__module__
