"""Rounds and trees of boosting that are chosen by cross-validation inside `fit`."""

import numpy as np
import pytest

import treewright as tw
from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.ensembles.boosting.round_choice import FEWEST_ROWS, N_PARTS, parts_of
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows


def noisy(n_rows: int = 300, seed: int = 0):
    """Two classes that the columns say little of."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    return X, (X[:, 0] + 3 * rng.normal(size=n_rows) > 0).astype(int)


def log_loss(model, X, y):
    return float(-np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean())


def test_probabilities_of_noise_are_not_overconfident():
    X, y = noisy()
    X_new, y_new = noisy(2000, seed=1)
    chosen = tw.BoostedTreesClassifier().fit(X, y)
    fixed = tw.BoostedTreesClassifier(n_estimators=500).fit(X, y)
    assert chosen.n_estimators_ < 100
    assert log_loss(chosen, X_new, y_new) < 0.69 < log_loss(fixed, X_new, y_new)


def test_the_loss_of_held_back_rows_is_told_for_each_round():
    model = tw.BoostedTreesClassifier().fit(*noisy())
    best = int(np.argmin(model.cv_losses_)) + 1
    assert model.learning_rate_ == 0.05
    assert model.n_estimators_ >= 2 * best
    assert not hasattr(tw.BoostedTreesClassifier(n_estimators=5).fit(*noisy()), "cv_losses_")


def test_without_noise_all_rounds_are_taken_by_free_trees_on_all_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 6)).astype(float)
    y = X[:, :3].sum(axis=1) % 2  # no column says anything alone
    model = tw.BoostedTreesClassifier().fit(X, y)
    assert (model.growth_, model.subsample_) == ("leaf", 1.0)
    assert (model.n_estimators_, model.learning_rate_) == (500, 0.1)
    assert (model.predict(X) == y).all()


def test_what_is_set_is_kept():
    X, y = noisy()
    model = tw.BoostedTreesClassifier(max_leaf_nodes=4, growth="leaf", learning_rate=0.3).fit(X, y)
    assert (model.max_leaf_nodes_, model.growth_, model.learning_rate_) == (4, "leaf", 0.3)
    assert max(tree.n_leaves for tree in model.trees_) <= 4
    model = tw.BoostedTreesClassifier(n_estimators=7).fit(X, y)
    assert (model.n_estimators_, model.growth_, model.subsample_) == (7, "leaf", 1.0)


@pytest.mark.parametrize("kind", [tw.BoostedTreesClassifier, tw.BoostedTreesRegressor])
def test_the_choice_does_not_depend_on_threads(kind):
    X, y = noisy(1500)
    one, three = (kind(n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    np.testing.assert_array_equal(one.cv_losses_, three.cv_losses_)
    np.testing.assert_array_equal(one.predict(X), three.predict(X))


def test_parts_have_every_row_once_and_equal_shares_of_classes():
    X, y = noisy(100)
    rows = TrainingRows(table_from(X), encode_classes(y), None)
    parts = parts_of(rows, seed=5)
    assert len(parts) == N_PARTS
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(100))
    shares = [y[part].mean() for part in parts]
    assert max(shares) - min(shares) < 0.05


@pytest.mark.parametrize("n_rows", [2, 10, FEWEST_ROWS, FEWEST_ROWS + 1])
@pytest.mark.filterwarnings("ignore:.*cannot be split")
def test_tables_of_few_rows_are_fitted(n_rows):
    X, y = noisy(n_rows)
    y[:2] = 0, 1
    shares = tw.BoostedTreesClassifier().fit(X, y).predict_proba(X)
    assert np.isfinite(shares).all()


def test_classes_with_one_row_and_columns_without_values_are_fitted():
    X, _ = noisy(60)
    X[:, 1] = np.nan
    y = np.arange(60) % 3
    y[0] = 3
    with pytest.warns(UserWarning, match="without any value"):
        model = tw.BoostedTreesClassifier().fit(X, y)
    assert model.predict_proba(X).shape == (60, 4)


def test_targets_whose_squares_are_infinite_are_fitted():
    X, _ = noisy(60)
    model = tw.BoostedTreesRegressor().fit(X, X[:, 0] * 1e200)
    assert np.isfinite(model.predict(X)).all()


def test_a_warm_start_needs_a_number_of_rounds():
    X, y = noisy(60)
    model = tw.BoostedTreesClassifier(n_estimators=3, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="how many rounds to add"):
        model.set_params(n_estimators="auto").fit(X, y)


def test_a_classifier_says_what_calibrates_it():
    X, y = tw.load_sample("iris")
    assert tw.BoostedTreesClassifier().fit(X, y).calibration_ == "cross_validation"
    assert tw.BoostedTreesClassifier(n_estimators=5).fit(X, y).calibration_ == "none"
    stopped = tw.BoostedTreesClassifier(
        n_estimators=300, n_iter_no_change=2, validation_fraction=0.3, random_state=0
    )
    assert stopped.fit(X, y).calibration_ == "early_stopping"
    assert tw.RandomForestClassifier().fit(X, y).calibration_ == "shrinkage"
    assert tw.RandomForestClassifier(shrinkage=0).fit(X, y).calibration_ == "none"
    with pytest.raises(AttributeError, match="no probabilities"):
        _ = tw.BoostedTreesRegressor().fit([[0.0], [1.0]] * 20, [0.0, 1.0] * 20).calibration_
