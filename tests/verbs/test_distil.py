"""One tree in place of many: small, measured on rows that it has not seen, and explained."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from machine import imported


def rows(n=400, *, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where((X[:, 0] > 0) & (X[:, 1] > -0.5), "yes", "no")


def test_a_simple_truth_is_distilled_faithfully():
    X, y = rows()
    forest = tw.RandomForestClassifier(n_estimators=20).fit(X, y)
    small = tw.distil(forest, X, max_leaf_nodes=4)
    assert small.measure == "agreement"
    assert small.fidelity > 0.9
    assert small.model.get_n_leaves() <= 4
    assert (small.n_rows, small.n_held_out) == (300, 100)
    assert small.rules is None


def test_fidelity_is_measured_on_rows_that_the_tree_was_not_grown_on():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    forest = tw.RandomForestClassifier(n_estimators=10).fit(X, y)
    small = tw.distil(forest, X, max_leaf_nodes=None)
    assert small.fidelity < 0.95  # on its own rows it would be 1


def test_numbers_are_distilled_by_r_squared():
    X, _ = rows()
    model = tw.BoostedTreesRegressor(n_estimators=30).fit(X, np.where(X[:, 0] > 0, 5.0, 1.0))
    small = tw.distil(model, X, max_leaf_nodes=2)
    assert small.measure == "R squared"
    assert small.fidelity > 0.99
    assert repr(small).startswith("<Distilled: 2 leaves, R squared")


def test_outliers_are_distilled_as_classes():
    X, _ = rows()
    small = tw.distil(tw.IsolationForest(contamination=0.1).fit(X), X, max_leaf_nodes=8)
    assert small.measure == "agreement"
    assert small.model.classes_.tolist() == [-1, 1]


def test_rules_are_those_of_the_tree():
    X, y = rows()
    small = tw.distil(tw.RandomForestClassifier(n_estimators=5).fit(X, y), X, as_rules=True)
    assert len(small.rules) == small.model.get_n_leaves()
    assert "held-out rows" in str(small)
    assert "R1: if" in str(small)


def test_nominal_columns_and_holes_stay_what_they_are():
    X, y = tw.load_sample("tennis")
    forest = tw.RandomForestClassifier(n_estimators=10).fit(X, y)
    small = tw.distil(forest, X, held_out=0.2, min_samples_leaf=1)
    assert small.model.schema_.names == X.names
    assert not small.model.schema_.columns[0].is_numeric


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_a_wrong_share_is_told(share):
    X, y = rows(20)
    forest = tw.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(tw.ParameterError, match="held_out"):
        tw.distil(forest, X, held_out=share)


def test_what_cannot_be_distilled_is_told():
    X, y = rows(20)
    with pytest.raises(
        tw.ParameterError, match="a StandardScaler cannot be distilled: it has neit"
    ):
        tw.distil(StandardScaler().fit(X), X)
    with pytest.raises(tw.ParameterError, match="RandomForestClassifier is a class"):
        tw.distil(tw.RandomForestClassifier, X)
    forest = tw.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(tw.DataError, match="3 rows"):
        tw.distil(forest, X[:3])


def test_every_kind_of_seed_draws_the_held_out_rows():
    X, y = tw.load_sample("iris")
    forest = tw.RandomForestClassifier(n_estimators=3).fit(X, y)
    drawn = tw.distil(forest, X, random_state=np.random.RandomState(1))
    assert drawn.n_held_out == 38
    with pytest.raises(tw.ParameterError, match="not a seed"):
        tw.distil(forest, X, random_state=-1)


class OnlyPredicts:
    """A model of no known package: it has `predict`, and nothing else."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > 0, self.high, self.low)


class OnlyProbabilities:
    """Has `predict_proba`, and names no classes."""

    def predict_proba(self, X):
        share = np.clip(np.asarray(X, dtype=float)[:, 0] + 0.5, 0, 1)
        return np.column_stack([1 - share, share])


class TestModelsOfOtherPackages:
    @pytest.mark.parametrize(
        "model",
        [
            RandomForestClassifier(n_estimators=20, random_state=0),
            make_pipeline(StandardScaler(), LogisticRegression()),
            tw.CARTClassifier(prune=None),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_a_classifier_of_any_kind_is_distilled(self, model):
        X, y = rows()
        small = tw.distil(model.fit(X, y), X, max_leaf_nodes=4)
        assert small.measure == "agreement"
        assert small.fidelity > 0.8
        assert small.of == type(model).__name__
        assert f"agreement with the {type(model).__name__} on 100 held-out rows" in str(small)

    def test_a_regressor_is_distilled_even_if_it_predicts_whole_numbers(self):
        X, _ = rows()
        model = RandomForestRegressor(n_estimators=5).fit(X, (X[:, 0] > 0).astype(int))
        assert tw.distil(model, X).measure == "R squared"

    def test_an_object_with_predict_alone_is_distilled(self):
        X, _ = rows()
        of_words = tw.distil(OnlyPredicts("no", "yes"), X)
        assert of_words.model.classes_.tolist() == ["no", "yes"]
        assert tw.distil(OnlyPredicts(1, 2), X).measure == "agreement"
        assert tw.distil(OnlyPredicts(1.5, 2.5), X).measure == "R squared"

    def test_an_object_with_predict_proba_alone_is_distilled(self):
        X, _ = rows()
        small = tw.distil(OnlyProbabilities(), X, max_leaf_nodes=2)
        assert small.model.classes_.tolist() == [0, 1]
        assert small.fidelity > 0.95

    def test_predictions_in_one_column_are_taken_as_they_are(self):
        class InOneColumn(OnlyPredicts):
            def predict(self, X):
                return super().predict(X)[:, np.newaxis]

        assert tw.distil(InOneColumn("no", "yes"), rows()[0]).fidelity > 0.9

    def test_predictions_of_another_shape_are_refused(self):
        class InTwoColumns(OnlyPredicts):
            def predict(self, X):
                return np.zeros((len(X), 2))

        with pytest.raises(tw.DataError, match=r"InTwoColumns predicts .*\(400, 2\) for 400 rows"):
            tw.distil(InTwoColumns(0, 1), rows()[0])

    def test_a_model_gets_rows_in_the_form_that_it_was_fitted_to(self):
        pandas = imported("pandas")
        X, y = rows()
        frame = pandas.DataFrame(X, columns=list("abc"))
        by_name = LogisticRegression().fit(frame, y)
        by_place = LogisticRegression().fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for given in (frame, tw.table_from(frame), {name: frame[name] for name in frame}):
                assert tw.distil(by_name, given).model.schema_.names == ("a", "b", "c")
            for given in (X, tw.table_from(frame), X.tolist()):
                assert tw.distil(by_place, given).fidelity > 0.8
