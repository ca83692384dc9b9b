"""Forests: what they predict, and that draws and threads change nothing they should not."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from treewright.errors import DataError, ParameterError
from treewright.tree.predict import predict_values

CLASSIFIERS = [tw.RandomForestClassifier, tw.ExtraTreesClassifier]
REGRESSORS = [tw.RandomForestRegressor, tw.ExtraTreesRegressor]
FORESTS = [*CLASSIFIERS, *REGRESSORS]
for_every_forest = pytest.mark.parametrize("kind", FORESTS)
for_every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def mixed(n_rows=300, seed=0):
    """Numbers, words and holes; classes and numbers that depend on them."""
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "green", "blue"], n_rows).astype(object)
    size = rng.normal(size=n_rows)
    noise = rng.normal(size=(3, n_rows))
    score = 2.0 * (color == "red") + size + 0.2 * noise[0]
    color[rng.random(n_rows) < 0.05] = None
    size[rng.random(n_rows) < 0.05] = np.nan
    table = {"color": color.tolist(), "size": size, "noise": noise[1], "more": noise[2]}
    return table, np.where(score > 1, "high", "low"), score


def target_for(kind, labels, numbers):
    return labels if kind in CLASSIFIERS else numbers


@for_every_forest
def test_words_and_holes_are_taken_as_they_are(kind):
    table, labels, numbers = mixed(600)
    test, test_labels, test_numbers = mixed(300, seed=1)
    forest = kind().fit(table, target_for(kind, labels, numbers))
    assert forest.score(test, target_for(kind, test_labels, test_numbers)) > 0.85
    assert forest.feature_importances_[:2].sum() > 0.6


@for_every_forest
def test_P13_the_prediction_is_the_mean_of_the_trees(kind):
    table, labels, numbers = mixed()
    forest = kind(n_estimators=7).fit(table, target_for(kind, labels, numbers))
    rows = forest.encode_rows(table)
    mean = sum(predict_values(tree, rows) for tree in forest.trees_) / 7
    given = forest.predict_proba(table) if kind in CLASSIFIERS else forest.predict(table)[:, None]
    np.testing.assert_allclose(given, mean, rtol=1e-12, atol=1e-15)


@for_every_classifier
def test_a_hard_vote_counts_the_trees(kind):
    table, labels, _ = mixed()
    forest = kind(n_estimators=9, voting="hard", max_depth=3).fit(table, labels)
    rows = forest.encode_rows(table)
    votes = sum(
        predict_values(tree, rows).argmax(axis=1)[:, None] == np.arange(2) for tree in forest.trees_
    )
    np.testing.assert_allclose(forest.predict_proba(table), votes / 9)
    np.testing.assert_array_equal(forest.predict(table), forest.classes_[votes.argmax(axis=1)])


@for_every_forest
def test_the_same_predictions_for_any_number_of_threads_and_every_time(kind):
    table, labels, numbers = mixed()
    y = target_for(kind, labels, numbers)
    forests = [kind(n_estimators=6, n_jobs=jobs).fit(table, y) for jobs in (1, 2, 3, None)]
    for other in forests[1:]:
        for ours, theirs in zip(forests[0].trees_, other.trees_, strict=True):
            assert ours.same_as(theirs)


@for_every_forest
def test_another_seed_gives_another_forest(kind):
    table, labels, numbers = mixed()
    y = target_for(kind, labels, numbers)
    seeds = (0, 1, np.random.RandomState(3), np.random.default_rng(4), None)
    first_trees = [str(kind(n_estimators=1, random_state=s).fit(table, y).trees_[0]) for s in seeds]
    assert len(set(first_trees)) == len(seeds)


@for_every_forest
def test_a_warm_start_grows_on_to_the_forest_that_was_grown_at_once(kind):
    table, labels, numbers = mixed()
    y = target_for(kind, labels, numbers)
    forest = kind(n_estimators=3, warm_start=True).fit(table, y)
    forest.set_params(n_estimators=8).fit(table, y)
    at_once = kind(n_estimators=8).fit(table, y)
    assert len(forest.trees_) == 8
    for ours, theirs in zip(forest.trees_, at_once.trees_, strict=True):
        assert ours.same_as(theirs)
    with pytest.warns(UserWarning, match="keeps the trees"):
        forest.fit(table, y)
    with pytest.raises(ParameterError, match="less than the 8 trees"):
        forest.set_params(n_estimators=2).fit(table, y)
    with pytest.raises(DataError, match="other columns, categories or classes"):
        forest.set_params(n_estimators=9).fit({"size": table["size"]}, y)
    with pytest.raises(DataError, match="not the 300"):
        forest.fit({name: cells[:290] for name, cells in table.items()}, y[:290])


def test_without_drawing_every_tree_gets_all_rows_and_columns():
    table, labels, _ = mixed()
    forest = tw.RandomForestClassifier(
        n_estimators=3, bootstrap=False, max_features=None, shrinkage=0
    )
    trees = forest.fit(table, labels).trees_
    assert {(tree.weight[0], tree.gain[0]) for tree in trees} == {(300, trees[0].gain[0])}
    assert forest.score(table, labels) == 1.0


@pytest.mark.parametrize(("given", "drawn"), [(40, 40), (0.5, 150), (1.0, 300), (None, 300)])
def test_each_tree_gets_as_many_rows_as_asked(given, drawn):
    table, labels, _ = mixed()
    for bootstrap in (True, False):
        forest = tw.RandomForestClassifier(n_estimators=2, max_samples=given, bootstrap=bootstrap)
        assert [tree.weight[0] for tree in forest.fit(table, labels).trees_] == [drawn, drawn]
        rows = forest.drawn_rows(1)
        assert len(rows) == drawn
        assert bootstrap == (len(set(rows.tolist())) < drawn)


@pytest.mark.parametrize("kind", FORESTS)
def test_a_tree_has_at_most_as_many_leaves_as_asked(kind):
    table, labels, numbers = mixed()
    forest = kind(n_estimators=5, max_leaf_nodes=6).fit(table, target_for(kind, labels, numbers))
    assert {tree.n_leaves for tree in forest.trees_} == {6}


@for_every_classifier
def test_entropy_gives_other_trees_of_like_quality(kind):
    table, labels, _ = mixed(600)
    test, test_labels, _ = mixed(300, seed=1)
    by_entropy = kind(criterion="entropy").fit(table, labels)
    by_gini = kind().fit(table, labels)
    assert by_entropy.score(test, test_labels) == pytest.approx(
        by_gini.score(test, test_labels), abs=0.03
    )
    assert not by_entropy.trees_[0].same_as(by_gini.trees_[0])


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.RandomForestRegressor])
def test_exact_splits_ask_values_that_bins_would_lump_together(kind):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.uniform(0, 1, 2000), 0.5 + np.array([1e-9, 2e-9, 3e-9, 4e-9])])[:, None]
    y = np.zeros(2004, dtype=int)
    y[-2:] = 1
    exact = kind(n_estimators=3, splits="exact", bootstrap=False, shrinkage=0).fit(X, y)
    assert exact.predict(X[-4:]).tolist() == [0, 0, 1, 1]
    on_bins = kind(n_estimators=3, bootstrap=False, shrinkage=0).fit(X, y)
    assert on_bins.predict(X[-4:]).tolist() != [0, 0, 1, 1]


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.RandomForestRegressor])
def test_exact_forests_do_not_depend_on_threads_and_grow_on(kind):
    table, labels, numbers = mixed()
    y = target_for(kind, labels, numbers)
    whole = kind(n_estimators=4, splits="exact", n_jobs=1).fit(table, y)
    threads = kind(n_estimators=4, splits="exact", n_jobs=3).fit(table, y)
    warm = kind(n_estimators=2, splits="exact", warm_start=True).fit(table, y)
    warm.set_params(n_estimators=4).fit(table, y)
    for other in (threads, warm):
        for ours, theirs in zip(whole.trees_, other.trees_, strict=True):
            assert ours.same_as(theirs)
    assert not whole.trees_[0].same_as(whole.trees_[1])


def sorted_splits(tree):
    """Column, threshold, gain and weight of each split, however nodes are numbered."""
    inner = np.flatnonzero(tree.feature >= 0)
    splits = np.stack([tree.feature, tree.threshold, tree.gain, tree.weight], axis=1)[inner]
    return splits[np.lexsort(splits.round(6).T)]


def test_bins_and_exact_splits_choose_alike_where_every_value_has_its_bin():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (400, 4)).astype(float)
    y = X[:, 1] + 0.3 * X[:, 2] + rng.normal(size=400)
    settings = {"n_estimators": 1, "bootstrap": False, "max_features": None, "max_leaf_nodes": 8}
    on_bins = tw.RandomForestRegressor(**settings).fit(X, y).trees_[0]
    exact = tw.RandomForestRegressor(splits="exact", **settings).fit(X, y).trees_[0]
    np.testing.assert_allclose(sorted_splits(on_bins), sorted_splits(exact))
    np.testing.assert_allclose(predict_values(on_bins, X), predict_values(exact, X))


@for_every_forest
def test_each_leaf_keeps_its_share_of_the_weight(kind):
    table, labels, numbers = mixed()
    weights = np.random.default_rng(0).uniform(0.1, 5.0, 300)
    y = target_for(kind, labels, numbers)
    forest = kind(n_estimators=5, min_weight_fraction_leaf=0.1).fit(table, y, sample_weight=weights)
    for tree in forest.trees_:
        leaves = tree.feature < 0
        assert (tree.weight[leaves] >= 0.0999 * tree.weight[0]).all()
        assert leaves.sum() > 3


@pytest.mark.filterwarnings("ignore")
def test_a_column_of_names_does_not_rule_the_trees():
    rng = np.random.default_rng(0)
    size = rng.normal(size=600)
    table = {"name": [f"n{i}" for i in range(600)], "size": size}
    y = size + rng.normal(size=600) > 0
    forest = tw.RandomForestClassifier(n_estimators=20).fit(table, y)
    every_level = tw.RandomForestClassifier(n_estimators=20, min_level_rows=0).fit(table, y)
    assert forest.feature_importances_[0] == 0
    assert every_level.feature_importances_[0] > 0.4


def test_class_weights_count_as_sample_weights_do():
    table, labels, _ = mixed()
    weighted = tw.RandomForestClassifier(n_estimators=4, class_weight={"high": 3.0})
    weights = np.where(labels == "high", 3.0, 1.0)
    by_rows = tw.RandomForestClassifier(n_estimators=4).fit(table, labels, sample_weight=weights)
    np.testing.assert_array_equal(
        weighted.fit(table, labels).predict_proba(table), by_rows.predict_proba(table)
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_samples": 301}, "more than the 300 rows"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_bins": 300}, "max_bins"),
        ({"voting": "hart"}, 'did you mean "hard"'),
        ({"n_estimators": 0}, "n_estimators"),
        ({"handle_unknown": "majority"}, "handle_unknown"),
    ],
)
def test_a_wrong_parameter_is_named(params, message):
    table, labels, _ = mixed()
    with pytest.raises(ParameterError, match=message):
        tw.RandomForestClassifier(**params).fit(table, labels)


@for_every_forest
def test_an_unfitted_forest_says_so(kind):
    for call in (kind().predict, kind().apply):
        with pytest.raises(NotFittedError):
            call([[1.0]])


@for_every_forest
def test_one_row_constant_columns_and_one_class_are_no_trouble(kind):
    assert len(kind(n_estimators=2).fit([[1.0, 2.0]], [1]).predict([[3.0, np.nan]])) == 1
    forest = kind(n_estimators=2).fit(np.ones((9, 2)), [1] * 9)
    assert forest.predict(np.ones((2, 2))).tolist() == [1, 1]
    assert forest.feature_importances_.tolist() == [0, 0]


@for_every_forest
def test_each_row_lies_in_a_leaf_of_each_tree(kind):
    table, labels, numbers = mixed()
    forest = kind(n_estimators=4).fit(table, target_for(kind, labels, numbers))
    leaves = forest.apply(table)
    assert leaves.shape == (300, 4)
    for tree, of_tree in zip(forest.trees_, leaves.T, strict=True):
        assert (tree.feature[of_tree] < 0).all()


@pytest.mark.filterwarnings("ignore:categories not seen")
def test_a_level_that_training_never_met_is_missing_or_an_error():
    table, labels, _ = mixed()
    new = {**{name: cells[:1] for name, cells in table.items()}, "color": ["pink"]}
    missing = {**new, "color": [None]}
    forest = tw.RandomForestClassifier(n_estimators=5).fit(table, labels)
    np.testing.assert_array_equal(forest.predict_proba(new), forest.predict_proba(missing))
    strict = tw.RandomForestClassifier(n_estimators=5, handle_unknown="error").fit(table, labels)
    with pytest.raises(DataError, match="pink"):
        strict.predict(new)


@for_every_forest
def test_proximity_is_the_share_of_trees_with_both_rows_in_a_leaf(kind):
    table, labels, numbers = mixed(60)
    forest = kind(n_estimators=7, max_depth=3).fit(table, target_for(kind, labels, numbers))
    leaves = forest.apply(table)
    met = np.array([[(a == b).mean() for b in leaves] for a in leaves])
    np.testing.assert_allclose(forest.proximity(table), met)
    few = {name: cells[:5] for name, cells in table.items()}
    np.testing.assert_allclose(forest.proximity(few, table), met[:5])


@pytest.mark.parametrize("splits", ["histogram", "exact"])
def test_what_unseen_levels_do_is_settled_by_fit(splits):
    table, labels, _ = mixed(60)
    forest = tw.RandomForestClassifier(n_estimators=2, handle_unknown="error", splits=splits)
    forest.fit(table, labels).set_params(handle_unknown="missing")
    new = {**{name: cells[:1] for name, cells in table.items()}, "color": ["pink"]}
    with pytest.raises(DataError, match="pink"):
        forest.predict(new)


def test_the_trees_say_how_many_they_are():
    table, labels, _ = mixed(60)
    trees = tw.RandomForestClassifier(n_estimators=3, max_depth=1).fit(table, labels).trees_
    assert repr(trees) == "<3 trees, 9 nodes>"
