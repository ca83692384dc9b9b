"""The settings of model trees, declared once."""

from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    HANDLE_UNKNOWN,
    N_JOBS,
    TOO_LARGE,
    switch,
)
from treewright.param import Param

M5_PARAMS = (
    switch("models", "whether nodes answer by linear models, not by means", default=True),
    switch("smoothing", "whether the models above a leaf take part in its answer", default=True),
    Param(
        "smoothing_weight",
        float,
        15.0,
        "rows that the model above counts for",
        low=0,
        below=TOO_LARGE,
    ),
    switch("prune", "whether a model takes the place of a subtree that is no better", default=True),
    Param(
        "penalty",
        float,
        2.0,
        "expected error is (n + penalty v) / (n - v) times that on n rows by v parameters",
        low=0,
        below=TOO_LARGE,
    ),
    Param(
        "criterion",
        str,
        "fifth_root",
        "root of the variance that a split reduces",
        choices=("fifth_root", "standard_deviation"),
    ),
    Param(
        "terms",
        str,
        "akaike",
        "how the terms of a model are chosen",
        choices=("akaike", "adjusted_error", "all"),
    ),
    Param("max_depth", int, None, "most splits from the root to a leaf", low=1, optional=True),
    Param("min_samples_split", int, 4, "least weight of a node that is split", low=2),
    Param("min_samples_leaf", int, 2, "least weight on each side of a split", low=1),
    Param(
        "min_leaf_share",
        float,
        0.2,
        "each side of a split has more than this share of the node, rounded down",
        low=0,
        below=0.5,
    ),
    Param(
        "min_deviation",
        float,
        0.05,
        "a node is a leaf if its deviation is below this share of that of all rows",
        low=0,
        high=1,
    ),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    N_JOBS,
)
