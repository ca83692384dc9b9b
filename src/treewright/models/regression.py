"""What the regressors share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.data.target import NumericTarget, encode_numbers
from treewright.errors import DataError
from treewright.models.base import TreeEstimator
from treewright.models.training import TrainingRows
from treewright.tree.tree import Tree


class RegressionTree(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A tree that predicts a number."""

    criterion: str

    _encode_target = staticmethod(encode_numbers)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean (or median, for absolute error) of the leaf of each row."""
        return self._values(X)[:, 0]

    def _grow(self, rows: TrainingRows, **settings: Any) -> Tree:
        if self.criterion == "poisson":
            check_counts(rows.target)
        return super()._grow(rows, **settings)


def check_counts(target: Any) -> None:
    """Raise unless the target can be counts: none negative, not all zero."""
    assert isinstance(target, NumericTarget)
    if target.values.min() < 0:
        row = int(target.values.argmin())
        raise DataError(
            f'target `{target.name}` is {target.values[row]:g} in row {row}: criterion="poisson" '
            "needs values of at least 0",
            hint='use criterion="squared_error"',
        )
    if target.values.max() == 0:
        raise DataError(
            f'every value of target `{target.name}` is 0: criterion="poisson" has nothing to fit',
            hint='use criterion="squared_error"',
        )
