"""The worksheet against what the tree stores, where rows or columns are not as usual."""

import random

import pytest
from sklearn.base import clone

import treewright as tw
from reference.random_problems import POLICIES

CLOSE = 1e-12


def near(found: float, expected: float) -> None:
    assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


def check_against_tree(model, *rows) -> None:
    """Counts, impurities, gains and scores of all nodes, and the runners-up that the tree keeps."""
    works = list(tw.worksheet(model, *rows).nodes)
    for work in works:
        stored = model.tree_.node(work.node)
        assert work.group.n_rows == stored.n_rows
        near(work.group.weight, stored.weight)
        if not stored.n_rows:
            continue  # an empty leaf repeats what its parent predicts
        near(work.group.impurity, stored.impurity)
        if model.tree_.classes is not None:
            assert work.group.counts == pytest.approx(stored.value.tolist(), rel=CLOSE, abs=CLOSE)
        if work.chosen is None:
            continue
        assert work.chosen.column == stored.column.name
        near(work.chosen.gain, stored.gain)
        near(work.chosen.score, stored.score)
        by_name = {found.column: found for found in work.candidates}
        for competitor in stored.competitors:
            near(by_name[competitor.column.name].gain, competitor.gain)
            near(by_name[competitor.column.name].score, competitor.score)
    assert any(work.chosen is not None for work in works)


def a_wide_table(seed: int, n_rows: int, n_levels: int, holes: float = 0.1):
    """Columns of all kinds, one with many levels, that know something of the class."""
    rng = random.Random(seed)
    y = [rng.choice("abc") for _ in range(n_rows)]

    def cell(value):
        return None if rng.random() < holes else value

    X = [
        {
            "many": cell(f"level {(ord(target) * 5 + rng.randrange(n_levels)) % n_levels}"),
            "number": cell(ord(target) + rng.gauss(0, 1.5)),
            "few": cell(rng.choice("xyz") if rng.random() < 0.7 else target),
        }
        for target in y
    ]
    return X, y


MODELS_WITH_ROWS_HELD_BACK = [
    tw.TreeClassifier(validation_fraction=0.3, n_iter_no_change=2, random_state=3),
    tw.TreeClassifier(prune="reduced_error", random_state=5),
    tw.ID3Classifier(prune="reduced_error", prune_options={"fraction": 0.25}, random_state=1),
    tw.C45Classifier(prune="reduced_error", random_state=2),
]


