"""What every ensemble shares: fitting and describing.

As with single trees, `fit` checks the parameters, reads the rows, lets the trees grow and only then
changes the estimator: an interrupted fit leaves it as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.target import own_name
from treewright.ensembles.forests.voting import leaves_of_trees
from treewright.ensembles.rows_hash import hash_of
from treewright.ensembles.short_thresholds import with_short_thresholds
from treewright.ensembles.sizes import n_leaves_of, unseen_by
from treewright.models.cautions import warn_of_useless_columns
from treewright.models.kept_in_bytes import KeptInBytes
from treewright.models.training import (
    Target,
    TrainingRows,
    read_training_rows,
)
from treewright.tree.column_gains import as_shares, column_gains
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.ensembles.row_shares import RowShares

Float64Array = NDArray[np.float64]

TREES_LIKE_ONE_ROW = 10  # as many trees take the time of a row in a single tree

# What single trees can do, and how one of many does it.
OF_ONE_TREE = {
    "tree_": "model.trees_[0]",
    "path_of": "model.trees_[0].path_of(table, row)",
    "export_text": "str(model.trees_[0])",
    "draw": "tw.draw(model.trees_[0])",
    "to_depth": "tw.distil(model, X, max_depth=3)",
    "to_leaves": "tw.distil(model, X, max_leaf_nodes=8)",
    "simplify": "model.trees_[0].simplify()",
}


@dataclass(frozen=True, slots=True)
class EnsembleState:
    """All that `fit` learns: what a model file holds beside the parameters."""

    trees: Sequence[Tree]
    schema: Schema
    classes: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    target_name: str | None = None
    # What else was learnt, by the name of the attribute: arrays, numbers, strings or None.
    learned: Mapping[str, Any] = field(default_factory=dict)


class EnsembleEstimator(KeptInBytes):
    """Many trees with the scikit-learn interface."""

    _encode_target: ClassVar[Callable[..., Target]]
    # Attributes beside the common ones that a fit may set: `_learn` gives them as `learned`.
    learns: ClassVar[tuple[str, ...]] = ()

    trees_: Sequence[Tree]
    rows_hash_: str  # by which `report` knows the training rows again

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X.

        Parameters
        ----------
        X
            A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
        y
            The target, one value per row.
        sample_weight
            Weights of the rows. Whole numbers are counts of equal rows; if any weight is not
            whole, only their ratios matter. A row of weight 0 counts as absent.
        """
        self._check_params()
        given = self._given(X, y, sample_weight)
        rows = self._weighted(given)
        warn_of_useless_columns(rows.table)
        state = self._learn(rows)
        self._become(of_rows(state, given, own_name(y)))
        return self

    def _given(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows as `fit` was given them."""
        return read_training_rows(
            X,
            y,
            sample_weight,
            encode=type(self)._encode_target,
            categorical_features=self.categorical_features,
        )

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        """The rows with the weights that the estimator's own parameters give them."""
        return rows

    def _learn(self, rows: TrainingRows) -> EnsembleState:
        """The trees for these rows, and what else belongs to them."""
        raise NotImplementedError

    def _take_on(self, state: EnsembleState) -> None:
        """Become fitted: nothing of the estimator changes before this."""
        self.trees_ = state.trees
        self.notes_ = state.notes
        self.target_name_ = state.target_name
        self._take_on_columns(state.schema)
        for name in self.learns:
            self.__dict__.pop(name, None)
        self.__dict__.update(state.learned)
        if state.classes is not None:
            self.classes_ = state.classes
            self.n_classes_ = len(state.classes)

    def _state(self) -> EnsembleState:
        """What `_take_on` took on."""
        self._check_is_fitted()
        learned = {name: self.__dict__[name] for name in self.learns if name in self.__dict__}
        classes = self.__dict__.get("classes_")
        return EnsembleState(
            self.trees_, self.schema_, classes, self.notes_, self.target_name_, learned
        )

    def __sklearn_is_fitted__(self) -> bool:
        return "trees_" in self.__dict__

    def _unseen_policy(self) -> str:
        return unseen_by(self.trees_) or self.unseen

    def _n_predict_threads(self, n_rows: int) -> int:
        return super()._n_predict_threads(n_rows * len(self.trees_) // TREES_LIKE_ONE_ROW)

    def summary(self) -> str:
        """How large the ensemble is, how good if the fit found out, and which columns matter.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("tennis")
        >>> print(tw.ExtraTreesClassifier().fit(X, y).summary().partition(",")[0])
        ExtraTreesClassifier: 100 trees
        """
        from treewright.ensembles.summary import summary_text

        self._check_is_fitted()
        return summary_text(self)

    def get_n_leaves(self) -> int:
        """Leaves of all trees together."""
        self._check_is_fitted()
        return n_leaves_of(self.trees_)

    def get_depth(self) -> int:
        """Most splits between the root and a leaf of any tree."""
        self._check_is_fitted()
        return max((tree.depth for tree in self.trees_), default=0)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """(n_rows, n_trees): the node of each tree that answers each row."""
        rows = self._encoded(X)
        return leaves_of_trees(self.trees_, rows, self._n_predict_threads(len(rows)))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What only single trees have is refused with a way to get it."""
            if name in OF_ONE_TREE:
                raise AttributeError(
                    f"{type(self).__name__} has many trees and no `{name}`; "
                    f"near to it comes `{OF_ONE_TREE[name]}`"
                )
            return object.__getattribute__(self, name)

    def explain(self, row: Any) -> "RowShares":
        """What each column of one row adds to the answer for it, by Shapley values.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        from treewright.ensembles.row_shares import row_shares

        self._check_is_fitted()
        return row_shares(self, row)

    def _file_bytes(self) -> bytes:
        from treewright.ensembles.files.ensemble_file import ensemble_bytes

        return ensemble_bytes(self)

    def _state_bytes(self) -> bytes:
        from treewright.ensembles.files.ensemble_file import fitted_bytes

        return fitted_bytes(self._state())

    def _take_on_bytes(self, content: bytes) -> None:
        from treewright.ensembles.files.ensemble_file import read_fitted_bytes

        self._take_on(read_fitted_bytes(content, self.learns))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("trees_", None)
        return state

    @property
    def feature_importances_(self) -> Float64Array:
        """Each column's share of what all splits of all trees gain, mean over the trees."""
        self._check_is_fitted()
        total = np.zeros(self.n_features_in_)
        for gains in self._gains():
            total += as_shares(gains)
        return as_shares(total)

    def _gains(self) -> Iterator[Float64Array]:
        """(n_columns,) of each tree: what its splits by each column gain, times weight."""
        return (column_gains(tree) for tree in self.trees_)


def of_rows(state: EnsembleState, given: TrainingRows, target_name: str | None) -> EnsembleState:
    """A fitted state that knows the rows it comes from."""
    learned = {"n_rows_": given.n_rows, **state.learned, "rows_hash_": hash_of(given)}
    trees, schema = with_short_thresholds(state.trees, state.schema, given.table)
    return replace(state, trees=trees, schema=schema, target_name=target_name, learned=learned)
