"""The settings of growth; a named algorithm is one choice of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    MEASURES,
    MissingPolicy,
    NominalSplit,
    NumericSplit,
    Settings,
)
from treewright.intervals import upper_quantile

Impurity = Callable[[NDArray[np.float64]], float]


@dataclass(frozen=True, slots=True, eq=False)
class GrowthSettings:
    """The parts of a tree algorithm; docs/algorithms.md says what each one does."""

    criterion: str | Impurity = "gini"
    nominal: Literal["branches", "subset", "one_vs_rest"] = "subset"
    numeric: Literal["threshold", "intervals"] = "threshold"
    max_intervals: int | None = None  # None: as many as the description length allows
    missing: str = "majority"
    max_surrogates: int = 0
    # Columns whose splits get no surrogates: no row that the tree will be asked about misses them.
    without_surrogates: tuple[int, ...] = ()
    min_surrogate_disagreement: int = 0  # rpart wants 2 rows against a nominal surrogate; we do not
    handle_unknown: str = "missing"

    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_splits: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float | None = None
    # A node of no more risk is not split: misclassified weight, or impurity x weight for numbers,
    # as a share of the weight of all rows.
    min_risk: float | None = None
    significance: float | None = None
    error_confidence: float | None = None

    costs: NDArray[np.float64] | None = None  # (n_classes, n_classes), true class by predicted
    class_factor: NDArray[np.float64] | None = None  # of class weights, by altered priors
    leaf_factor: NDArray[np.float64] | None = None  # the same in leaves, if it differs

    use_once: bool = False  # ID3: a column at most once on a path
    max_features: int | None = None  # columns sampled for each node; None: all
    seed: int | None = None  # of that sample
    column_order: tuple[int, ...] | None = None  # take the first usable column, not the best
    limits_by_weight: bool = False  # C4.5: limits are sums of weight
    weights_are_counts: bool = False  # a row of weight k counts as k rows in every limit
    average_gain_filter: bool = False  # C4.5: only columns of at least average gain compete
    mdl_correction: bool = False  # C4.5: penalty for the number of possible thresholds
    data_value_thresholds: bool = False  # C4.5: thresholds are values of the training table
    j48_gaps: bool = False  # J48: no cut between values closer than 1e-5
    rows_in_table: int | None = None  # C4.5: many categories are 30 % of these; None: all rows
    n_competitors: int = 4
    chosen_as_a_whole: bool = False  # optimal trees: the criterion is shown, but did not choose

    @property
    def sizes_are_weights(self) -> bool:
        """Whether limits on rows apply to sums of weight."""
        return self.limits_by_weight or self.weights_are_counts

    @property
    def factor_in_leaves(self) -> NDArray[np.float64] | None:
        """What class weights are multiplied by in leaves."""
        return self.class_factor if self.leaf_factor is None else self.leaf_factor

    def native(self, total_weight: float) -> Settings:
        """The same for the compiled grower."""
        settings = Settings()
        criterion = self.criterion if isinstance(self.criterion, str) else "custom"
        if criterion == "cost_gini" and self.costs is None:
            criterion = "gini"  # every error costs the same
        settings.measure = MEASURES[criterion]
        settings.gain_ratio = criterion == "gain_ratio"
        settings.nominal = NominalSplit[self.nominal]
        settings.numeric = NumericSplit[self.numeric]
        settings.missing = MissingPolicy[self.missing]
        settings.min_samples_split = max(
            self.min_samples_split, 2 * self.min_samples_leaf if self.limits_by_weight else 0
        )
        settings.min_weight_leaf = self.min_weight_fraction_leaf * total_weight
        for name in SAME_NAME:
            value = getattr(self, name)
            if value is not None:
                setattr(settings, name, value.item() if isinstance(value, np.generic) else value)
        if self.min_gain is not None:
            settings.has_min_gain = True
            settings.min_gain = self.min_gain
        if self.min_risk is not None:
            settings.min_risk = self.min_risk * total_weight
        if self.error_confidence is not None:
            settings.error_z = upper_quantile(self.error_confidence)
        if self.costs is not None:
            settings.costs = np.ravel(self.costs).tolist()
        if self.class_factor is not None and (self.class_factor != 1).any():
            settings.class_factor = self.class_factor.tolist()
        if self.column_order is not None:
            settings.column_order = list(self.column_order)
        settings.without_surrogates = list(self.without_surrogates)
        return settings


SAME_NAME = (
    "max_surrogates",
    "min_surrogate_disagreement",
    "n_competitors",
    "min_samples_leaf",
    "max_intervals",
    "max_depth",
    "max_leaf_nodes",
    "max_splits",
    "significance",
    "error_confidence",
    "rows_in_table",
    "max_features",
    "seed",
    "use_once",
    "limits_by_weight",
    "weights_are_counts",
    "average_gain_filter",
    "mdl_correction",
    "data_value_thresholds",
    "j48_gaps",
)
