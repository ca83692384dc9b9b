"""Cross-validation of a path: one pass over the folds gives what cutting and predicting gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from fitted_states import with_learned
from treewright.errors import ParameterError
from treewright.pruning.cost_complexity_path import HeldOutRisks, PathRule, path_of
from treewright.pruning.cross_validation import cross_validated, folds_for, judged_at
from treewright.verbs.prune import pruning_rows

N_FOLDS = 3


def a_table(seed: int, *, n_rows: int = 60, holes: float = 0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    number = X[:, 0] + rng.normal(size=n_rows)
    X[rng.random(X.shape) < holes] = np.nan
    return X, number, np.digitize(number, [-0.5, 0.8])


def held_out_by_hand(model, X, y, weights, path, risk: str, fold_of_row) -> np.ndarray:
    """Mean loss at each step: every tree cut and asked by itself."""
    losses = np.zeros((len(y), len(path)))
    for fold in range(N_FOLDS):
        inside = fold_of_row == fold
        refit = type(model)(**model.get_params())
        refit.fit(X[~inside], y[~inside], sample_weight=weights[~inside])
        own_path = path_of(refit.tree_, PathRule(risk))
        for step, price in enumerate(judged_at(path.alphas)):
            at = own_path.step_for(price) if np.isfinite(price) else len(own_path) - 1
            cut = with_learned(refit, tree_=own_path.tree_at(at))
            predictions = cut.predict(X[inside])
            truth = y[inside]
            losses[inside, step] = predictions != truth
    return weights @ losses / weights.sum()


@pytest.mark.parametrize("risk", ["impurity", "error"])
@pytest.mark.parametrize(
    "model",
    [tw.CARTClassifier(), tw.TreeClassifier(missing="fractional"), tw.C45Classifier(prune=None)],
    ids=repr,
)
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_one_pass_gives_what_cutting_each_tree_gives(model, risk, seed):
    X, _, y = a_table(seed, holes=0.15)
    y[:9] = np.repeat([0, 1, 2], 3)  # every class in every fold
    fold_of_row = np.arange(len(y)) % N_FOLDS
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    model = type(model)(**model.get_params()).fit(X, y, sample_weight=weights)
    path = tw.cost_complexity_path(model, X, y, weights, risk=risk, folds=fold_of_row)
    by_hand = held_out_by_hand(model, X, y, weights, path, risk, fold_of_row)
    np.testing.assert_allclose(path.held_out.risks, by_hand, atol=1e-12)


def test_a_level_that_a_fold_has_not_met_spreads_a_row_too():
    X, y = {"x": list("aaabbbbc")}, [0, 0, 0, 1, 1, 1, 0, 0]
    model = tw.TreeClassifier(missing="fractional").fit(X, y)
    path = tw.cost_complexity_path(model, X, y, risk="error", folds=[0] * 7 + [1])
    np.testing.assert_allclose(path.held_out.risks, [3 / 8, 3 / 8])  # class 0 has 4/7 of row 7


def test_the_standard_error_is_that_of_a_mean_of_losses():
    X, _, y = a_table(0)
    model = tw.CARTClassifier().fit(X, y)
    path = tw.cost_complexity_path(model, X, y, risk="error", folds=N_FOLDS)
    share = path.held_out.risks  # losses are 0 or 1
    expected = np.sqrt(share * (1 - share) / len(y))
    np.testing.assert_allclose(path.held_out.standard_errors, expected)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_lose_by_the_criterion_of_growth(criterion):
    X, number, _ = a_table(1)
    y = np.abs(number)
    model = tw.CARTRegressor(criterion=criterion).fit(X, y)
    path = tw.cost_complexity_path(model, X, y, risk="error", folds=len(y))
    rest = np.array([np.delete(y, row) for row in range(len(y))])
    alone = np.median(rest, axis=1) if criterion == "absolute_error" else rest.mean(axis=1)
    loss = {
        "squared_error": np.square(y - alone),
        "absolute_error": np.abs(y - alone),
        "poisson": y * np.log(y / alone) - y + alone,
    }[criterion]
    assert path.held_out.risks[-1] == pytest.approx(loss.mean())


def test_folds_hold_their_share_of_every_class():
    X, _, y = a_table(2, n_rows=90)
    rows = pruning_rows(tw.CARTClassifier().fit(X, y), X, y, None)
    fold_of_row = folds_for(rows, 5, np.random.default_rng(0))
    assert np.ptp(np.bincount(fold_of_row)) == 0
    for label in range(3):
        assert np.ptp(np.bincount(fold_of_row[y == label], minlength=5)) <= 1


def test_there_are_no_more_folds_than_rows():
    X, _, y = a_table(2)
    rows = pruning_rows(tw.CARTClassifier().fit(X, y), X, y, None)
    fold_of_row = folds_for(rows, 1000, np.random.default_rng(0))
    assert sorted(fold_of_row) == list(range(len(y)))


def test_priors_weigh_a_row_the_same_in_every_fold():
    X, _, y = a_table(3)
    model = tw.CARTClassifier(priors=[0.6, 0.3, 0.1]).fit(X, y)
    rows = pruning_rows(model, X, y, None)
    for fold in range(N_FOLDS):
        tree = rows.regrow(np.flatnonzero(np.arange(len(y)) % N_FOLDS != fold))
        np.testing.assert_array_equal(tree.class_factor, model.tree_.class_factor)


def test_the_smallest_tree_within_one_standard_error_is_chosen():
    held_out = HeldOutRisks(np.array([0.30, 0.20, 0.24, 0.26, 0.9]), np.full(5, 0.05), 0.9)
    assert held_out.simplest(1.0) == 2
    assert held_out.simplest(0.0) == 1
    assert held_out.simplest(100.0) == 4


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([0, 1, 0], r"folds has the shape \(3,\)"),
        ([0] * 60, "folds puts every row into fold 0"),
        ([0.5] * 60, "holds float64"),
        (1, "folds=1 is not allowed"),
        ("ten", "folds='ten' is not allowed"),
    ],
)
def test_folds_that_cannot_be_are_refused(folds, message):
    X, _, y = a_table(4)
    model = tw.CARTClassifier().fit(X, y)
    with pytest.raises(ParameterError, match=message):
        tw.prune(model, "cost_complexity", X, y, folds=folds)


def test_a_path_can_be_judged_twice():
    X, _, y = a_table(5)
    model = tw.CARTClassifier().fit(X, y)
    rule = PathRule("error")
    rows = pruning_rows(model, X, y, None)
    folds = folds_for(rows, N_FOLDS, np.random.default_rng(1))
    one = cross_validated(path_of(model.tree_, rule), rule, rows, folds)
    other = cross_validated(one, rule, rows, folds)
    np.testing.assert_array_equal(one.held_out.risks, other.held_out.risks)
