"""tw.prune: what it gives back, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.errors import DataError, ParameterError, TreewrightError
from treewright.pruning.methods import METHODS
from treewright.verbs.prune import pruning_rows


def a_frame(n_rows: int = 60, seed: int = 0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"size": rng.normal(size=n_rows).round(2), "color": rng.choice(["red", "blue"], n_rows)}
    )
    noisy = frame["size"] + (frame["color"] == "red") + rng.normal(scale=0.7, size=n_rows)
    return frame, np.where(noisy > 0.5, "big", "small")


def a_model(**params):
    return tw.TreeClassifier(**params).fit(*a_frame())


def refusal(call, kind=TreewrightError):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_a_new_model_comes_back_and_the_old_one_stays():
    model = a_model()
    n_leaves = model.get_n_leaves()
    smaller = tw.prune(model, "pessimistic")
    assert type(smaller) is tw.TreeClassifier
    assert smaller.get_n_leaves() < n_leaves == model.get_n_leaves()
    assert model.pruning_ is None
    assert smaller.pruning_.method == "pessimistic"
    assert smaller.feature_names_in_.tolist() == ["size", "color"]
    assert smaller.classes_.tolist() == ["big", "small"]


def test_fitting_the_pruned_model_again_grows_it_anew():
    smaller = tw.prune(a_model(), "pessimistic")
    assert smaller.fit(*a_frame()).pruning_ is None
    assert smaller.get_n_leaves() == a_model().get_n_leaves()


def test_an_id3_model_keeps_its_cut_points():
    frame, y = a_frame(200)
    model = tw.ID3Classifier().fit(frame, y)
    smaller = tw.prune(model, "mdl")
    assert smaller.cut_points_ == model.cut_points_
    assert smaller.notes_ == model.notes_
    assert smaller.predict(frame).shape == (200,)


def test_methods_may_follow_each_other():
    first = tw.prune(a_model(), "pessimistic")
    second = tw.prune(first, "mdl")
    assert second.pruning_.n_leaves_before == first.get_n_leaves()


@pytest.mark.parametrize("model", [tw.TreeClassifier(), tw.TreeRegressor()], ids=repr)
def test_a_model_must_be_fitted(model):
    with pytest.raises(NotFittedError):
        tw.prune(model, "critical_value", value=1.0)


@pytest.mark.parametrize(
    "stranger",
    [
        None,
        "model",
        DecisionTreeClassifier(),
        make_pipeline(tw.CARTClassifier(prune=None)),
        tw.Discretizer(),
    ],
    ids=repr,
)
def test_only_tree_estimators_can_be_pruned(stranger):
    message = refusal(lambda: tw.prune(stranger, "mdl"), ParameterError)
    assert f"not a {type(stranger).__name__}" in message


def test_an_unknown_method_or_option_is_told_the_nearest():
    assert "did you mean `mdl`?" in refusal(lambda: tw.prune(a_model(), "mdll"))
    assert "did you mean `m`?" in refusal(lambda: tw.prune(a_model(), "minimum_error", mm=1))


def test_an_option_that_would_be_ignored_is_refused():
    model = a_model()
    message = refusal(lambda: tw.prune(model, "cost_complexity", alpha=0.01, folds=5))
    assert "`folds` has no effect where `alpha` is given" in message
    options = {"alpha": 0.01, "random_state": 1}
    message = refusal(lambda: a_model(prune="cost_complexity", prune_options=options))
    assert "`random_state` has no effect where `alpha` is given" in message
    with_cp = tw.CARTClassifier(cp=0.0).fit(*a_frame())  # brings rpart's cp with it
    assert tw.prune(with_cp, "cost_complexity", alpha=0.01).get_n_leaves() > 0


def test_a_regression_tree_cannot_be_pruned_by_classes():
    frame, _ = a_frame()
    model = tw.TreeRegressor().fit(frame, np.arange(60.0))
    assert "is for classes" in refusal(lambda: tw.prune(model, "mdl"), ParameterError)


def test_one_loop_with_the_same_rows_runs_every_method():
    model, rows = a_model(), a_frame()
    for name in METHODS:
        options = {"value": 0.05} if name == "critical_value" else {}
        pruned = tw.prune(model, name, *rows, **options)
        assert pruned.get_n_leaves() <= model.get_n_leaves()
        if METHODS[name].needs(METHODS[name].checked(options)) == "nothing":
            assert pruned.tree_.same_as(tw.prune(model, name, **options).tree_)


class TestRows:
    """Rows to prune by, as any method that needs rows gets them."""

    def test_they_come_in_the_columns_and_classes_of_the_model(self):
        frame, y = a_frame(20, seed=1)
        rows = pruning_rows(a_model(), frame, y, None)
        assert rows.n_rows == 20
        assert rows.codes.tolist() == [["big", "small"].index(label) for label in y]
        assert rows.weights.tolist() == [1] * 20
        assert rows.values is None

    def test_codes_are_those_of_the_model_though_a_class_is_absent(self):
        frame, _ = a_frame()
        labels = np.array(["a", "b", "c"])[np.arange(60) % 3]
        model = tw.TreeClassifier().fit(frame, labels)
        keep = labels != "a"
        assert set(pruning_rows(model, frame[keep], labels[keep], None).codes.tolist()) == {1, 2}

    def test_numbers_come_as_they_are(self):
        frame, _ = a_frame()
        model = tw.TreeRegressor().fit(frame, np.arange(60.0))
        rows = pruning_rows(model, frame, np.arange(60), None)
        assert rows.codes is None
        assert rows.values.tolist() == list(range(60))

    def test_rows_of_weight_zero_are_left_out(self):
        frame, y = a_frame(20, seed=1)
        weights = np.arange(20.0)
        rows = pruning_rows(a_model(), frame, y, weights)
        assert rows.weights.tolist() == list(range(1, 20))
        assert rows.table.n_rows == len(rows.codes) == 19

    def test_the_class_weights_of_the_model_count(self):
        frame, y = a_frame(20, seed=1)
        model = a_model(class_weight={"big": 3, "small": 1})
        rows = pruning_rows(model, frame, y, None)
        assert rows.weights.tolist() == [3.0 if label == "big" else 1.0 for label in y]

    def test_a_tree_is_grown_again_on_some_of_them(self):
        frame, y = a_frame()
        model = a_model(max_depth=2)
        rows = pruning_rows(model, frame, y, None)
        assert str(rows.regrow(np.arange(60), None)) == str(model.tree_)
        half = np.arange(0, 60, 2)
        expected = tw.TreeClassifier(max_depth=2).fit(frame.iloc[half], y[half])
        assert str(rows.regrow(half, None)) == str(expected.tree_)

    def test_levels_that_training_never_met_are_missing_when_a_tree_is_grown_again(self):
        frame, y = a_frame()
        model = a_model(handle_unknown="majority")
        rows = pruning_rows(model, frame.assign(color="green"), y, None)
        assert rows.regrow(np.arange(60), None).n_rows[0] == 60

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda X, y: (X.drop(columns="size"), y), "yet now missing:\n- size"),
            (lambda X, y: (X[["color", "size"]], y), "must be in the same order"),
            (lambda X, y: (X.assign(size="x"), y), "knows this column as numeric"),
            (lambda X, y: (X.to_numpy()[:, :1], y), "X has 1 features"),
            (lambda X, y: (X, y[:-1]), "X has 60 rows, target `y` has 59"),
            (lambda X, y: (X.iloc[:0], y[:0]), "0 sample(s)"),
            (lambda X, y: (X, None), "needs both X and y"),
            (lambda X, y: (None, y), "needs both X and y"),
            (lambda X, y: (X, np.full(60, "big")), "all 60 pruning rows are of class `big`"),
            (lambda X, y: (X.iloc[:1], y[:1]), "all 1 pruning rows are of class"),
            (lambda X, y: (X, np.where(y == "big", "bigg", y)), "did you mean `big`?"),
            (lambda X, y: (X, (y == "big").astype(int)), "its classes are: big, small"),
            (lambda X, y: (X, np.linspace(0, 1, 60)), "Unknown label type"),
            (lambda X, y: (X, [None, *y[1:]]), "contains NaN or None"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_rows_that_do_not_fit_are_refused(self, change, words):
        model = a_model()
        X, y = change(*a_frame())
        assert words in refusal(lambda: pruning_rows(model, X, y, None), DataError)

    @pytest.mark.parametrize(
        "weights", [np.zeros(60), np.ones(3), np.full(60, -1.0), ["a"] * 60], ids=str
    )
    def test_weights_that_are_none_are_refused(self, weights):
        frame, y = a_frame()
        refusal(lambda: pruning_rows(a_model(), frame, y, weights), DataError)

    def test_class_weights_that_leave_no_row_are_refused(self):
        frame, y = a_frame()
        model = a_model(class_weight={"big": 0, "small": 1})
        only = y == "big"
        message = refusal(lambda: pruning_rows(model, frame[only], y[only], None), DataError)
        assert "weight 0" in message or "does not know" in message

    def test_a_model_of_one_class_takes_rows_of_one_class(self):
        frame, _ = a_frame()
        model = tw.TreeClassifier().fit(frame, ["x"] * 60)
        assert pruning_rows(model, frame, ["x"] * 60, None).n_rows == 60


@pytest.mark.parametrize("method", METHODS)
def test_the_docstring_names_every_method(method):
    assert f'"{method}"' in tw.prune.__doc__


def test_a_bare_tree_and_a_pipeline_are_refused_with_a_hint_of_their_own():
    assert "the model that holds the tree" in refusal(lambda: tw.prune(a_model().tree_, "mdl"))
    pipeline = make_pipeline(a_model())
    assert "the last step of the pipeline" in refusal(lambda: tw.prune(pipeline, "mdl"))
    swapped = refusal(lambda: tw.prune("mdl", a_model()))
    assert "pipeline" not in swapped
    assert "tw.prune(model, method)" in swapped


@pytest.mark.parametrize("method", ["error_based", "cost_complexity"])
def test_rows_that_cannot_be_those_of_the_fit_get_a_warning(method, recwarn):
    frame, y = a_frame()
    tw.prune(a_model(), method, frame, y)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="fitted to 60 rows, 40 are given") as caught:
        tw.prune(a_model(), method, frame[:40], y[:40])
    assert caught[0].filename == __file__


def test_other_rows_are_what_reduced_error_asks_for(recwarn):
    frame, y = a_frame()
    tw.prune(a_model(), "reduced_error", frame[:40], y[:40])
    assert not recwarn.list
