"""Rules of a model file are read strictly, and an error says what is wrong with them."""

import pytest

import treewright as tw
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.rulesets.rule_file import (
    condition_from_json,
    condition_to_json,
    ordered_from_json,
    ordered_to_json,
    tree_rules_from_json,
    tree_rules_to_json,
)

SCHEMA = Schema(
    (
        ColumnSpec("size", "numeric"),
        ColumnSpec("color", "nominal", ("red", "blue", "green")),
        ColumnSpec("grade", "ordered", ("low", "mid", "high")),
    )
)


@pytest.mark.parametrize(
    "entry",
    [
        {"column": 0, "above": 1.5},
        {"column": 0, "at_most": -1.5},
        {"column": 0, "above": 1.5, "at_most": 2.5},
        {"column": 1, "levels": [0, 2]},
        {"column": 1, "not_levels": [1]},
        {"column": 2, "above": 0.5, "at_most": 1.5},
        {"column": 2, "levels": [2]},
        {"column": 2, "above": 0.5, "not_levels": [1]},
    ],
)
def test_a_sound_condition_is_read_and_written_again(entry):
    assert condition_to_json(condition_from_json(entry, SCHEMA, "rule 0")) == entry


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (3, "without a column"),
        (["column", "above"], "without a column"),
        ({}, "without a column"),
        ({"column": 0}, "without a test"),
        ({"above": 1.5}, "without a column"),
        ({"column": 3, "above": 1.5}, "holds 3"),
        ({"column": -1, "above": 1.5}, "holds -1"),
        ({"column": 0, "above": "1.5"}, "rule 0"),
        ({"column": 0, "levels": [0]}, "`size` cannot have such a condition"),
        ({"column": 0, "above": 1.5, "odd": 1}, "`size` cannot have such a condition"),
        ({"column": 1, "above": 1.5}, "`color` cannot have such a condition"),
        ({"column": 1, "levels": [0], "not_levels": [1]}, "`color` cannot have such a condition"),
        ({"column": 1, "levels": 0}, "`levels` is not a list"),
        ({"column": 1, "levels": [3]}, "holds 3"),
        ({"column": 1, "not_levels": [-1]}, "holds -1"),
        ({"column": 2, "levels": [0], "odd": 1}, "`grade` cannot have such a condition"),
        ({"column": 2, "levels": [0], "not_levels": [1]}, "`grade` cannot have such a condition"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_refused(entry, words):
    with pytest.raises(ModelFileError, match=words):
        condition_from_json(entry, SCHEMA, "rule 0")


# ---------------------------------------------------------------------------- ordered rules


@pytest.fixture(scope="module")
def ordered():
    """Four rules for three classes."""
    return tw.C45Rules().fit(*tw.load_sample("iris")).rules_._rules


def with_entry(entries, at, value):
    return [value if i == at % len(entries) else entry for i, entry in enumerate(entries)]


def test_ordered_rules_are_read_and_written_again(ordered):
    data = ordered_to_json(ordered)
    again = ordered_from_json(data, ordered.schema, ordered.classes, "missing")
    assert ordered_to_json(again) == data


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("conditions", lambda _: {}, "not a list of lists"),
        ("conditions", lambda lines: with_entry(lines, 0, {}), "not a list of lists"),
        ("answers", lambda codes: codes[1:], "has 3 entries, not 4"),
        ("answers", lambda codes: with_entry(codes, 0, 3), "holds 3"),
        ("answers", lambda codes: with_entry(codes, 0, -1), "holds -1"),
        ("default", lambda _: 3, "holds 3"),
        ("shares", lambda rows: rows[1:], "of each rule and one more"),
        ("shares", lambda rows: with_entry(rows, 0, [-0.5, 0.75, 0.75]), "of each rule"),
        ("shares", lambda rows: with_entry(rows, -2, [0.0, 0.5, 0.5 + 2e-9]), "rule 3 sum to 1"),
        ("shares", lambda rows: with_entry(rows, -1, [0.0, 0.5, 0.25]), "that no rule covers"),
        ("numbers", lambda numbers: with_entry(numbers, 0, 1), "occurs twice"),
        ("numbers", lambda numbers: with_entry(numbers, 0, 2**31 - 1), "holds 2147483647"),
        ("weight", lambda numbers: numbers[1:], "one number for each rule"),
        ("weight", lambda numbers: with_entry(numbers, 0, -1.0), "one number for each rule"),
        ("n_rows", lambda counts: with_entry(counts, 0, -1), "holds -1"),
        ("right", lambda numbers: with_entry(numbers, 0, 50.001), "more rows are right"),
        ("right", lambda numbers: with_entry(numbers, 0, -1.0), "one number for each rule"),
        ("base", lambda shares: with_entry(shares, 0, 1.001), "more rows are right"),
    ],
)
def test_ordered_rules_that_do_not_fit_are_refused(ordered, name, change, words):
    data = ordered_to_json(ordered)
    data[name] = change(data[name])
    with pytest.raises(ModelFileError, match=words):
        ordered_from_json(data, ordered.schema, ordered.classes, "missing")


