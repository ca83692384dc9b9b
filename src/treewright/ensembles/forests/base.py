"""What every forest shares: rows are drawn for each tree, and all trees answer together."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import draw_rows
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import FittedForest
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.members import (
    check_exact_growth,
    check_growth_is_left_to_inductors,
    inductors_of,
)
from treewright.ensembles.forests.out_of_bag import check_some_are_left_out
from treewright.ensembles.forests.proximity import proximity_of
from treewright.ensembles.forests.settings import (
    drawing_learnt,
    drawing_to_learn,
    exact_settings,
    forest_settings,
)
from treewright.ensembles.forests.voting import mean_answers
from treewright.ensembles.forests.warm_start import check_draws_alike, trees_to_keep
from treewright.estimators.fitted import ABSENT
from treewright.estimators.seeds import seed_of
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 50_000  # of all trees; below this growth takes less time than to wake threads

if TYPE_CHECKING:
    OfEnsemble = Ensemble[Any]  # a mixin of ensembles, which type checkers take for one
else:
    OfEnsemble = object


class Forest(OfEnsemble):
    """A mixin: trees grown on rows that are drawn, each split on columns that are drawn."""

    random_cuts: ClassVar[bool] = False  # whether a column is cut at random

    n_estimators: int
    max_bins: int
    oob_score: bool
    warm_start: bool
    random_state: Any

    inductors: Any = None  # parameters of some forests only
    splits: str = "histogram"

    # Set by fit.
    seed_: int  # what all draws come from
    n_rows_: int  # of the training table, those of weight 0 left out
    n_drawn_: int  # rows drawn for each tree
    drawing_: str  # and how
    positions_: NDArray[np.int64]  # of the rows that count, where some have weight 0
    oob_score_: float

    def _check_params(self) -> None:
        super()._check_params()
        if self.inductors is not None:
            check_growth_is_left_to_inductors(self)
        elif self.splits == "exact":
            check_exact_growth(self)

    def _learn(self, rows: TrainingRows) -> FittedForest:
        schema = Schema.of(rows.table)
        classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
        kept = trees_to_keep(self, schema, classes, rows.n_rows)
        seed = self.state_.seed if len(kept) else seed_of(self.random_state)
        settings = forest_settings(self, rows, seed, first_tree=len(kept))
        if len(kept):
            check_draws_alike(self, settings)
        if self.oob_score:
            check_some_are_left_out(settings)
        task = ForestTask(
            rows,
            settings,
            max_bins=int(self.max_bins),
            unseen=self.unseen,
            n_threads=self._n_growth_threads(rows),
            inductors=inductors_of(self) if self.inductors is not None else (),
            exact=exact_settings(self, rows) if self.splits == "exact" else None,
            kept=kept,
        )
        trees = task.grown()
        learned = {**drawing_to_learn(task.settings, rows), **self._learned_beside(trees, task)}
        kind: Any = self.state_type
        state: FittedForest = kind(trees=trees, schema=schema, classes=classes, **learned)
        return state

    def _learned_beside(self, trees: Sequence[Tree], task: ForestTask) -> Mapping[str, Any]:
        """What is kept beside the trees, by the field of the state."""
        raise NotImplementedError

    def _n_growth_threads(self, rows: TrainingRows) -> int:
        n_cells = rows.n_rows * rows.table.n_columns * int(self.n_estimators)
        return n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)

    def _mean_answers(self, X: Any, state: FittedForest) -> Float64Array:
        rows = self._encoded(X, state)
        return mean_answers(state.trees, rows, self._n_predict_threads(len(rows)))

    def drawn_rows(self, tree: int) -> NDArray[np.intp]:
        """Positions of the training rows that a tree was grown on; one drawn twice stands twice."""
        state: FittedForest = self.state_
        number = range(len(state.trees))[tree]
        settings = drawing_learnt(state.seed, state.drawing, state.n_drawn)
        times = np.asarray(draw_rows(settings, number, state.n_rows))
        positions = np.arange(state.n_rows) if state.positions is ABSENT else state.positions
        return np.repeat(positions.astype(np.intp, copy=False), times)

    def proximity(self, X: Any, others: Any = None) -> Float64Array:
        """(n_rows, n_others): the share of the trees in which two rows lie in the same leaf.

        Parameters
        ----------
        X
            Rows.
        others
            Rows to compare them with; None compares the rows of X with each other.
        """
        leaves = self.apply(X)
        return proximity_of(leaves, leaves if others is None else self.apply(others))
