"""The compiled grower and the words that Python uses for its choices."""

from treewright._kernels._native import (
    Measure,
    MissingPolicy,
    NominalSplit,
    NumericSplit,
    Settings,
    SortedColumns,
    grow_tree,
    sort_columns,
)

NUMERIC_KIND, NOMINAL_KIND, ORDERED_KIND = 0, 1, 2  # as in native/core/grow/columns.hpp

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
NOMINAL = {
    "branches": NominalSplit.branches,
    "subset": NominalSplit.subset,
    "one_vs_rest": NominalSplit.one_vs_rest,
}
NUMERIC = {"threshold": NumericSplit.threshold, "intervals": NumericSplit.intervals}
MISSING_POLICIES = {
    "fractional": MissingPolicy.fractional,
    "surrogate": MissingPolicy.surrogate,
    "learned": MissingPolicy.learned,
    "branch": MissingPolicy.branch,
    "majority": MissingPolicy.majority,
    "stop": MissingPolicy.stop,
}

__all__ = [
    "MEASURES",
    "MISSING_POLICIES",
    "NOMINAL",
    "NOMINAL_KIND",
    "NUMERIC",
    "NUMERIC_KIND",
    "ORDERED_KIND",
    "Settings",
    "SortedColumns",
    "grow_tree",
    "sort_columns",
]
