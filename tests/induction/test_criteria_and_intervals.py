"""A user's own measure, and several cut points at once."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.measures import entropy, gini, information_gain, least_squares, weighted_gini

few = st.integers(0, 7)


@st.composite
def one_column(draw):
    """A short column of few values, and classes that follow it loosely."""
    values = draw(st.lists(few, min_size=3, max_size=25))
    noise = draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)))
    classes = [(v // 2) % 3 if e else e for v, e in zip(values, noise, strict=True)]
    return np.array(values, dtype=float), np.array(classes, dtype=np.int32)


def root_of(values, target, **settings):
    table = Table([NumericColumn("x", values)])
    return grow_tree(table, target, None, GrowthSettings(max_depth=1, **settings))


def every_division(values, most):
    """Interval numbers of the rows for every choice of fewer than `most` cuts."""
    distinct = np.unique(values)
    places = distinct[:-1] + np.diff(distinct) / 2
    for n_cuts in range(1, min(most, len(distinct))):
        for cuts in combinations(places, n_cuts):
            yield np.searchsorted(cuts, values)


@given(column=one_column(), most=st.integers(2, 5))
def test_the_best_intervals_are_the_best_of_all_divisions(column, most):
    values, classes = column
    tree = root_of(
        values,
        ClassTarget(classes, np.arange(3)),
        criterion="information_gain",
        numeric="intervals",
        max_intervals=most,
    )
    gains = [
        information_gain([np.bincount(classes[codes == k], minlength=3) for k in np.unique(codes)])
        for codes in every_division(values, most)
    ]
    if len(set(classes.tolist())) > 1 and gains:
        assert tree.gain[0] == pytest.approx(max(gains), abs=1e-12)
        assert tree.n_children[0] <= most


@given(column=one_column(), most=st.integers(2, 5))
def test_the_best_intervals_of_a_numeric_target_leave_the_least_squares(column, most):
    values, classes = column
    y = classes * 1.5
    tree = root_of(
        values, NumericTarget(y), numeric="intervals", max_intervals=most, criterion="squared_error"
    )
    left_over = [
        sum(least_squares(y[codes == k]) for k in np.unique(codes))
        for codes in every_division(values, most)
    ]
    if len(set(y.tolist())) > 1 and left_over:
        gain = (least_squares(y) - min(left_over)) / len(y)
        assert tree.gain[0] == pytest.approx(gain, abs=1e-9)


def cut_one_by_one(y, most, least):
    """Where numbers in order are cut if the cut that gains most goes first."""
    totals = np.concatenate([[0.0], y.cumsum()])

    def merit(start, stop):
        return (totals[stop] - totals[start]) ** 2 / (stop - start)

    ends = [0, len(y)]
    while len(ends) <= most:
        gains = {
            cut: merit(start, cut) + merit(cut, stop) - merit(start, stop)
            for start, stop in pairwise(ends)
            for cut in range(start + least, stop - least + 1)
        }
        if not gains:
            break
        ends = sorted([*ends, max(gains, key=gains.get)])
    return ends[1:-1]


@pytest.mark.parametrize("least", [1, 70])
@pytest.mark.parametrize("most", [2, 3, 6])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=5)
def test_hundreds_of_values_are_cut_where_it_gains_most_one_by_one(least, most, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(rng.normal(size=6), 50) + rng.normal(size=300)
    tree = root_of(
        np.arange(300.0),
        NumericTarget(y),
        numeric="intervals",
        max_intervals=most,
        min_samples_leaf=least,
        criterion="squared_error",
    )
    assert (tree.cut + 0.5).tolist() == cut_one_by_one(y, most, least)


@pytest.mark.parametrize(("name", "function"), [("gini", gini), ("information_gain", entropy)])
@pytest.mark.parametrize("sample", ["tennis", "weekend", "iris", "two_moons"])
@pytest.mark.parametrize("nominal", ["branches", "subset", "one_vs_rest"])
def test_a_measure_written_in_python_grows_the_tree_of_the_built_in_one(
    name, function, sample, nominal
):
    X, y = tw.load_sample(sample)
    built_in = tw.TreeClassifier(criterion=name, nominal=nominal, max_depth=4).fit(X, y)
    own = tw.TreeClassifier(criterion=function, nominal=nominal, max_depth=4).fit(X, y)
    assert str(own.tree_) == str(built_in.tree_)
    np.testing.assert_allclose(own.tree_.gain, built_in.tree_.gain, atol=1e-12)


def test_the_cost_formula_of_the_notes_can_be_written_by_hand():
    X, y = tw.load_sample("weekend")
    costs = 1.0 - np.eye(4)
    costs[0, 1:] = 3.0
    built_in = tw.TreeClassifier(criterion="cost_gini", costs=costs).fit(X, y)
    own = tw.TreeClassifier(criterion=lambda counts: weighted_gini(counts, costs))
    np.testing.assert_allclose(own.fit(X, y).tree_.gain, built_in.tree_.gain, atol=1e-12)


def test_two_class_costs_only_rescale_gini():
    X, y = tw.load_sample("tennis")
    plain = tw.TreeClassifier(criterion="gini").fit(X, y).tree_
    costly = tw.TreeClassifier(criterion="cost_gini", costs=[[0, 1], [5, 0]]).fit(X, y).tree_
    np.testing.assert_array_equal(plain.feature, costly.feature)
    np.testing.assert_allclose(3 * plain.gain, costly.gain, atol=1e-12)


@pytest.mark.parametrize("n_rows", [60, 600])  # counted by value, and sorted
def test_with_j48_gaps_c45_does_not_cut_between_close_values_however_many(n_rows):
    rows = np.arange(n_rows)
    x = rows * 1e-6 + (rows >= n_rows // 2)
    y = rows < n_rows // 5 * 2
    tree = tw.C45Classifier(prune=None, j48_gaps=True).fit({"x": x}, y).tree_
    assert tree.n_nodes == 3
    assert x[n_rows // 2 - 1] <= tree.threshold[0] < 1
    apart = tw.C45Classifier(prune=None, j48_gaps=True).fit({"x": rows * 1e-3}, y).tree_
    assert apart.threshold[0] == pytest.approx((n_rows // 5 * 2 - 1) * 1e-3)


@pytest.mark.parametrize(("n_rows", "least"), [(30, 2), (100, 5), (400, 20), (2000, 25)])
def test_a_side_of_c45_holds_a_tenth_of_a_classs_share_of_rows_but_25_are_enough(n_rows, least):
    x = np.arange(float(n_rows))
    for n_first, expected in ((least, least), (least - 1, least), (least + 1, least + 1)):
        settings = {"prune": None, "collapse": False, "mdl_correction": False}
        tree = tw.C45Classifier(max_depth=1, **settings).fit({"x": x}, x < n_first).tree_
        assert tree.n_rows[1] == expected
