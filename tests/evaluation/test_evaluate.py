"""tw.evaluate and tw.compare on whole models."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import PredefinedSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.errors import DataError, ParameterError
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import rows_for
from treewright.evaluation.splits import beginning


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def test_scores_are_those_of_cross_validate_on_the_same_folds(iris):
    X, y = iris
    folds = np.arange(150) % 5
    ours = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=folds)
    theirs = cross_validate(
        tw.CARTClassifier(prune=None),
        np.asarray(X, dtype=float),
        y,
        cv=PredefinedSplit(folds),
        scoring=["accuracy", "neg_log_loss", "balanced_accuracy"],
    )
    np.testing.assert_allclose(ours.scores["accuracy"], theirs["test_accuracy"])
    np.testing.assert_allclose(ours.scores["log_loss"], -theirs["test_neg_log_loss"])


def test_the_number_of_threads_changes_nothing(iris):
    X, y = iris
    one, two = (
        tw.evaluate(tw.C45Classifier(), X, y, folds=5, repeats=3, n_jobs=n).to_dict()
        for n in (1, 2)
    )
    for found in (one, two):
        found.pop("mean_fit_seconds")
    assert one == two


def test_tables_of_words_and_holes_are_taken_as_they_are():
    frame = pd.DataFrame(
        {"size": [1.0, None, 3.0, 4.0] * 10, "color": ["red", "blue", None, "red"] * 10}
    )
    y = ["yes", "no", "no", "yes"] * 10
    found = tw.evaluate(tw.C45Classifier(), frame, y, folds=4)
    assert found.mean("accuracy") == 1


def test_numbers_are_judged_by_their_errors(iris):
    X, _ = iris
    table = tw.table_from(X)
    y = np.asarray(table["petal width"].values)
    found = tw.evaluate(
        tw.CARTRegressor(prune=None, max_depth=3), table.drop("petal width"), y, folds=5
    )
    assert list(found.scores) == ["mae", "rmse", "r2"]
    assert 0.8 < found.mean("r2") < 1
    assert np.isfinite(found.predictions).all()
    with pytest.raises(ParameterError, match="no confusion matrix"):
        _ = found.confusion
    assert found.to_dict()["measures"]["r2"]["mean"] == found.mean("r2")


def test_a_class_that_a_fold_never_saw_has_share_zero(iris):
    X, y = iris
    by_class = np.repeat([0, 1, 2], 50)  # the held-out class is unknown
    found = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=by_class)
    assert found.mean("accuracy") == 0
    assert found.confusion.trace() == 0


def test_models_of_scikit_learn_are_judged_too(iris):
    X, y = iris
    numbers = np.asarray(X, dtype=float)
    found = tw.compare(
        {
            "ours": tw.CARTClassifier(prune=None),
            "theirs": DecisionTreeClassifier(random_state=0),
            "bayes": GaussianNB(),
        },
        numbers,
        y,
        folds=5,
    )
    assert found.best in found.evaluations
    assert np.isnan(found.evaluations["bayes"].mean_leaves)
    assert len(found.pairs) == 3
    json.dumps(found.to_dict(), allow_nan=False)
    assert "bayes" in str(found)


def test_a_tree_beats_chance_with_certainty(iris):
    X, y = iris
    found = tw.compare(
        {"tree": tw.CARTClassifier(prune=None), "chance": DummyClassifier()},
        np.asarray(X, dtype=float),
        y,
    )
    pair = found.pairs["tree", "chance"]
    assert pair.first_better > 0.999
    assert pair.p_value < 1e-6


def test_rows_of_weight_zero_are_neither_learned_nor_judged(iris):
    X, y = iris
    kept = np.arange(150) % 3 != 0
    folds = np.arange(150) % 7
    weights = kept.astype(float)
    weighted = tw.evaluate(tw.CARTClassifier(prune=None), X, y, sample_weight=weights, folds=folds)
    without = tw.evaluate(tw.CARTClassifier(prune=None), X[kept], y[kept], folds=folds[kept])
    np.testing.assert_allclose(weighted.scores["accuracy"], without.scores["accuracy"])


def test_groups_and_times_reach_the_splits(iris):
    X, y = iris
    by_group = tw.evaluate(
        tw.CARTClassifier(prune=None), X, y, groups=np.arange(150) // 10, folds=3
    )
    assert "by groups" in by_group.scheme
    by_time = tw.evaluate(tw.CARTClassifier(prune=None), X, y, times=np.arange(150)[::-1], folds=3)
    assert (by_time.predictions == -1).sum() > 0
    assert "order of time" in by_time.scheme


def test_progress_is_told_split_by_split(iris):
    X, y = iris
    seen = []
    tw.evaluate(
        tw.CARTClassifier(prune=None),
        X,
        y,
        folds=4,
        progress=lambda done, n: seen.append((done, n)),
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"folds": 1}, "folds=1"),
        ({"folds": 151}, "150 rows"),
        ({"groups": [1, 2]}, "groups has shape"),
        ({"hold_out": 0.3, "groups": [1] * 150}, "cannot be combined"),
        ({"times": np.arange(150), "repeats": 2}, "repeats must be 1"),
        ({"costs": [[0, 1], [1, 0]]}, "3 x 3 numbers"),
        ({"costs": "high"}, "3 x 3 numbers"),
        ({"folds": "many"}, "folds='many'"),
        ({"folds": 5.0}, "folds=5.0"),
        ({"repeats": 0}, "repeats=0"),
        ({"repeats": 0, "hold_out": 0.3}, "repeats=0"),
        ({"hold_out": float("nan")}, "hold_out=nan"),
        ({"hold_out": 1}, "hold_out=1"),
        ({"folds": np.arange(150) % 3, "repeats": 2}, "repeats must be 1"),
        ({"folds": np.arange(150) % 3, "groups": np.arange(150)}, "cannot be combined"),
        ({"groups": [None, *range(149)]}, "groups is missing in row 0"),
        ({"groups": np.array(["a", 1] * 75, dtype=object)}, "groups mixes"),
        ({"times": np.where(np.arange(150) == 5, np.nan, 1.0)}, "times is missing in row 5"),
        ({"random_state": -1}, "not a seed"),
        ({"random_state": "today"}, "not a seed"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_wrong_wishes_are_named(iris, wish, words):
    X, y = iris
    with pytest.raises((DataError, ParameterError), match=words):
        tw.evaluate(tw.CARTClassifier(prune=None), X, y, **wish)


@pytest.mark.parametrize("model", ["cart", tw.CARTClassifier, None])
def test_what_is_no_model_is_told(iris, model):
    with pytest.raises(ParameterError, match=r"is not a model|class of models"):
        tw.evaluate(model, *iris)


def test_compared_models_share_their_splits_whatever_the_seed(iris):
    X, y = iris
    for seed in (None, np.random.default_rng(1), np.random.RandomState(1)):
        found = tw.compare(
            [tw.CARTClassifier(prune=None), tw.CARTClassifier(prune=None)], X, y, random_state=seed
        )
        pair = next(iter(found.pairs.values()))
        assert (pair.difference, pair.deviation) == (0, 0)


def test_models_with_and_without_class_shares_are_compared(iris):
    X, y = iris
    models = {"tree": tw.CARTClassifier(prune=None), "lines": LinearSVC()}
    found = tw.compare(models, np.asarray(X, dtype=float), y, folds=3)
    assert "log_loss" not in found.evaluations["lines"].scores
    json.dumps(found.to_dict(), allow_nan=False)
    assert "nan" not in str(found)
    with pytest.raises(ParameterError, match="log_loss"):
        tw.compare(models, np.asarray(X, dtype=float), y, folds=3, measure="log_loss")


def test_the_table_of_compared_models_fits_a_screen(iris):
    X, y = iris
    trees = {
        f"depth {depth}": tw.CARTClassifier(prune=None, max_depth=depth) for depth in range(1, 7)
    }
    found = tw.compare(trees, X, y, folds=3)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 120
    names = [" ".join(line.split()[:2]) for line in lines[3:9]]
    assert {*names} == {*trees}
    means = [found.evaluations[name].mean("accuracy") for name in names]
    assert means == sorted(means, reverse=True)
    assert names[0] == found.best
    assert len(found.pairs) == 15  # all of them are tested, those with the best are shown
    assert len(lines) <= 3 + 6 + 6
    assert "<0.001" in str(tw.compare({"one": trees["depth 1"], "two": trees["depth 2"]}, X, y))


def test_the_verdict_names_the_best_and_those_that_can_be_told_from_it(iris):
    models = {
        "stump": tw.CARTClassifier(prune=None, max_depth=1),
        "c45": tw.C45Classifier(),
        "cart": tw.CARTClassifier(prune=None),
    }
    assert str(tw.compare(models, *iris, repeats=3)).splitlines()[-4:] == [
        "best accuracy: c45 (0.9400)",
        "clearly worse (p < 0.05): stump",
        "too close to call: cart",
        "c45: better than guessing by 61 points (95 % CI: 56 to 65)",
    ]


def test_rules_are_counted_as_rules(iris):
    X, y = iris
    found = tw.evaluate(tw.C45Rules(), X, y, folds=3)
    fitted = tw.C45Rules().fit(X, y)
    assert "rules on average" in str(found)
    for model in (fitted, fitted.rules_):
        assert tw.evaluate_fitted(model, X, y).mean_leaves == len(fitted.rules_)
    numbers = np.asarray(X, dtype=float)
    tree = tw.CARTRegressor(prune=None, max_depth=2).fit(numbers[:, :3], numbers[:, 3])
    by_rules = tw.evaluate_fitted(tw.rules(tree), numbers[:, :3], numbers[:, 3])
    assert by_rules.mean("r2") == pytest.approx(tree.score(numbers[:, :3], numbers[:, 3]))
    together = tw.compare([tw.C45Rules(), tw.C45Classifier()], X, y, folds=3)
    assert "leaves or rules" in str(together)


@pytest.mark.filterwarnings("ignore:target `y` has 300 classes")
def test_very_many_classes_are_told_in_few_lines():
    y = np.concatenate([np.arange(300), np.arange(300), np.full(50, 123)])
    found = tw.evaluate(tw.CARTClassifier(prune=None), y[:, None].astype(float), y, folds=2)
    lines = str(found).splitlines()
    assert len(lines) < 60
    assert "... 260 classes with fewer rows" in lines
    assert any(line.startswith("123 ") for line in lines)


def test_one_split_allows_no_test(iris):
    X, y = iris
    found = tw.compare([tw.C45Classifier(), tw.CARTClassifier(prune=None)], X, y, hold_out=0.3)
    assert "nan" not in str(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["pairs"][0]["p_value"] is None


def test_a_wrong_measure_is_told_before_the_work(iris):
    def no_work(done, every):
        raise AssertionError("work was done")

    for call in (tw.compare, tw.learning_curve):
        models = (
            [tw.CARTClassifier(prune=None)] if call is tw.compare else tw.CARTClassifier(prune=None)
        )
        with pytest.raises(ParameterError, match="did you mean `accuracy`"):
            call(models, *iris, measure="acuracy", progress=no_work)
        with pytest.raises(ParameterError, match="no measure `rmse`"):
            call(models, *iris, measure="rmse", progress=no_work)


def test_the_costs_of_a_model_are_what_it_is_judged_by(iris):
    X, y = iris
    costs = [[0, 1, 1], [1, 0, 5], [1, 1, 0]]
    own = tw.evaluate(tw.CARTClassifier(prune=None, costs=costs), X, y, folds=5)
    given = tw.evaluate(tw.CARTClassifier(prune=None, costs=costs), X, y, folds=5, costs=costs)
    np.testing.assert_array_equal(own.scores["cost"], given.scores["cost"])
    expected = [(j.confusion * costs).sum() / j.confusion.sum() for j in own.judgments]
    np.testing.assert_allclose(own.scores["cost"], expected)


def test_schemes_are_named_as_they_are(iris):
    X, y = iris
    numbers = np.asarray(X, dtype=float)
    tree = tw.CARTRegressor(prune=None, max_depth=2)
    assert tw.evaluate(tree, numbers[:, :3], numbers[:, 3]).scheme == "10-fold cross-validation"
    named = {
        "stratified 4-fold cross-validation, repeated 2 times": {"folds": 4, "repeats": 2},
        "4-fold cross-validation": {"folds": 4, "stratified": False},
        "30% of the rows held out": {"hold_out": 0.3},
        "3 given folds": {"folds": np.arange(150) % 3},
    }
    for words, wish in named.items():
        assert tw.evaluate(tw.CARTClassifier(prune=None, max_depth=1), X, y, **wish).scheme == words


def test_saved_labels_are_text_in_whichever_array_they_stand(iris):
    X, y = iris
    model = tw.CARTClassifier(prune=None, max_depth=2).fit(X, np.asarray(y, dtype=object))
    assert tw.evaluate_fitted(model, X, np.asarray(y, dtype=str)).mean("accuracy") == 0.96
    with pytest.raises(DataError, match="labels of the same type as in"):
        tw.evaluate_fitted(model, X, np.arange(150) % 3)


def test_a_fitted_classifier_without_shares_is_no_regressor(iris):
    X, y = iris
    numbers = np.asarray(X, dtype=float)
    model = LinearSVC().fit(numbers, y)
    found = tw.evaluate_fitted(model, numbers, y)
    assert found.mean("accuracy") == pytest.approx(model.score(numbers, y))


def test_an_unknown_measure_names_the_known_ones(iris):
    X, y = iris
    found = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=3)
    with pytest.raises(ParameterError, match="accuracy"):
        found.mean("acuracy")


def test_shares_are_calibrated_where_they_say_what_happens():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 4, 4000)
    y = (generator.random(4000) < x / 4 + 0.1).astype(int)
    found = tw.evaluate(
        tw.CARTClassifier(prune=None, min_samples_leaf=50), x[:, None].astype(float), y
    )
    assert tw.calibration(found).error < 0.03


def test_a_share_on_the_edge_of_a_bin_falls_into_the_bin_above():
    X = np.repeat(np.arange(3.0), 100)[:, None]
    y = np.concatenate([np.arange(100) < n for n in (29, 58, 100)]).astype(int)
    model = tw.CARTClassifier(prune=None).fit(X, y)
    found = tw.calibration(tw.evaluate_fitted(model, X, y), n_bins=100)
    assert found.weight[[29, 58, 99]].tolist() == [100, 100, 100]
    np.testing.assert_allclose(found.observed[[29, 58, 99]], [0.29, 0.58, 1.0])
    assert found.error == pytest.approx(0)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["class"] == 1


@pytest.mark.parametrize(
    ("wish", "words"), [({"label": "setossa"}, "did you mean"), ({"n_bins": 0}, "n_bins=0")]
)
def test_wrong_wishes_of_calibration_are_named(iris, wish, words):
    found = tw.evaluate(tw.CARTClassifier(prune=None), *iris, folds=3)
    with pytest.raises(ParameterError, match=words):
        tw.calibration(found, **wish)


def test_shares_of_the_training_rows_contain_the_smaller_ones_and_every_class():
    labels = np.array(["a"] * 80 + ["b"] * 20)
    rows = rows_for([tw.CARTClassifier(prune=None)], np.arange(100.0)[:, None], labels)
    split = Protocol(folds=5).plan(rows)[0]
    parts = [beginning(split, share, rows.codes, 3).train for share in (0.1, 0.25, 0.5, 1.0)]
    for small, large in pairwise(parts):
        assert {*small} < {*large}
    for part in parts:
        assert abs((labels[part] == "b").mean() - 0.2) < 0.1


def test_a_learning_curve_ends_where_the_evaluation_is(iris):
    X, y = iris
    for wish in ({"folds": 4}, {"groups": np.arange(150) // 5, "folds": 3}, {"hold_out": 0.3}):
        curve = tw.learning_curve(tw.C45Classifier(), X, y, shares=(0.3, 1.0), **wish)
        found = tw.evaluate(tw.C45Classifier(), X, y, **wish)
        assert curve.held_out[-1].mean == found.mean("accuracy")
        assert curve.scheme == found.scheme
        json.dumps(curve.to_dict(), allow_nan=False)
        assert "nan" not in str(curve)


def test_a_learning_curve_rises():
    generator = np.random.default_rng(0)
    X = generator.random((1500, 4))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    curve = tw.learning_curve(tw.CARTClassifier(prune=None), X, y, shares=(0.02, 0.2, 1.0), folds=3)
    means = [point.mean for point in curve.held_out]
    assert means == sorted(means)
    assert curve.n_train == (20, 200, 1000)
    assert all(point.mean == 1 for point in curve.learned)
