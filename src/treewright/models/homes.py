"""Which estimators a file may name, and where they live."""

from importlib import import_module
from typing import TYPE_CHECKING

from treewright.errors import ModelFileError

if TYPE_CHECKING:
    from treewright.models.base import TreeEstimator

HOMES = {
    "ID3Classifier": "treewright.models.id3",
    "C45Classifier": "treewright.models.c45",
    "C45Rules": "treewright.models.c45_rules",
    "CARTClassifier": "treewright.models.cart",
    "CARTRegressor": "treewright.models.cart",
    "TreeClassifier": "treewright.models.general",
    "TreeRegressor": "treewright.models.general",
    "ObliqueTreeClassifier": "treewright.models.oblique",
    "OptimalTreeClassifier": "treewright.models.optimal",
}


def estimator_named(name: object) -> "type[TreeEstimator]":
    """The estimator that a file names."""
    if type(name) is not str or name not in HOMES:
        raise ModelFileError(f"model: `estimator` is {str(name)[:50]!r}, which is not known")
    kind: type[TreeEstimator] = getattr(import_module(HOMES[name]), name)
    return kind
