"""The rules of a tree are the tree: disjoint, complete, and equal on every row."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
import treewright as tw
from exports.export_models import EXPORT_MODELS, fitted
from treewright.exports.witnesses import witnesses
from treewright.rulesets.tree_rules import TreeRules, left_to_right, stopping_nodes
from treewright.single_trees.as_tree import tree_of
from treewright.tree.layout import SPREAD, STOP
from treewright.tree.predict import predict_leaves, predict_values

seeds = st.integers(0, 2**32 - 1)


def predictions_of(tree, rule):
    return tree.value[rule.node] if tree.classes is None else tree.probabilities[rule.node]


def added_up(tree, rules, rows):
    """(how much of each row the rules cover, what they answer together)."""
    covered, predictions = np.zeros(len(rows)), np.zeros((len(rows), tree.n_values))
    for rule in [*rules.rules(), *rules.fallback_rules()]:
        shares = rule.shares(rows)
        covered += shares
        predictions += shares[:, np.newaxis] * predictions_of(tree, rule)
    return covered, predictions


@given(seed=seeds, n_splits=st.integers(0, 25), is_classifier=st.booleans())
def test_P12_conditions_alone_give_the_answers_of_any_tree(seed, n_splits, is_classifier):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=is_classifier)
    rows = builders.a_random_table(rng, schema, n_rows=40)
    covered, predictions = added_up(tree, TreeRules.of(tree), rows)
    np.testing.assert_allclose(covered, 1, atol=1e-12)  # no row left out, none covered twice
    np.testing.assert_allclose(predictions, predict_values(tree, rows), atol=1e-12)


@given(seed=seeds, n_splits=st.integers(0, 25), is_classifier=st.booleans())
def test_P12_the_parts_of_a_row_add_up_to_the_tree_bit_by_bit(seed, n_splits, is_classifier):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=is_classifier)
    rows = builders.a_random_table(rng, schema, n_rows=5)
    rules = TreeRules.of(tree)
    expected = predict_values(tree, rows)
    np.testing.assert_array_equal(rules.values(rows), expected)
    for row in range(len(rows)):
        total = np.zeros(tree.n_values)
        for rule, share in rules.parts(rows[row : row + 1]):
            total += share * predictions_of(tree, rule)
        np.testing.assert_array_equal(total, expected[row])


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_P12_rules_equal_the_tree_on_every_witness(name):
    tree = tree_of(fitted(name))
    seen_as = "missing" if tree.unseen == "error" else tree.unseen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # levels that training never met are meant
        rows = tree.schema.encode(witnesses(tree), seen_as)
    rules = tw.rules(fitted(name))._rules
    expected = predict_values(tree, rows)
    np.testing.assert_array_equal(rules.values(rows), expected)
    covered, predictions = added_up(tree, rules, rows)
    np.testing.assert_allclose(covered, 1, atol=1e-12)
    np.testing.assert_allclose(predictions, expected, rtol=1e-12, atol=1e-12)


@given(seed=seeds)
def test_one_rule_read_alone_is_the_rule_read_with_all_others(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    rules = TreeRules.of(builders.a_random_tree(rng, schema, n_splits=15))
    for at, rule in enumerate(rules.rules()):
        alone = rules.rule(at)
        assert alone.conditions == rule.conditions
        assert str(alone) == str(rule)


def test_conditions_on_one_column_are_merged():
    inner = builders.threshold(0, 5.0, builders.leaf(3, 0), builders.leaf(0, 2))
    root = builders.threshold(0, 2.0, builders.leaf(0, 4), inner, missing=1)
    rules = TreeRules.of(builders.build(root, builders.numeric_schema("x"), ("no", "yes")))
    assert [str(rule) for rule in rules.rules()] == [
        "if x <= 2 then yes (4)",
        "if 2 < x <= 5 then no (3)",
        "if x > 5 then yes (2)",
    ]
    (condition,) = rules.rule(1).conditions
    assert (condition.low, condition.high, condition.levels) == (2.0, 5.0, None)


def test_level_sets_are_intersected():
    levels = {code: int(code > 2) for code in range(5)}
    inner = builders.subset(0, {0: 0, 1: 1, 2: 1}, builders.leaf(3, 0), builders.leaf(0, 2))
    root = builders.subset(0, levels, inner, builders.leaf(0, 4))
    column = builders.ColumnSpec("color", "nominal", ("red", "blue", "green", "gray", "pink"))
    rules = TreeRules.of(builders.build(root, builders.Schema((column,)), ("no", "yes")))
    assert [rule.conditions[0].levels for rule in rules.rules()] == [
        ("red",),
        ("blue", "green"),
        ("gray", "pink"),
    ]


def test_rules_stand_as_the_leaves_are_drawn():
    tree = builders.a_tennis_tree()
    assert [tree.is_leaf[node] for node in left_to_right(tree)][:2] == [True, True]
    assert [rule.prediction for rule in TreeRules.of(tree).rules()] == [
        "No",
        "Yes",
        "Yes",
        "Yes",
        "No",
    ]


def test_inner_nodes_where_no_row_ended_are_fallbacks():
    rules = TreeRules.of(builders.a_tennis_tree())
    assert len(rules) == 5
    assert [str(rule) for rule in rules.fallback_rules()] == [
        "if outlook missing then Yes (0)",
        "if outlook = Sunny and humidity missing then No (0)",
        "if outlook = Rain and wind missing then Yes (0)",
    ]


def test_inner_nodes_where_rows_ended_are_rules():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0, None, None]}, ["a", "a", "b", "b", "b", "b"]
    rules = tw.rules(tw.TreeClassifier(missing="stop").fit(X, y))
    assert [str(rule) for rule in rules] == [
        "if x <= 2.5 then a (2)",
        "if x > 2.5 then b (2)",
        "if x missing then b (2)",
    ]
    assert rules.fallbacks == ()
    assert sum(rule.weight for rule in rules) == 6


def test_a_hole_that_stopped_further_up_gives_no_rule():
    inner = builders.threshold(0, 5.0, builders.leaf(3, 0), builders.leaf(0, 2), missing=STOP)
    root = builders.threshold(0, 2.0, builders.leaf(0, 4), inner, missing=STOP)
    tree = builders.build(root, builders.numeric_schema("x"), ("no", "yes"))
    assert np.flatnonzero(stopping_nodes(tree)).tolist() == [0]


def test_a_node_whose_children_are_all_empty_answers_what_it_should_spread():
    empty = [builders.leaf(1, 0, weight=0.0), builders.leaf(0, 1, weight=0.0)]
    root = builders.threshold(0, 2.0, *empty, missing=SPREAD, value=[2.0, 1.0])
    tree = builders.build(root, builders.numeric_schema("x"), ("no", "yes"))
    assert stopping_nodes(tree).tolist() == [True, False, False]


@given(seed=seeds)
def test_weights_of_rules_add_up_to_the_training_weight(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(60, 2)).round(1)
    values[rng.random(values.shape) < 0.2] = np.nan
    y = rng.integers(0, 3, 60)
    missing = str(rng.choice(["fractional", "stop", "learned", "branch", "majority"]))
    model = tw.TreeClassifier(missing=missing).fit(values, y)
    rules = tw.rules(model)
    assert sum(rule.weight for rule in rules) == pytest.approx(60)
    right = sum(rule.weight - rule.errors for rule in rules)
    if missing != "fractional":  # of a row that is spread, parts may be right
        assert right == pytest.approx((model.predict(values) == y).sum())


@given(seed=seeds)
def test_the_rule_that_fires_is_the_node_that_answers(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema)
    rows = builders.a_random_table(rng, schema, n_rows=30)
    rules = TreeRules.of(tree)
    leaves = predict_leaves(tree, rows)
    for leaf, place in zip(leaves, rules.fired(rows), strict=True):
        assert place == -1 if leaf in rules.fallbacks else rules.nodes[place] == leaf


@given(seed=seeds, n_splits=st.integers(1, 20), is_classifier=st.booleans())
def test_what_is_left_out_is_answered_by_the_root(seed, n_splits, is_classifier):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, n_splits=n_splits, is_classifier=is_classifier)
    rows = builders.a_random_table(rng, schema, n_rows=30)
    every = TreeRules.of(tree)
    kept = np.flatnonzero(rng.random(len(every)) < 0.5)
    some = every.take(kept)
    covered, predictions = added_up(tree, some, rows)
    root = tree.value[0] if tree.classes is None else tree.probabilities[0]
    expected = predictions + (1 - covered)[:, np.newaxis] * root
    np.testing.assert_allclose(some.values(rows), expected, atol=1e-12)
    assert some.is_complete == (len(kept) == len(every))


@pytest.mark.full
def test_a_large_tree_is_read_in_one_pass():
    tree = builders.a_chain(20_000)
    rules = TreeRules.of(tree)
    assert len(rules) == 20_001
    assert sum(len(rule.conditions) for rule in rules.rules()) == 20_001
    assert str(rules.rule(20_000)) == "if x > 20000 then yes (1)"
