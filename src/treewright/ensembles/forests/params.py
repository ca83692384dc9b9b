"""Declarations of parameters that all forests share."""

from treewright.estimators.declaration import param


def is_share(value: object) -> bool:
    """A part of a whole as a float: 1.0 is all of it, while the integer 1 is one."""
    return isinstance(value, float) and 0.0 < value <= 1.0


N_ESTIMATORS = param(100, "Number of trees.", low=1, high=10**6)
MAX_FEATURES = param(
    "sqrt",
    'Number of columns sampled for each split: "sqrt" or "log2" of the number of columns, a '
    "fraction such as 0.3, an integer, or None for all.",
    low=1,
    choices=("sqrt", "log2"),
    accepts=is_share,
    accepts_text="a share of the columns above 0 and at most 1.0",
)
BOOTSTRAP = param(
    True,
    "Whether to sample rows with replacement. If False, each tree gets all rows, or `max_samples` "
    "different rows.",
)
MAX_SAMPLES = param(
    None,
    "Number or fraction of rows sampled for each tree; None for the size of the table.",
    low=1,
    accepts=is_share,
    accepts_text="a share of the rows above 0 and at most 1.0",
)
WARM_START = param(
    False, "Whether to keep the trees of the last fit and only add trees up to `n_estimators`."
)
