"""What models of one tree share, whatever its leaves predict by: constants, rules or equations."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.estimators.fitted import ABSENT, Fitted
from treewright.estimators.reading import Readable
from treewright.tree.counts import as_shares, column_gains
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedOneTree(Fitted):
    """A state with one tree."""

    tree: Tree

    @property
    def unseen(self) -> str:
        return self.tree.unseen

    def attribute(self, name: str) -> Any:
        if name == "costs_":
            return ABSENT if self.tree.costs is None else self.tree.costs
        return super().attribute(name)


State = TypeVar("State", bound=FittedOneTree)


class OneTreeReading(Readable[State]):
    """A mixin: where rows go in the tree, and how large it is."""

    tree_: Tree

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The node that predicts each row; of several, the one with the largest share."""
        state = self.state_
        rows = self.encode_rows(X, state)
        return predict_leaves(state.tree, rows, state.threads_for(len(rows), self))

    def path_of(self, X: Any, row: int = 0) -> tuple[int, ...]:
        """The nodes that one row of X passes, from the root to the one that predicts."""
        state = self.state_
        return state.tree.path_of(self.encode_rows(X, state), row)

    def get_depth(self) -> int:
        """Splits on the longest path from the root to a leaf."""
        return self.state_.tree.depth

    def get_n_leaves(self) -> int:
        """Number of leaves; a multiway split has a branch for every category."""
        return self.state_.tree.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total impurity decrease; zeros without splits."""
        return as_shares(column_gains(self.state_.tree))
