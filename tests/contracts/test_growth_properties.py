"""What must hold for any table and any mixture of parts: nothing but the data shapes the tree.

The numbers P1 to P10 are those of the project's list of properties; the others are in
test_model_properties.py, test_pruning_properties.py and test_stateful_properties.py.
"""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.side_by_side import SideBySide
from contracts.test_core_matches_reference import core_tree, table_of
from examples import share_of_examples
from reference.problem import Problem, RefColumn
from reference.random_problems import FAMILIES, longer_problem, random_problem, wide_problem
from treewright.tree.layout import LEAF, SPREAD, STOP
from treewright.tree.predict import predict_leaves, predict_values

seeds = st.integers(0, 2**32 - 1)
families = st.sampled_from(sorted(FAMILIES))
problems = st.builds(
    lambda make, family, seed: make(seed, FAMILIES[family]),
    st.sampled_from([random_problem, wide_problem]),
    families,
    seeds,
)

for_every_family = pytest.mark.parametrize("family", sorted(FAMILIES))

STRUCTURE = ("kind", "feature", "first_child", "n_children", "missing_child")
LEVELS = ("level_start", "level_code", "level_child")
CONTENT = ("value", "weight", "impurity", "gain")


def assert_same(one, other, *, but=()):
    """Both trees ask the same questions and hold the same rows."""
    for name in {*STRUCTURE, *LEVELS, "threshold", "cut"} - set(but):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in set(CONTENT) - set(but):
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9, err_msg=name
        )


def with_rows(problem: Problem, rows, weights=None) -> Problem:
    """The problem with these rows, in this order."""
    columns = tuple(
        replace(c, values=tuple(c.values[row] for row in rows)) for c in problem.columns
    )
    target = [problem.target[row] for row in rows]
    kept = tuple(problem.weights[row] for row in rows) if weights is None else weights
    return replace(problem, columns=columns, target=target, weights=kept)


def with_odd_weights(problem: Problem) -> Problem:
    """Every row has a weight of its own: two different splits are hardly ever equally good."""
    weights = tuple(Fraction(2**20 + 7919 * row * row % 10007, 2**20) for row in range(24))
    settings = {"max_depth": 3, "min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0}
    return with_settings(replace(problem, weights=weights), **settings)


def with_settings(problem: Problem, **settings) -> Problem:
    return replace(problem, settings=replace(problem.settings, **settings))


def without_holes(column: RefColumn) -> RefColumn:
    filled = 0.0 if column.kind == "numeric" else 0
    return replace(column, values=tuple(filled if v is None else v for v in column.values))


@given(problem=problems, data=st.data())
def test_P2_the_order_of_rows_is_no_information(problem, data):
    order = data.draw(st.permutations(range(len(problem.target))))
    assert_same(core_tree(problem), core_tree(with_rows(problem, order)))


@given(problem=problems, data=st.data())
def test_P1_a_rising_map_of_numbers_keeps_every_node(problem, data):
    problem = with_settings(problem, j48_gaps=False)
    known = {v for c in problem.columns if c.kind == "numeric" for v in c.values} - {None}
    rng = random.Random(data.draw(seeds))
    steps = [rng.randint(1, 1000) for _ in known]
    image = dict(zip(sorted(known), np.cumsum(steps).astype(float).tolist(), strict=True))
    # Infinities stay: no threshold lies above them, and one above all known numbers is a split.
    image |= {number: number for number in known if math.isinf(number)}

    def mapped(column: RefColumn) -> RefColumn:
        if column.kind != "numeric":
            return column
        return replace(column, values=tuple(None if v is None else image[v] for v in column.values))

    moved = replace(problem, columns=tuple(map(mapped, problem.columns)))
    assert_same(core_tree(problem), core_tree(moved), but=("threshold", "cut"))


@given(problem=problems, data=st.data())
def test_P4_a_whole_weight_is_so_many_copies_of_the_row(problem, data):
    n_rows = len(problem.target)
    times = data.draw(st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows))
    # Elsewhere limits and surrogates count rows.
    counts_rows = {"min_samples_leaf": 1, "min_samples_split": 2}
    if not problem.settings.limits_by_weight:
        problem = with_settings(problem, **counts_rows)
    assume(problem.settings.missing != "surrogate")
    assume(not problem.settings.average_gain_filter)  # "many levels" is a share of the rows
    # Whether half of all parts of rows lies below the median is a matter of rounding.
    choice = (problem.settings.criterion, problem.settings.missing)
    assume(choice != ("absolute_error", "fractional"))
    weighted = replace(problem, weights=tuple(times))
    rows = [row for row in range(n_rows) for _ in range(times[row])]
    copied = with_rows(problem, rows, weights=(1,) * len(rows))
    assert_same(core_tree(weighted), core_tree(copied))


