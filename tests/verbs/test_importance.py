"""Importances: planted columns are found, and the intervals are what they claim to be."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression

import treewright as tw
from machine import imported
from treewright.verbs.permutation import asked_columns, mean_and_error


def planted(n_rows=300, *, seed=0):
    """The first column decides, the second helps, the third is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 3 * (X[:, 0] > 0) + (X[:, 1] > 0) + rng.normal(0, 0.1, n_rows)


NUMBER_MODELS = [
    tw.CARTRegressor(prune=None, max_leaf_nodes=8),
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
    model = tw.CARTRegressor(prune=None, max_leaf_nodes=8).fit(X, y)
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
    model = tw.CARTRegressor(prune=None, max_leaf_nodes=8).fit(X[:200], y[:200])
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
    assert asked_columns(model, X.n_columns) == [0, 2, 3]
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
    assert np.isnan(tw.importance(tw.CARTRegressor(prune=None).fit(X, y), method="gain").low).all()


def test_the_same_seed_gives_the_same_importance():
    X, y = planted(80)
    model = tw.CARTRegressor(prune=None).fit(X, y)
    for seed in (lambda: 3, lambda: np.random.RandomState(3)):
        one, same = (tw.importance(model, X, y, random_state=seed()) for _ in range(2))
        np.testing.assert_array_equal(one.values, same.values)
    with pytest.raises(tw.ParameterError, match="not a seed"):
        tw.importance(model, X, y, random_state="three")


def test_an_isolation_forest_has_no_importances():
    X, y = planted(80)
    forest = tw.IsolationForest(n_estimators=2).fit(X)
    for method in ("gain", "permutation"):
        with pytest.raises(tw.ParameterError, match="draws columns"):
            tw.importance(forest, X, y, method=method)


def test_rows_and_shuffles_both_widen_the_interval():
    lost = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
    mean, error = mean_and_error(lost)
    assert mean == 2.0
    assert error**2 == pytest.approx(np.var([0.5, 1.5, 2.5, 3.5], ddof=1) / 4 + 0.5 / 2)
    assert mean_and_error(lost[:1])[1] ** 2 == pytest.approx(np.var(lost[0], ddof=1) / 4)


def test_importances_are_printed_in_order():
    X, y = planted()
    model = tw.CARTRegressor(prune=None, max_leaf_nodes=4).fit(X, y)
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
    model = tw.CARTClassifier(prune=None, max_depth=2).fit(X, y)
    with pytest.raises(tw.DataError, match="no class of the model"):
        tw.importance(model, X, np.arange(len(y)))


class OnlyPredicts:
    """A model of no known package: it has `predict`, and nothing else."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > 0, self.high, self.low)


class TestModelsOfOtherPackages:
    def test_a_model_of_scikit_learn_has_importances(self):
        X, y = planted()
        found = tw.importance(LinearRegression().fit(X, y), X, y)
        assert found.order.tolist() == [0, 1, 2]
        assert found.unit == "R squared lost"
        labels = np.where(X[:, 0] > 0, "high", "low")
        model = LogisticRegression().fit(X, labels)
        for measure in ("accuracy", "log_loss"):
            assert tw.importance(model, X, labels, measure=measure).order[0] == 0

    def test_a_frame_keeps_its_columns_while_one_is_shuffled(self):
        pandas = imported("pandas")
        X, y = planted()
        frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=range(1000, 1300))
        model = LinearRegression().fit(frame, y)
        by_name = tw.importance(model, frame, y)
        assert by_name.names == ("a", "b", "c")
        by_place = tw.importance(LinearRegression().fit(X, y), X, y)
        np.testing.assert_allclose(by_name.values, by_place.values)
        from_table = tw.importance(model, tw.table_from(frame), y)
        np.testing.assert_allclose(from_table.values, by_place.values)
        np.testing.assert_array_equal(frame, X)

    def test_an_object_with_predict_alone_has_importances(self):
        X, _ = planted()
        labels = np.where(X[:, 0] > 0, "high", "low")
        found = tw.importance(OnlyPredicts("low", "high"), X, labels)
        assert found.values[0] > 0.3
        assert found.values[1:].tolist() == [0, 0]
        numbers = np.where(X[:, 0] > 0, 2.5, 1.5)
        assert tw.importance(OnlyPredicts(1.5, 2.5), X, numbers).unit == "R squared lost"

    def test_what_such_a_model_lacks_is_told(self):
        X, _ = planted()
        labels = np.where(X[:, 0] > 0, "high", "low")
        with pytest.raises(tw.ParameterError, match="an OnlyPredicts has no `predict_proba`"):
            tw.importance(OnlyPredicts("low", "high"), X, labels, measure="log_loss")
        with pytest.raises(tw.ParameterError, match=r'(?s)"gain" reads the splits.*permutation'):
            tw.importance(OnlyPredicts("low", "high"), method="gain")
        with pytest.raises(tw.ParameterError, match="an object has no importances: it has neither"):
            tw.importance(object(), X, labels)
        with pytest.raises(tw.DataError, match="y holds no class of the model"):
            tw.importance(OnlyPredicts("low", "high"), X, np.zeros(len(X), dtype=int))

    @pytest.mark.parametrize("model", [KMeans(2, n_init=1), tw.KMeans(2)], ids=["theirs", "ours"])
    def test_a_model_without_a_target_has_none(self, model):
        X, _ = planted()
        with pytest.raises(tw.ParameterError, match="a KMeans has no target"):
            tw.importance(model.fit(X), X, np.zeros(len(X)))
