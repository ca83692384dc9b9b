"""Which parameters the models of nearest neighbors have, in the order of their signatures."""

from treewright.estimators.params import CATEGORICAL_FEATURES, N_JOBS, TOO_LARGE
from treewright.param import Param

DISTANCE_NAMES = ("heom", "euclidean", "manhattan", "gower", "ibl")
SCALES = ("range", "standard")

N_NEIGHBORS = Param("n_neighbors", int, 5, "how many of the nearest rows answer", low=1)
WEIGHTS = Param(
    "weights",
    str,
    "uniform",
    "whether neighbors count alike, or the more the nearer they are",
    choices=("uniform", "distance"),
)
METRIC = Param(
    "metric",
    str,
    "heom",
    "how the differences of columns become a distance",
    choices=DISTANCE_NAMES,
)
SCALE = Param(
    "scale",
    str,
    "range",
    "what the numbers of a column are divided by; None: nothing",
    choices=SCALES,
    optional=True,
)
TIES = Param(
    "ties",
    str,
    "all",
    "of rows as far as the last neighbor, whether all count or the first ones",
    choices=("all", "rounded", "first"),
)
SMOOTH = Param(
    "smooth", float, 0.0, "what every class counts before the neighbors do", low=0, below=TOO_LARGE
)
HANDLE_UNKNOWN = Param(
    "handle_unknown",
    str,
    "missing",
    "what a level does that training never met",
    choices=("missing", "error"),
)

_FIRST = (N_NEIGHBORS, WEIGHTS, METRIC, SCALE, TIES)
_LAST = (HANDLE_UNKNOWN, CATEGORICAL_FEATURES, N_JOBS)

K_NEIGHBORS_CLASSIFIER_PARAMS = (*_FIRST, SMOOTH, *_LAST)
K_NEIGHBORS_REGRESSOR_PARAMS = (*_FIRST, *_LAST)
