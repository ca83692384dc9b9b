"""Which parameters each forest has, in the order of its signature."""

from collections.abc import Sequence
from dataclasses import replace

from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    CLASS_WEIGHT,
    DEPTH_LIMITS,
    MIN_GAIN,
    MIN_WEIGHT_FRACTION_LEAF,
    N_JOBS,
    RANDOM_STATE,
    ROW_LIMITS,
    criterion,
    switch,
    with_defaults,
)
from treewright.param import Param

MAX_BINS = 255  # a byte, less one for missing


def is_share(value: object) -> bool:
    """A part of a whole as a float: 1.0 is all of it, while the integer 1 is one."""
    return isinstance(value, float) and 0.0 < value <= 1.0


N_ESTIMATORS = Param("n_estimators", int, 100, "number of trees", low=1, high=10**6)
MAX_FEATURES = Param(
    "max_features",
    int,
    "sqrt",
    "columns sampled for each split; None: all",
    low=1,
    choices=("sqrt", "log2"),
    optional=True,
    accepts=is_share,
    accepts_text="a share of the columns above 0 and at most 1.0",
)
MAX_DEPTH, MAX_LEAF_NODES = DEPTH_LIMITS[:2]
MAX_SAMPLES = Param(
    "max_samples",
    int,
    None,
    "rows sampled for each tree; None: the size of the table",
    low=1,
    optional=True,
    accepts=is_share,
    accepts_text="a share of the rows above 0 and at most 1.0",
)
VOTING = Param(
    "voting",
    str,
    "soft",
    "average the probabilities of the trees, or count votes",
    choices=("soft", "hard"),
)
MIN_LEVEL_ROWS = Param(
    "min_level_rows",
    int,
    2,
    "in columns with over 255 categories, those with fewer rows count as missing",
    low=0,
)
MAX_BINS_PARAM = Param(
    "max_bins", int, MAX_BINS, "maximum number of bins per numeric column", low=2, high=MAX_BINS
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "how to handle a category not seen in training",
    choices=("missing", "error"),
)
WARM_START = switch("warm_start", "keep the trees of the last fit and add more", default=False)
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

BOOTSTRAP = switch("bootstrap", "sample rows with replacement", default=True)

GROWTH = (
    MAX_FEATURES,
    MAX_DEPTH,
    MAX_LEAF_NODES,
    *ROW_LIMITS,
    MIN_WEIGHT_FRACTION_LEAF,
    MIN_GAIN,
    BOOTSTRAP,
    MAX_SAMPLES,
)
SPLITS = Param(
    "splits",
    str,
    "histogram",
    "bin numeric columns, or try every value as a threshold",
    choices=("histogram", "exact"),
)
INDUCTORS = Param(
    "inductors",
    object,
    None,
    "tree algorithms to use in turn, instead of the forest's own",
    optional=True,
    accepts=lambda value: isinstance(value, list | tuple),
    accepts_text='a list of unfitted tree models or of names: ["id3", "c45", "cart"]',
)
OOB_SCORE = switch("oob_score", "compute the out-of-bag score", default=False)
REST = (
    MIN_LEVEL_ROWS,
    MAX_BINS_PARAM,
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    WARM_START,
    SEED,
    N_JOBS,
)

KEEP_TARGETS = switch(
    "keep_targets", "store the training targets, to predict quantiles", default=False
)

RANDOM_FOREST_CLASSIFIER_PARAMS = (
    N_ESTIMATORS,
    criterion("gini", ("gini", "entropy")),
    *GROWTH,
    VOTING,
    CLASS_WEIGHT,
    SPLITS,
    INDUCTORS,
    OOB_SCORE,
    *REST,
)
RANDOM_FOREST_REGRESSOR_PARAMS = (
    N_ESTIMATORS,
    criterion("squared_error", ("squared_error",)),
    *with_defaults(GROWTH, max_features=0.5),
    SPLITS,
    INDUCTORS,
    OOB_SCORE,
    KEEP_TARGETS,
    *REST,
)


def of_random_cuts(params: Sequence[Param]) -> tuple[Param, ...]:
    """The parameters of a forest whose columns are cut at random."""
    shared = [param for param in params if param not in (SPLITS, INDUCTORS)]
    return with_defaults(shared, bootstrap=False)


EXTRA_TREES_CLASSIFIER_PARAMS = of_random_cuts(RANDOM_FOREST_CLASSIFIER_PARAMS)
EXTRA_TREES_REGRESSOR_PARAMS = of_random_cuts(RANDOM_FOREST_REGRESSOR_PARAMS)
ISOLATION_FOREST_PARAMS = (
    N_ESTIMATORS,
    replace(
        MAX_SAMPLES,
        default="auto",
        choices=("auto",),
        optional=False,
        summary="rows sampled for each tree",
    ),
    Param(
        "contamination",
        float,
        "auto",
        "fraction of the training rows that are outliers",
        above=0,
        high=0.5,
        choices=("auto",),
    ),
    replace(
        MAX_FEATURES,
        default=1.0,
        choices=(),
        optional=False,
        summary="columns sampled for each tree",
    ),
    replace(BOOTSTRAP, default=False),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    WARM_START,
    SEED,
    N_JOBS,
)
