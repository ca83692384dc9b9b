"""The fitted state of a model tree: how it predicts, and what a model file may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ModelFileError
from treewright.estimators.declaration import param
from treewright.estimators.fitted import Fitted, Rows, Settings, learned
from treewright.estimators.one_tree import FittedOneTree
from treewright.estimators.params import TOO_LARGE
from treewright.estimators.rows import check_finite
from treewright.model_trees.coding import Coding
from treewright.model_trees.node_models import NodeModels
from treewright.persistence.values import TREE, floats, ints
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

SMOOTHING = param(
    True, "Whether to mix the prediction of a leaf with those of the models above it.", type=bool
)
SMOOTHING_WEIGHT = param(
    15.0,
    "Weight k of the parent's prediction in smoothing, in rows: on the way up, the prediction p of "
    "a node with n rows becomes (n p + k q) / (n + k), where q is the prediction of its parent.",
    type=float,
    low=0,
    below=TOO_LARGE,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModelTree(FittedOneTree):
    """A tree, and what the equations of its nodes are made of."""

    prediction_params = Fitted.prediction_params | {
        "smoothing": SMOOTHING,
        "smoothing_weight": SMOOTHING_WEIGHT,
    }
    reading = "treewright.model_trees.reading.ModelTreeReading"

    tree: Tree = learned(TREE)
    fills: Floats = learned(floats(1))
    rank_starts: NDArray[np.int64] = learned(ints(1))
    level_ranks: NDArray[np.int64] = learned(ints(1))
    intercepts: Floats = learned(floats(1))
    term_starts: NDArray[np.int64] = learned(ints(1))
    term_columns: NDArray[np.int64] = learned(ints(1))
    term_cuts: NDArray[np.int64] = learned(ints(1))
    coefficients: Floats = learned(floats(1))
    model_errors: Floats = learned(floats(1))
    subtree_errors: Floats = learned(floats(1))
    subtree_parameters: NDArray[np.int64] = learned(ints(1))

    @property
    def coding(self) -> Coding:
        return Coding(self.schema, self.fills, self.rank_starts, self.level_ranks)

    @property
    def models(self) -> NodeModels:
        return NodeModels(
            self.intercepts,
            self.term_starts,
            self.term_columns,
            self.term_cuts,
            self.coefficients,
        )

    @property
    def target_word(self) -> str:
        """What the equations call the target."""
        return self.target_name or "y"

    def encode(self, X: Any, settings: Settings) -> Rows:
        rows = super().encode(X, settings)
        check_finite(rows, settings.model_name, self.schema.names)
        return rows

    def predict(self, X: Any, settings: Settings) -> Floats:
        rows = self.encode(X, settings)
        leaves = predict_leaves(self.tree, rows, self.threads_for(len(rows), settings))
        return self.models.predictions(
            self.tree, self.coding, rows, leaves, smoothing_rows(settings)
        )

    def check(self) -> None:
        coding = self.coding
        coding.check()
        if self.tree.is_classifier or self.tree.schema.to_json() != self.schema.to_json():
            raise ModelFileError("learned: the tree is not one of these columns")
        if not np.isin(self.tree.n_children, (0, 2)).all() or (self.tree.weight <= 0).any():
            raise ModelFileError("learned: a node without rows, or not with two children")
        self.models.check(self.tree, coding)
        for name in ("model_errors", "subtree_errors", "subtree_parameters"):
            if len(getattr(self, name)) != self.tree.n_nodes:
                raise ModelFileError(f"learned: `{name}_` is not one number for each node")
        if self.subtree_parameters.min() < 0:
            raise ModelFileError("learned: a number in `subtree_parameters_` is below 0")


def smoothing_rows(settings: Any) -> float:
    """How many rows the model above counts for; 0 without smoothing."""
    return float(settings.smoothing_weight) if settings.smoothing else 0.0
