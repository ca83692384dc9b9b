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
        "how numeric columns are cut in advance",
        choices=("mdl", "equal_width", "equal_frequency", "kmeans"),
        optional=True,
    ),
    Param(
        "n_bins",
        int,
        5,
        "intervals of a numeric column, unless cut by mdl",
        low=2,
        high=MOST_BINS,
    ),
    *with_defaults((MISSING,), missing="stop"),
    column_choice("column_order", None, "columns to ask in this order, whatever their gain"),
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
    switch("j48_gaps", "J48's rule: no threshold between values within 1e-5", default=False),
    in_older_files=True,
)

C45_PARAMS = (
    criterion("gain_ratio", ("gain_ratio", "information_gain")),
    Param("min_samples_leaf", float, 2, "least weight in two branches of a split", above=0),
    *prune_params(CLASS_METHODS, default="error_based"),
    Param(
        "confidence",
        float,
        0.25,
        "confidence of the error estimate that pruning uses",
        above=0,
        high=0.5,
    ),
    switch("subtree_raising", "whether pruning may raise the largest branch", default=True),
    switch("collapse", "drop subtrees that are no better than a leaf in training", default=True),
    switch("average_gain_filter", "only columns of average gain compete", default=True),
    switch("mdl_correction", "a threshold pays for the choice among thresholds", default=True),
    switch("midpoint_thresholds", "cut midway, not at a value of the table", default=False),
    J48_GAPS,
    NOMINAL,
    MISSING,
    switch("laplace", "smooth the probabilities by one row for each class", default=False),
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
    Param("min_samples_leaf", float, 2, "least weight in two branches of a split", above=0),
    switch("simple", "drop conditions while accuracy rises, sort by accuracy", default=False),
    switch("prune", "begin with the pruned tree", default=False),
    Param(
        "confidence",
        float,
        0.25,
        "confidence of the error estimate by which conditions are dropped",
        above=0,
        high=0.5,
    ),
    switch("collapse", "drop subtrees that are no better than a leaf in training", default=True),
    switch("average_gain_filter", "only columns of average gain compete", default=True),
    switch("mdl_correction", "a threshold pays for the choice among thresholds", default=True),
    switch("midpoint_thresholds", "cut midway, not at a value of the table", default=False),
    J48_GAPS,
    NOMINAL,
    Param(
        "handle_unknown",
        str,
        "missing",
        "what a level does that training never met",
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
        "least drop in risk for each split, as a share of the root's risk; None: no cut",
        low=0,
        optional=True,
    ),
    Param(
        "ccp_alpha",
        float,
        0.0,
        "price of a leaf in impurity, as in scikit-learn",
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
        'most intervals of a split by "intervals"; None: as many as pay for themselves (MDL)',
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
    Param("max_terms", int, 3, "most columns that one question sums up", low=1, high=20),
    Param(
        "term_gain",
        float,
        0.05,
        "share by which each further column of a sum has to raise the gain",
        low=0,
        below=math.inf,
    ),
    Param(
        "rows_per_term",
        int,
        10,
        "different rows that a node needs for each column of a sum",
        low=1,
    ),
    Param("n_jumps", int, 10, "random moves tried to improve a sum", low=0, high=10**6),
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
    Param("max_depth", int, 3, "most splits from the root to a leaf", low=1, high=16),
    Param("max_leaf_nodes", int, None, "most leaves", low=1, optional=True),
    Param("penalty", float, 0.0, "price of a leaf as a share of all weight", low=0, below=1),
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
        "most thresholds tried of a numeric column; None: all",
        low=1,
        optional=True,
    ),
    Param(
        "time_limit",
        float,
        60.0,
        "seconds after which the best tree so far is taken; None: no limit",
        above=0,
        optional=True,
    ),
    HANDLE_UNKNOWN,
    CLASS_WEIGHT,
    CATEGORICAL_FEATURES,
    N_JOBS,
)
