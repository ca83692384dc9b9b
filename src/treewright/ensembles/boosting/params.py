"""Which parameters boosted trees have, in the order of their signatures."""

from treewright.ensembles.boosting.callbacks import is_callback_list
from treewright.ensembles.boosting.own_loss import is_own_loss
from treewright.ensembles.boosting.settings import is_list_of_groups, is_monotone
from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    CLASS_WEIGHT,
    N_JOBS,
    RANDOM_STATE,
    switch,
)
from treewright.param import Param

MOST_BINS = 255  # a byte, less one for missing values
CLASS_LOSSES = ("auto", "logistic", "multinomial")
NUMBER_LOSSES = (
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
)


def loss_param(default: str, choices: tuple[str, ...]) -> Param:
    """What the rounds lower."""
    return Param(
        "loss",
        str,
        default,
        "loss function",
        choices=choices,
        accepts=is_own_loss,
        accepts_text="a function (y, scores) -> (gradient, hessian), or an object with that method",
    )


HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "how to handle a category not seen in training",
    choices=("missing", "error"),
)
SEED = Param(
    "random_state",
    int,
    0,
    "random seed; None: a different one each time",
    low=RANDOM_STATE.low,
    high=RANDOM_STATE.high,
    optional=True,
    accepts=RANDOM_STATE.accepts,
    accepts_text=RANDOM_STATE.accepts_text,
)
ROUNDS = (
    Param(
        "n_estimators",
        int,
        500,
        "number of rounds; each grows one tree, or one per class",
        low=1,
        high=10**6,
    ),
    Param(
        "learning_rate",
        float,
        "auto",
        "factor on the values of each tree",
        above=0,
        high=1,
        choices=("auto",),
    ),
    Param(
        "max_leaf_nodes",
        int,
        31,
        "maximum number of leaves per tree, best split first",
        low=2,
        optional=True,
    ),
    Param(
        "max_depth",
        int,
        None,
        "maximum number of splits from the root to a leaf",
        low=1,
        optional=True,
    ),
    Param(
        "growth", str, "leaf", "which node is split next", choices=("leaf", "level", "symmetric")
    ),
    Param("min_samples_leaf", int, 20, "minimum number of rows in a leaf", low=1, share=True),
    Param("min_child_weight", float, 1e-3, "minimum sum of second derivatives in a leaf", low=0),
    Param("l1", float, 0.0, "L1 regularization of leaf values", low=0),
    Param("l2", float, 1.0, "L2 regularization of leaf values", low=0),
    Param(
        "smoothing",
        float,
        10.0,
        "regularization of nominal columns with many categories, in rows",
        low=0,
    ),
    Param("min_gain", float, 0.0, "minimum decrease of the loss by a split", low=0),
    Param("subsample", float, 1.0, "fraction of the rows used in each round", above=0, high=1),
    Param(
        "max_features",
        float,
        1.0,
        "fraction of the columns available to each tree",
        above=0,
        high=1,
    ),
    Param(
        "max_features_node",
        float,
        0.5,
        "fraction of the tree's columns available to each node",
        above=0,
        high=1,
    ),
    Param(
        "monotonic_cst",
        object,
        None,
        "monotonic constraints: 1 (rising), -1 (falling) or 0 per column",
        optional=True,
        accepts=is_monotone,
        accepts_text="a dict from column to 1, -1 or 0, or a list of such numbers",
    ),
    Param(
        "interaction_cst",
        object,
        None,
        "groups of columns that may interact on one path",
        optional=True,
        accepts=is_list_of_groups,
        accepts_text="a list of lists of column names or positions",
    ),
    Param(
        "max_bins",
        int,
        MOST_BINS,
        "maximum number of bins per numeric column",
        low=2,
        high=MOST_BINS,
    ),
    Param(
        "n_iter_no_change",
        int,
        None,
        "early stopping: rounds without a better validation loss",
        low=1,
        optional=True,
    ),
    Param(
        "validation_fraction",
        float,
        None,
        "fraction of the rows held back for validation",
        above=0,
        below=1,
        optional=True,
    ),
    Param(
        "tol",
        float,
        0.0,
        "minimum decrease of the validation loss for a better round",
        low=0,
    ),
    Param(
        "drop_rate",
        float,
        0.0,
        "DART: probability that an earlier round is dropped",
        low=0,
        below=1,
    ),
)
REST = (
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    switch("warm_start", "keep the rounds of the last fit and add more", default=False),
    Param(
        "callbacks",
        object,
        None,
        "functions called after each round",
        optional=True,
        accepts=is_callback_list,
        accepts_text="a list of functions of a Round",
    ),
    switch("verbose", "show a progress bar on a terminal", default=False),
    SEED,
    N_JOBS,
)
NUMBER_PARAMS = (
    Param("quantile", float, 0.5, 'the quantile to predict with loss="quantile"', above=0, below=1),
    Param(
        "huber_share",
        float,
        0.9,
        'fraction of residuals that loss="huber" treats with squared error',
        above=0,
        high=1,
    ),
    Param(
        "tweedie_power",
        float,
        1.5,
        'from Poisson (1) to gamma (2), for loss="tweedie"',
        above=1,
        below=2,
    ),
)

BOOSTED_CLASSIFIER_PARAMS = (loss_param("auto", CLASS_LOSSES), *ROUNDS, CLASS_WEIGHT, *REST)
BOOSTED_REGRESSOR_PARAMS = (
    loss_param("squared_error", NUMBER_LOSSES),
    *NUMBER_PARAMS,
    *ROUNDS,
    *REST,
)
