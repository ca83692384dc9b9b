"""Scaling changes no tree's answers; policies for missing values do."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import treewright as tw
from treewright.errors import ParameterError
from treewright.evaluation.prepared import PreparedModel


def a_table(n_rows=240, seed=0):
    generator = np.random.default_rng(seed)
    size, weight = generator.normal(size=(2, n_rows))
    kind = generator.choice(["a", "b", "c"], n_rows).astype(object)
    y = np.where(size + (kind == "a") + 0.3 * generator.normal(size=n_rows) > 0.4, "ill", "well")
    size[(y == "ill") & (generator.random(n_rows) < 0.6)] = np.nan
    kind[generator.random(n_rows) < 0.1] = None
    return tw.table_from({"size": size, "weight": weight, "kind": kind}), y


@pytest.mark.parametrize(
    "model", [tw.CARTClassifier(prune=None), tw.C45Classifier(), tw.TreeClassifier()]
)
def test_scaling_changes_no_answer(model):
    X, y = a_table()
    study = tw.scaling_study(model, X, y, folds=5, repeats=2)
    for value in (6, 3, 2):
        for scaling in ("unit", "standard"):
            assert study.n_changed(value, scaling) == 0
    assert "scaled to [0, 1]" in str(study)


@pytest.mark.parametrize("wish", [{"hold_out": 0.3}, {"times": np.arange(240), "folds": 3}])
def test_rows_that_are_never_held_out_are_no_changed_answers(wish):
    X, y = a_table()
    study = tw.scaling_study(
        tw.CARTRegressor(prune=None), X, (y == "ill") * 2.5, values=(3,), **wish
    )
    assert [study.n_changed(3, scaling) for scaling in study.scalings] == [0, 0, 0]
    assert "differ" not in str(study)


def test_a_scale_is_learned_from_the_training_rows_alone():
    model = PreparedModel(tw.CARTClassifier(prune=None), "unit").fit([[0.0], [10.0]], ["a", "b"])
    prepared = model._prepared([[20.0]])
    assert prepared.columns[0].values.tolist() == [2.0]


def test_holes_are_filled_by_mean_and_mode_of_the_training_rows():
    X = {"n": [1.0, None, 3.0], "l": ["u", "u", None]}
    model = PreparedModel(tw.CARTClassifier(prune=None), "mean").fit(X, ["a", "b", "a"])
    again = model._prepared(tw.table_from({"n": [5.0, None], "l": ["u", None]}))
    assert again["n"].values.tolist() == [5.0, 2.0]
    assert [again["l"].levels[code] for code in again["l"].codes] == ["u", "u"]


def test_the_most_frequent_value_fills_numbers_too():
    X = {"n": [4.0, 1.0, 1.0, 9.0, None], "l": ["u", "v", "v", None, "u"]}
    weights = [1.0, 1.0, 1.0, 5.0, 1.0]
    plain = PreparedModel(tw.CARTClassifier(prune=None), "mode").fit(X, list("ababa"))
    weighted = PreparedModel(tw.CARTClassifier(prune=None), "mode").fit(X, list("ababa"), weights)
    holes = tw.table_from({"n": [None, 3.0], "l": [None, "w"]})
    assert plain._prepared(holes)["n"].values.tolist() == [1.0, 3.0]
    assert weighted._prepared(holes)["n"].values.tolist() == [9.0, 3.0]
    filled = plain._prepared(holes)["l"]
    assert [filled.levels[code] for code in filled.codes] == ["u", "w"]


@pytest.mark.filterwarnings("ignore:column `n` without any value")
def test_columns_without_a_known_value_stay_as_they_are():
    X = tw.table_from({"n": np.full(4, np.nan), "m": [1.0, 2.0, 3.0, 4.0]})
    for how in ("unit", "standard", "mean", "mode"):
        model = PreparedModel(tw.CARTClassifier(prune=None), how).fit(X, list("aabb"))
        assert model.predict(X).tolist() == list("aabb")


def test_scaling_matters_to_neighbors():
    generator = np.random.default_rng(0)
    X = generator.random((120, 2)) * [1, 1000]
    y = (X[:, 0] > 0.5).astype(int)
    study = tw.scaling_study(
        KNeighborsClassifier(), X, y, setting="n_neighbors", values=(1, 5), folds=3
    )
    assert study.n_changed(5, "unit") > 10
    cells = json.loads(json.dumps(study.to_dict(), allow_nan=False))["cells"]
    assert len(cells) == 6
    assert "predictions differ" in str(study)


def test_every_policy_of_the_tree_is_compared_and_filling_too():
    X, y = a_table()
    study = tw.missing_study(tw.TreeClassifier(), X, y, folds=5)
    assert set(study.evaluations) >= {
        "fractional",
        "surrogate",
        "learned",
        "filled by mean",
        "filled by mode",
    }
    # Missing sizes tell the class here: a policy that looks at them beats one that averages.
    assert study.compared("learned", "fractional").difference > 0.02
    assert "sensitivity" in str(study)
    facts = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert len(facts["policies"]) == 8
    with pytest.raises(ParameterError, match="did you mean `learned`"):
        study.compared("learnt", "fractional")


def test_the_map_of_missing_values_tells_classes_apart():
    X, y = a_table()
    found = tw.missing_map(X, y)
    ill = found.classes.index("ill")
    size = found.columns.index("size")
    assert found.shares[size, ill] > 0.4
    assert found.shares[size, 1 - ill] == 0
    weights = np.where(np.isnan(X["size"].values), 0.0, 1.0)
    assert tw.missing_map(X, y, weights).overall[size] == 0
    assert tw.missing_map({"a": [1.0, 2.0]}, ["x", "y"]).overall.tolist() == [0]


def test_a_map_of_many_numbers_is_refused():
    with pytest.raises(ParameterError, match="40 different numbers"):
        tw.missing_map({"a": np.full(40, np.nan)}, np.arange(40.0))


def test_a_study_of_numbers_is_refused():
    with pytest.raises(ParameterError, match="classes"):
        tw.missing_study(tw.CARTRegressor(prune=None), [[1.0], [2.0]], [1.0, 2.0])


def test_holes_may_be_filled_by_class_and_only_training_rows_know_theirs():
    X = {"a": [1.0, None, 3.0, 9.0, None, 7.0] * 5, "b": ["u", None, "u", "v", "v", None] * 5}
    y = ["x", "x", "x", "z", "z", "z"] * 5
    fillings = ("median", "class mean")
    study = tw.missing_study(
        tw.TreeClassifier(), X, y, policies=["learned"], fillings=fillings, folds=3
    )
    assert list(study.evaluations) == ["learned", "filled by median", "filled by class mean"]
    with pytest.raises(ParameterError, match="did you mean `class mean`"):
        tw.missing_study(tw.TreeClassifier(), X, y, fillings=["class meen"])


class TestWhatIsVaried:
    @pytest.mark.parametrize(
        ("model", "setting"),
        [
            (tw.KNeighborsClassifier(), "n_neighbors"),
            (KNeighborsClassifier(), "n_neighbors"),
            (tw.C45Classifier(), "min_samples_leaf"),
            (tw.RandomForestClassifier(n_estimators=2), "min_samples_leaf"),
            (tw.GradientDescentClassifier(max_iter=20), "l2"),
            (LogisticRegression(), "C"),
        ],
        ids=lambda given: given if isinstance(given, str) else type(given).__name__,
    )
    def test_each_kind_of_model_has_a_setting_of_its_own(self, model, setting):
        X, y = tw.load_sample("iris")
        X = np.asarray(X[::3], dtype=float)
        study = tw.scaling_study(model, X, y[::3], scalings=("none", "unit"), folds=2)
        assert study.setting == setting
        assert len(study.values) == 3

    def test_a_model_without_a_usual_setting_names_those_it_has(self):
        X, y = tw.load_sample("iris")
        with pytest.raises(ParameterError, match=r"(?s)which setting of a GaussianNB.*var_smooth"):
            tw.scaling_study(GaussianNB(), X, y)

    def test_a_setting_that_the_model_lacks_is_told_with_the_nearest(self):
        X, y = tw.load_sample("iris")
        with pytest.raises(ParameterError, match=r"(?s)no setting `n_neighbours`.*`n_neighbors`"):
            tw.scaling_study(tw.KNeighborsClassifier(), X, y, setting="n_neighbours")
        with pytest.raises(ParameterError, match=r"which values of `leaf_size`"):
            tw.scaling_study(KNeighborsClassifier(), X, y, setting="leaf_size")
