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

    def __init__(self, module: str, params: str, *, model: str, family: str, task: str) -> None:
        self.module = module
        self.params = params  # where its parameters are declared
        self.model = model  # its `--model` on the command line
        self.family = family  # the models that share most parameters
        self.task = task


ESTIMATORS = {
    "ID3Classifier": Entry(
        "treewright.single_trees.id3",
        "treewright.single_trees.param_tables.ID3_PARAMS",
        model="id3",
        family="trees",
        task=CLASSIFICATION,
    ),
    "C45Classifier": Entry(
        "treewright.single_trees.c45",
        "treewright.single_trees.param_tables.C45_PARAMS",
        model="c45",
        family="trees",
        task=CLASSIFICATION,
    ),
    "C45Rules": Entry(
        "treewright.single_trees.c45_rules",
        "treewright.single_trees.param_tables.C45_RULES_PARAMS",
        model="c45rules",
        family="trees",
        task=CLASSIFICATION,
    ),
    "CARTClassifier": Entry(
        "treewright.single_trees.cart",
        "treewright.single_trees.param_tables.CART_CLASSIFIER_PARAMS",
        model="cart",
        family="trees",
        task=CLASSIFICATION,
    ),
    "CARTRegressor": Entry(
        "treewright.single_trees.cart",
        "treewright.single_trees.param_tables.CART_REGRESSOR_PARAMS",
        model="cart",
        family="trees",
        task=REGRESSION,
    ),
    "TreeClassifier": Entry(
        "treewright.single_trees.general",
        "treewright.single_trees.param_tables.TREE_CLASSIFIER_PARAMS",
        model="tree",
        family="trees",
        task=CLASSIFICATION,
    ),
    "TreeRegressor": Entry(
        "treewright.single_trees.general",
        "treewright.single_trees.param_tables.TREE_REGRESSOR_PARAMS",
        model="tree",
        family="trees",
        task=REGRESSION,
    ),
    "M5Regressor": Entry(
        "treewright.model_trees.m5",
        "treewright.model_trees.params.M5_PARAMS",
        model="m5",
        family="model trees",
        task=REGRESSION,
    ),
    "ObliqueTreeClassifier": Entry(
        "treewright.single_trees.oblique",
        "treewright.single_trees.param_tables.OBLIQUE_PARAMS",
        model="oblique",
        family="oblique trees",
        task=CLASSIFICATION,
    ),
    "OptimalTreeClassifier": Entry(
        "treewright.single_trees.optimal",
        "treewright.single_trees.param_tables.OPTIMAL_PARAMS",
        model="optimal",
        family="optimal trees",
        task=CLASSIFICATION,
    ),
    "RandomForestClassifier": Entry(
        "treewright.ensembles.forests.random_forest",
        "treewright.ensembles.forests.params.RANDOM_FOREST_CLASSIFIER_PARAMS",
        model="forest",
        family="forests",
        task=CLASSIFICATION,
    ),
    "RandomForestRegressor": Entry(
        "treewright.ensembles.forests.random_forest",
        "treewright.ensembles.forests.params.RANDOM_FOREST_REGRESSOR_PARAMS",
        model="forest",
        family="forests",
        task=REGRESSION,
    ),
    "ExtraTreesClassifier": Entry(
        "treewright.ensembles.forests.extra_trees",
        "treewright.ensembles.forests.params.EXTRA_TREES_CLASSIFIER_PARAMS",
        model="extra_trees",
        family="forests",
        task=CLASSIFICATION,
    ),
    "ExtraTreesRegressor": Entry(
        "treewright.ensembles.forests.extra_trees",
        "treewright.ensembles.forests.params.EXTRA_TREES_REGRESSOR_PARAMS",
        model="extra_trees",
        family="forests",
        task=REGRESSION,
    ),
    "IsolationForest": Entry(
        "treewright.ensembles.forests.isolation",
        "treewright.ensembles.forests.params.ISOLATION_FOREST_PARAMS",
        model="isolation",
        family="isolation",
        task=NO_TARGET,
    ),
    "KNeighborsClassifier": Entry(
        "treewright.neighbors.classifier",
        "treewright.neighbors.params.K_NEIGHBORS_CLASSIFIER_PARAMS",
        model="knn",
        family="neighbors",
        task=CLASSIFICATION,
    ),
    "KNeighborsRegressor": Entry(
        "treewright.neighbors.regressor",
        "treewright.neighbors.params.K_NEIGHBORS_REGRESSOR_PARAMS",
        model="knn",
        family="neighbors",
        task=REGRESSION,
    ),
    "BoostedTreesClassifier": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        "treewright.ensembles.boosting.params.BOOSTED_CLASSIFIER_PARAMS",
        model="boosted",
        family="boosted trees",
        task=CLASSIFICATION,
    ),
    "BoostedTreesRegressor": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        "treewright.ensembles.boosting.params.BOOSTED_REGRESSOR_PARAMS",
        model="boosted",
        family="boosted trees",
        task=REGRESSION,
    ),
    "KMeans": Entry(
        "treewright.clustering.kmeans",
        "treewright.clustering.params.KMEANS_PARAMS",
        model="kmeans",
        family="clusters",
        task=NO_TARGET,
    ),
    "KPrototypes": Entry(
        "treewright.clustering.kprototypes",
        "treewright.clustering.params.KPROTOTYPES_PARAMS",
        model="kprototypes",
        family="clusters",
        task=NO_TARGET,
    ),
    "CandidateElimination": Entry(
        "treewright.concepts.candidate_elimination",
        "treewright.concepts.params.CANDIDATE_ELIMINATION_PARAMS",
        model="candidate_elimination",
        family="concepts",
        task=CLASSIFICATION,
    ),
    "FindS": Entry(
        "treewright.concepts.find_s",
        "treewright.concepts.params.FIND_S_PARAMS",
        model="find_s",
        family="concepts",
        task=CLASSIFICATION,
    ),
    "GradientDescentRegressor": Entry(
        "treewright.linear.regressor",
        "treewright.linear.params.DESCENT_REGRESSOR_PARAMS",
        model="linear",
        family="linear",
        task=REGRESSION,
    ),
    "GradientDescentClassifier": Entry(
        "treewright.linear.classifier",
        "treewright.linear.params.DESCENT_CLASSIFIER_PARAMS",
        model="linear",
        family="linear",
        task=CLASSIFICATION,
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
