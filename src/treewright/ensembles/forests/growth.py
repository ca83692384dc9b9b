"""Growing the trees of a forest: on bins, or one by one by other algorithms."""

from collections.abc import Sequence
from dataclasses import dataclass

from treewright._kernels.histogram import BinnedTable, ForestSettings, grow_forest
from treewright.cached import cached_property
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.binned import binned
from treewright.ensembles.forests.members import grown_exactly, grown_members
from treewright.ensembles.packed import PackedTreeSequence
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.models.base import TreeEstimator
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class ForestTask:
    """All that the growth of a forest depends on; threads change nothing but the time."""

    rows: TrainingRows
    settings: ForestSettings
    max_bins: int
    unseen: str
    n_threads: int
    inductors: Sequence[TreeEstimator] = ()  # that grow the trees in turn
    exact: GrowthSettings | None = None  # how to grow them on every value; None: on bins
    kept: Sequence[Tree] = ()  # trees of an earlier fit

    @cached_property
    def table(self) -> BinnedTable:
        """The rows in bins: those of the trees that are kept."""
        rows = self.rows
        return binned(
            rows.table,
            rows.weights,
            max_bins=self.max_bins,
            n_threads=self.n_threads,
            like=self.kept.packed if isinstance(self.kept, PackedTreeSequence) else None,
        )

    def grown(self) -> Sequence[Tree]:
        """The trees that are kept, and those that the settings ask for."""
        kept = self.kept
        if self.settings.n_trees == 0:
            return kept
        if self.inductors:
            members = grown_members(self.inductors, self.rows, self.settings, self.unseen)
            return (*kept, *members)
        if self.exact is not None:
            return (*kept, *grown_exactly(self.exact, self.rows, self.settings, self.n_threads))
        more = self._grown_on_bins()
        if not len(kept):
            return more
        if not isinstance(kept, PackedTreeSequence):
            return (*kept, *more)
        return joined(kept, more)

    def _grown_on_bins(self) -> PackedTreeSequence:
        rows, settings, threads = self.rows, self.settings, self.n_threads
        if isinstance(rows.target, ClassTarget):
            target, classes = rows.target.codes, rows.target.classes
            packed = grow_forest(self.table, target, rows.weights, len(classes), settings, threads)
        else:
            values, classes = rows.target.values, None
            packed = grow_forest(self.table, values, rows.weights, 0, settings, threads)
        return PackedTreeSequence(packed, Schema.of(rows.table), classes, self.unseen)


def joined(kept: PackedTreeSequence, more: PackedTreeSequence) -> PackedTreeSequence:
    """Trees of an earlier fit and new ones; both are left as they were."""
    every = kept.packed.head(len(kept))
    every.append(more.packed)
    return PackedTreeSequence(every, more.schema, more.classes, more.unseen)
