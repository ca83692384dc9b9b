"""Exact growth that draws columns at each node."""

import numpy as np
import pytest

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.tree.tree import Tree

N_ROWS = 12_000  # so many that subtrees are handed over to threads


def a_problem(task: str) -> tuple[Table, ClassTarget | NumericTarget]:
    """Numbers with many values, two-valued ones and levels; every column says something."""
    random = np.random.default_rng(3)
    numbers = random.normal(size=(N_ROWS, 4))
    flags = random.integers(0, 2, (N_ROWS, 3))
    codes = random.integers(-1, 5, N_ROWS).astype(np.int32)
    columns = [NumericColumn(f"x{c}", numbers[:, c].copy()) for c in range(4)]
    columns += [NumericColumn(f"f{c}", flags[:, c].astype(float)) for c in range(3)]
    table = Table((*columns, NominalColumn("level", codes, tuple("abcde"))))
    signal = numbers.sum(axis=1) + flags.sum(axis=1) + codes
    if task == "classes":
        classes = (signal > np.median(signal)).astype(np.int32)
        return table, ClassTarget(classes, np.array([0, 1]))
    return table, NumericTarget(signal)


def grown(task: str, n_threads: int = 1, **settings: object) -> Tree:
    table, target = a_problem(task)
    criterion = "gini" if task == "classes" else "squared_error"
    given = {"criterion": criterion, "missing": "learned", "min_samples_leaf": 20, **settings}
    return grow_tree(table, target, None, GrowthSettings(**given), n_threads)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_threads_change_nothing(task: str) -> None:
    trees = [grown(task, n_threads, max_features=2, seed=7) for n_threads in (1, 2, 3)]
    assert len({tree.threshold.tobytes() + tree.feature.tobytes() for tree in trees}) == 1


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_all_columns_drawn_is_the_ordinary_tree(task: str) -> None:
    ordinary, drawn = grown(task), grown(task, max_features=8, seed=7)
    assert np.array_equal(ordinary.threshold, drawn.threshold)
    assert np.array_equal(ordinary.feature, drawn.feature)


def test_one_column_drawn_uses_all_columns_about_equally_often() -> None:
    tree = grown("classes", max_features=1, seed=1)
    used = np.bincount(tree.feature[tree.feature >= 0], minlength=8)
    assert used[:4].min() > 0.4 * used[:4].max()
    assert used.min() > 0


def test_the_seed_decides() -> None:
    roots = {
        int(grown("classes", max_features=1, seed=s, max_depth=1).feature[0]) for s in range(12)
    }
    assert len(roots) > 2