@pytest.mark.parametrize("model", MODELS_WITH_ROWS_HELD_BACK, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_rows_held_back_are_not_counted(model, seed):
    X, y = a_wide_table(seed, 120, 6)
    weights = [1 + at % 3 for at in range(len(y))]
    model = clone(model).fit(X, y, sample_weight=weights)
    assert model.tree_.n_rows[0] < len(y)
    check_against_tree(model, X, y, weights)


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("criterion", ["gini", "gain_ratio"])
def test_columns_of_many_levels_have_the_splits_of_growth(criterion, missing):
    X, y = a_wide_table(7, 150, 16)
    model = tw.TreeClassifier(criterion=criterion, missing=missing, max_depth=3).fit(X, y)
    check_against_tree(model, X, y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_by_columns_of_many_levels_have_the_splits_of_growth(criterion):
    X, y = a_wide_table(8, 150, 16)
    y = [float(ord(letter)) - 90 + at % 4 for at, letter in enumerate(y)]
    check_against_tree(tw.TreeRegressor(criterion=criterion, max_depth=3).fit(X, y), X, y)


@pytest.mark.parametrize("rule", [{"significance": 0.05}, {"error_confidence": 0.25}])
def test_stop_rules_that_look_at_the_best_split_change_no_number(rule):
    X, y = a_wide_table(9, 100, 4)
    check_against_tree(tw.TreeClassifier(criterion="entropy", **rule).fit(X, y), X, y)


@pytest.mark.parametrize("numeric", [{"max_intervals": 3}, {"max_intervals": 2}, {}])
@pytest.mark.parametrize("missing", POLICIES)
def test_cut_points_have_the_gain_of_growth(missing, numeric):
    X, y = a_wide_table(10, 100, 4)
    model = tw.TreeClassifier(
        criterion="information_gain", numeric="intervals", missing=missing, **numeric
    )
    check_against_tree(model.fit(X, y), X, y)


def test_a_measure_of_ones_own_is_worked_out_like_any_other():
    def half_gini(counts):
        return 0.5 * (1 - ((counts / counts.sum()) ** 2).sum())

    X, y = a_wide_table(11, 60, 4)
    mine = tw.worksheet(tw.TreeClassifier(criterion=half_gini).fit(X, y), X, y)
    gini = tw.worksheet(tw.TreeClassifier(criterion="gini").fit(X, y), X, y)
    for found, expected in zip(mine.nodes, gini.nodes, strict=True):
        near(2 * found.group.impurity, expected.group.impurity)
        for half, whole in zip(found.candidates, expected.candidates, strict=True):
            assert half.kind == whole.kind
            if half.kind:
                near(2 * half.gain, whole.gain)
    check_against_tree(tw.TreeClassifier(criterion=half_gini).fit(X, y), X, y)


@pytest.mark.filterwarnings("ignore:column .x1. without any value")
def test_infinities_and_columns_without_a_value_are_no_trouble():
    X = [[float("-inf"), None, 1e308], [0.0, None, -1e308], [float("inf"), None, 5e-324]] * 4
    y = ["a", "b", "a", "a", "b", "b", "a", "b", "a", "a", "b", "a"]
    for missing in POLICIES:
        check_against_tree(tw.TreeClassifier(missing=missing).fit(X, y), X, y)


@pytest.mark.parametrize("n_values", [255, 256, 257])
def test_as_many_values_as_a_byte_has_are_told_apart(n_values):
    X = [[float(at % n_values)] for at in range(2 * n_values)]
    y = ["a" if at % n_values in (0, n_values - 1) else "b" for at in range(2 * n_values)]
    check_against_tree(tw.CARTClassifier(prune=None).fit(X, y), X, y)


def test_rows_follow_the_tree_where_two_sides_are_equal_but_for_rounding():
    """Balanced weights are no round numbers: growth found one of two equal sides the heavier one.

    Rows without a value then went there; the worksheet left them behind, and refused the rows as
    not those of the fit.
    """
    X = [[float(value)] for value in "02200122011100"] + [[None]] * 8
    y = list("0230202002000100000003")
    model = tw.TreeClassifier(
        class_weight="balanced", criterion="information_gain", max_depth=1, missing="surrogate"
    )
    check_against_tree(model.fit(X, y), X, y)


@pytest.mark.parametrize("n_levels", [11, 12, 13])
def test_all_level_sets_are_tried_up_to_twelve_levels_as_in_growth(n_levels):
    X, y = a_wide_table(12, 90, n_levels, holes=0.0)
    check_against_tree(tw.TreeClassifier(max_depth=1).fit(X, y), X, y)


def test_a_measure_of_ones_own_tries_all_level_sets_of_two_classes_too():
    def peaked(counts):
        shares = counts / counts.sum()
        return float((shares * (1 - shares)).sum()) ** 4

    X, y = a_wide_table(13, 60, 6, holes=0.0)
    y = ["a" if letter == "a" else "b" for letter in y]
    check_against_tree(tw.TreeClassifier(criterion=peaked, max_depth=2).fit(X, y), X, y)


def test_cut_points_of_rows_that_weigh_little_pay_as_in_growth():
    X, y = [[float(at)] for at in range(60)], ["a"] * 30 + ["b"] * 30
    weights = [0.02] * 60
    model = tw.TreeClassifier(criterion="entropy", numeric="intervals")
    check_against_tree(model.fit(X, y, sample_weight=weights), X, y, weights)
