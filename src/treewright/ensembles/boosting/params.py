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
        "what the rounds lower",
        choices=choices,
        accepts=is_own_loss,
        accepts_text="a function (y, scores) -> (gradient, hessian), or an object with that method",
    )


HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "what a level does that training never met",
    choices=("missing", "error"),
)
SEED = Param(
    "random_state",
    int,
    0,
    "seed of all that is drawn; None: another one each time",
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
        "rounds; each grows a tree, or one for each class",
        low=1,
        high=10**6,
    ),
    Param(
        "learning_rate",
        float,
        "auto",
        "part of a tree's answer that is added",
        above=0,
        high=1,
        choices=("auto",),
    ),
    Param(
        "max_leaf_nodes", int, 31, "most leaves of a tree, best split first", low=2, optional=True
    ),
    Param("max_depth", int, None, "most splits from the root to a leaf", low=1, optional=True),
    Param(
        "growth", str, "leaf", "which node is split next", choices=("leaf", "level", "symmetric")
    ),
    Param("min_samples_leaf", int, 20, "fewest rows in a leaf", low=1, share=True),
    Param("min_child_weight", float, 1e-3, "least sum of second derivatives in a leaf", low=0),
    Param("l1", float, 0.0, "what the gradients of a leaf are shrunk by, in sum", low=0),
    Param("l2", float, 1.0, "what is added to the second derivatives of a leaf", low=0),
    Param("smoothing", float, 10.0, "caution with nominal columns of many levels, in rows", low=0),
    Param("min_gain", float, 0.0, "a split lowers the loss by more than this", low=0),
    Param("subsample", float, 1.0, "share of the rows that a round grows on", above=0, high=1),
    Param("max_features", float, 1.0, "share of the columns that a tree may ask", above=0, high=1),
    Param(
        "max_features_node",
        float,
        0.5,
        "share of the tree's columns that a node may ask",
        above=0,
        high=1,
    ),
    Param(
        "monotonic_cst",
        object,
        None,
        "which way answers may go as a column rises: 1, -1 or 0",
        optional=True,
        accepts=is_monotone,
        accepts_text="a dict from column to 1, -1 or 0, or a list of such numbers",
    ),
    Param(
        "interaction_cst",
        object,
        None,
        "groups of columns that may be asked on one path",
        optional=True,
        accepts=is_list_of_groups,
        accepts_text="a list of lists of column names or positions",
    ),
    Param("max_bins", int, MOST_BINS, "most bins of a numeric column", low=2, high=MOST_BINS),
    Param(
        "n_iter_no_change",
        int,
        None,
        "rounds without a better validation loss before a stop",
        low=1,
        optional=True,
    ),
    Param(
        "validation_fraction",
        float,
        None,
        "share of the rows held back to judge rounds by",
        above=0,
        below=1,
        optional=True,
    ),
    Param(
        "tol",
        float,
        0.0,
        "a better round lowers the validation loss by more than this",
        low=0,
    ),
    Param(
        "drop_rate",
        float,
        0.0,
        "DART: chance of an earlier round to be left out of a round",
        low=0,
        below=1,
    ),
)
REST = (
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    switch("warm_start", "keep the rounds of the last fit and add to them", default=False),
    Param(
        "callbacks",
        object,
        None,
        "functions that are told of each round",
        optional=True,
        accepts=is_callback_list,
        accepts_text="a list of functions of a Round",
    ),
    switch("verbose", "show a progress bar, if there is a terminal", default=False),
    SEED,
    N_JOBS,
)
NUMBER_PARAMS = (
    Param("quantile", float, 0.5, 'the quantile that loss="quantile" answers', above=0, below=1),
    Param(
        "huber_share",
        float,
        0.9,
        'share of residuals that loss="huber" takes by their square',
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
