"""Importances: planted columns are found, and the intervals are what they claim to be."""

import numpy as np
import pytest

import treewright as tw
from treewright.any_model.permutation import asked_columns, mean_and_error


def planted(n_rows=300, *, seed=0):
    """The first column decides, the second helps, the third is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 3 * (X[:, 0] > 0) + (X[:, 1] > 0) + rng.normal(0, 0.1, n_rows)


NUMBER_MODELS = [
    tw.CARTRegressor(max_leaf_nodes=8),
    tw.RandomForestRegressor(n_estimators=20, max_features=None),
    tw.BoostedTreesRegressor(n_estimators=20),
]


@pytest.mark.parametrize("model", NUMBER_MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("method", ["permutation", "gain"])
def test_the_planted_order_is_found(model, method):
    X, y = planted()
    model.fit(X[:200], y[:200])
    found = tw.importance(model, X[200:], y[200:], method=method)
    assert found.order[:2].tolist() == [0, 1]
    assert found.values[0] > 3 * found.values[1] > 0
    assert abs(found.values[2]) < 0.05


def test_the_loss_of_a_column_is_what_the_score_loses():
    X, y = planted()
    model = tw.CARTRegressor(max_leaf_nodes=8).fit(X, y)
    found = tw.importance(model, X, y, n_repeats=40)
    rng = np.random.default_rng(5)
    lost = []
    for _ in range(40):
        Z = X.copy()
        Z[:, 0] = rng.permutation(Z[:, 0])
        lost.append(model.score(X, y) - model.score(Z, y))
    assert found.values[0] == pytest.approx(np.mean(lost), rel=0.05)
    assert found.unit == "R squared lost"


def test_intervals_hold_the_loss_on_many_other_rows_as_often_as_they_claim():
    X, y = planted(6000, seed=1)
    model = tw.CARTRegressor(max_leaf_nodes=8).fit(X[:200], y[:200])
    truth = tw.importance(model, X, y, measure="absolute_error", n_repeats=3).values[0]
    held = 0
    for first in range(1000, 5000, 100):
        rows = slice(first, first + 100)
        found = tw.importance(
            model, X[rows], y[rows], measure="absolute_error", n_repeats=5, confidence=0.9
        )
        held += found.low[0] <= truth <= found.high[0]
    assert held >= 32  # of 40; 36 are expected


def test_classes_lose_accuracy_or_log_loss():
    X, signal = planted()
    y = np.where(signal > 2, "high", "low")
    model = tw.RandomForestClassifier(n_estimators=10).fit(X[:200], y[:200])
    by_accuracy = tw.importance(model, X[200:], y[200:])
    by_surprise = tw.importance(model, X[200:], y[200:], measure="log_loss")
    assert by_accuracy.unit == "accuracy lost"
    assert by_surprise.unit == "log loss added"
    assert by_accuracy.order[0] == by_surprise.order[0] == 0
    assert 0.3 < by_accuracy.values[0] < 0.7


def test_a_class_that_the_model_never_met_costs_a_finite_loss():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    strangers = np.array(["Perhaps", *y[1:]])
    assert np.isfinite(tw.importance(model, X, strangers, measure="log_loss").values).all()


def test_columns_that_no_tree_asks_for_lose_nothing_and_are_not_shuffled():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    assert asked_columns(model) == [0, 2, 3]
    found = tw.importance(model, X, y)
    assert found.values[1] == found.low[1] == found.high[1] == 0


def test_a_forest_has_intervals_of_its_gain_and_others_have_none():
    X, y = planted()
    forest = tw.RandomForestRegressor(n_estimators=30).fit(X, y)
    found = tw.importance(forest, method="gain")
    np.testing.assert_array_equal(found.values, forest.feature_importances_)
    assert (found.low < found.values).all()
    assert (found.high > found.values).all()
    assert (found.low >= 0).all()
    assert str(found).startswith("share of all gain, with intervals of 95 % over other seeds")
    assert np.isnan(tw.importance(tw.CARTRegressor().fit(X, y), method="gain").low).all()


def test_the_same_seed_gives_the_same_importance():
    X, y = planted(80)
    model = tw.CARTRegressor().fit(X, y)
    for seed in (lambda: 3, lambda: np.random.RandomState(3)):
        one, same = (tw.importance(model, X, y, random_state=seed()) for _ in range(2))
        np.testing.assert_array_equal(one.values, same.values)
    with pytest.raises(tw.ParameterError, match="no seed"):
        tw.importance(model, X, y, random_state="three")


def test_an_isolation_forest_has_no_importances():
    X, y = planted(80)
    forest = tw.IsolationForest(n_estimators=2).fit(X)
    for method in ("gain", "permutation"):
        with pytest.raises(tw.ParameterError, match="draws its columns"):
            tw.importance(forest, X, y, method=method)


def test_rows_and_shuffles_both_widen_the_interval():
    lost = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
    mean, error = mean_and_error(lost)
    assert mean == 2.0
    assert error**2 == pytest.approx(np.var([0.5, 1.5, 2.5, 3.5], ddof=1) / 4 + 0.5 / 2)
    assert mean_and_error(lost[:1])[1] ** 2 == pytest.approx(np.var(lost[0], ddof=1) / 4)


def test_importances_are_printed_in_order():
    X, y = planted()
    model = tw.CARTRegressor(max_leaf_nodes=4).fit(X, y)
    text = str(tw.importance(model, X, y)).splitlines()
    assert text[0] == "R squared lost, with intervals of 95 % over rows and shuffles"
    assert text[1].startswith("x0")
    assert ".." in text[1]
    assert str(tw.importance(model, method="gain")).splitlines()[0] == "share of all gain"
    assert repr(tw.importance(model, X, y)) == "<Importance by permutation: 3 columns>"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "gian"}, "gain"),
        ({"method": "gain", "measure": "accuracy"}, "permutation"),
        ({"measure": "acuracy"}, "accuracy"),
        ({"n_repeats": 0}, "n_repeats"),
        ({"confidence": 95}, "confidence"),
    ],
)
def test_wrong_settings_are_told(given, told):
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    with pytest.raises(tw.ParameterError, match=told):
        tw.importance(model, X, y, **given)


def test_wrong_rows_are_told():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    with pytest.raises(tw.DataError, match="both X and y"):
        tw.importance(model, X)
    with pytest.raises(tw.DataError, match="14 rows"):
        tw.importance(model, X, y[:3])
    with pytest.raises(tw.DataError, match="two rows"):
        tw.importance(model, X[:1], y[:1])
    with pytest.raises(tw.ParameterError, match="no importances"):
        tw.importance(None, X, y)


def test_labels_of_another_type_are_refused():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    with pytest.raises(tw.DataError, match="no class of the model"):
        tw.importance(model, X, np.arange(len(y)))
