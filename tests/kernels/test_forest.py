"""The compiled forest grower: every split is the best there is, whatever threads grew it."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.forest_reference import ForestProblem
from treewright._kernels._native import (
    BinnedTable,
    Drawing,
    ForestSettings,
    PackedTrees,
    add_out_of_bag,
    draw_rows,
    grow_forest,
)
from treewright.tree.layout import INTERVALS

NUMERIC, NOMINAL = 0, 1


def a_problem(random: np.random.Generator, measure: str, *, weighted: bool) -> ForestProblem:
    """Few rows with few values, holes and levels."""
    n_rows = int(random.integers(2, 14))
    columns: list[list[float | None]] = []
    is_nominal = []
    for _ in range(int(random.integers(1, 4))):
        values: list[float | None] = [float(v) for v in random.integers(0, 5, n_rows)]
        for row in range(n_rows):
            if random.random() < 0.15:
                values[row] = None
        columns.append(values)
        is_nominal.append(bool(random.random() < 0.5))
    if measure == "squared_error":
        target = random.integers(-5, 6, n_rows).astype(float).tolist()
    else:
        target = random.integers(0, random.integers(2, 5), n_rows).astype(float).tolist()
    weight = random.integers(1, 5, n_rows).astype(float).tolist() if weighted else [1.0] * n_rows
    # The best set of levels is a cut of their order; the best of those with enough rows may not be.
    least = 1 if any(is_nominal) else int(random.integers(1, 3))
    return ForestProblem(columns, is_nominal, target, weight, measure, least)


def native_columns(problem: ForestProblem) -> list[tuple[int, Any, int]]:
    out: list[tuple[int, Any, int]] = []
    for values, nominal in zip(problem.columns, problem.is_nominal, strict=True):
        if nominal:
            codes = [-1 if value is None else int(value) for value in values]
            out.append((NOMINAL, np.array(codes, dtype=np.int32), 5))
        else:
            out.append((NUMERIC, np.array(values, dtype=float), 0))
    return out


def forest_of(
    problem: ForestProblem, *, weighted: bool, n_threads: int = 1, **given: Any
) -> PackedTrees:
    n_rows = len(problem.target)
    table = BinnedTable(native_columns(problem), n_rows, None, 255, 1)
    asked = ForestSettings()
    asked.n_trees = 1
    asked.drawing = Drawing.all_rows
    asked.max_features = len(problem.columns)
    asked.min_samples_leaf = problem.least
    asked.entropy = problem.measure == "entropy"
    for name, value in given.items():
        setattr(asked, name, value)
    weight = np.array(problem.weight) if weighted else None
    numbers = problem.measure == "squared_error"
    target = np.array(problem.target, dtype=float if numbers else np.int32)
    n_classes = 0 if numbers else int(max(problem.target)) + 1
    return grow_forest(table, target, weight, n_classes, asked, n_threads)


def rows_by_node(problem: ForestProblem, tree: dict[str, Any]) -> dict[int, list[int]]:
    """Training rows of each node, by the questions of the tree."""
    rows: dict[int, list[int]] = defaultdict(list)
    for row in range(len(problem.target)):
        node = 0
        rows[node].append(row)
        while tree["n_children"][node]:
            node = int(tree["first_child"][node] + child_of(problem, tree, node, row))
            rows[node].append(row)
    return rows


def child_of(problem: ForestProblem, tree: dict[str, Any], node: int, row: int) -> int:
    column = tree["feature"][node]
    value = problem.columns[column][row]
    if value is None:
        return int(tree["missing_child"][node])
    if tree["kind"][node] == INTERVALS:
        return 0  # without cuts: whether there is a value
    if not problem.is_nominal[column]:
        return int(value > tree["threshold"][node])
    start, end = tree["level_start"][node : node + 2]
    codes = tree["level_code"][start:end].tolist()
    return int(tree["level_child"][start + codes.index(int(value))])


@pytest.mark.parametrize("measure", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("weighted", [False, True])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_split_gains_as_much_as_the_best_of_all_splits(
    measure: str, weighted: bool, seed: int
) -> None:
    problem = a_problem(np.random.default_rng(seed), measure, weighted=weighted)
    tree = forest_of(problem, weighted=weighted).tree(0)
    for node, rows in rows_by_node(problem, tree).items():
        best = problem.best_gain(rows)
        pure = len({problem.target[row] for row in rows}) == 1
        if tree["n_children"][node] == 0:
            assert pure or best is None or len(rows) < 2 * problem.least
            continue
        weight = sum(problem.weight[row] for row in rows)
        assert best is not None
        assert tree["gain"][node] * weight == pytest.approx(best, rel=1e-5, abs=1e-6)
        assert tree["weight"][node] == weight
        assert tree["n_rows"][node] == len(rows)


def a_large_table(n_rows: int = 3000) -> tuple[BinnedTable, np.ndarray, np.ndarray]:
    """Numbers with holes, a few levels and very many levels; classes and numbers to predict."""
    random = np.random.default_rng(5)
    numbers = random.normal(size=(n_rows, 4))
    numbers[random.random((n_rows, 4)) < 0.1] = np.nan
    few = random.integers(-1, 20, n_rows).astype(np.int32)
    many = random.integers(-1, 700, n_rows).astype(np.int32)
    columns = [(NUMERIC, numbers[:, c].copy(), 0) for c in range(4)]
    columns += [(NOMINAL, few, 20), (NOMINAL, many, 700)]
    signal = np.nan_to_num(numbers[:, 0]) + (few % 3) + (many % 7 > 3)
    signal += random.normal(scale=0.3, size=n_rows)
    classes = np.digitize(signal, np.quantile(signal, [0.4, 0.7])).astype(np.int32)
    return BinnedTable(columns, n_rows, None, 255, 1), classes, signal


def some_settings(**given: Any) -> ForestSettings:
    asked = ForestSettings()
    asked.n_trees = 6
    asked.n_drawn = 3000
    asked.max_features = 2
    for name, value in given.items():
        setattr(asked, name, value)
    return asked


def arrays_of(trees: PackedTrees) -> bytes:
    return b"".join(
        array.tobytes() for at in range(trees.n_trees) for array in trees.tree(at).values()
    )


@pytest.mark.parametrize("given_settings", [{}, {"random_cuts": True}, {"max_leaf_nodes": 30}])
@pytest.mark.parametrize("kind", ["classes", "two classes", "numbers", "weights"])
def test_threads_change_nothing(kind: str, given_settings: dict[str, Any]) -> None:
    table, classes, numbers = a_large_table()
    target: np.ndarray = numbers if kind == "numbers" else classes
    if kind == "two classes":
        target = np.minimum(classes, 1)
    n_classes = 0 if kind == "numbers" else int(target.max()) + 1
    weight = np.linspace(0.1, 3, len(classes)) if kind == "weights" else None
    asked = some_settings(**given_settings)
    forests = [grow_forest(table, target, weight, n_classes, asked, n) for n in (1, 2, 3)]
    assert len({arrays_of(forest) for forest in forests}) == 1


def test_a_forest_grows_on_as_if_it_had_been_grown_at_once() -> None:
    table, classes, _ = a_large_table()
    whole = grow_forest(table, classes, None, 3, some_settings(), 2)
    begun = grow_forest(table, classes, None, 3, some_settings(n_trees=4), 2)
    begun.append(grow_forest(table, classes, None, 3, some_settings(n_trees=2, first_tree=4), 2))
    assert arrays_of(begun) == arrays_of(whole)


def test_another_seed_gives_another_forest() -> None:
    table, classes, _ = a_large_table()
    forests = [grow_forest(table, classes, None, 3, some_settings(seed=s), 1) for s in (0, 1)]
    assert arrays_of(forests[0]) != arrays_of(forests[1])


@pytest.mark.parametrize("most", [1, 2, 17])
def test_leaves_are_limited_and_the_largest_gains_come_first(most: int) -> None:
    table, _, numbers = a_large_table()
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=6)
    asked.max_leaf_nodes = most
    few = grow_forest(table, numbers, None, 0, asked, 1).tree(0)
    assert np.sum(few["n_children"] == 0) == most
    asked.max_leaf_nodes = 200
    many = grow_forest(table, numbers, None, 0, asked, 1).tree(0)
    gains = np.sort((many["gain"] * many["weight"])[many["n_children"] > 0])[::-1]
    total = np.sum((few["gain"] * few["weight"])[few["n_children"] > 0])
    assert total <= np.sum(gains[: most - 1]) * (1 + 1e-6)


def test_limits_on_depth_rows_and_gain_are_kept() -> None:
    table, classes, _ = a_large_table()
    asked = some_settings(max_depth=3, min_samples_leaf=40, min_samples_split=200, min_gain=0.01)
    forest = grow_forest(table, classes, None, 3, asked, 2)
    for tree in map(forest.tree, range(forest.n_trees)):
        inner = tree["n_children"] > 0
        assert len(inner) <= 15
        assert tree["n_rows"][~inner].min() >= 40
        assert tree["n_rows"][inner].min(initial=200) >= 200
        assert tree["gain"][inner].min(initial=1) > 0.01


def test_columns_of_very_many_levels_are_split_by_sets_of_them() -> None:
    codes = np.random.default_rng(2).permutation(5000).astype(np.int32) % 1000
    classes = (codes % 2).astype(np.int32)
    table = BinnedTable([(NOMINAL, codes, 1000)], 5000, None, 255, 1)
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=1)
    tree = grow_forest(table, classes, None, 2, asked, 1).tree(0)
    assert tree["n_children"].tolist() == [2, 0, 0]
    assert sorted(tree["level_code"]) == sorted(set(codes.tolist()))
    assert len(set(tree["level_child"][tree["level_code"] % 2 == 0].tolist())) == 1


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_leaves_hold_the_least_share_of_the_drawn_weight(kind: str) -> None:
    table, classes, numbers = a_large_table()
    weight = np.linspace(0.1, 3, len(classes))
    asked = some_settings(min_weight_fraction_leaf=0.03)
    target, n_classes = (classes, 3) if kind == "classes" else (numbers, 0)
    forest = grow_forest(table, target, weight, n_classes, asked, 1)
    for tree in map(forest.tree, range(forest.n_trees)):
        least = tree["weight"][tree["n_children"] == 0].min()
        assert 0.03 <= least / tree["weight"][0] < 0.06


def test_thousands_of_classes_are_told_apart() -> None:
    classes = np.arange(6000, dtype=np.int32) % 3000
    columns = [(NUMERIC, (classes // step % 20).astype(float), 0) for step in (1, 20, 400)]
    table = BinnedTable([*columns, *columns], 6000, None, 255, 1)
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=6)
    tree = grow_forest(table, classes, None, 3000, asked, 1).tree(0)
    leaves = tree["value"][tree["n_children"] == 0]
    assert len(leaves) == 3000
    assert np.all(np.count_nonzero(leaves, axis=1) == 1)


def test_levels_of_too_few_rows_go_with_missing_values() -> None:
    random = np.random.default_rng(4)
    codes = np.minimum(random.geometric(0.02, 4000) - 1, 899).astype(np.int32)
    codes[:300] = -1
    classes = random.integers(0, 3, 4000).astype(np.int32)
    table = BinnedTable([(NOMINAL, codes, 900)], 4000, None, 255, 1)
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=1, min_level_rows=12)
    tree = grow_forest(table, classes, None, 3, asked, 1).tree(0)
    met = tree["level_code"][: tree["level_start"][1]]
    assert sorted(met) == np.flatnonzero(np.bincount(codes[codes >= 0]) >= 12).tolist()
    rest = 4000 - np.isin(codes, met).sum()
    child = tree["first_child"][0] + tree["missing_child"][0]
    inside = np.isin(codes, met[tree["level_child"][: len(met)] == tree["missing_child"][0]]).sum()
    assert tree["n_rows"][child] == inside + rest


def test_splits_without_gain_are_taken_unless_a_gain_is_asked_for() -> None:
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    classes = np.array([0, 1, 1, 0], dtype=np.int32)
    table = BinnedTable([(NUMERIC, x[:, c].copy(), 0) for c in (0, 1)], 4, None, 255, 1)
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=2)
    assert len(grow_forest(table, classes, None, 2, asked, 1).tree(0)["kind"]) == 7
    asked.min_gain = 0.0
    assert len(grow_forest(table, classes, None, 2, asked, 1).tree(0)["kind"]) == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e12, 1e150])
def test_targets_of_any_size_are_told_apart(scale: float, weighted: bool) -> None:
    x = np.arange(40, dtype=float)
    y = np.where(x < 20, 0, 1000) + np.floor(x / 5)
    table = BinnedTable([(NUMERIC, x, 0)], 40, None, 255, 1)
    weight = np.where(x % 2 == 0, 1e-3, 1e3) if weighted else None
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=1)
    tree = grow_forest(table, y * scale, weight, 0, asked, 1).tree(0)
    leaves = tree["n_children"] == 0
    assert sorted(tree["value"][leaves, 0]) == pytest.approx(sorted(set(y * scale)), rel=1e-12)


def test_small_differences_beside_huge_targets_are_found() -> None:
    x = np.arange(1000, dtype=float)
    y = np.where(x < 500, 1e12, -1e12) + np.floor(x / 100) % 5
    table = BinnedTable([(NUMERIC, x, 0)], 1000, None, 255, 1)
    asked = some_settings(drawing=Drawing.all_rows, n_trees=1, max_features=1)
    asked.min_samples_leaf = 20
    tree = grow_forest(table, y, None, 0, asked, 1).tree(0)
    assert np.sum(tree["n_children"] == 0) >= 10


@pytest.mark.parametrize("way", [Drawing.with_replacement, Drawing.without_replacement])
@pytest.mark.parametrize("n_drawn", [30, 500])
def test_drawn_rows_are_as_many_as_asked_and_the_same_each_time(way: Drawing, n_drawn: int) -> None:
    asked = some_settings(drawing=way, n_drawn=n_drawn)
    drawn = draw_rows(asked, 3, 500)
    assert drawn.sum() == n_drawn
    assert np.array_equal(drawn, draw_rows(asked, 3, 500))
    assert n_drawn == 500 or not np.array_equal(drawn, draw_rows(asked, 4, 500))
    if way == Drawing.without_replacement:
        assert drawn.max() == 1


def test_drawn_rows_are_those_that_the_leaves_hold() -> None:
    table, classes, _ = a_large_table()
    forest = grow_forest(table, classes, None, 3, some_settings(), 1)
    for at in range(forest.n_trees):
        drawn = draw_rows(some_settings(), at, 3000)
        by_class = np.bincount(classes, weights=drawn, minlength=3)
        assert forest.tree(at)["value"][0].tolist() == by_class.tolist()


@pytest.mark.parametrize("hard", [False, True])
def test_out_of_bag_sums_count_the_trees_that_did_not_draw_a_row(hard: bool) -> None:
    table, classes, _ = a_large_table()
    asked = some_settings(n_trees=40)
    forest = grow_forest(table, classes, None, 3, asked, 2)
    results = []
    for n_threads in (1, 3):
        sums, n_trees = np.zeros((3000, 3)), np.zeros(3000, dtype=np.uint32)
        add_out_of_bag(forest, table, asked, hard, sums, n_trees, n_threads)
        results.append((sums.tobytes(), n_trees.tobytes()))
    assert results[0] == results[1]
    left_out = sum((draw_rows(asked, at, 3000) == 0).astype(int) for at in range(40))
    assert np.array_equal(n_trees, left_out)
    assert sums.sum(axis=1) == pytest.approx(n_trees)
    assert np.mean(sums.argmax(axis=1) == classes) > 0.65