def test_ordered_rules_may_round_and_count_to_the_end(ordered):
    data = ordered_to_json(ordered)
    data["shares"][0] = [0.0, 0.5, 0.5 + 5e-10]
    data["numbers"][0] = 2**31 - 2
    data["base"][0], data["weight"][1], data["right"][1] = 1.0, 0.0, 0.0
    again = ordered_from_json(data, ordered.schema, ordered.classes, "missing")
    assert ordered_to_json(again) == data


# ---------------------------------------------------------------------------- rules of a tree


@pytest.fixture(scope="module")
def of_tree():
    """Five leaves that are rules, and three inner nodes for rows with holes."""
    return tw.rules(tw.ID3Classifier().fit(*tw.load_sample("tennis")))._rules


@pytest.mark.parametrize(
    ("changes", "is_complete"),
    [
        ({}, True),
        ({"fallbacks": [0, 1]}, False),
        ({"nodes": [4, 5, 2, 6, 3], "fallbacks": []}, False),
    ],
)
def test_rules_of_a_tree_are_read_and_written_again(of_tree, changes, is_complete):
    data = tree_rules_to_json(of_tree) | changes
    again = tree_rules_from_json(data, of_tree.tree)
    assert tree_rules_to_json(again) == data
    assert again.is_complete == is_complete


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("nodes", [4, 5, 2, 6], "has 5 entries, not 4"),
        ("nodes", {}, "nodes"),
        ("nodes", [4, 5, 2, 6, 8], "holds 8"),
        ("nodes", [4, 5, 2, 6, 6], "a node occurs twice"),
        ("nodes", [4, 5, 2, 6, 0], "a node occurs twice"),
        ("fallbacks", [0, 0], "a node occurs twice"),
        ("fallbacks", {}, "fallbacks"),
        ("fallbacks", [-1], "holds -1"),
    ],
)
def test_rules_of_a_tree_that_do_not_fit_are_refused(of_tree, name, value, words):
    data = tree_rules_to_json(of_tree) | {name: value}
    with pytest.raises(ModelFileError, match=words):
        tree_rules_from_json(data, of_tree.tree)


@pytest.mark.parametrize("changes", [{"nodes": [4, 5, 2, 6, 0]}, {"fallbacks": [0]}])
def test_nodes_that_answer_no_row_are_no_rules(changes):
    """C4.5 sends a row with a hole to all children, so only leaves answer."""
    rules = tw.rules(tw.C45Classifier().fit(*tw.load_sample("tennis")))._rules
    with pytest.raises(ModelFileError, match="predicts no row"):
        tree_rules_from_json(tree_rules_to_json(rules) | changes, rules.tree)


def test_a_leaf_that_is_no_rule_is_no_fallback_either():
    rules = tw.rules(tw.ID3Classifier().fit(*tw.load_sample("tennis")))[:4]._rules
    data = tree_rules_to_json(rules) | {"fallbacks": [7]}
    with pytest.raises(ModelFileError, match="predicts no row"):
        tree_rules_from_json(data, rules.tree)


@pytest.mark.parametrize("name", ["right", "base"])
def test_rules_for_numbers_are_neither_right_nor_wrong(name):
    rules = tw.rules(tw.CARTRegressor(prune=None).fit([[1.0], [2.0]], [1.0, 2.0]))._rules
    data = tree_rules_to_json(rules)
    assert tree_rules_to_json(tree_rules_from_json(data, rules.tree)) == data
    with pytest.raises(ModelFileError, match="neither right nor wrong"):
        tree_rules_from_json(data | {name: [1.0, 1.0]}, rules.tree)
