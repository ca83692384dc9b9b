"""What the regressors share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import encode_numbers
from treewright.models.base import TreeEstimator
from treewright.models.class_answers import RegressorMethods


class RegressionTree(RegressorMethods, TreeEstimator):
    """A tree that predicts a number."""

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean (or median, for absolute error) of the leaf of each row."""
        return self._values(X)[:, 0]
