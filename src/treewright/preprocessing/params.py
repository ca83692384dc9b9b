"""The settings of `Imputer` and `Discretizer`, apart from scikit-learn."""

from collections.abc import Mapping, Sequence

import numpy as np

from treewright.estimators.params import CATEGORICAL_FEATURES, MOST_BINS, switch
from treewright.param import Param


def _are_cut_points(value: object) -> bool:
    return isinstance(value, Mapping | Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _is_fill(value: object) -> bool:
    return isinstance(value, Mapping | str | int | float | np.generic)


IMPUTER_PARAMS = (
    Param(
        "strategy",
        str,
        "mean",
        "what holes are filled with",
        choices=("mean", "median", "mode", "constant"),
    ),
    Param(
        "fill_value",
        object,
        None,
        'what to put into holes, for strategy="constant"',
        optional=True,
        accepts=_is_fill,
        accepts_text="a number, a word, or a dict from column to value",
    ),
    switch("by_class", "fill training rows by the rows of their own class", default=False),
    switch("add_indicator", "add a column of 0 and 1 for each that has holes", default=False),
    CATEGORICAL_FEATURES,
)

DISCRETIZER_PARAMS = (
    Param(
        "strategy",
        str,
        "mdl",
        "where numeric columns are cut",
        choices=("mdl", "equal_width", "equal_frequency", "kmeans", "given"),
    ),
    Param("n_bins", int, 5, "most intervals of a column", low=2, high=MOST_BINS),
    Param(
        "cut_points",
        object,
        None,
        'cuts of each column, for strategy="given"',
        optional=True,
        accepts=_are_cut_points,
        accepts_text="a dict from column to rising cuts, or one list of cuts",
    ),
)
