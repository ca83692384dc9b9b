"""The compiled ensembles take nothing that does not fit, and give up no thread for ever."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from treewright._kernels.learners import (
    BinnedTable,
    ForestSettings,
    GradientTreeGrower,
    GradientTreeSettings,
    LeafPrediction,
    PackedTrees,
    add_out_of_bag,
    grow_forest,
)

X = np.random.default_rng(0).normal(size=(300, 2))
CLASSES = (X[:, 0] > 0).astype(np.int32)


def a_table(shift: float = 0.0) -> BinnedTable:
    return BinnedTable([(0, X[:, i] + shift, 0) for i in range(2)], 300, None, 255, 1)


def a_wide_table() -> BinnedTable:
    codes = np.arange(300, dtype=np.int32)
    return BinnedTable([(1, codes, 300), (0, X[:, 1].copy(), 0)], 300, None, 255, 1)


def a_forest(table: BinnedTable, n_trees: int = 3) -> PackedTrees:
    asked = ForestSettings()
    asked.n_trees = n_trees
    return grow_forest(table, CLASSES, None, 2, asked, 1)


def a_boosted_pair(table: BinnedTable) -> tuple[GradientTreeGrower, PackedTrees]:
    grower = GradientTreeGrower(table, GradientTreeSettings(), 1)
    trees = grower.no_trees()
    grower.grow(trees, -X[:, 0].copy(), None, None, np.zeros(300))
    return grower, trees


@pytest.mark.parametrize("shape", [(300, 0), (), (300, 1), (299,)])
def test_targets_of_a_forest_are_one_for_each_row(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="target: one value per row"):
        grow_forest(a_table(), np.zeros(shape, np.int32), None, 2, ForestSettings(), 1)


def test_weights_whose_sum_is_infinite_are_refused() -> None:
    with pytest.raises(ValueError, match="weight: the sum is too large"):
        grow_forest(a_table(), CLASSES, np.full(300, 1e307), 2, ForestSettings(), 1)


@pytest.mark.parametrize("other", [a_table(1.0), a_wide_table()])
def test_a_table_of_other_bins_fits_no_tree(other: BinnedTable) -> None:
    forest = a_forest(a_table())
    with pytest.raises(ValueError, match="other bins"):
        add_out_of_bag(
            forest, other, ForestSettings(), False, np.zeros((300, 2)), np.zeros(300, np.uint32), 1
        )
    with pytest.raises(ValueError, match="other bins"):
        forest.add_values(other, np.zeros((300, 2)), 1, LeafPrediction.shares, 0, 3)
    with pytest.raises(ValueError, match="other bins"):
        forest.append(a_forest(other))
    grower, _ = a_boosted_pair(other)
    _, trees = a_boosted_pair(a_table())
    with pytest.raises(ValueError, match="other bins"):
        grower.grow(trees, X[:, 0].copy(), None, None, np.zeros(300))


def test_a_boosted_tree_joins_no_forest_of_classes() -> None:
    grower, _ = a_boosted_pair(a_table())
    with pytest.raises(ValueError, match="trees: of another kind"):
        grower.grow(a_forest(a_table()), X[:, 0].copy(), None, None, np.zeros(300))


def test_trees_can_be_appended_to_themselves() -> None:
    table = a_table()
    forest = a_forest(table)
    once, twice = np.zeros((300, 2)), np.zeros((300, 2))
    forest.add_values(table, once, 1, LeafPrediction.vote, 0, 3)
    forest.append(forest)
    forest.add_values(table, twice, 1, LeafPrediction.vote, 0, 6)
    assert np.array_equal(twice, 2 * once)


def test_trees_may_be_changed_while_others_predict_with_them() -> None:
    table = a_table()
    _, trees = a_boosted_pair(table)
    right = np.zeros((300, 1))
    trees.add_values(X, right, 1, LeafPrediction.value, 0, 1)
    wrong: list[np.ndarray] = []

    def predict() -> None:
        for _ in range(200):
            out = np.zeros((300, 1))
            trees.add_values(X, out, 2, LeafPrediction.value, 0, 1)
            if not (np.array_equal(out, right) or np.array_equal(out, 2 * right)):
                wrong.append(out)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        trees.scale(0, 2.0)
        trees.scale(0, 0.5)
        trees.append(trees.head(1))
    for thread in threads:
        thread.join(timeout=60)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)
    assert trees.n_trees == 201


FORKED = textwrap.dedent("""
    import os, threading, warnings
    import numpy as np
    from test_borders import CLASSES, X, a_forest, a_table
    from treewright._kernels.learners import LeafPrediction

    warnings.simplefilter("ignore")
    forest, rows = a_forest(a_table()), np.tile(X, (200, 1))
    done = threading.Event()

    def predict():
        while not done.is_set():
            forest.add_values(rows, np.zeros((len(rows), 2)), 2, LeafPrediction.shares, 0, 3)

    thread = threading.Thread(target=predict)
    thread.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            forest.add_values(rows, np.zeros((len(rows), 2)), 2, LeafPrediction.vote, 0, 3)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_forked_during_a_prediction_predicts() -> None:
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, *sys.path])
    subprocess.run(
        [sys.executable, "-c", FORKED],
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )
