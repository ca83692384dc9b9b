"""tw.tune: the table of candidates is that of separate evaluations, and the rule chooses."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import treewright as tw
from evaluation.random_rows import random_rows, rows_from, with_other_values
from treewright.errors import DataError, ParameterError
from treewright.evaluation.judging import judge
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import rows_for
from treewright.evaluation.search import Search, candidates_on, every_combination, survivors
from treewright.evaluation.tuning import Tuning


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def test_each_candidate_scores_as_if_it_were_evaluated_alone(iris):
    X, y = iris
    found = tw.tune(tw.C45Classifier(), X, y, {"max_depth": [1, 2, 4], "confidence": [0.1, 0.4]})
    for chosen, scores in zip(found.candidates, found.scores, strict=True):
        alone = tw.evaluate(tw.C45Classifier(**chosen), X, y)
        np.testing.assert_array_equal(scores, alone.scores["accuracy"])


SETTINGS = {
    tw.CARTClassifier: {
        "max_depth": [1, 2, 4, None],
        "min_samples_leaf": [1, 3, 10],
        "ccp_alpha": [0.0, 0.02],
        "max_leaf_nodes": [None, 4],
        "criterion": ["gini", "entropy"],
        "class_weight": [None, "balanced"],
    },
    tw.C45Classifier: {
        "max_depth": [1, 3, None],
        "min_samples_leaf": [1, 2, 8],
        "confidence": [0.05, 0.25],
        "prune": [None, "error_based", "reduced_error", "mdl"],
    },
    tw.ID3Classifier: {"max_depth": [1, 2, None], "min_samples_leaf": [1, 5]},
    tw.TreeClassifier: {
        "max_depth": [1, 3, None],
        "missing": ["fractional", "surrogate", "learned", "branch", "majority", "stop"],
        "min_samples_leaf": [1, 4],
    },
}


@st.composite
def grids(draw):
    """A model and values of two or three of its settings."""
    model = draw(st.sampled_from(list(SETTINGS)))
    names = draw(
        st.lists(st.sampled_from(list(SETTINGS[model])), min_size=2, max_size=3, unique=True)
    )
    return model, {name: SETTINGS[model][name] for name in names}


@settings(max_examples=15)
@given(grids(), random_rows)
def test_sharing_growth_changes_no_score(asked, rows):
    make, grid = asked
    every = rows_for([make()], rows.table, rows.y, rows.weights)
    split = Protocol(folds=rows.folds).plan(every)[0]
    candidates = every_combination(grid)
    shared = candidates_on(make(), candidates, every, split)
    for chosen, found in zip(candidates, shared, strict=True):
        alone = judge(make(**chosen), every, split)
        np.testing.assert_equal(found.measures, alone.measures, str(chosen))
        assert found.n_leaves == alone.n_leaves


def test_the_model_has_the_chosen_settings_and_knows_all_rows(iris):
    X, y = iris
    found = tw.tune(tw.CARTClassifier(prune=None), X, y, {"max_depth": [1, 2, 3]}, folds=5)
    assert found.model.max_depth == found.settings["max_depth"]
    assert found.model.tree_.weight[0] == 150


def a_tuning(means, leaves, error, measure="accuracy"):
    spread = error * np.sqrt(2)
    scores = np.array([[m - spread / np.sqrt(2), m + spread / np.sqrt(2)] for m in means])
    candidates = tuple({"max_depth": at} for at in range(len(means)))
    return Tuning(measure, candidates, scores, np.array(leaves, dtype=float), True, None)


def test_the_smallest_within_one_standard_error_is_chosen():
    found = a_tuning([0.80, 0.86, 0.90, 0.89], [2, 5, 20, 30], error=0.05)
    assert (found.best, found.chosen) == (2, 1)
    assert found.errors[2] == pytest.approx(0.05)


def test_of_errors_less_is_better():
    found = a_tuning([3.0, 1.1, 1.0], [2, 5, 20], error=0.2, measure="rmse")
    assert (found.best, found.chosen) == (2, 1)


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 20), min_size=4, max_size=4),
            st.integers(1, 9),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["accuracy", "rmse"]),
)
def test_the_rule_of_one_standard_error_is_exact(candidates, measure):
    scores = np.array([line for line, _ in candidates]) / 20
    leaves = np.array([n for _, n in candidates], dtype=float)
    settings_tried = tuple({"max_depth": at} for at in range(len(candidates)))
    found = Tuning(measure, settings_tried, scores, leaves, True, None)
    sign = 1 if measure == "accuracy" else -1
    worth = sign * scores.mean(axis=1)
    limit = worth.max() - scores[np.argmax(worth)].std(ddof=1) / 2  # root of four splits
    near = [at for at in range(len(worth)) if worth[at] >= limit - 1e-12]
    smallest = min(leaves[near])
    best_small = max(worth[at] for at in near if leaves[at] == smallest)
    assert found.best == np.argmax(worth)
    assert leaves[found.chosen] == smallest
    assert worth[found.chosen] == pytest.approx(best_small)


def test_without_the_rule_the_best_is_chosen(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3, 5]}
    found = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, one_standard_error=False)
    assert found.chosen == found.best


def test_random_search_tries_no_combination_of_lists_twice(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 2, 5]}
    found = tw.tune(
        tw.CARTClassifier(prune=None), X, y, grid, method="random", n_candidates=5, folds=3
    )
    assert len({tuple(chosen.items()) for chosen in found.candidates}) == 5
    again = tw.tune(
        tw.CARTClassifier(prune=None), X, y, grid, method="random", n_candidates=5, folds=3
    )
    assert found.candidates == again.candidates


def test_distributions_are_drawn_from(iris):
    X, y = iris
    grid = {"ccp_alpha": stats.uniform(0, 0.05), "max_depth": [2, 3]}
    found = tw.tune(
        tw.CARTClassifier(prune=None), X, y, grid, method="random", n_candidates=4, folds=3
    )
    assert all(0 <= chosen["ccp_alpha"] <= 0.05 for chosen in found.candidates)


def noisy_rows(n_rows):
    """Two columns that say something of the class, and one that says nothing."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(n_rows, 3))
    noise = generator.normal(size=n_rows)
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * noise > 0, "yes", "no")


