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
        "class whose rows are the positive examples; None: yes, true, 1 or +, else the last",
        optional=True,
        accepts=_is_label,
        accepts_text="a class of the target",
    ),
    Param(
        "discretize",
        str,
        None,
        "how numeric columns are cut in advance; None: refused",
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
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "what a level does that training never met",
    choices=("missing", "error"),
)

FIND_S_PARAMS = (*CONCEPT_PARAMS, HANDLE_UNKNOWN, CATEGORICAL_FEATURES)
CANDIDATE_ELIMINATION_PARAMS = (
    *CONCEPT_PARAMS,
    Param(
        "when_empty",
        str,
        "warn",
        "what `fit` does when no hypothesis agrees with all rows",
        choices=("warn", "error"),
    ),
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
)
