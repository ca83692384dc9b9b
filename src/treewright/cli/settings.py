"""The settings of the estimators that can be given as flags."""

from treewright.models.param_tables import (
    C45_PARAMS,
    CART_CLASSIFIER_PARAMS,
    CART_REGRESSOR_PARAMS,
    ID3_PARAMS,
)
from treewright.param import Param

# (model, task): the declarations of what its estimator can be told.
SETTINGS_OF: dict[tuple[str, str], tuple[Param, ...]] = {
    ("id3", "classification"): ID3_PARAMS,
    ("c45", "classification"): C45_PARAMS,
    ("cart", "classification"): CART_CLASSIFIER_PARAMS,
    ("cart", "regression"): CART_REGRESSOR_PARAMS,
}
NOT_FLAGS = {"categorical_features"}  # --categorical says it
