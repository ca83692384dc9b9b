"""The compiled learners; their choices are enums, found by name: `NominalSplit["subset"]`."""

from treewright._kernels._native import MOST_NEIGHBORED as MOST_NEIGHBORED
from treewright._kernels._native import BinnedTable as BinnedTable
from treewright._kernels._native import BlockPlan as BlockPlan
from treewright._kernels._native import BlockTable as BlockTable
from treewright._kernels._native import Drawing as Drawing
from treewright._kernels._native import EpochSettings as EpochSettings
from treewright._kernels._native import ForestSettings as ForestSettings
from treewright._kernels._native import GivenSplit as GivenSplit
from treewright._kernels._native import GradientTreeGrower as GradientTreeGrower
from treewright._kernels._native import GradientTreeSettings as GradientTreeSettings
from treewright._kernels._native import HeldTable as HeldTable
from treewright._kernels._native import IsolationSettings as IsolationSettings
from treewright._kernels._native import LeafPrediction as LeafPrediction
from treewright._kernels._native import LinearLoss as LinearLoss
from treewright._kernels._native import LinearRows as LinearRows
from treewright._kernels._native import Lloyd as Lloyd
from treewright._kernels._native import Loss as Loss
from treewright._kernels._native import Measure as Measure
from treewright._kernels._native import MissingPolicy as MissingPolicy
from treewright._kernels._native import ModelTreeCriterion as ModelTreeCriterion
from treewright._kernels._native import ModelTreeSettings as ModelTreeSettings
from treewright._kernels._native import NominalSplit as NominalSplit
from treewright._kernels._native import NumericSplit as NumericSplit
from treewright._kernels._native import ObliqueImpurity as ObliqueImpurity
from treewright._kernels._native import ObliqueSettings as ObliqueSettings
from treewright._kernels._native import ObliqueTarget as ObliqueTarget
from treewright._kernels._native import OptimalLimits as OptimalLimits
from treewright._kernels._native import PackedTrees as PackedTrees
from treewright._kernels._native import PartitionedTreeGrower as PartitionedTreeGrower
from treewright._kernels._native import Prototypes as Prototypes
from treewright._kernels._native import Renewal as Renewal
from treewright._kernels._native import RowDrawing as RowDrawing
from treewright._kernels._native import Settings as Settings
from treewright._kernels._native import SortedColumns as SortedColumns
from treewright._kernels._native import SubtreeTable as SubtreeTable
from treewright._kernels._native import TermRule as TermRule
from treewright._kernels._native import TreeGrowth as TreeGrowth
from treewright._kernels._native import TreePartition as TreePartition
from treewright._kernels._native import add_out_of_bag as add_out_of_bag
from treewright._kernels._native import add_shrunk_out_of_bag as add_shrunk_out_of_bag
from treewright._kernels._native import best_sum_cut as best_sum_cut
from treewright._kernels._native import best_tree as best_tree
from treewright._kernels._native import bytes_of_table as bytes_of_table
from treewright._kernels._native import draw_rows as draw_rows
from treewright._kernels._native import grow_forest as grow_forest
from treewright._kernels._native import grow_isolation_trees as grow_isolation_trees
from treewright._kernels._native import grow_model_tree as grow_model_tree
from treewright._kernels._native import grow_top as grow_top
from treewright._kernels._native import grow_tree as grow_tree
from treewright._kernels._native import loss_gradients as loss_gradients
from treewright._kernels._native import mean_isolation_depth as mean_isolation_depth
from treewright._kernels._native import number_sides as number_sides
from treewright._kernels._native import search_sums as search_sums
from treewright._kernels._native import sort_columns as sort_columns
from treewright._kernels._native import threshold_neighbors as threshold_neighbors

NUMERIC_KIND, NOMINAL_KIND, ORDERED_KIND = 0, 1, 2  # as in native/core/grow/columns.hpp
# Kinds of question families, as in native/core/optimal/problem.hpp.
MISSING_LAST, MISSING_FIRST, SET, SET_WITH_MISSING = range(4)

MEASURES = {
    "information_gain": Measure.entropy,
    "entropy": Measure.entropy,
    "gain_ratio": Measure.entropy,
    "gini": Measure.gini,
    "cost_gini": Measure.cost_gini,
    "chi2": Measure.chi_square,
    "squared_error": Measure.squared_error,
    "absolute_error": Measure.absolute_error,
    "poisson": Measure.poisson,
    "custom": Measure.custom,
}
