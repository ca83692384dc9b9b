"""Isolation trees: chance alone tells rows apart, and unusual rows are told apart soon."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from treewright._kernels._native import (
    Drawing,
    IsolationSettings,
    draw_rows,
    grow_isolation_trees,
    mean_isolation_depth,
)

NUMERIC, NOMINAL = 0, 1


def settings_for(n_rows: int, n_columns: int, **given: Any) -> IsolationSettings:
    asked = IsolationSettings()
    asked.n_trees = 20
    asked.drawing = Drawing.without_replacement
    asked.n_drawn = n_rows
    asked.max_features = n_columns
    for name, value in given.items():
        setattr(asked, name, value)
    return asked


def mixed_columns(n_rows: int = 400) -> list[tuple[int, np.ndarray, int]]:
    random = np.random.default_rng(1)
    numbers = random.normal(size=n_rows)
    numbers[::9] = np.nan
    numbers[3] = np.inf
    levels = random.integers(-1, 6, n_rows).astype(np.int32)
    return [
        (NUMERIC, numbers, 0),
        (NOMINAL, levels, 6),
        (NUMERIC, random.normal(size=n_rows).astype(np.float32), 0),
    ]


def leaf_of(tree: dict[str, Any], columns: list[tuple[int, np.ndarray, int]], row: int) -> int:
    node = 0
    while tree["n_children"][node]:
        kind, values, _ = columns[tree["feature"][node]]
        value = values[row]
        if np.isnan(value) or (kind == NOMINAL and value < 0):
            child = tree["missing_child"][node]
        elif kind == NUMERIC:
            child = int(value > tree["threshold"][node])
        else:
            start, end = tree["level_start"][node : node + 2]
            met = dict(
                zip(tree["level_code"][start:end], tree["level_child"][start:end], strict=True)
            )
            child = met.get(value, tree["missing_child"][node])
        node = int(tree["first_child"][node] + child)
    return node


def depth_by_node(tree: dict[str, Any]) -> np.ndarray:
    depth = np.zeros(len(tree["kind"]))
    for node, first in enumerate(tree["first_child"]):
        if tree["n_children"][node]:
            depth[first : first + 2] = depth[node] + 1
    return depth


def test_rows_lie_where_the_questions_send_them_and_leaves_hold_their_depth() -> None:
    columns = mixed_columns()
    asked = settings_for(400, 3, n_drawn=256, max_depth=8)
    for number, tree in enumerate(grow_isolation_trees(columns, 400, asked, 2)):
        drawn = np.flatnonzero(draw_rows_of(asked, number))
        found = Counter(leaf_of(tree, columns, row) for row in drawn)
        leaves = np.flatnonzero(tree["n_children"] == 0)
        assert {leaf: tree["n_rows"][leaf] for leaf in leaves} == found
        depth = depth_by_node(tree)
        assert depth.max() <= 8
        for leaf in leaves:
            rest = mean_isolation_depth(tree["weight"][leaf])
            assert tree["value"][leaf, 0] == pytest.approx(depth[leaf] + rest)
        mean = np.average(tree["value"][leaves, 0], weights=tree["weight"][leaves])
        assert tree["value"][0, 0] == pytest.approx(mean)


def draw_rows_of(asked: IsolationSettings, number: int) -> np.ndarray:
    return draw_rows(asked, number, 400)


def test_threads_change_nothing_and_trees_can_be_added_later() -> None:
    columns = mixed_columns()

    def grown(n_threads: int, **given: Any) -> list[bytes]:
        trees = grow_isolation_trees(columns, 400, settings_for(400, 2, **given), n_threads)
        return [b"".join(array.tobytes() for array in tree.values()) for tree in trees]

    whole = grown(1)
    assert grown(2) == whole == grown(3)
    assert grown(2, n_trees=12) + grown(2, n_trees=8, first_tree=12) == whole


def test_a_row_far_from_the_others_is_alone_early() -> None:
    values = np.append(np.random.default_rng(0).normal(size=300), 50.0)
    asked = settings_for(301, 1, n_trees=50)
    trees = grow_isolation_trees([(NUMERIC, values, 0)], 301, asked, 1)
    depths = np.mean(
        [
            [tree["value"][leaf_of(tree, [(0, values, 0)], r), 0] for r in range(301)]
            for tree in trees
        ],
        axis=0,
    )
    assert depths.argmin() == 300


def test_constant_columns_make_a_single_leaf() -> None:
    columns = [(NUMERIC, np.ones(50), 0), (NOMINAL, np.zeros(50, dtype=np.int32), 1)]
    tree = grow_isolation_trees(columns, 50, settings_for(50, 2, n_trees=1), 1)[0]
    assert tree["kind"].tolist() == [0]
    assert tree["value"].tolist() == [[mean_isolation_depth(50)]]


def test_no_child_is_without_rows_beside_the_least_of_numbers() -> None:
    columns = [(NUMERIC, np.repeat([-np.inf, -np.finfo(float).max], 25), 0)]
    for tree in grow_isolation_trees(columns, 50, settings_for(50, 1), 1):
        assert tree["n_rows"].min() > 0


@pytest.mark.parametrize(("n", "depth"), [(0, 0), (1, 0), (2, 1), (256, 10.2448)])
def test_the_mean_depth_of_random_trees_is_that_of_the_paper(n: float, depth: float) -> None:
    assert mean_isolation_depth(n) == pytest.approx(depth, abs=1e-4)
