"""Which parameters each estimator has, in the order of its signature.

Apart from the estimators so that the command line can list them without loading scikit-learn.
"""

import math
from dataclasses import replace

from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    CLASS_CRITERIA,
    CLASS_WEIGHT,
    COSTS,
    DEPTH_LIMITS,
    EARLY_STOPS,
    HANDLE_UNKNOWN,
    MAX_SURROGATES,
    MIN_GAIN,
    MIN_WEIGHT_FRACTION_LEAF,
    MISSING,
    MOST_BINS,
    N_JOBS,
    NOMINAL,
    NUMBER_CRITERIA,
    RANDOM_STATE,
    ROW_LIMITS,
    VALIDATION,
    column_choice,
    criterion,
    prune_params,
    switch,
    with_defaults,
)
from treewright.param import Param
from treewright.pruning.methods import CLASS_METHODS, NUMBER_METHODS

ID3_PARAMS = (
    criterion(
        "information_gain",
        ("information_gain", "gain_ratio", "gini", "entropy", "chi2"),
        function=True,
    ),
    Param(
        "discretize",
        str,
        "mdl",
        "how to discretize numeric columns",
        choices=("mdl", "equal_width", "equal_frequency", "kmeans"),
        optional=True,
    ),
    Param(
        "n_bins",
        int,
        5,
        "number of intervals per numeric column; not used by mdl",
        low=2,
        high=MOST_BINS,
    ),
    *with_defaults((MISSING,), missing="stop"),
    column_choice("column_order", None, "columns to split by in this order, regardless of gain"),
    HANDLE_UNKNOWN,
    *DEPTH_LIMITS,
    *ROW_LIMITS,
    MIN_WEIGHT_FRACTION_LEAF,
    MIN_GAIN,
    *prune_params(CLASS_METHODS),
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
    RANDOM_STATE,
)

J48_GAPS = replace(
    switch(
        "j48_gaps", "J48's rule: no threshold between values less than 1e-5 apart", default=False
    ),
    in_older_files=True,
)

C45_PARAMS = (
    criterion("gain_ratio", ("gain_ratio", "information_gain")),
    Param(
        "min_samples_leaf", float, 2, "minimum weight in at least two branches of a split", above=0
    ),
    *prune_params(CLASS_METHODS, default="error_based"),
    Param(
        "confidence",
        float,
        0.25,
        "confidence level of the error estimate used by pruning",
        above=0,
        high=0.5,
    ),
    switch("subtree_raising", "let pruning replace a subtree by its largest branch", default=True),
    switch(
        "collapse", "replace subtrees that make no fewer training errors than a leaf", default=True
    ),
    switch("average_gain_filter", "compare only columns with at least average gain", default=True),
    switch(
        "mdl_correction", "subtract the cost of choosing a threshold from its gain", default=True
    ),
    switch(
        "midpoint_thresholds", "use midpoints as thresholds, not values of the table", default=False
    ),
    J48_GAPS,
    NOMINAL,
    MISSING,
    switch("laplace", "smooth probabilities by adding one row per class", default=False),
    HANDLE_UNKNOWN,
    *DEPTH_LIMITS,
    *with_defaults((MIN_GAIN,), min_gain=0.0),
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
    RANDOM_STATE,
)

C45_RULES_PARAMS = (
    criterion("gain_ratio", ("gain_ratio", "information_gain")),
    Param(
        "min_samples_leaf", float, 2, "minimum weight in at least two branches of a split", above=0
    ),
    switch(
        "simple", "drop conditions while accuracy rises, then sort rules by accuracy", default=False
    ),
    switch("prune", "start from the pruned tree", default=False),
    Param(
        "confidence",
        float,
        0.25,
        "confidence level of the error estimate used to drop conditions",
        above=0,
        high=0.5,
    ),
    switch(
        "collapse", "replace subtrees that make no fewer training errors than a leaf", default=True
    ),
    switch("average_gain_filter", "compare only columns with at least average gain", default=True),
    switch(
        "mdl_correction", "subtract the cost of choosing a threshold from its gain", default=True
    ),
    switch(
        "midpoint_thresholds", "use midpoints as thresholds, not values of the table", default=False
    ),
    J48_GAPS,
    NOMINAL,
    Param(
        "handle_unknown",
        str,
        "missing",
        "how to handle a category not seen in training",
        choices=("missing", "error"),
    ),
    *DEPTH_LIMITS,
    *with_defaults((MIN_GAIN,), min_gain=0.0),
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
)

