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
    switch("models", "predict by linear models, not by means", default=True),
    switch(
        "smoothing", "mix the prediction of a leaf with those of the models above it", default=True
    ),
    Param(
        "smoothing_weight",
        float,
        15.0,
        "weight of the parent's prediction in smoothing, in rows",
        low=0,
        below=TOO_LARGE,
    ),
    switch("prune", "replace a subtree by a model if it is no better", default=True),
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
    Param(
        "max_depth",
        int,
        None,
        "maximum number of splits from the root to a leaf",
        low=1,
        optional=True,
    ),
    Param("min_samples_split", int, 4, "minimum weight of a node to be split", low=2),
    Param("min_samples_leaf", int, 2, "minimum weight on each side of a split", low=1),
    Param(
        "min_leaf_share",
        float,
        0.2,
        "each side of a split has more than this fraction of the node, rounded down",
        low=0,
        below=0.5,
    ),
    Param(
        "min_deviation",
        float,
        0.05,
        "a node is not split if its deviation is below this fraction of that of all rows",
        low=0,
        high=1,
    ),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    N_JOBS,
)
