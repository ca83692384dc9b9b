"""Figures for teaching; each is a `Picture` with its numbers in `data`."""

from treewright.figures.cluster_figures import elbow, silhouette
from treewright.figures.column_figures import feature_importance, missing_map, shap_summary
from treewright.figures.criterion_bias_figure import criterion_bias
from treewright.figures.cut_gains_figure import cut_gains
from treewright.figures.descent_figure import descent
from treewright.figures.evaluation_figures import (
    calibration,
    frontier,
    learning_curve,
    threshold,
)
from treewright.figures.growth_figure import growth
from treewright.figures.impurity_figure import impurity_curves
from treewright.figures.partition_figure import partition
from treewright.figures.pruning_path_figure import pruning_path
from treewright.figures.regression_figure import regression_fit

__all__ = [
    "calibration",
    "criterion_bias",
    "cut_gains",
    "descent",
    "elbow",
    "feature_importance",
    "frontier",
    "growth",
    "impurity_curves",
    "learning_curve",
    "missing_map",
    "partition",
    "pruning_path",
    "regression_fit",
    "shap_summary",
    "silhouette",
    "threshold",
]


def __dir__() -> list[str]:
    return sorted(__all__)
