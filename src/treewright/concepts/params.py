"""The settings of concept learners, apart from scikit-learn."""

from treewright.estimators.params import CATEGORICAL_FEATURES, MOST_BINS
from treewright.param import Param


def _is_label(value: object) -> bool:
    return isinstance(value, str | int | bool) or hasattr(value, "item")


CONCEPT_PARAMS = (
    Param(
        "positive",
        str,
        None,
        "the positive class; None: yes, true, 1 or +, otherwise the last",
        optional=True,
        accepts=_is_label,
        accepts_text="a class of the target",
    ),
    Param(
        "discretize",
        str,
        None,
        "how to discretize numeric columns; None: raise an error",
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
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "how to handle a category not seen in training",
    choices=("missing", "error"),
)

FIND_S_PARAMS = (*CONCEPT_PARAMS, HANDLE_UNKNOWN, CATEGORICAL_FEATURES)
CANDIDATE_ELIMINATION_PARAMS = (
    *CONCEPT_PARAMS,
    Param(
        "when_empty",
        str,
        "warn",
        "what to do if no hypothesis is consistent with all rows",
        choices=("warn", "error"),
    ),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
)
