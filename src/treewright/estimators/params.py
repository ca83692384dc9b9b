"""Estimator parameters, declared once.

Validation, command-line flags and the reference page all read these tables. Signatures stay
written out, because scikit-learn and editors read those; tests/contracts/test_every_estimator.py
checks that the two agree. Values are stored as given and checked when `fit` begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from treewright.errors import ParameterError, nearest
from treewright.param import Param, SavedFunction

TOO_LARGE = 1e100  # a setting must leave room for products with the numbers of tables


def with_defaults(params: Sequence[Param], **defaults: object) -> tuple[Param, ...]:
    """The same declarations with other defaults."""
    return tuple(
        replace(param, default=defaults[param.name]) if param.name in defaults else param
        for param in params
    )


def check_setting_names(settings: Mapping[str, object], params: Sequence[Param], kind: str) -> None:
    """Raise if a setting that is handed on is none of the estimator."""
    known = [param.name for param in params]
    for name in settings:
        if name not in known:
            raise ParameterError(
                f"{kind} has no setting `{name}`", hint=nearest(name, known, "settings")
            )


def switch(name: str, summary: str, *, default: bool) -> Param:
    """A setting that is on or off."""
    return Param(name, bool, default, summary)


def _is_function(value: object) -> bool:
    if isinstance(value, SavedFunction):
        value()
    return callable(value)


def _is_random_state(value: object) -> bool:
    return isinstance(value, np.random.RandomState | np.random.Generator)


def _is_column_choice(value: object) -> bool:
    """Names, positions or a mask; whether the table has such columns shows when it is read."""
    return isinstance(value, np.ndarray | Sequence) and not isinstance(value, str | bytes)


def _is_array(value: object) -> bool:
    return hasattr(value, "__array__") or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) > 0
    )


def _is_array_or_mapping(value: object) -> bool:
    return isinstance(value, Mapping) or _is_array(value)


CLASS_CRITERIA = ("information_gain", "gain_ratio", "gini", "entropy", "cost_gini", "chi2")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
MISSING_POLICIES = ("fractional", "surrogate", "learned", "branch", "majority", "stop")
NOMINAL_SPLITS = ("branches", "subset", "one_vs_rest")
MOST_BINS = 10_000  # every interval gets a name and a place in memory


def criterion(default: str, choices: tuple[str, ...], *, function: bool = False) -> Param:
    """The measure that a split is chosen by."""
    accepts = _is_function if function else None
    return Param(
        "criterion",
        str,
        default,
        "measure that a split is chosen by",
        choices=choices,
        accepts=accepts,
        accepts_text="a function of class weights",
    )


def column_choice(name: str, default: str | None, summary: str) -> Param:
    """Columns of the table: names, positions or a mask."""
    return Param(
        name,
        object,
        default,
        summary,
        choices=() if default is None else (default,),
        optional=True,
        accepts=_is_column_choice,
        accepts_text="a list of column names or positions",
    )


def prune_params(methods: tuple[str, ...], default: str | None = None) -> tuple[Param, Param]:
    """How the grown tree is pruned; the options are checked by the method itself."""
    return (
        Param(
            "prune",
            str,
            default,
            "method that prunes the grown tree",
            choices=methods,
            optional=True,
        ),
        Param(
            "prune_options",
            object,
            None,
            "options of the pruning method",
            optional=True,
            accepts=lambda value: isinstance(value, Mapping),
            accepts_text="a dict from option to value",
        ),
    )


NOMINAL = Param(
    "nominal", str, "branches", "how a nominal column splits a node", choices=NOMINAL_SPLITS
)
MISSING = Param(
    "missing", str, "fractional", "what happens to missing values", choices=MISSING_POLICIES
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "what a level does that training never met",
    choices=("missing", "majority", "error"),
)
MAX_SURROGATES = Param(
    "max_surrogates",
    int,
    "auto",
    'surrogate splits kept for a node; "auto" is 5 if the table has holes, else 0',
    low=0,
    choices=("auto",),
)

DEPTH_LIMITS = (
    Param("max_depth", int, None, "most splits from the root to a leaf", low=1, optional=True),
    Param("max_leaf_nodes", int, None, "most leaves, best split first", low=1, optional=True),
    Param("max_splits", int, None, "most splits in all", low=0, optional=True),
)
ROW_LIMITS = (
    Param("min_samples_split", int, 2, "fewest rows in a node that is split", low=2, share=True),
    Param("min_samples_leaf", int, 1, "fewest rows in a leaf", low=1, share=True),
)
MIN_WEIGHT_FRACTION_LEAF = Param(
    "min_weight_fraction_leaf", float, 0.0, "least share of all weight in a leaf", low=0, high=0.5
)
MIN_GAIN = Param(
    "min_gain", float, None, "a split needs a gain above this; None: no test", low=0, optional=True
)
EARLY_STOPS = (
    Param(
        "significance",
        float,
        None,
        "chi-square p-value that a split must not exceed",
        above=0,
        high=1,
        optional=True,
    ),
    Param(
        "error_confidence",
        float,
        None,
        "confidence of the error estimate that a split must lower",
        above=0,
        high=0.5,
        optional=True,
    ),
)
VALIDATION = (
    Param(
        "validation_fraction",
        float,
        None,
        "share of the rows held back to stop growth when they gain no more",
        above=0,
        below=1,
        optional=True,
    ),
    Param(
        "n_iter_no_change",
        int,
        10,
        "splits without gain on the validation rows before a stop",
        low=1,
    ),
)
COSTS = (
    Param(
        "costs",
        object,
        None,
        "costs[i][j] of taking class i for class j, in the order of classes_",
        optional=True,
        accepts=_is_array,
        accepts_text="a square matrix of costs, one row for each true class",
    ),
    Param(
        "priors",
        object,
        None,
        "probability of each class, in the order of classes_",
        optional=True,
        accepts=_is_array_or_mapping,
        accepts_text="one probability for each class, as a list or a dict by class",
    ),
)
CLASS_WEIGHT = Param(
    "class_weight",
    object,
    None,
    "factor on the weight of the rows of a class",
    choices=("balanced",),
    optional=True,
    accepts=lambda value: isinstance(value, Mapping),
    accepts_text="a dict from class to weight",
)
CATEGORICAL_FEATURES = column_choice(
    "categorical_features", "from_dtype", "columns to take as nominal whatever their type"
)
N_JOBS = Param(
    "n_jobs",
    int,
    None,
    "threads; None: as many as are worth it, -1: all cores; the tree is the same",
    nonzero=True,
    optional=True,
)
RANDOM_STATE = Param(
    "random_state",
    int,
    0,
    "seed of the choice of rows held back",
    low=0,
    high=2**32 - 1,
    optional=True,
    accepts=_is_random_state,
    accepts_text="a NumPy RandomState or Generator",
)
