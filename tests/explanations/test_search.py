"""The search is cut short by counting, and says so."""

import math
from dataclasses import replace

import numpy as np
import pytest

from builders import a_chain, a_stump, build, leaf, numeric_schema, threshold
from explanations.test_explain import a_row, a_small_tree, explained
from treewright.data.column import NominalColumn
from treewright.explanations import change, reason
from treewright.explanations.boxes import whatever
from treewright.explanations.goals import OtherClass
from treewright.explanations.search import Budget, Finder, SearchEnded, row_of, table_of
from treewright.exports.program import Program
from treewright.tree.layout import SPREAD, STOP
from treewright.tree.reach import NOTHING, Reach


def test_a_search_without_budget_ends():
    program = Program(a_stump())
    finder = Finder(program, (0.2,), OtherClass.than(program.tree, 0))
    with pytest.raises(SearchEnded):
        finder.other_row({0: whatever(program, 0)}, Budget(0))


def test_what_could_not_be_tried_is_not_claimed(monkeypatch):
    monkeypatch.setattr(change, "MOST_BOXES", 0)
    monkeypatch.setattr(reason, "MOST_BOXES", 0)
    found = explained(a_stump(0.8), (0.2,))
    assert found.change is None
    assert not found.change_is_known
    assert not found.reason.is_minimal
    assert not found.reason.is_smallest
    assert "the search was cut short" in str(found)


def test_rows_come_back_from_tables():
    rng = np.random.default_rng(0)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    table = table_of(Program(tree), [row])
    assert isinstance(table.columns[2], NominalColumn)
    assert all(
        old == new or (math.isnan(old) and math.isnan(new))
        for old, new in zip(row, row_of(table), strict=True)
    )


def test_a_chain_of_a_thousand_splits_is_explained():
    found = explained(a_chain(1000), (500.5,))
    assert found.change_is_known
    assert len(found.path) > 100


def test_parts_of_a_row_that_stop_at_inner_nodes_predict_together():
    # Where y is missing, 60 % of the row predict b and 40 % predict a: together b.
    for_b = threshold(1, 0.0, leaf(1, 0), leaf(0, 5), missing=STOP)
    for_a = threshold(1, 0.0, leaf(3, 0), leaf(0, 1), missing=STOP)
    tree = build(threshold(0, 0.0, for_b, for_a, missing=SPREAD), numeric_schema("x", "y"), "ab")
    program, row = Program(tree), (math.nan, -1.0)
    start = {0: replace(NOTHING, missing=True), 1: Reach(-5.0, -1.0, missing=True)}
    found = Finder(program, row, OtherClass.than(tree, 0)).other_row(start, Budget(100))
    assert math.isnan(found.row[1])
