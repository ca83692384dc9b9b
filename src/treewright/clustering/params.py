"""The settings of the clusterings, apart from scikit-learn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    HANDLE_UNKNOWN,
    N_JOBS,
    RANDOM_STATE,
    TOO_LARGE,
)
from treewright.param import Param


def _are_points(value: object) -> bool:
    """A table of any kind; whether it has the columns of X shows when X is there."""
    if isinstance(value, Sequence | Mapping):
        return len(value) > 0 and not isinstance(value, str | bytes)
    return hasattr(value, "shape") or hasattr(value, "__arrow_c_stream__")


N_CLUSTERS = Param("n_clusters", int, 8, "number of clusters", low=1)
INIT = Param(
    "init",
    str,
    "k-means++",
    "initial centers",
    choices=("k-means++", "random"),
    accepts=_are_points,
    accepts_text="a table of initial centers, one row per cluster",
)
N_INIT = Param(
    "n_init",
    int,
    "auto",
    "number of runs with different initial centers; the best is kept",
    low=1,
    choices=("auto",),
)
MAX_ITER = Param("max_iter", int, 300, "maximum number of iterations per run", low=1)
TOL = Param(
    "tol",
    float,
    0.0,
    "stop when the centers move less than this fraction of the mean variance",
    low=0,
)
SCALE = Param(
    "scale",
    str,
    None,
    "how to scale numeric columns before computing distances",
    choices=("standard", "range"),
    optional=True,
)
GAMMA = Param(
    "gamma",
    float,
    "auto",
    "contribution of a different category to the squared distance",
    low=0,
    below=TOO_LARGE,
    choices=("auto",),
)
SEED = replace(RANDOM_STATE, summary="seed for the initial centers")

KMEANS_PARAMS = (N_CLUSTERS, INIT, N_INIT, MAX_ITER, TOL, SCALE, SEED, N_JOBS)
KPROTOTYPES_PARAMS = (
    N_CLUSTERS,
    INIT,
    N_INIT,
    MAX_ITER,
    replace(SCALE, default="standard"),
    GAMMA,
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    SEED,
    N_JOBS,
)
