"""Boosted trees: classes and numbers, holes and words, and the same model for any threads."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score

import treewright as tw
from fitted_states import scores_of
from treewright.errors import DataError, ParameterError
from treewright.tree.predict import predict_values


def test_two_classes_are_told_apart():
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(tw.BoostedTreesClassifier(), X, y, cv=3).mean() > 0.955


def test_three_classes_have_three_trees_a_round():
    X, y = load_iris(return_X_y=True)
    model = tw.BoostedTreesClassifier(n_estimators=20).fit(X, y)
    assert len(model.trees_) == 60
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_numbers_are_met():
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(tw.BoostedTreesRegressor(n_estimators=50), X, y, cv=3).mean() > 0.38


def test_predictions_are_the_start_and_what_all_trees_add():
    X, y = load_diabetes(return_X_y=True)
    model = tw.BoostedTreesRegressor(n_estimators=10).fit(X, y)
    added = sum(predict_values(tree, X)[:, 0] for tree in model.trees_)
    np.testing.assert_allclose(model.predict(X), y.mean() + added)


@pytest.mark.parametrize("kind", [tw.BoostedTreesClassifier, tw.BoostedTreesRegressor])
def test_the_model_is_the_same_for_any_number_of_threads(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 9)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2]).round().clip(-1, 1)
    scores = [scores_of(kind(n_estimators=5, n_jobs=n).fit(X, y), X) for n in (1, 2, 3)]
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


def test_one_class_is_always_predicted():
    model = tw.BoostedTreesClassifier(n_estimators=2).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[3.0]]).tolist() == ["a"]
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


def counts_and_rates(n_rows=2000, seed=0):
    """Rows whose target has a mean that depends on two columns, by an exponential."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n_rows, 4))
    return X, np.exp(X[:, 0] + np.sin(3 * X[:, 1])), rng


