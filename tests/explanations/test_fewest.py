"""The fewest columns that meet every set, against trying all of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from explanations.test_explain import a_row, a_small_tree
from reference.explanations_reference import is_sufficient, predictions, smallest_reason
from treewright.explanations.fewest import fewest_columns, n_apart, smallest_meeting
from treewright.explanations.goals import OtherClass
from treewright.explanations.path import way_of
from treewright.explanations.search import Budget, Finder, SearchEnded, row_of
from treewright.exports.program import Program
from treewright.single_trees.as_tree import tree_of

COLUMNS = tuple(range(7))
many_sets = st.lists(st.frozensets(st.sampled_from(COLUMNS), min_size=1), max_size=9)


def meets_all(columns, sets):
    return all(not one.isdisjoint(columns) for one in sets)


@given(sets=many_sets, below=st.integers(0, 8))
@settings(max_examples=100, deadline=None)
def test_no_fewer_columns_meet_every_set(sets, below):
    found = smallest_meeting(sets, COLUMNS, below, Budget(10_000))
    expected = next(
        size
        for size in range(len(COLUMNS) + 1)
        if any(meets_all(columns, sets) for columns in combinations(COLUMNS, size))
    )
    if expected >= below:
        assert found is None
    else:
        assert meets_all(found, sets)
        assert len(found) == expected
    assert n_apart(sets) <= expected


@given(seed=st.integers(0, 2**32 - 1), boxes=st.sampled_from([0, 2, 5, 10, 20]))
@settings(max_examples=150, deadline=None)
def test_a_search_cut_short_still_gives_a_reason_and_claims_no_more_than_is_true(seed, boxes):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    finder = Finder(Program(tree), row, OtherClass.than(tree, int(predictions(tree, [row])[0])))
    found = fewest_columns(finder, way_of(finder.program, row).asked, Budget(boxes))
    assert is_sufficient(tree, row, set(found.columns))
    if found.is_minimal:
        for column in found.columns:
            assert not is_sufficient(tree, row, {*found.columns} - {column})
    if found.is_smallest:
        assert len(found.columns) == smallest_reason(tree, row)


def test_half_a_budget_is_taken_from_the_whole():
    whole = Budget(5)
    part = whole.half()
    part.spend()
    part.spend()
    assert whole.boxes == 3
    with pytest.raises(SearchEnded):
        part.spend()


@pytest.mark.parametrize("seed", range(8))
def test_grown_trees_of_many_columns_have_reasons_no_smaller_than_claimed(seed):
    rng = np.random.default_rng(seed)
    rows = [
        {f"c{k}": str(one) for k, one in enumerate(row)} for row in rng.integers(2, size=(60, 6))
    ]
    model = tw.CARTClassifier().fit(rows, rng.integers(2, size=60))
    tree = tree_of(model)
    for at in range(4):
        row = row_of(tree.schema.encode(tw.table_from(rows[at : at + 1]), "missing"))
        found = model.explain(rows[at]).reason
        columns = {tree.schema.names.index(name) for name in found.columns}
        assert found.is_smallest
        assert is_sufficient(tree, row, columns)
        assert len(columns) == smallest_reason(tree, row)
