"""Reduced-error pruning: what validation rows say of every node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import a_mixed_schema, a_random_table, a_random_tree, a_tennis_tree
from treewright.data.column import NominalColumn
from treewright.data.table import Table
from treewright.pruning.reduced_error import losses_of_nodes, reduced_error
from treewright.pruning.row_loss import PruningRows


def days(*codes: tuple[int, int, int]) -> Table:
    columns = np.array(codes, dtype=np.int32).T
    names = {"outlook": ("Sunny", "Overcast", "Rain"), "humidity": ("High", "Normal")}
    names["wind"] = ("Weak", "Strong")
    return Table(
        tuple(
            NominalColumn(name, codes, levels)
            for (name, levels), codes in zip(names.items(), columns, strict=True)
        ),
        len(codes),
    )


def rows_of(table: Table, codes: list[int], weights: list[float] | None = None) -> PruningRows:
    weight = np.ones(len(codes)) if weights is None else np.array(weights, dtype=np.float64)
    return PruningRows(table, np.array(codes, dtype=np.int32), None, weight)


def test_a_subtree_goes_that_is_no_better_than_a_leaf():
    # Two rainy days: the wind tells the first right and the second wrong, a leaf does as well.
    rows = rows_of(days((2, 0, 0), (2, 0, 1), (0, 0, 0), (0, 1, 0)), [1, 1, 0, 1])
    pruned = reduced_error(a_tennis_tree(), rows)
    (cut,) = pruned.report.cuts
    assert (cut.as_leaf, cut.as_subtree) == (0, 1)
    assert "wind" not in str(pruned.tree)
    assert "humidity" in str(pruned.tree)


def test_weights_count():
    rows = rows_of(days((2, 0, 0), (2, 0, 1)), [0, 0], [1.0, 5.0])
    as_leaf, _ = losses_of_nodes(a_tennis_tree(), rows)
    assert as_leaf[0] == 6


def test_without_rows_below_it_a_split_goes():
    rows = rows_of(days((1, 0, 0), (0, 0, 0)), [1, 0])
    assert reduced_error(a_tennis_tree(), rows).tree.n_leaves == 3


@given(seed=st.integers(0, 2**32 - 1))
def test_the_root_loses_what_its_prediction_gets_wrong(seed):
    rng = np.random.default_rng(seed)
    schema = a_mixed_schema(rng)
    tree = a_random_tree(rng, schema, n_splits=6)
    table = a_random_table(rng, schema, 50)
    codes = rng.integers(0, tree.n_values, 50).astype(np.int32)
    as_leaf, at_inner = losses_of_nodes(tree, PruningRows(table, codes, None, np.ones(50)))
    wrong = tree.node_class[0] != codes
    assert as_leaf[0] == pytest.approx(tree.class_factor[codes][wrong].sum())
    assert (at_inner <= as_leaf + 1e-9).all()
    assert not at_inner[tree.is_leaf].any()


def test_numbers_are_pruned_by_their_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0) * 5.0 + rng.normal(size=200)
    grown = tw.CARTRegressor(prune=None).fit(X[:100], y[:100])
    pruned = tw.prune(grown, "reduced_error", X[100:], y[100:])
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 5
    assert pruned.score(X[100:], y[100:]) > grown.score(X[100:], y[100:])
    assert pruned.pruning_.measure == "squared error in validation"