def test_halving_ends_with_all_rows_and_few_candidates():
    X, y = noisy_rows(2400)
    grid = {"max_depth": [1, 3, 9], "min_samples_leaf": [1, 5, 20]}
    found = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, method="halving", folds=3)
    assert found.rounds == ((9, 533), (3, 1600))
    assert np.isfinite(found.means).sum() == 3
    whole = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, folds=3)
    alive = np.isfinite(found.means)
    np.testing.assert_array_equal(found.scores[alive], whole.scores[alive])
    assert "candidates: 9 on 533 rows, then 3 on 1,600 rows" in str(found)
    assert "(the best mean)" not in str(found)


@pytest.mark.parametrize(
    ("n_rows", "n_rounds", "words"),
    [(1600, 1, "(the best mean)"), (3200, 2, "(the best mean of the 2 that were left)")],
)
def test_the_best_that_halving_left_is_not_called_the_best_of_all(n_rows, n_rounds, words):
    X, y = noisy_rows(n_rows)
    found = tw.tune(
        tw.CARTClassifier(prune=None),
        X,
        y,
        {"max_depth": [1, 2, 3, 9]},
        method="halving",
        folds=2,
        one_standard_error=False,
    )
    assert len(found.rounds) == n_rounds
    assert str(found).endswith(words)


def test_halving_a_small_table_is_the_search_of_the_whole_grid(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 20]}
    found = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, method="halving", folds=3)
    whole = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, folds=3)
    assert found.settings == whole.settings
    np.testing.assert_array_equal(found.scores, whole.scores)


