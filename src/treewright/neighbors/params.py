"""Which parameters the models of nearest neighbors have, in the order of their signatures."""

from treewright.estimators.params import CATEGORICAL_FEATURES, N_JOBS, TOO_LARGE
from treewright.param import Param

DISTANCE_NAMES = ("heom", "euclidean", "manhattan", "gower", "ibl")
SCALES = ("range", "standard")

N_NEIGHBORS = Param("n_neighbors", int, 5, "number of neighbors", low=1)
WEIGHTS = Param(
    "weights",
    str,
    "uniform",
    "weigh neighbors equally, or by distance",
    choices=("uniform", "distance"),
)
METRIC = Param(
    "metric",
    str,
    "heom",
    "distance between two rows",
    choices=DISTANCE_NAMES,
)
SCALE = Param(
    "scale",
    str,
    "range",
    "how to scale numeric columns; None: not at all",
    choices=SCALES,
    optional=True,
)
TIES = Param(
    "ties",
    str,
    "all",
    "which rows count if several are as far away as the last neighbor",
    choices=("all", "rounded", "first"),
)
SMOOTH = Param("smooth", float, 0.0, "initial count of every class", low=0, below=TOO_LARGE)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "how to handle a category not seen in training",
    choices=("missing", "error"),
)

_FIRST = (N_NEIGHBORS, WEIGHTS, METRIC, SCALE, TIES)
_LAST = (HANDLE_UNKNOWN, CATEGORICAL_FEATURES, N_JOBS)

K_NEIGHBORS_CLASSIFIER_PARAMS = (*_FIRST, SMOOTH, *_LAST)
K_NEIGHBORS_REGRESSOR_PARAMS = (*_FIRST, *_LAST)
