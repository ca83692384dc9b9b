"""Which parameters the linear models have, in the order of their signatures."""

from dataclasses import replace

from treewright.estimators.params import (
    CATEGORICAL_FEATURES,
    CLASS_WEIGHT,
    HANDLE_UNKNOWN,
    N_JOBS,
    RANDOM_STATE,
    TOO_LARGE,
    switch,
    with_defaults,
)
from treewright.param import Param

METHODS = ("batch", "stochastic", "mini_batch")
STEP_RULES = ("auto", "constant", "inverse", "backtracking", "halving")

DESCENT_PARAMS = (
    Param(
        "method",
        str,
        "batch",
        "rows used in each step: all, one, or batch_size",
        choices=METHODS,
    ),
    Param("batch_size", int, 32, "rows per step of mini_batch", low=1),
    Param(
        "learning_rate",
        float,
        "auto",
        "step size; auto: the largest safe one",
        above=0,
        below=TOO_LARGE,
        choices=("auto",),
    ),
    Param(
        "step_rule",
        str,
        "auto",
        "how the learning rate changes; auto: constant for batch, otherwise halving",
        choices=STEP_RULES,
    ),
    Param(
        "decay",
        float,
        0.1,
        "rate of step t is learning_rate / (1 + decay t) if inverse",
        low=0,
        below=TOO_LARGE,
    ),
    Param(
        "momentum",
        float,
        "auto",
        "Nesterov momentum: fraction of the last step added to the next",
        low=0,
        below=1,
        choices=("auto",),
    ),
    Param(
        "max_iter",
        int,
        10_000,
        "maximum number of steps, or of epochs for stochastic and mini_batch",
        low=1,
    ),
    Param("tol", float, 1e-12, "size of the gradient at which the descent has converged", low=0),
    Param(
        "l1",
        float,
        0.0,
        "penalty on the absolute values of the coefficients",
        low=0,
        below=TOO_LARGE,
    ),
    Param("l2", float, 0.0, "penalty on the squares of the coefficients", low=0, below=TOO_LARGE),
    switch("standardize", "standardize numeric columns for the descent", default=True),
)
SHARED_PARAMS = (
    HANDLE_UNKNOWN,
    CATEGORICAL_FEATURES,
    replace(RANDOM_STATE, summary="seed for the order of the rows"),
    replace(
        N_JOBS,
        summary="number of threads; None: automatic, -1: all cores; the model is the same",
    ),
)


def solver(*others: str) -> Param:
    """Descent, or the way that needs no steps or few."""
    return Param(
        "solver",
        str,
        "gradient_descent",
        "how to minimize the cost",
        choices=("gradient_descent", *others),
    )


DESCENT_REGRESSOR_PARAMS = (solver("normal_equations"), *DESCENT_PARAMS, *SHARED_PARAMS)
DESCENT_CLASSIFIER_PARAMS = (
    solver("newton"),
    *with_defaults(DESCENT_PARAMS, tol=1e-7, l2=1e-3),
    CLASS_WEIGHT,
    *SHARED_PARAMS,
)