def test_candidates_that_are_alike_count_as_one_in_a_round():
    scores = np.array([[0.9, 0.8], [0.9, 0.8], [0.9, 0.8], [0.8, 0.8], [0.7, 0.7], [0.8, 0.9]])
    sizes = np.array([[4.0, 5.0], [4.0, 5.0], [4.0, 5.0], [2.0, 2.0], [1.0, 1.0], [9.0, 9.0]])
    assert survivors([0, 2, 3, 5, 6, 8], scores, sizes, "accuracy") == [0, 2, 3, 8]
    assert survivors([0, 2, 3, 5, 6, 8], scores, sizes, "rmse") == [5, 6]


def test_a_nested_search_is_judged_on_rows_it_did_not_see(iris):
    X, y = iris
    found = tw.tune(tw.CARTClassifier(prune=None), X, y, {"max_depth": [1, 3]}, folds=3, nested=4)
    assert found.nested.n_splits == 4
    assert 0.85 < found.nested.mean("accuracy") <= 1
    json.dumps(found.to_dict(), allow_nan=False)
    assert "nested cross-validation: " in str(found)


def test_a_nested_search_sees_nothing_of_the_outer_fold():
    rows = rows_from(5, n_rows=90)
    held_out = (
        Protocol(folds=3)
        .plan(rows_for([tw.CARTClassifier(prune=None)], rows.table, rows.y))[0]
        .test
    )
    poisoned = with_other_values(rows.table, held_out, 1)
    grid = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5]}
    leaves = [
        tw.tune(tw.CARTClassifier(prune=None), table, rows.y, grid, folds=3, nested=3)
        .nested.judgments[0]
        .n_leaves
        for table in (rows.table, poisoned)
    ]
    assert leaves[0] == leaves[1]


def test_groups_stay_together_inside_a_nested_search(monkeypatch):
    rows, groups = rows_from(5, n_rows=90), np.arange(90) // 6
    seen = []
    plan = Protocol.plan

    def watched(self, given_rows):
        made = plan(self, given_rows)
        seen.append((np.asarray(self.groups), made))
        return made

    monkeypatch.setattr(Protocol, "plan", watched)
    grid = {"max_depth": [1, 3]}
    tw.tune(
        tw.CARTClassifier(prune=None), rows.table, rows.y, grid, folds=3, nested=4, groups=groups
    )
    assert sum(len(names) < 90 for names, _ in seen) == 4
    for names, made in seen:
        for split in made:
            assert not {*names[split.train]} & {*names[split.test]}


def test_folds_and_times_that_are_given_reach_the_nested_search():
    rows = rows_from(5, n_rows=90)
    grid = {"max_depth": [1, 3]}
    for wish in ({"folds": rows.folds}, {"times": np.arange(90), "folds": 3}, {"hold_out": 0.3}):
        found = tw.tune(tw.CARTClassifier(prune=None), rows.table, rows.y, grid, nested=3, **wish)
        assert found.nested.n_splits == 3


def test_costs_can_decide():
    rows = rows_from(2, n_rows=120)
    costs = [[0, 9, 9], [1, 0, 1], [1, 1, 0]]
    grid = {"max_depth": [1, 2, 3, 5]}
    found = tw.tune(
        tw.CARTClassifier(prune=None), rows.table, rows.y, grid, measure="cost", costs=costs
    )
    alone = tw.evaluate(tw.CARTClassifier(prune=None, max_depth=1), rows.table, rows.y, costs=costs)
    np.testing.assert_array_equal(found.scores[0], alone.scores["cost"])
    assert found.means[found.best] == found.means.min()