@for_every_family
def test_P3_the_order_of_columns_is_no_information(family):
    def in_another_order(problem: Problem, shuffled) -> SideBySide:
        order = shuffled(range(len(problem.columns)))
        moved = replace(problem, columns=tuple(problem.columns[at] for at in order))
        same_codes = [range(column.n_levels) for column in problem.columns]
        return SideBySide(problem, core_tree(problem), core_tree(moved), order, same_codes)

    assert_told_alike(family, in_another_order)


@for_every_family
def test_P5_names_of_levels_are_no_information(family):
    def with_other_codes(problem: Problem, shuffled) -> SideBySide:
        codes = [
            shuffled(range(column.n_levels)) if column.kind == "nominal" else range(column.n_levels)
            for column in problem.columns
        ]
        columns = tuple(
            replace(column, values=tuple(v if v is None else to[v] for v in column.values))
            if column.kind == "nominal"
            else column
            for column, to in zip(problem.columns, codes, strict=True)
        )
        other = core_tree(replace(problem, columns=columns))
        return SideBySide(problem, core_tree(problem), other, range(len(columns)), codes)

    assert_told_alike(family, with_other_codes)


def assert_told_alike(family: str, told_otherwise) -> None:
    """A problem and the same told in another way have the same tree, but for ties."""
    ties = []

    @settings(max_examples=share_of_examples(8))
    @given(seed=seeds, data=st.data())
    def check(seed, data):
        problem = with_odd_weights(longer_problem(seed, FAMILIES[family], 24))
        pair = told_otherwise(problem, lambda items: data.draw(st.permutations(items)))
        pair.assert_same()
        ties.append(pair.n_ties)

    check()
    assert ties.count(0) >= len(ties) / 2


@given(problem=problems)
def test_P9_a_constant_column_changes_nothing(problem):
    # C4.5 treats a table differently whose columns all have very many levels.
    assume(not problem.settings.average_gain_filter)
    n_rows = len(problem.target)
    constants = (
        RefColumn("numeric", (4.0,) * n_rows),
        RefColumn("nominal", (0,) * n_rows, 1),
        RefColumn("numeric", (None,) * n_rows),
    )
    more = replace(problem, columns=problem.columns + constants)
    assert_same(core_tree(problem), core_tree(more))


@given(problem=problems)
def test_P9_a_copy_of_a_column_loses_every_tie(problem):
    # A copy is a perfect surrogate, and counts in C4.5's average gain.
    assume(problem.settings.missing != "surrogate")
    assume(not problem.settings.average_gain_filter)
    assume(not problem.settings.use_once)  # used up on the path, the copy is still there
    twice = replace(problem, columns=problem.columns + problem.columns)
    assert_same(core_tree(problem), core_tree(twice))


@given(problem=problems, data=st.data())
def test_P6_the_order_of_classes_is_no_information(problem, data):
    assume(problem.n_classes and problem.settings.costs is None)
    assume(problem.settings.missing != "surrogate")  # a level tied twice looks at class codes
    # Which of two tied level sets is taken may depend on the classes.
    problem = with_settings(problem, nominal="branches", class_factor=None)
    order = data.draw(st.permutations(range(problem.n_classes)))
    relabeled = replace(problem, target=[order[code] for code in problem.target])
    one, other = core_tree(problem), core_tree(relabeled)
    assert_same(one, other, but=("value",))
    np.testing.assert_allclose(one.value, other.value[:, order], atol=1e-9)


@given(seed=seeds)
def test_P7_stretching_and_moving_a_numeric_target_keeps_every_split(seed):
    problem = random_problem(seed, FAMILIES["regression"])
    assume(problem.settings.criterion != "poisson")
    # Levels of equal means have no order of their own.
    problem = with_settings(problem, min_gain=None, nominal="branches")
    moved = replace(problem, target=[4.0 * y + 8.0 for y in problem.target])
    one, other = core_tree(problem), core_tree(moved)
    assert_same(one, other, but=("value", "impurity", "gain"))
    np.testing.assert_allclose(4.0 * one.value + 8.0, other.value, rtol=1e-9)


def children_of(tree, node: int) -> np.ndarray:
    """The children that have rows: an empty one holds the prediction of its parent."""
    children = tree.first_child[node] + np.arange(tree.n_children[node])
    return children[tree.weight[children] > 0]


@given(problem=problems)
def test_P8_a_split_is_made_for_a_gain_above_the_least(problem):
    tree = core_tree(problem)
    least = problem.settings.min_gain
    gains = tree.gain[tree.kind != LEAF]
    assert (gains >= 0).all() if least is None else (gains > least).all()
    assert (tree.gain[tree.kind == LEAF] == 0).all()


