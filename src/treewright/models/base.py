"""What every tree estimator shares: fitting, encoding new rows, saving, describing.

`fit` is the architecture in a few lines: check the parameters, read the rows, grow, finish. The
estimators differ in the settings they hand to growth and in how they finish the grown tree.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data.schema import Schema
from treewright.data.target import ClassTarget, own_name
from treewright.induction.growth import grow_tree
from treewright.induction.optimal.proof import OptimalityProof
from treewright.induction.settings import GrowthSettings
from treewright.models.cautions import warn_of_useless_columns
from treewright.models.growth_settings import growth_settings
from treewright.models.notebook import fitted_html
from treewright.models.prune_in_fit import grown_and_pruned, pruning_plan
from treewright.models.readable import ReadableModel
from treewright.models.table_estimator import TableEstimator
from treewright.models.threads import n_threads
from treewright.models.training import Target, TrainingRows, read_training_rows
from treewright.pruning.report import PruningReport
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.tree.predict import predict_leaves, predict_values
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.simplify import simplify
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.models.shared_growth import GrownTrees

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 50_000  # below this a fit takes less time than threads need to wake

SET_BY_FIT = (
    "tree_",
    "schema_",
    "n_features_in_",
    "feature_names_in_",
    "notes_",
    "classes_",
    "n_classes_",
    "cut_points_",
    "pruning_",
    "rules_",
    "target_name_",
    "proof_",
)


@dataclass(frozen=True, slots=True)
class FittedState:
    """All that `fit` learns: what a model file holds beside the parameters."""

    tree: Tree
    schema: Schema  # of the table that `fit` was given
    classes: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()  # what was done to the data in advance, for people
    cut_points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # cut in advance
    pruning: PruningReport | None = None
    rules: OrderedRules | None = None  # of models that answer by rules learnt from the tree
    target_name: str | None = None  # of the column that is predicted, where it has a name
    optimality: OptimalityProof | None = None  # how near the tree is to the best one, if known


class TreeEstimator(ReadableModel, TableEstimator):
    """A tree with the scikit-learn interface."""

    cuts_columns: ClassVar[bool] = False  # whether numeric columns are cut before growth
    answers_by_rules: ClassVar[bool] = False  # whether rules learnt from the tree answer

    # Parameters of many trees.
    prune: Any = None
    prune_options: Any = None

    # Set by fit.
    tree_: Tree
    pruning_: PruningReport | None  # what pruning cut; None if the tree is not pruned

    _encode_target: ClassVar[Callable[..., Target]]
    _grown: "GrownTrees | None" = None  # trees to share, while many settings are tried

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree on the rows of X.

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
        rows = read_training_rows(
            X,
            y,
            sample_weight,
            encode=type(self)._encode_target,
            categorical_features=self.categorical_features,
        )
        warn_of_useless_columns(rows.table)
        state = self._learn(self._weighted(rows))
        self._become(replace(state, target_name=own_name(y)))
        return self

    def _check_params(self) -> None:
        """Raise unless every parameter is allowed."""
        super()._check_params()
        pruning_plan(self)

    def _weighted(self, rows: TrainingRows) -> TrainingRows:
        """The rows with the weights that the estimator's own parameters give them."""
        return rows

    def _learn(self, rows: TrainingRows) -> FittedState:
        """The tree for these rows, and what else belongs to it."""
        tree, report = grown_and_pruned(self, rows)
        tree = self._printable(tree, rows)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        return FittedState(tree, tree.schema, classes, pruning=report)

    def _printable(self, tree: Tree, rows: TrainingRows) -> Tree:
        """The tree, knowing how many digits its thresholds need for these rows."""
        return with_short_thresholds(tree, rows.table)

    def _tree_for(self, rows: TrainingRows) -> Tree:
        """The tree before pruning: grown, and cut back where growth is defined so."""
        return self._grow(rows)

    def _pruning(self) -> tuple[str, Mapping[str, Any]] | None:
        """The pruning method that follows growth, and its options; None for no pruning."""
        return (self.prune, self.prune_options or {}) if self.prune else None

    def _settled_options(self, method: str) -> Mapping[str, Any]:
        """Options of a pruning method that the model's own parameters settle, unless given."""
        return {}

    def _grow(self, rows: TrainingRows, **settings: Any) -> Tree:
        """A grown tree by the estimator's own settings, and `settings` in their place."""
        n_cells = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
        return self._grow_by(self._growth(rows, **settings), rows, threads)

    def _grow_by(self, asked: GrowthSettings, rows: TrainingRows, threads: int) -> Tree:
        if self._grown is not None:
            return self._grown.tree(rows, asked, threads)
        return grow_tree(rows.table, rows.target, rows.weights, asked, threads)

    def _growth(self, rows: TrainingRows, **settings: Any) -> GrowthSettings:
        """What growth is asked to do: the parameters, what the algorithm fixes, and `settings`."""
        return growth_settings(self, rows, **{**self._fixed_settings(rows), **settings})

    def _fixed_settings(self, rows: TrainingRows) -> Mapping[str, Any]:
        """Settings of growth that the algorithm fixes, whatever the parameters say."""
        return {}

    def _take_on(self, state: FittedState) -> None:
        """Become fitted: nothing of the estimator changes before this."""
        self.tree_ = state.tree
        self.notes_ = state.notes
        self.pruning_ = state.pruning
        self.target_name_ = state.target_name
        self._take_on_columns(state.schema)

    def _state(self) -> FittedState:
        """What `_take_on` took on."""
        tree = self._fitted_tree()
        return FittedState(
            tree,
            self.schema_,
            None,
            self.notes_,
            pruning=self.pruning_,
            target_name=self.target_name_,
        )

    def _fitted_tree(self) -> Tree:
        self._check_is_fitted()
        return self.tree_

    def __sklearn_is_fitted__(self) -> bool:
        return "tree_" in self.__dict__

    def _unseen_policy(self) -> str:
        return self.tree_.unseen

    def _values(self, X: Any) -> Float64Array:
        """Class shares or means, one line per row of X."""
        rows = self._encoded(X)
        return predict_values(self._answering_tree(), rows, self._n_predict_threads(len(rows)))

    def _answering_tree(self) -> Tree:
        """The tree whose nodes hold what is answered."""
        return self._fitted_tree()

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The node that answers for each row; of several, the one with the largest share."""
        rows = self._encoded(X)
        return predict_leaves(self.tree_, rows, self._n_predict_threads(len(rows)))

    def path_of(self, X: Any, row: int = 0) -> tuple[int, ...]:
        """The nodes that one row of X passes, from the root to the one that answers."""
        return self._fitted_tree().path_of(self._encoded(X), row)

    def get_depth(self) -> int:
        """Splits on the longest path from the root to a leaf."""
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Leaves of the tree, one for every level of a split by branches."""
        return self._fitted_tree().n_leaves

    def to_depth(self, depth: int) -> Self:
        """A new model without what lies more than `depth` splits below the root."""
        return self._with_tree(self._fitted_tree().to_depth(depth))

    def to_leaves(self, n_leaves: int) -> Self:
        """A new model with at most `n_leaves`, made of the splits that gain most.

        It is the model that `max_leaf_nodes=n_leaves` would have grown.
        """
        return self._with_tree(self._fitted_tree().to_leaves(n_leaves))

    def simplify(self) -> Self:
        """A new model without splits that change no prediction; probabilities may change."""
        return self._with_tree(simplify(self._fitted_tree(), self._answering_tree()))

    def _with_tree(self, tree: Tree, pruning: PruningReport | None = None) -> Self:
        """The model with another tree, and the report of how it came to be."""
        model: Self = clone(self)
        model._take_on(replace(self._state(), tree=tree, pruning=pruning, optimality=None))
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `treewright.load` reads."""
        from treewright.models.model_file import save_model

        save_model(self, path)

    def _html_repr(self) -> str:
        """What a notebook shows, unless scikit-learn is set to show text."""
        diagram: str = super()._html_repr()
        return fitted_html(self, diagram) if self.__sklearn_is_fitted__() else diagram

    def __getstate__(self) -> dict[str, Any]:
        """Parameters as they are, the fitted state as the text of a model file."""
        from treewright.models.model_file import fitted_text

        state = dict(self.__dict__)
        if "tree_" in state:
            text = fitted_text(self._state())
            for name in SET_BY_FIT:
                state.pop(name, None)
            state["_fitted_text"] = text
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from treewright.models.model_file import read_fitted_text

        state = dict(state)
        text = state.pop("_fitted_text", None)
        self.__dict__.update(state)
        if text is not None:
            self._take_on(read_fitted_text(text))