def test_a_fold_that_does_not_define_the_measure_is_left_out():
    rows = rows_from(2)
    y = np.where(np.arange(60) < 3, "rare", "usual")  # seven of ten folds have one class only
    found = tw.tune(
        tw.CARTClassifier(prune=None), rows.table, y, {"max_depth": [1, 2]}, measure="auc"
    )
    assert np.isnan(found.scores).sum() == 14
    assert np.isfinite(found.means).all()
    with pytest.raises(DataError, match="no split defines"):
        tw.tune(
            tw.CARTClassifier(prune=None),
            rows.table,
            ["one"] * 60,
            {"max_depth": [1]},
            measure="auc",
        )


def test_progress_counts_rounds_and_outer_folds_as_one():
    X, y = noisy_rows(4600)  # inside an outer fold there are rows enough for two rounds, too
    steps = []
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    tw.tune(
        tw.CARTClassifier(prune=None),
        X,
        y,
        grid,
        method="halving",
        folds=3,
        nested=2,
        progress=lambda done, every: steps.append((done, every)),
    )
    assert steps == [(step, 8) for step in range(1, 9)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 10, 27, 28, 81, 243, 729])
def test_halving_ends_with_at_most_three_candidates(n):
    shares = Search({"max_depth": [1]}, "halving").shares(n, 1_000_000)
    assert shares[-1] == 1
    left = n
    for _ in shares[:-1]:
        left = -(-left // 3)
    assert 1 <= left <= 3
    assert len(shares) == 1 or 3 ** (len(shares) - 1) < n


@given(st.integers(1, 1000), st.integers(1, 100_000))
def test_halving_never_lets_candidates_learn_from_a_handful_of_rows(n, n_rows):
    shares = Search({"max_depth": [1]}, "halving").shares(n, n_rows)
    assert shares[-1] == 1
    assert len(shares) == 1 or shares[0] * n_rows >= 499.9


def test_models_without_class_shares_are_searched_and_nested(iris):
    X, y = iris
    numbers = np.asarray(X, dtype=float)
    found = tw.tune(LinearSVC(), numbers, y, {"C": [0.01, 1.0]}, folds=3, nested=2)
    assert "log_loss" not in found.nested.scores
    with pytest.raises(ParameterError, match="log_loss"):
        tw.tune(LinearSVC(), numbers, y, {"C": [0.01]}, folds=3, measure="log_loss")


def test_searches_of_rules_count_rules(iris):
    found = tw.tune(tw.C45Rules(), *iris, {"confidence": [0.1, 0.25]}, folds=2)
    assert "rules" in str(found).splitlines()[0]
    assert found.n_leaves.max() < 10


def test_models_that_are_no_trees_are_tuned_too(iris):
    X, y = iris
    found = tw.tune(
        GaussianNB(),
        np.asarray(X, dtype=float),
        y,
        {"var_smoothing": [1e-9, 0.1]},
        folds=3,
    )
    assert found.chosen == found.best


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"grid": {}}, "no setting"),
        ({"grid": {"max_depth": 3}}, "not a list"),
        ({"grid": {"max_depth": []}}, "no values"),
        ({"grid": {"max_dept": [3]}}, "max_depth"),
        ({"grid": {"max_depth": [0]}}, "max_depth=0"),
        ({"grid": {"max_depth": [2]}, "method": "bayes"}, "method='bayes'"),
        ({"grid": {"max_depth": [2]}, "method": "random", "n_candidates": 0}, "n_candidates=0"),
        ({"grid": {"max_depth": [2]}, "measure": "cost"}, "costs="),
        ({"grid": {"max_depth": [2]}, "nested": 1}, "nested=1"),
        ({"grid": {"max_depth": [2]}, "measure": "rmse"}, "no measure `rmse`"),
        ({"grid": {"ccp_alpha": stats.uniform()}}, "distribution"),
    ],
)
def test_wrong_wishes_are_named(iris, wish, words):
    X, y = iris
    with pytest.raises(ParameterError, match=words):
        tw.tune(tw.CARTClassifier(prune=None), X, y, wish.pop("grid"), **wish)
