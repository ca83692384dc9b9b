"""Every estimator of treewright, once: where it lives, and what the command line calls it.

Model files, the command line, the public names of the package, the contract tests and the reference
page read this list. To add an estimator, write its module and add an entry here.
"""

from collections import ChainMap
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLASSIFICATION, REGRESSION, NO_TARGET = "classification", "regression", "no target"


class Entry:
    """One estimator; no dataclass, since `import treewright` reads this and should be quick."""

    __slots__ = ("family", "model", "module", "state", "task")

    def __init__(self, module: str, task: str, *, model: str, family: str, state: str) -> None:
        self.module = module
        self.task = task
        self.model = model  # its `--model` on the command line
        self.family = family  # the models that share most parameters
        self.state = state  # the class of its fitted state; its module knows no scikit-learn


ESTIMATORS = {
    "ID3Classifier": Entry(
        "treewright.single_trees.id3",
        CLASSIFICATION,
        model="id3",
        family="trees",
        state="treewright.single_trees.fitted.FittedCutTree",
    ),
    "C45Classifier": Entry(
        "treewright.single_trees.c45",
        CLASSIFICATION,
        model="c45",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "C45Rules": Entry(
        "treewright.single_trees.c45_rules",
        CLASSIFICATION,
        model="c45rules",
        family="trees",
        state="treewright.single_trees.fitted.FittedRules",
    ),
    "CARTClassifier": Entry(
        "treewright.single_trees.cart",
        CLASSIFICATION,
        model="cart",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "CARTRegressor": Entry(
        "treewright.single_trees.cart",
        REGRESSION,
        model="cart",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "TreeClassifier": Entry(
        "treewright.single_trees.general",
        CLASSIFICATION,
        model="tree",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "TreeRegressor": Entry(
        "treewright.single_trees.general",
        REGRESSION,
        model="tree",
        family="trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "M5Regressor": Entry(
        "treewright.model_trees.m5",
        REGRESSION,
        model="m5",
        family="model trees",
        state="treewright.model_trees.fitted.FittedModelTree",
    ),
    "ObliqueTreeClassifier": Entry(
        "treewright.single_trees.oblique",
        CLASSIFICATION,
        model="oblique",
        family="oblique trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "OptimalTreeClassifier": Entry(
        "treewright.single_trees.optimal",
        CLASSIFICATION,
        model="optimal",
        family="optimal trees",
        state="treewright.single_trees.fitted.FittedTree",
    ),
    "ReadableTreeClassifier": Entry(
        "treewright.readable_trees.estimators",
        CLASSIFICATION,
        model="readable",
        family="readable trees",
        state="treewright.readable_trees.fitted.FittedReadableTree",
    ),
    "ReadableTreeRegressor": Entry(
        "treewright.readable_trees.estimators",
        REGRESSION,
        model="readable",
        family="readable trees",
        state="treewright.readable_trees.fitted.FittedReadableTree",
    ),
    "RandomForestClassifier": Entry(
        "treewright.ensembles.forests.random_forest",
        CLASSIFICATION,
        model="forest",
        family="forests",
        state="treewright.ensembles.fitted.FittedClassForest",
    ),
    "RandomForestRegressor": Entry(
        "treewright.ensembles.forests.random_forest",
        REGRESSION,
        model="forest",
        family="forests",
        state="treewright.ensembles.fitted.FittedNumberForest",
    ),
    "ExtraTreesClassifier": Entry(
        "treewright.ensembles.forests.extra_trees",
        CLASSIFICATION,
        model="extra_trees",
        family="forests",
        state="treewright.ensembles.fitted.FittedClassForest",
    ),
    "ExtraTreesRegressor": Entry(
        "treewright.ensembles.forests.extra_trees",
        REGRESSION,
        model="extra_trees",
        family="forests",
        state="treewright.ensembles.fitted.FittedNumberForest",
    ),
    "BoostedTreesClassifier": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        CLASSIFICATION,
        model="boosted",
        family="boosted trees",
        state="treewright.ensembles.fitted.FittedBoosting",
    ),
    "BoostedTreesRegressor": Entry(
        "treewright.ensembles.boosting.boosted_trees",
        REGRESSION,
        model="boosted",
        family="boosted trees",
        state="treewright.ensembles.fitted.FittedBoosting",
    ),
    "IsolationForest": Entry(
        "treewright.ensembles.forests.isolation",
        NO_TARGET,
        model="isolation",
        family="isolation",
        state="treewright.ensembles.fitted.FittedIsolation",
    ),
    "KNeighborsClassifier": Entry(
        "treewright.neighbors.classifier",
        CLASSIFICATION,
        model="knn",
        family="neighbors",
        state="treewright.neighbors.fitted.FittedClassNeighbors",
    ),
    "KNeighborsRegressor": Entry(
        "treewright.neighbors.regressor",
        REGRESSION,
        model="knn",
        family="neighbors",
        state="treewright.neighbors.fitted.FittedNumberNeighbors",
    ),
    "KMeans": Entry(
        "treewright.clustering.kmeans",
        NO_TARGET,
        model="kmeans",
        family="clusters",
        state="treewright.clustering.fitted.FittedClusters",
    ),
    "KPrototypes": Entry(
        "treewright.clustering.kprototypes",
        NO_TARGET,
        model="kprototypes",
        family="clusters",
        state="treewright.clustering.fitted.FittedClusters",
    ),
    "CandidateElimination": Entry(
        "treewright.concepts.candidate_elimination",
        CLASSIFICATION,
        model="candidate_elimination",
        family="concepts",
        state="treewright.concepts.fitted.FittedVersionSpace",
    ),
    "FindS": Entry(
        "treewright.concepts.find_s",
        CLASSIFICATION,
        model="find_s",
        family="concepts",
        state="treewright.concepts.fitted.FittedFindS",
    ),
    "GradientDescentRegressor": Entry(
        "treewright.linear.regressor",
        REGRESSION,
        model="linear",
        family="linear",
        state="treewright.linear.fitted.FittedNumbersLinear",
    ),
    "GradientDescentClassifier": Entry(
        "treewright.linear.classifier",
        CLASSIFICATION,
        model="linear",
        family="linear",
        state="treewright.linear.fitted.FittedClassesLinear",
    ),
}

# Steps of pipelines: they change tables and predict nothing, so `--model` does not name them.
TRANSFORMERS = {
    "Discretizer": Entry(
        "treewright.preprocessing.discretizer",
        NO_TARGET,
        model="",
        family="transformers",
        state="treewright.preprocessing.fitted.FittedCuts",
    ),
    "Imputer": Entry(
        "treewright.preprocessing.imputer",
        NO_TARGET,
        model="",
        family="transformers",
        state="treewright.preprocessing.fitted.FittedImputer",
    ),
}
# Models of other libraries: nothing is fitted, so `--model` does not name them.
IMPORTED = {
    "ImportedClassifier": Entry(
        "treewright.imports.estimators",
        CLASSIFICATION,
        model="",
        family="imported",
        state="treewright.imports.fitted.FittedImported",
    ),
    "ImportedRegressor": Entry(
        "treewright.imports.estimators",
        REGRESSION,
        model="",
        family="imported",
        state="treewright.imports.fitted.FittedImported",
    ),
    "ImportedTreeClassifier": Entry(
        "treewright.imports.estimators",
        CLASSIFICATION,
        model="",
        family="imported",
        state="treewright.imports.fitted.FittedImportedTree",
    ),
    "ImportedTreeRegressor": Entry(
        "treewright.imports.estimators",
        REGRESSION,
        model="",
        family="imported",
        state="treewright.imports.fitted.FittedImportedTree",
    ),
    "ImportedModelTreeRegressor": Entry(
        "treewright.imports.estimators",
        REGRESSION,
        model="",
        family="imported",
        state="treewright.imports.fitted.FittedImportedModelTree",
    ),
}
# What a model file may hold; estimators come first.
IN_FILES = ChainMap(IMPORTED, TRANSFORMERS, ESTIMATORS)


def estimator_type(name: str) -> type:
    """The class of an estimator or transformer; a `KeyError` for a name that is not listed."""
    kind: type = getattr(import_module(IN_FILES[name].module), name)
    return kind


def params_of(name: str) -> "tuple[Any, ...]":
    """The parameters that an estimator declares."""
    kind: Any = estimator_type(name)
    params: tuple[Any, ...] = kind.params
    return params


def state_type(name: str) -> "Any":
    """The class of an estimator's fitted state, without importing the estimator."""
    return named(IN_FILES[name].state)


def named(path: str) -> "Any":
    """What a module calls by the last part of a path."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def is_listed(kind: type) -> bool:
    """Whether a class is one of those above, not just of the same name."""
    entry = IN_FILES.get(kind.__name__)
    return entry is not None and entry.module == kind.__module__
