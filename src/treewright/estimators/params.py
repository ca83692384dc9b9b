"""Declarations of parameters that several families of estimators share.

Each is written once, with its help; an estimator takes it as it is, or with `.but(...)` where its
default or its text differs.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from treewright.errors import ParameterError, nearest
from treewright.estimators.declaration import param
from treewright.param import Param, SavedFunction

TOO_LARGE = 1e100  # a setting must leave room for products with the numbers of tables
MOST_BINS = 10_000  # every interval gets a name and a place in memory
MISSING_POLICIES = ("fractional", "surrogate", "learned", "branch", "majority", "stop")
NOMINAL_SPLITS = ("branches", "subset", "one_vs_rest")


def check_setting_names(settings: Mapping[str, object], params: Sequence[Param], kind: str) -> None:
    """Raise if a setting that is handed on is none of the estimator."""
    known = [one.name for one in params]
    for name in settings:
        if name not in known:
            raise ParameterError(
                f"{kind} has no setting `{name}`", hint=nearest(name, known, "settings")
            )


def is_function(value: object) -> bool:
    """A function of the user; one that a model file holds by name raises what to do."""
    if isinstance(value, SavedFunction):
        value()
    return callable(value)


def is_list_of_columns(value: object) -> bool:
    """Names, positions or a mask; whether the table has such columns shows when it is read."""
    return isinstance(value, np.ndarray | Sequence) and not isinstance(value, str | bytes)


def _is_random_state(value: object) -> bool:
    return isinstance(value, np.random.RandomState | np.random.Generator)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_array(value: object) -> bool:
    return hasattr(value, "__array__") or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) > 0
    )


def _is_array_or_mapping(value: object) -> bool:
    return isinstance(value, Mapping) or _is_array(value)


GINI_OR_ENTROPY = param(
    "gini", 'Split criterion: "gini" or "entropy".', choices=("gini", "entropy")
)
NUMBER_CRITERION = param(
    "squared_error",
    'Split criterion: "squared_error", "absolute_error" or "poisson".',
    choices=("squared_error", "absolute_error", "poisson"),
)
NOMINAL = param(
    "branches",
    'How a nominal column splits a node: "branches" makes one branch per category, "subset" two '
    'branches for two sets of categories, "one_vs_rest" one category against the others.',
    choices=NOMINAL_SPLITS,
)
MISSING = param(
    "learned",
    'How to handle missing values: "fractional" sends a fraction of the row down every branch, '
    '"surrogate" uses another column that splits in a similar way, "learned" sends them to the '
    'branch with the largest gain, "branch" to a branch of their own, "majority" to the branch '
    'with the most weight, "stop" predicts from the node.',
    choices=MISSING_POLICIES,
)
HANDLE_UNKNOWN = param(
    "missing",
    'How to handle a category that was not seen in training: treat it as "missing", send it to '
    'the "majority" branch, or raise an "error".',
    choices=("missing", "majority", "error"),
)
MISSING_OR_ERROR = param(
    "missing",
    'How to handle a category that was not seen in training: treat it as "missing", or raise an '
    '"error".',
    choices=("missing", "error"),
)
MAX_SURROGATES = param(
    "auto",
    'Maximum number of surrogate splits per node; "auto" is 5 if the table has missing values, '
    "otherwise 0.",
    low=0,
    choices=("auto",),
)
DISCRETIZE = param(
    "mdl",
    'How to discretize numeric columns: "mdl" (Fayyad and Irani), "equal_width", '
    '"equal_frequency" or "kmeans". With None, numeric columns raise an error.',
    choices=("mdl", "equal_width", "equal_frequency", "kmeans"),
)
N_BINS = param(
    5,
    'Number of intervals per numeric column. "mdl" chooses the number itself.',
    low=2,
    high=MOST_BINS,
)
MAX_BINS = param(255, "Maximum number of bins per numeric column, at most 255.", low=2, high=255)
MAX_DEPTH = param(
    None, "Maximum number of splits from the root to a leaf; None for no limit.", low=1
)
MAX_LEAF_NODES = param(
    None,
    "Maximum number of leaves; the best splits are made first. None for no limit.",
    low=1,
)
MAX_SPLITS = param(
    None,
    "Maximum number of splits in the tree; the best splits are made first. None for no limit.",
    low=0,
)
MIN_SAMPLES_SPLIT = param(
    2,
    "Minimum number of rows a node needs to be split; a float below 1 is a fraction of the rows.",
    low=2,
    share=True,
)
MIN_SAMPLES_LEAF = param(
    1,
    "Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.",
    low=1,
    share=True,
)
MIN_WEIGHT_FRACTION_LEAF = param(
    0.0, "Minimum fraction of the total weight in a leaf.", low=0, high=0.5
)
SHRINKAGE = param(
    0.0,
    "Strength of hierarchical shrinkage, in rows: every node's class shares or mean are pulled "
    'toward those of its ancestors, more so where the parent has few rows. 0 for none; "auto" '
    "chooses the strength by out-of-fold log loss or squared error.",
    low=0,
    high=TOO_LARGE,
    choices=("auto",),
)
MIN_GAIN = param(
    None,
    "A node is split only if the gain is above this value. None allows splits without gain.",
    low=0,
)
PRUNE = param(None, "Pruning method: one of those of `tw.prune`; None for no pruning.")
PRUNE_OPTIONS = param(
    None,
    'Options of the pruning method, as a dict. "reduced_error" also takes "fraction", the '
    "fraction of the rows held back for pruning.",
    accepts=_is_mapping,
    accepts_text="a dict from option to value",
)
COSTS = param(
    None,
    "`costs[i][j]` is the cost of predicting class j for a row of class i, in the order of "
    "`classes_`.",
    optional=True,
    accepts=_is_array,
    accepts_text="a square matrix of costs, one row for each true class",
)
PRIORS = param(
    None,
    "Prior probability of each class: a dict, or a list in the order of `classes_`.",
    optional=True,
    accepts=_is_array_or_mapping,
    accepts_text="one probability for each class, as a list or a dict by class",
)
CLASS_WEIGHT = param(
    None,
    'Weight of each class: a dict from class to factor, or "balanced".',
    choices=("balanced",),
    optional=True,
    accepts=_is_mapping,
    accepts_text="a dict from class to weight",
)
CATEGORICAL_FEATURES = param(
    "from_dtype",
    "Columns to treat as nominal regardless of their type: names, positions or a mask.",
    choices=("from_dtype",),
    optional=True,
    accepts=is_list_of_columns,
    accepts_text="a list of column names or positions",
)
N_JOBS = param(
    None,
    "Number of threads (-1 uses all cores); None chooses by the size of the data. The result is "
    "always the same.",
    type=int,
    nonzero=True,
    optional=True,
)
RANDOM_STATE = param(
    0,
    "Random seed: the same number gives the same model. None gives a different one each time.",
    type=int,
    low=0,
    high=2**32 - 1,
    optional=True,
    accepts=_is_random_state,
    accepts_text="a NumPy RandomState or Generator",
)
