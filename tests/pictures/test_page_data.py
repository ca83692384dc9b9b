"""What goes over to the page: every number whole, and as little else as it needs."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
from exports.export_models import EXPORT_MODELS, fitted
from treewright.pictures.folded import fold
from treewright.pictures.page_data import page_data, short, written
from treewright.single_trees.as_tree import tree_of


def shares_on_page(data, tree):
    """Class shares as the script of the page makes them."""
    starts = np.cumsum([0, *data["shareCount"]])
    shares = np.zeros((tree.n_nodes, tree.n_values))
    for node in range(tree.n_nodes):
        for entry in range(starts[node], starts[node + 1]):
            at, weight = data["shareClass"][entry], data["shareWeight"][entry]
            shares[node, at] = weight * (1 if data["valuesAreShares"] else data["classFactor"][at])
        if not data["valuesAreShares"]:
            total = 0.0
            for weight in shares[node].tolist():
                total += weight
            shares[node] /= total
    return shares


def number_of(entry):
    return float(entry) if isinstance(entry, str) else entry[1]


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_answers_and_cuts_of_every_model_go_over_whole(name):
    tree = tree_of(fitted(name))
    data = json.loads(json.dumps(page_data(fold(tree)), allow_nan=False))
    if tree.classes is None:
        assert [number_of(mean) for mean in data["mean"]] == tree.value[:, 0].tolist()
    else:
        assert np.array_equal(shares_on_page(data, tree), tree.probabilities)
    for node, entry in enumerate(data["cut"]):
        if entry != 0:
            assert number_of(entry) == tree.threshold[node]
    for node, cuts in data["intervals"].items():
        start, end = tree.cut_start[int(node)], tree.cut_start[int(node) + 1]
        assert [number_of(cut) for cut in cuts] == tree.cut[start:end].tolist()


def test_weights_too_large_for_a_sum_go_over_as_shares():
    tree = builders.build(
        builders.threshold(
            0, 1.0, builders.leaf(1e308, 1.7e308, weight=2), builders.leaf(0, 0, weight=0)
        ),
        builders.numeric_schema("x"),
        ("a", "b"),
    )
    data = page_data(fold(tree))
    assert data["valuesAreShares"]
    assert np.array_equal(shares_on_page(data, tree), tree.probabilities)


@settings(max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 12))
def test_a_number_is_read_back_from_its_text_or_stands_beside_it(number, decimals):
    entry = written(f"{number:.{decimals}f}", number)
    assert number_of(entry) == number
    assert isinstance(entry, str) == (float(f"{number:.{decimals}f}") == number)


def test_a_text_that_only_python_reads_as_a_number_comes_with_the_number():
    assert written("1_0", 10.0) == ["1_0", 10.0]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_whole_numbers_lose_their_point_and_nothing_else(numbers):
    made = short(np.array(numbers, dtype=np.float64))
    assert made == numbers
    assert all(
        one == 0 or one.is_integer() == isinstance(two, int)
        for one, two in zip(numbers, made, strict=True)
        if abs(one) < 2**53
    )
    assert len(json.dumps(made)) <= len(json.dumps(numbers))