@given(problem=problems)
def test_P8_counts_of_children_add_up_to_the_parent(problem):
    tree = core_tree(problem)
    for node in np.flatnonzero(tree.kind != LEAF):
        children = children_of(tree, node)
        values = "value" if problem.n_classes else "weight"
        total = getattr(tree, values)[children].sum(axis=0)
        n_rows = tree.n_rows[children].sum()
        if tree.missing_child[node] == STOP or problem.settings.missing == "surrogate":
            assert (total <= getattr(tree, values)[node] + 1e-9).all()
            assert n_rows <= tree.n_rows[node]
        else:
            assert total == pytest.approx(getattr(tree, values)[node], rel=1e-12)
            assert n_rows == tree.n_rows[node] or tree.missing_child[node] == SPREAD
        if problem.n_classes:
            assert tree.value[node].sum() == pytest.approx(tree.weight[node])


@given(problem=problems)
def test_P8_children_are_together_no_more_impure_than_the_parent(problem):
    tree = core_tree(problem)
    assert (tree.impurity >= 0).all()
    assume(problem.settings.criterion != "cost_gini")  # costs need not be a distance
    weight = tree.value @ tree.class_factor if problem.n_classes else tree.weight
    impurity = weight * tree.impurity
    for node in np.flatnonzero(tree.kind != LEAF):
        of_children = impurity[children_of(tree, node)].sum()
        assert of_children <= impurity[node] + 1e-14 * impurity[0]


@given(problem=problems)
def test_P8_every_training_row_reaches_the_node_that_counted_it(problem):
    tree = core_tree(problem)
    assume(not (tree.missing_child == SPREAD).any())
    if problem.settings.missing == "surrogate":
        # Rows that no surrogate knows follow the heavier side of all rows only later.
        assume(all(None not in column.values for column in problem.columns))
    leaves = predict_leaves(tree, table_of(problem), 1)
    reached = np.bincount(leaves, minlength=tree.n_nodes)
    is_leaf = tree.kind == LEAF
    np.testing.assert_array_equal(reached[is_leaf], tree.n_rows[is_leaf])


@given(problem=problems)
def test_P10_without_limits_a_tree_learns_consistent_rows_by_heart(problem):
    assume(problem.settings.numeric == "threshold" and problem.settings.criterion != "poisson")
    whole = [without_holes(column) for column in problem.columns]
    first_row = {}
    for row in range(len(problem.target)):
        first_row.setdefault(tuple(column.values[row] for column in whole), row)
    rows = list(first_row.values())
    problem = with_settings(
        with_rows(replace(problem, columns=tuple(whole)), rows),
        max_depth=None,
        min_samples_leaf=1,
        min_samples_split=2,
        min_weight_fraction_leaf=0.0,
        min_gain=None,
        use_once=False,
        limits_by_weight=False,
        average_gain_filter=False,
        mdl_correction=False,
        j48_gaps=False,
    )
    predictions = predict_values(core_tree(problem), table_of(problem), 1)
    if problem.n_classes:
        assert (predictions.argmax(axis=1) == problem.target).all()
    else:
        np.testing.assert_allclose(predictions[:, 0], problem.target, rtol=1e-9, atol=1e-9)


@given(problem=problems)
def test_P10_a_deeper_tree_fits_the_training_rows_no_worse(problem):
    """By the measure that it is grown by; missing values stay where they were counted."""
    assume(problem.settings.criterion not in ("cost_gini", "chi2", "absolute_error"))
    assume(all(None not in column.values for column in problem.columns))
    losses = []
    for depth in range(4):
        tree = core_tree(with_settings(problem, max_depth=depth))
        is_leaf = tree.kind == LEAF
        losses.append(float((tree.impurity * tree.weight)[is_leaf].sum()))
    if problem.settings.class_factor is None:
        assert all(after <= before + 1e-9 for before, after in pairwise(losses))


@given(problem=problems, scale=st.sampled_from([Fraction(1, 4), Fraction(8)]))
def test_P4_the_scale_of_weights_is_no_information(problem, scale):
    settings = problem.settings
    assume(not settings.limits_by_weight and not settings.weights_are_counts)
    assume(problem.settings.numeric == "threshold")  # a description length counts rows
    scaled = replace(problem, weights=tuple(w * scale for w in problem.weights))
    one, other = core_tree(problem), core_tree(scaled)
    assert_same(one, other, but=("value", "weight"))
    np.testing.assert_allclose(one.weight * float(scale), other.weight)
