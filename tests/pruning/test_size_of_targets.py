"""Pruning by rows that growth has not seen takes targets of any size, or names its limit."""

import numpy as np
import pytest

import treewright as tw
from treewright.pruning.row_loss import number_loss

CRITERIA = ("squared_error", "absolute_error", "poisson")
WAYS = {
    "cross-validation": {"prune": "cost_complexity"},
    "held out rows": {"prune": "reduced_error"},
    "early stop": {"validation_fraction": 0.3, "n_iter_no_change": 5},
}


def noisy_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).round(2)
    y = np.maximum(4 + 2 * X[:, 0].round() + X[:, 1] + rng.normal(size=150), 0)
    return X, y


def splits_of(model):
    return model.tree_.feature.tolist(), model.tree_.threshold.tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("exponent", [-440, -300, 300, 440])
def test_T63_the_unit_of_the_target_changes_no_tree(way, criterion, exponent):
    """Squares of losses, which standard errors need, overflow long before the target does."""
    X, y = noisy_rows()
    plain = tw.TreeRegressor(criterion=criterion, **way).fit(X, y)
    other = tw.TreeRegressor(criterion=criterion, **way).fit(X, np.ldexp(y, exponent))
    assert 1 < plain.tree_.n_leaves < tw.TreeRegressor(criterion=criterion).fit(X, y).tree_.n_leaves
    assert splits_of(other) == splits_of(plain)


def test_T63_held_out_risks_are_told_in_the_unit_of_the_target():
    X, y = noisy_rows()
    plain, other = (
        tw.cost_complexity_path(
            tw.CARTRegressor(prune=None).fit(X, target), X, target, folds=5
        ).held_out
        for target in (y, np.ldexp(y, 300))
    )
    np.testing.assert_array_equal(other.risks, np.ldexp(plain.risks, 600))
    np.testing.assert_array_equal(other.standard_errors, np.ldexp(plain.standard_errors, 600))


@pytest.mark.parametrize(
    ("exponent", "told"),
    [
        (460, r"beyond 3e\+135.*\n?.*divide"),
        (1000, r"beyond 3e\+135.*\n?.*divide"),
        (-470, r"below 3e-136.*\n?.*multiply"),
        (-1000, r"below 3e-136.*\n?.*multiply"),
    ],
)
def test_T63_what_cannot_be_compared_is_refused(exponent, told):
    X, y = noisy_rows()
    with pytest.raises(tw.DataError, match=f"row {y.argmax()}.*{told} the target"):
        tw.TreeRegressor(prune="cost_complexity").fit(X, np.ldexp(y, exponent))


def test_T63_any_size_is_pruned_by_held_out_rows():
    X, y = noisy_rows()
    plain = tw.TreeRegressor(prune="reduced_error").fit(X, y)
    for exponent in (-1000, 1000):
        other = tw.TreeRegressor(prune="reduced_error").fit(X, np.ldexp(y, exponent))
        assert splits_of(other) == splits_of(plain)


def test_a_count_where_none_was_expected_costs_a_finite_deviance():
    lost = number_loss(np.array([40.0, 0.0]), "poisson", 0)(np.arange(2), np.zeros(2))
    assert np.isfinite(lost).all()
    assert lost[0] > 40 * 700
    assert lost[1] == 0
