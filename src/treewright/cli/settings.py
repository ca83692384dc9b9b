"""The settings of the estimators that can be given as flags."""

from treewright.models.c45 import C45Classifier
from treewright.models.cart import CARTClassifier, CARTRegressor
from treewright.models.id3 import ID3Classifier
from treewright.models.params import Param

# (model, task): the declarations of what its estimator can be told.
SETTINGS_OF: dict[tuple[str, str], tuple[Param, ...]] = {
    ("id3", "classification"): ID3Classifier.params,
    ("c45", "classification"): C45Classifier.params,
    ("cart", "classification"): CARTClassifier.params,
    ("cart", "regression"): CARTRegressor.params,
}
NOT_FLAGS = {"categorical_features"}  # --categorical says it
