"""The pruning path of CART is that of scikit-learn, computed here and now.

With a single column no two columns can tie, so both grow the same tree to the last leaf. (Absolute
error is left out: under it thresholds of one column tie all the time.)
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw

CLASS_CRITERIA = ["gini", "entropy"]
NUMBER_CRITERIA = ["squared_error", "poisson"]
N_TABLES = 8


def a_table(seed, n_rows=150):
    """One column of values that float32 holds exactly, a noisy signal, weights for some."""
    rng = np.random.default_rng(seed)
    x = rng.permutation(n_rows).astype(float)
    signal = np.sin(x / 20) + 0.5 * rng.normal(size=n_rows)
    weights = rng.integers(1, 4, size=n_rows).astype(float) if seed % 2 else None
    return x[:, np.newaxis], signal, weights


def check_path(ours, theirs, X, y, weights):
    """Both paths, where steps of one price count as one, and the trees midway between steps."""
    path = tw.cost_complexity_path(ours.fit(X, y, weights))
    found = theirs.cost_complexity_pruning_path(X, y, weights)
    alphas, impurities = np.maximum(found.ccp_alphas, 0), found.impurities
    rounding = 1e-13 * impurities[-1]
    is_last = np.append(np.diff(alphas) > 1e-9 * alphas[1:] + rounding, True)
    np.testing.assert_allclose(path.alphas, alphas[is_last], rtol=1e-9, atol=rounding)
    np.testing.assert_allclose(path.risks, impurities[is_last], rtol=1e-9, atol=rounding)
    for step in range(0, len(path) - 1, 7):
        midway = float(path.alphas[step : step + 2].mean())
        one = ours.set_params(ccp_alpha=midway).fit(X, y, weights)
        other = theirs.set_params(ccp_alpha=midway).fit(X, y, weights)
        assert one.get_n_leaves() == other.get_n_leaves() == path.n_leaves[step]
        np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


@pytest.mark.parametrize("seed", range(N_TABLES))
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_the_path_of_a_classifier_is_that_of_scikit_learn(criterion, seed):
    X, signal, weights = a_table(seed)
    y = np.digitize(signal, np.quantile(signal, [0.4, 0.7]))
    ours = tw.CARTClassifier(prune=None, criterion=criterion)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0)
    check_path(ours, theirs, X, y, weights)


@pytest.mark.parametrize("seed", range(N_TABLES))
@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
def test_the_path_of_a_regressor_is_that_of_scikit_learn(criterion, seed):
    X, signal, weights = a_table(seed)
    ours = tw.CARTRegressor(prune=None, criterion=criterion)
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0)
    check_path(ours, theirs, X, np.exp(signal), weights)
