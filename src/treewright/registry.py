"""Every estimator of treewright, once: where it lives, and what the command line calls it.

Model files, the command line, the public names of the package, the contract tests and the reference
page read this list. To add an estimator, write its module and add a line here.
"""

from importlib import import_module

CLASSIFICATION, REGRESSION, NO_TARGET = "classification", "regression", "no target"


class Entry:
    """One estimator; no dataclass, since `import treewright` comes by and should be quick."""

    __slots__ = ("model", "module", "task")

    def __init__(self, module: str, model: str, task: str) -> None:
        self.module = module
        self.model = model  # its `--model`
        self.task = task


ESTIMATORS = {
    "ID3Classifier": Entry("treewright.models.id3", "id3", CLASSIFICATION),
    "C45Classifier": Entry("treewright.models.c45", "c45", CLASSIFICATION),
    "C45Rules": Entry("treewright.models.c45_rules", "c45rules", CLASSIFICATION),
    "CARTClassifier": Entry("treewright.models.cart", "cart", CLASSIFICATION),
    "CARTRegressor": Entry("treewright.models.cart", "cart", REGRESSION),
    "TreeClassifier": Entry("treewright.models.general", "tree", CLASSIFICATION),
    "TreeRegressor": Entry("treewright.models.general", "tree", REGRESSION),
    "M5Regressor": Entry("treewright.model_trees.m5", "m5", REGRESSION),
    "ObliqueTreeClassifier": Entry("treewright.models.oblique", "oblique", CLASSIFICATION),
    "OptimalTreeClassifier": Entry("treewright.models.optimal", "optimal", CLASSIFICATION),
    "RandomForestClassifier": Entry(
        "treewright.ensembles.forests.random_forest", "forest", CLASSIFICATION
    ),
    "RandomForestRegressor": Entry(
        "treewright.ensembles.forests.random_forest", "forest", REGRESSION
    ),
    "ExtraTreesClassifier": Entry(
        "treewright.ensembles.forests.extra_trees", "extra_trees", CLASSIFICATION
    ),
    "ExtraTreesRegressor": Entry(
        "treewright.ensembles.forests.extra_trees", "extra_trees", REGRESSION
    ),
    "IsolationForest": Entry("treewright.ensembles.forests.isolation", "isolation", NO_TARGET),
    "KNeighborsClassifier": Entry("treewright.neighbors.classifier", "knn", CLASSIFICATION),
    "KNeighborsRegressor": Entry("treewright.neighbors.regressor", "knn", REGRESSION),
    "BoostedTreesClassifier": Entry(
        "treewright.ensembles.boosting.boosted_trees", "boosted", CLASSIFICATION
    ),
    "BoostedTreesRegressor": Entry(
        "treewright.ensembles.boosting.boosted_trees", "boosted", REGRESSION
    ),
    "KMeans": Entry("treewright.clustering.kmeans", "kmeans", NO_TARGET),
    "KPrototypes": Entry("treewright.clustering.kprototypes", "kprototypes", NO_TARGET),
    "CandidateElimination": Entry(
        "treewright.concepts.candidate_elimination", "candidate_elimination", CLASSIFICATION
    ),
    "FindS": Entry("treewright.concepts.find_s", "find_s", CLASSIFICATION),
    "GradientDescentRegressor": Entry("treewright.linear.regressor", "linear", REGRESSION),
    "GradientDescentClassifier": Entry("treewright.linear.classifier", "linear", CLASSIFICATION),
}


def estimator_type(name: str) -> type:
    """The class of an estimator; a `KeyError` for a name that is not listed."""
    kind: type = getattr(import_module(ESTIMATORS[name].module), name)
    return kind


def is_listed(kind: type) -> bool:
    """Whether a class is one of the estimators above, not just of the same name."""
    entry = ESTIMATORS.get(kind.__name__)
    return entry is not None and entry.module == kind.__module__
