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

    __slots__ = ("family", "model", "module", "task")

    def __init__(self, module: str, task: str, *, model: str, family: str) -> None:
        self.module = module
        self.task = task
        self.model = model  # its `--model` on the command line
        self.family = family  # the models that share most parameters


ESTIMATORS = {
    "ID3Classifier": Entry(
        "treewright.single_trees.id3", CLASSIFICATION, model="id3", family="trees"
    ),
    "C45Classifier": Entry(
        "treewright.single_trees.c45", CLASSIFICATION, model="c45", family="trees"
    ),
    "C45Rules": Entry(
        "treewright.single_trees.c45_rules", CLASSIFICATION, model="c45rules", family="trees"
    ),
    "CARTClassifier": Entry(
        "treewright.single_trees.cart", CLASSIFICATION, model="cart", family="trees"
    ),
    "CARTRegressor": Entry(
        "treewright.single_trees.cart", REGRESSION, model="cart", family="trees"
    ),
    "TreeClassifier": Entry(
        "treewright.single_trees.general", CLASSIFICATION, model="tree", family="trees"
    ),
    "TreeRegressor": Entry(
        "treewright.single_trees.general", REGRESSION, model="tree", family="trees"
    ),
    "M5Regressor": Entry("treewright.model_trees.m5", REGRESSION, model="m5", family="model trees"),
    "ObliqueTreeClassifier": Entry(
        "treewright.single_trees.oblique", CLASSIFICATION, model="oblique", family="oblique trees"
    ),
    "OptimalTreeClassifier": Entry(
        "treewright.single_trees.optimal", CLASSIFICATION, model="optimal", family="optimal trees"
    ),
    "RandomForestClassifier": Entry(
        "treewright.ensembles.forests.random_forest",
        CLASSIFICATION,
        model="forest",
        family="forests",
    ),
    "RandomForestRegressor": Entry(
        "treewright.ensembles.forests.random_forest", REGRESSION, model="forest", family="forests"
    ),
    "ExtraTreesClassifier": Entry(
        "treewright.ensembles.forests.extra_trees",
        CLASSIFICATION,
        model="extra_trees",
        family="forests",
    ),
    "ExtraTreesRegressor": Entry(
        "treewright.ensembles.forests.extra_trees",
        REGRESSION,
        model="extra_trees",
        family="forests",
    ),
    "BoostedTreesClassifier": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        CLASSIFICATION,
        model="boosted",
        family="boosted trees",
    ),
    "BoostedTreesRegressor": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        REGRESSION,
        model="boosted",
        family="boosted trees",
    ),
    "IsolationForest": Entry(
        "treewright.ensembles.forests.isolation", NO_TARGET, model="isolation", family="isolation"
    ),
    "KNeighborsClassifier": Entry(
        "treewright.neighbors.classifier", CLASSIFICATION, model="knn", family="neighbors"
    ),
    "KNeighborsRegressor": Entry(
        "treewright.neighbors.regressor", REGRESSION, model="knn", family="neighbors"
    ),
    "KMeans": Entry("treewright.clustering.kmeans", NO_TARGET, model="kmeans", family="clusters"),
    "KPrototypes": Entry(
        "treewright.clustering.kprototypes", NO_TARGET, model="kprototypes", family="clusters"
    ),
    "CandidateElimination": Entry(
        "treewright.concepts.candidate_elimination",
        CLASSIFICATION,
        model="candidate_elimination",
        family="concepts",
    ),
    "FindS": Entry("treewright.concepts.find_s", CLASSIFICATION, model="find_s", family="concepts"),
    "GradientDescentRegressor": Entry(
        "treewright.linear.regressor", REGRESSION, model="linear", family="linear"
    ),
    "GradientDescentClassifier": Entry(
        "treewright.linear.classifier", CLASSIFICATION, model="linear", family="linear"
    ),
}


def estimator_type(name: str) -> type:
    """The class of an estimator; a `KeyError` for a name that is not listed."""
    kind: type = getattr(import_module(ESTIMATORS[name].module), name)
    return kind


def params_of(name: str) -> "tuple[Any, ...]":
    """The parameters that an estimator declares."""
    kind: Any = estimator_type(name)
    params: tuple[Any, ...] = kind.params
    return params


def is_listed(kind: type) -> bool:
    """Whether a class is one of the estimators above, not just of the same name."""
    entry = ESTIMATORS.get(kind.__name__)
    return entry is not None and entry.module == kind.__module__