CART_PARAMS = (
    *with_defaults((MISSING,), missing="surrogate"),
    MAX_SURROGATES,
    HANDLE_UNKNOWN,
    *DEPTH_LIMITS,
    *ROW_LIMITS,
    MIN_WEIGHT_FRACTION_LEAF,
    MIN_GAIN,
    Param(
        "cp",
        float,
        None,
        "minimum decrease in risk per split, as a fraction of the root's risk; None: off",
        low=0,
        optional=True,
    ),
    Param(
        "ccp_alpha",
        float,
        0.0,
        "cost-complexity parameter, as in scikit-learn",
        low=0,
        below=math.inf,
    ),
)

CART_CLASSIFIER_PARAMS = (
    criterion("gini", ("gini", "entropy", "cost_gini")),
    *CART_PARAMS,
    *prune_params(("cv", *CLASS_METHODS)),
    *COSTS,
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
)

CART_REGRESSOR_PARAMS = (
    criterion("squared_error", NUMBER_CRITERIA),
    *CART_PARAMS,
    *prune_params(("cv", *NUMBER_METHODS)),
    CATEGORICAL_FEATURES,
    N_JOBS,
)

SPLIT_PARAMS = (
    *with_defaults((NOMINAL,), nominal="subset"),
    Param(
        "numeric",
        str,
        "threshold",
        "how a numeric column splits a node",
        choices=("threshold", "intervals"),
    ),
    Param(
        "max_intervals",
        int,
        None,
        'maximum number of intervals of a split by "intervals"; None: chosen by MDL',
        low=2,
        optional=True,
    ),
    *with_defaults((MISSING,), missing="learned"),
    MAX_SURROGATES,
    HANDLE_UNKNOWN,
    *DEPTH_LIMITS,
    *ROW_LIMITS,
    MIN_WEIGHT_FRACTION_LEAF,
    MIN_GAIN,
)

TREE_CLASSIFIER_PARAMS = (
    criterion("gini", CLASS_CRITERIA, function=True),
    *SPLIT_PARAMS,
    *EARLY_STOPS,
    *VALIDATION,
    *prune_params(CLASS_METHODS),
    *COSTS,
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
    RANDOM_STATE,
)

TREE_REGRESSOR_PARAMS = (
    criterion("squared_error", NUMBER_CRITERIA),
    *SPLIT_PARAMS,
    *VALIDATION,
    *prune_params(NUMBER_METHODS),
    CATEGORICAL_FEATURES,
    N_JOBS,
    RANDOM_STATE,
)

OBLIQUE_PARAMS = (
    criterion("gini", ("gini", "entropy")),
    Param("max_terms", int, 3, "maximum number of columns per split", low=1, high=20),
    Param(
        "term_gain",
        float,
        0.05,
        "minimum relative increase of the gain for each column added to a sum",
        low=0,
        below=math.inf,
    ),
    Param(
        "rows_per_term",
        int,
        10,
        "minimum number of distinct rows in a node for each column of a sum",
        low=1,
    ),
    Param("n_jumps", int, 10, "number of random moves tried to improve a sum", low=0, high=10**6),
    HANDLE_UNKNOWN,
    *DEPTH_LIMITS,
    *ROW_LIMITS,
    MIN_WEIGHT_FRACTION_LEAF,
    MIN_GAIN,
    *prune_params(("cv", *CLASS_METHODS), default="mdl"),
    *COSTS,
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
    replace(RANDOM_STATE, summary="seed of the random moves"),
)

OPTIMAL_PARAMS = (
    Param("max_depth", int, 3, "maximum number of splits from the root to a leaf", low=1, high=16),
    Param("max_leaf_nodes", int, None, "maximum number of leaves", low=1, optional=True),
    Param(
        "penalty", float, 0.0, "cost of a leaf as a fraction of the total weight", low=0, below=1
    ),
    *(param for param in ROW_LIMITS if param.name == "min_samples_leaf"),
    MIN_WEIGHT_FRACTION_LEAF,
    Param(
        "nominal",
        str,
        "one_vs_rest",
        "how a nominal column splits a node",
        choices=("one_vs_rest", "subset"),
    ),
    Param(
        "max_cuts",
        int,
        None,
        "maximum number of thresholds per numeric column; None: all",
        low=1,
        optional=True,
    ),
    Param(
        "time_limit",
        float,
        60.0,
        "seconds after which the search returns the best tree so far; None: no limit",
        above=0,
        optional=True,
    ),
    HANDLE_UNKNOWN,
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
)