def noisy_numbers(n_rows=1500, seed=3):
    """A curve with noise that has far outliers, on one side more than on the other."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n_rows, 3))
    noise = rng.exponential(size=n_rows) + 50 * (rng.random(n_rows) < 0.03)
    return X, np.sin(X[:, 0]) + noise


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_quantiles_have_their_share_of_the_rows_below_them(share):
    X, y = noisy_numbers()
    model = tw.BoostedTreesRegressor(loss="quantile", quantile=share, n_estimators=30)
    model.fit(X[:1000], y[:1000])
    assert (y[1000:] <= model.predict(X[1000:])).mean() == pytest.approx(share, abs=0.06)


def test_medians_and_huber_mind_outliers_less_than_means_do():
    X, y = noisy_numbers()
    middle = np.sin(X[1000:, 0]) + np.log(2)
    errors = {}
    for loss in ("squared_error", "absolute_error", "huber"):
        model = tw.BoostedTreesRegressor(loss=loss).fit(X[:1000], y[:1000])
        errors[loss] = np.abs(model.predict(X[1000:]) - middle).mean()
    assert errors["absolute_error"] < errors["huber"] < errors["squared_error"] / 2


def test_absolute_error_is_as_low_as_scikit_learns():
    X, y = noisy_numbers()
    ours = tw.BoostedTreesRegressor(loss="absolute_error").fit(X[:1000], y[:1000])
    theirs = HistGradientBoostingRegressor(loss="absolute_error").fit(X[:1000], y[:1000])
    error, allowed = (np.abs(m.predict(X[1000:]) - y[1000:]).mean() for m in (ours, theirs))
    assert error < 1.05 * allowed


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_every_way_to_grow_learns(growth):
    X, y = load_diabetes(return_X_y=True)
    model = tw.BoostedTreesRegressor(growth=growth, max_depth=4, n_estimators=50)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.35


def test_drawn_rows_and_columns_depend_on_the_seed_alone():
    X, y = load_diabetes(return_X_y=True)
    params = {"subsample": 0.6, "max_features": 0.5, "max_features_node": 0.7, "n_estimators": 9}
    predictions = [
        tw.BoostedTreesRegressor(random_state=seed, n_jobs=jobs, **params).fit(X, y).predict(X)
        for seed, jobs in [(0, 1), (0, 2), (1, 1)]
    ]
    np.testing.assert_array_equal(predictions[0], predictions[1])
    assert not np.array_equal(predictions[0], predictions[2])
    assert np.corrcoef(predictions[0], y)[0, 1] > 0.6


def test_growing_on_draws_as_growing_at_once_does():
    X, y = load_diabetes(return_X_y=True)
    params = {"subsample": 0.6, "max_features": 0.5, "learning_rate": 0.1}
    at_once = tw.BoostedTreesRegressor(n_estimators=8, **params).fit(X, y)
    in_parts = tw.BoostedTreesRegressor(n_estimators=3, warm_start=True, **params).fit(X, y)
    in_parts.set_params(n_estimators=8).fit(X, y)
    np.testing.assert_allclose(in_parts.predict(X), at_once.predict(X), rtol=1e-12)


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_counts_and_amounts_are_met_as_well_as_by_scikit_learn(loss):
    X, rate, rng = counts_and_rates()
    y = rng.poisson(rate) if loss == "poisson" else rng.gamma(2.0, rate / 2.0)
    model = tw.BoostedTreesRegressor(loss=loss, n_estimators=100, learning_rate=0.1)
    ours = model.fit(X[:1000], y[:1000]).predict(X[1000:])
    theirs = HistGradientBoostingRegressor(loss=loss).fit(X[:1000], y[:1000]).predict(X[1000:])
    error, allowed = (((prediction - rate[1000:]) ** 2).mean() for prediction in (ours, theirs))
    assert error < 1.1 * allowed


def test_amounts_of_which_many_are_0_are_met():
    X, rate, rng = counts_and_rates()
    n_claims = rng.poisson(rate)
    y = np.array([rng.gamma(2.0, 0.5, size=n).sum() for n in n_claims])
    model = tw.BoostedTreesRegressor(loss="tweedie", n_estimators=100, learning_rate=0.05).fit(
        X[:1000], y[:1000]
    )
    error = ((model.predict(X[1000:]) - rate[1000:]) ** 2).mean()
    assert error < 0.4 * rate.var()
    assert (model.predict(X) > 0).all()


@pytest.mark.parametrize(
    ("loss", "y", "words"),
    [
        ("poisson", [1.0, -1.0], "at least 0"),
        ("gamma", [1.0, 0.0], "above 0"),
        ("tweedie", [0.0, 0.0], "every y is 0"),
    ],
)
def test_targets_that_a_loss_is_not_for_are_told(loss, y, words):
    with pytest.raises(DataError, match=words):
        tw.BoostedTreesRegressor(loss=loss).fit([[1.0], [2.0]], y)


def test_logistic_is_for_two_classes():
    with pytest.raises(ParameterError, match="for two classes"):
        tw.BoostedTreesClassifier(loss="logistic").fit([[1.0], [2.0], [3.0]], [0, 1, 2])


def test_class_weights_move_the_predictions():
    X, y = load_breast_cancer(return_X_y=True)
    heavy = tw.BoostedTreesClassifier(n_estimators=5, class_weight={0: 50, 1: 1}).fit(X, y)
    plain = tw.BoostedTreesClassifier(n_estimators=5).fit(X, y)
    assert heavy.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean()


def test_the_learning_rate_suits_rows_and_rounds_unless_it_is_set():
    X = np.arange(160.0)[:, np.newaxis]
    model = tw.BoostedTreesRegressor(n_estimators=500).fit(X, X[:, 0])
    assert model.learning_rate_ == pytest.approx(0.1 * 0.01**0.4)
    model.set_params(n_estimators=250).fit(X, X[:, 0])
    assert model.learning_rate_ == pytest.approx(0.2 * 0.01**0.4)
    model.set_params(n_estimators=1).fit(X, X[:, 0])
    assert model.learning_rate_ == 0.2
    model.set_params(learning_rate=0.3).fit(X, X[:, 0])
    assert model.learning_rate_ == 0.3


def test_importances_are_shares_of_the_whole_gain():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = 5 * X[:, 1] + rng.normal(size=500)
    shares = tw.BoostedTreesRegressor(n_estimators=200).fit(X, y).feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert shares[1] > 0.9


def test_the_decision_of_two_classes_is_one_number_under_every_loss():
    X, y = load_breast_cancer(return_X_y=True)
    model = tw.BoostedTreesClassifier(loss="multinomial", n_estimators=5).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(model.decision_function(X), np.log(shares[:, 1] / shares[:, 0]))


def test_a_model_knows_how_many_rows_it_was_given():
    X, y = load_breast_cancer(return_X_y=True)
    model = tw.BoostedTreesClassifier(n_estimators=2, subsample=0.5, validation_fraction=0.2)
    assert model.fit(X, y).n_rows_ == len(y)
    assert model.fit(X[:50], ["one"] * 50).n_rows_ == 50


def test_many_trees_are_worth_threads_for_few_rows():
    X, y = load_breast_cancer(return_X_y=True)
    model = tw.BoostedTreesClassifier(n_estimators=200, max_leaf_nodes=2, n_jobs=2).fit(X, y)
    assert model.state_.threads_for(400, model) == 1
    assert model.state_.threads_for(2_000, model) == 2


def test_symmetric_trees_need_a_limit():
    X, y = tw.load_sample("iris")
    model = tw.BoostedTreesClassifier(growth="symmetric", max_leaf_nodes=None)
    with pytest.raises(tw.ParameterError, match="doubles with every level"):
        model.fit(X, y)
    assert len(model.set_params(max_depth=3, n_estimators=2).fit(X, y).trees_) == 6


def test_too_few_rows_for_a_split_are_told():
    X, y = tw.load_sample("tennis")
    with pytest.warns(UserWarning, match="every tree is one leaf"):
        tw.BoostedTreesClassifier(n_estimators=2).fit(X, y)


def test_min_gain_is_what_the_loss_must_fall_by():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 0.0, 3.0, 3.0])
    settings = {"n_estimators": 1, "min_samples_leaf": 1, "l2": 0.0, "max_features_node": 1.0}
    fall = 4 * 1.5**2 / 2  # half the squared residuals, all of them
    grown = tw.BoostedTreesRegressor(min_gain=fall - 0.01, **settings).fit(X, y)
    kept = tw.BoostedTreesRegressor(min_gain=fall + 0.01, **settings).fit(X, y)
    assert (grown.trees_[0].n_leaves, kept.trees_[0].n_leaves) == (2, 1)


def test_levels_are_parted_where_the_best_set_has_too_few_rows():
    """Once, a set of levels below `min_samples_leaf` hid all others of its column."""
    level = ["rare"] * 3 + ["low"] * 20 + ["high"] * 20
    y = np.array([100.0] * 3 + [0.0] * 20 + [10.0] * 20)
    model = tw.BoostedTreesRegressor(n_estimators=1, min_samples_leaf=5).fit({"level": level}, y)
    low, high = model.predict({"level": ["low", "high"]})
    assert low < high
