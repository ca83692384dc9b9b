"""A walk of three-way steps predicts every row as the tree, bit for bit."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_chain, a_mixed_schema, a_random_table, a_random_tree, a_tennis_tree
from treewright.data.column import MISSING, NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.files import walk as walk_module
from treewright.exports.files.walk import walk_of
from treewright.exports.program import Program
from treewright.tree.layout import SPREAD, STOP
from treewright.tree.predict import predict_values


def walked(walk, program, table):
    """The values at the ends that the rows of a table walk to."""
    values = [as_walked(column, program) for column in table.columns]
    for total in walk.sums:
        terms = [table.columns[column].values * weight for column, weight in total.terms]
        missing = np.any([np.isnan(table.columns[column].values) for column, _ in total.terms], 0)
        added = np.zeros(table.n_rows)
        with np.errstate(invalid="ignore"):  # infinities cancel
            for term in terms:
                added = added + term
        values.append(np.where(missing, np.nan, np.where(np.isnan(added), np.inf, added)))
    values = np.column_stack(values)
    here = np.zeros(table.n_rows, dtype=np.int64)
    for _ in range(walk.depth):
        value = values[np.arange(table.n_rows), walk.column[here]]
        known = np.where(value <= walk.bound[here], walk.at_most[here], walk.above[here])
        here = np.where(np.isnan(value), walk.missing[here], known)
    assert (walk.prediction[here] >= 0).all()
    return walk.values[walk.prediction[here]]


def as_walked(column, program):
    if isinstance(column, NumericColumn):
        return column.values.astype(np.float64)
    codes, n_levels = column.codes, len(column.levels)
    unseen = n_levels if program.unseen == "majority" else np.nan
    is_level = (codes >= 0) & (codes < n_levels)
    return np.where(is_level, codes, np.where(codes == MISSING, np.nan, unseen))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), is_classifier=st.booleans())
def test_a_walk_ends_with_the_values_of_the_tree(seed, is_classifier):
    rng = np.random.default_rng(seed)
    schema = a_mixed_schema(rng)
    tree = a_random_tree(rng, schema, n_splits=8, is_classifier=is_classifier)
    program = Program(tree)
    table = a_random_table(rng, schema, 200)
    try:
        walk = walk_of(program)
    except ExportError:
        assert program.splits_rows
        return
    assert np.array_equal(walked(walk, program, table), predict_values(tree, table))


def a_spreading_tree():
    """Tennis, with missing values spread over all branches."""
    tree = a_tennis_tree()
    spread = np.where(tree.is_leaf, STOP, SPREAD).astype(np.int32)
    return replace(tree, missing_child=spread)


def test_a_row_spread_over_leaves_gets_an_end_of_its_own():
    tree = a_spreading_tree()
    program = Program(tree)
    walk = walk_of(program)
    assert walk.n_steps > tree.n_nodes
    codes = np.array(list(product(range(-1, 3), range(-1, 2), range(-1, 2))), dtype=np.int32)
    columns = [
        NominalColumn(spec.name, codes[:, at], spec.levels)
        for at, spec in enumerate(tree.schema.columns)
    ]
    table = Table(columns)
    assert np.array_equal(walked(walk, program, table), predict_values(tree, table))


def test_a_deep_tree_needs_no_recursion():
    tree = a_chain(5_000)
    walk = walk_of(Program(tree))
    assert walk.depth == 5_000
    assert walk.n_steps == tree.n_nodes


def test_too_many_cases_of_spread_rows_are_refused(monkeypatch):
    monkeypatch.setattr(walk_module, "MAX_SPREAD_STEPS", 3)
    with pytest.raises(ExportError, match="spread over several branches"):
        walk_of(Program(a_spreading_tree()))
