"""What the regressors share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.data.target import encode_numbers
from treewright.models.base import TreeEstimator
from treewright.models.class_answers import NumberScore


class RegressionTree(NumberScore, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A tree that predicts a number."""

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean (or median, for absolute error) of the leaf of each row."""
        return self._values(X)[:, 0]
