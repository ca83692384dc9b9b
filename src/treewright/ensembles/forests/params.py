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


N_ESTIMATORS = Param("n_estimators", int, 100, "trees of the forest", low=1, high=10**6)
MAX_FEATURES = Param(
    "max_features",
    int,
    "sqrt",
    "columns drawn for each split; None: all",
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
    "rows drawn for each tree; None: as many as there are",
    low=1,
    optional=True,
    accepts=is_share,
    accepts_text="a share of the rows above 0 and at most 1.0",
)
VOTING = Param(
    "voting",
    str,
    "soft",
    "whether trees give probabilities or a vote each",
    choices=("soft", "hard"),
)
MIN_LEVEL_ROWS = Param(
    "min_level_rows",
    int,
    2,
    "in columns of over 255 levels, one of fewer rows goes where missing values go",
    low=0,
)
MAX_BINS_PARAM = Param(
    "max_bins", int, MAX_BINS, "most bins of a numeric column", low=2, high=MAX_BINS
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "what a level does that training never met",
    choices=("missing", "error"),
)
WARM_START = switch("warm_start", "keep the trees of the last fit and add to them", default=False)
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

BOOTSTRAP = switch("bootstrap", "draw rows with replacement", default=True)

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
    "whether thresholds lie between bins, or every value may be one",
    choices=("histogram", "exact"),
)
INDUCTORS = Param(
    "inductors",
    object,
    None,
    "algorithms that grow the trees in turn, in place of the forest's own",
    optional=True,
    accepts=lambda value: isinstance(value, list | tuple),
    accepts_text='a list of unfitted tree models or of names: ["id3", "c45", "cart"]',
)
OOB_SCORE = switch("oob_score", "judge each row by the trees that did not draw it", default=False)
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
    "keep_targets", "keep the training targets, so that quantiles can be predicted", default=False
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
        summary="rows drawn for each tree",
    ),
    Param(
        "contamination",
        float,
        "auto",
        "share of the training rows that are outliers",
        above=0,
        high=0.5,
        choices=("auto",),
    ),
    replace(
        MAX_FEATURES,
        default=1.0,
        choices=(),
        optional=False,
        summary="columns drawn for each tree",
    ),
    replace(BOOTSTRAP, default=False),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    WARM_START,
    SEED,
    N_JOBS,
)
