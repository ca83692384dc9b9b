"""The compiled derivatives are those of the definitions."""

import numpy as np
import pytest

from treewright.ensembles.boosting.losses import (
    AbsoluteError,
    Gamma,
    HuberError,
    Logistic,
    Multinomial,
    Poisson,
    QuantileError,
    SquaredError,
    Tweedie,
)
from treewright.ensembles.boosting.rounds import Gradients, ScoredRows

LOSSES = [
    SquaredError(),
    AbsoluteError(),
    HuberError(0.9),
    QuantileError(0.3),
    Poisson(),
    Gamma(),
    Tweedie(1.4),
    Logistic(),
    Multinomial(4),
]


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_compiled_derivatives_are_those_of_the_definition(loss, weighted, n_threads):
    rng = np.random.default_rng(0)
    n_rows, n_outputs = 10_007, 4 if loss.name == "multinomial" else 1
    scores = rng.normal(scale=3, size=(n_outputs, n_rows))
    y = rng.integers(0, max(n_outputs, 2), n_rows).astype(np.float64)
    if loss.name not in ("logistic", "multinomial"):
        y = rng.gamma(2.0, size=n_rows)
    weights = rng.uniform(0.5, 2, n_rows) if weighted else None
    rows = ScoredRows([], y, weights, scores)
    found = Gradients(loss, rows, n_threads)
    found.fill()
    first, second = loss.gradients(y, rows.loss_scores)
    factor = 1.0 if weights is None else weights
    np.testing.assert_allclose(found.first, np.atleast_2d(first * factor), rtol=1e-9, atol=1e-12)
    expected = np.atleast_2d(second * factor)
    if found.is_logistic:
        error = np.abs(found.first)
        np.testing.assert_allclose(error * (1.0 - error), expected, rtol=1e-9, atol=1e-12)
    elif found.second is None:
        assert loss.unit_hessian
    else:
        np.testing.assert_allclose(found.second, expected, rtol=1e-9, atol=1e-12)
