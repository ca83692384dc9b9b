"""The compiled grower of boosted trees: every split is the best there is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.gradient_tree import GradientProblem, rows_by_node
from treewright._kernels.learners import (
    BinnedTable,
    GradientTreeGrower,
    GradientTreeSettings,
    Loss,
    Renewal,
    TreeGrowth,
    loss_gradients,
)

GROWTHS = [TreeGrowth.leaf, TreeGrowth.level, TreeGrowth.symmetric]
NUMERIC, NOMINAL = 0, 1


def native_table(problem: GradientProblem, n_threads: int = 1) -> BinnedTable:
    columns: list[tuple[int, Any, int]] = [
        (NOMINAL, values.astype(np.int32), int(values.max(initial=0)) + 1)
        if nominal
        else (NUMERIC, values, 0)
        for values, nominal in zip(problem.columns, problem.is_nominal, strict=True)
    ]
    return BinnedTable(columns, len(problem.gradient), None, 255, n_threads)


def native_settings(problem: GradientProblem, **others: Any) -> GradientTreeSettings:
    asked = GradientTreeSettings()
    for name in ("l1", "l2", "min_gain", "min_samples_leaf", "min_child_weight"):
        setattr(asked, name, getattr(problem, name))
    asked.learning_rate = 1.0
    asked.max_leaf_nodes = 1000
    for name, value in others.items():
        setattr(asked, name, value)
    return asked


def grown(
    problem: GradientProblem,
    *,
    n_threads: int = 1,
    folder: str | None = None,
    rows: np.ndarray | None = None,
    told: dict[str, Any] | None = None,
    **others: Any,
) -> tuple[dict[str, Any], np.ndarray]:
    """The arrays of one tree, and the scores that it gives."""
    table = native_table(problem, n_threads)
    grower = GradientTreeGrower(table, native_settings(problem, **others), n_threads, folder)
    trees = grower.no_trees()
    scores = np.zeros(len(problem.gradient))
    hessian = None if (problem.hessian == 1).all() else problem.hessian
    grower.grow(trees, problem.gradient, hessian, rows, scores, **(told or {}))
    return trees.tree(0), scores


def a_problem(seed: int, *, n_rows: int = 40, nominal: float = 0.4) -> GradientProblem:
    """Whole numbers as derivatives, so that nothing is rounded."""
    random = np.random.default_rng(seed)
    columns, is_nominal = [], []
    for _ in range(int(random.integers(1, 4))):
        values = random.integers(0, 6, n_rows).astype(float)
        is_nominal.append(bool(random.random() < nominal))
        values[random.random(n_rows) < 0.1] = -1 if is_nominal[-1] else np.nan
        columns.append(values)
    ones = random.random() < 0.3
    hessian = np.ones(n_rows) if ones else random.integers(1, 9, n_rows).astype(float)
    gradient = random.integers(-20, 21, n_rows).astype(float)
    return GradientProblem(columns, is_nominal, gradient, hessian)


def a_large_problem(n_rows: int = 4000) -> GradientProblem:
    random = np.random.default_rng(7)
    numbers = random.normal(size=(n_rows, 3))
    numbers[random.random((n_rows, 3)) < 0.05] = np.nan
    few, many = random.integers(-1, 9, n_rows), random.integers(-1, 700, n_rows)
    y = 2 * np.nan_to_num(numbers[:, 0]) + (few % 3 == 1) + (many % 5 == 2)
    y = y + random.normal(size=n_rows)
    columns = [*numbers.T.copy(), few.astype(float), many.astype(float)]
    return GradientProblem(
        columns, [False] * 3 + [True] * 2, -y, random.random(n_rows) + 0.1, min_samples_leaf=5
    )


@given(
    st.integers(0, 10_000),
    st.sampled_from([0.0, 1.5]),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.sampled_from([0.0, 4.0]),
)
@settings(max_examples=60, deadline=None)
def test_every_split_of_numbers_is_the_best_of_its_node(seed, l1, l2, min_gain):
    random = np.random.default_rng(seed + 1)
    problem = replace(
        a_problem(seed, nominal=0.0),
        l1=l1,
        l2=l2,
        min_gain=min_gain,
        min_samples_leaf=int(random.integers(1, 6)),
        min_child_weight=float(random.integers(0, 12)),
    )
    assert_best_splits(problem)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_every_split_by_levels_is_the_best_of_all_sets(seed):
    assert_best_splits(a_problem(seed, n_rows=25, nominal=0.8))


def assert_best_splits(problem: GradientProblem) -> None:
    tree, scores = grown(problem)
    rows = rows_by_node(tree, problem)
    for node, here in enumerate(rows):
        best = problem.best_gain(here)
        if tree["n_children"][node] == 0:
            assert best == pytest.approx(0, abs=1e-9 * (1 + problem.worth(here)))
            np.testing.assert_allclose(
                scores[here], problem.prediction(here), rtol=1e-12, atol=1e-12
            )
            assert tree["n_rows"][node] == len(here)
        else:
            first = int(tree["first_child"][node])
            assert problem.gain(rows[first], rows[first + 1]) == pytest.approx(best, rel=1e-9)
            assert tree["score"][node] == pytest.approx(best, rel=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_best_leaf_is_split_next(seed):
    problem = a_problem(seed, n_rows=60, nominal=0.0)
    tree, _ = grown(problem, max_leaf_nodes=5)
    rows = rows_by_node(tree, problem)
    inner = sorted(np.flatnonzero(tree["n_children"]), key=lambda node: tree["first_child"][node])
    open_nodes = {0}
    for node in inner:
        gains = {leaf: problem.best_gain(rows[leaf]) for leaf in open_nodes}
        assert gains[node] == pytest.approx(max(gains.values()), rel=1e-9)
        first = int(tree["first_child"][node])
        open_nodes = open_nodes - {node} | {first, first + 1}


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.name)
@pytest.mark.parametrize(
    "others",
    [
        {},
        {"monotone": [1, 0, -1, 0, 0], "l2": 2.0},
        {"max_features": 0.6, "max_features_node": 0.7, "seed": 3},
        {"interactions": [[0, 3], [1, 2, 4]]},
        {"nominal_l2": 5.0, "nominal_smoothing": 5.0, "min_level_rows": 3.0},
    ],
    ids=["plain", "monotone", "drawn columns", "interactions", "smooth levels"],
)
def test_threads_change_nothing(growth, others):
    problem = a_large_problem(20_000)
    first = grown(problem, growth=growth, max_leaf_nodes=32, **others)
    for n_threads in (2, 3):
        again = grown(problem, growth=growth, max_leaf_nodes=32, n_threads=n_threads, **others)
        assert (again[1] == first[1]).all()
        for name, array in first[0].items():
            np.testing.assert_array_equal(array, again[0][name], err_msg=name)


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.name)
def test_scores_are_the_predictions_of_the_tree_for_rows_drawn_and_not_drawn(growth):
    problem = a_large_problem()
    drawn = np.flatnonzero(np.random.default_rng(0).random(4000) < 0.5).astype(np.uint32)
    tree, scores = grown(problem, growth=growth, rows=drawn, min_level_rows=3.0)
    for node, here in enumerate(rows_by_node(tree, problem)):
        if tree["n_children"][node] == 0:
            assert (scores[here] == tree["value"].reshape(-1)[node]).all()
            assert tree["n_rows"][node] == np.isin(here, drawn).sum()


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.name)
def test_the_order_of_rows_changes_nothing(growth):
    problem = a_problem(3, n_rows=200)
    order = np.random.default_rng(1).permutation(200)
    shuffled = replace(
        problem,
        columns=[values[order] for values in problem.columns],
        gradient=problem.gradient[order],
        hessian=problem.hessian[order],
    )
    _, scores = grown(problem, growth=growth)
    _, again = grown(shuffled, growth=growth)
    assert (scores[order] == again).all()


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.name)
@pytest.mark.parametrize("direction", [1, -1])
def test_predictions_rise_or_fall_with_a_column(growth, direction):
    random = np.random.default_rng(4)
    others = random.normal(size=(30, 3))
    steps = np.linspace(-3, 3, 41)
    grid = np.repeat(others, len(steps), axis=0)
    grid[:, 0] = np.tile(steps, 30)
    x = np.concatenate([random.normal(size=(3000, 3)), grid])
    y = np.sin(4 * x[:, 0]) + x[:, 1] * x[:, 0] + random.normal(size=len(x))
    problem = GradientProblem(list(x.T.copy()), [False] * 3, -y, np.ones(len(x)))
    _, scores = grown(
        problem, growth=growth, monotone=[direction, 0, 0], max_leaf_nodes=64, min_samples_leaf=10
    )
    changes = np.diff(scores[3000:].reshape(30, len(steps)), axis=1) * direction
    assert (changes >= 0).all()
    assert (changes > 0).any()


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.name)
def test_columns_of_a_path_are_in_one_group(growth):
    groups = [[0, 3], [1, 2, 4]]
    tree, _ = grown(a_large_problem(), growth=growth, interactions=groups)
    path: dict[int, set[int]] = {0: set()}
    for node in range(len(tree["kind"])):
        if tree["n_children"][node] == 0:
            assert any(path[node] <= set(group) for group in groups)
            continue
        first = int(tree["first_child"][node])
        path[first] = path[first + 1] = path[node] | {int(tree["feature"][node])}
    assert {0, 3} in path.values()


def test_all_nodes_of_a_symmetric_level_ask_the_same():
    tree, _ = grown(a_large_problem(), growth=TreeGrowth.symmetric, max_leaf_nodes=64)
    depth = {0: 0}
    questions: dict[int, set[Any]] = {}
    for node in np.flatnonzero(tree["n_children"]):
        first = int(tree["first_child"][node])
        depth[first] = depth[first + 1] = depth[node] + 1
        begin, end = tree["level_start"][node], tree["level_start"][node + 1]
        question = (
            int(tree["feature"][node]),
            float(tree["threshold"][node]),
            int(tree["missing_child"][node]),
            tuple(tree["level_code"][begin:end]),
            tuple(tree["level_child"][begin:end]),
        )
        questions.setdefault(depth[node], set()).add(question)
    assert len(questions) == 6
    assert all(len(asked) == 1 for asked in questions.values())


def test_growth_by_level_splits_what_is_nearest_to_the_root():
    tree, _ = grown(a_large_problem(), growth=TreeGrowth.level, max_leaf_nodes=16)
    depth = {0: 0}
    for node in np.flatnonzero(tree["n_children"]):
        first = int(tree["first_child"][node])
        depth[first] = depth[first + 1] = depth[node] + 1
    leaves = np.flatnonzero(tree["n_children"] == 0)
    assert {depth[leaf] for leaf in leaves} == {4}


def test_columns_are_drawn_by_seed_and_tree():
    problem = a_large_problem()

    def columns_of(**others: Any) -> set[int]:
        tree, _ = grown(problem, max_features=0.4, **others)
        return set(tree["feature"][tree["n_children"] > 0].tolist())

    assert all(len(columns_of(seed=seed)) <= 2 for seed in range(5))
    assert columns_of(seed=1) == columns_of(seed=1)
    assert len({frozenset(columns_of(seed=1, first_tree=tree)) for tree in range(12)}) > 1


def test_rare_levels_go_where_missing_values_go():
    problem = a_large_problem()
    tree, _ = grown(problem, min_level_rows=20.0, interactions=[[3], [4]])
    rows = rows_by_node(tree, problem)
    for node in np.flatnonzero(tree["n_children"]):
        column = int(tree["feature"][node])
        values = problem.columns[column][rows[node]]
        begin, end = tree["level_start"][node], tree["level_start"][node + 1]
        weight = problem.hessian[rows[node]]
        if len(np.unique(values[values >= 0])) > 4:
            for level in tree["level_code"][begin:end]:
                assert weight[values == level].sum() >= 19 * weight.mean()


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_leaves_are_renewed_by_the_quantile_of_residuals(q, weighted):
    problem = a_large_problem(501)
    random = np.random.default_rng(2)
    weight = random.integers(1, 4, 501).astype(float) if weighted else np.ones(501)
    target = random.normal(size=501).round(1)
    told = {"target": target, "renewal": Renewal.quantile, "renewal_parameter": q}
    if weighted:
        told["weight"] = weight
    tree, scores = grown(problem, max_leaf_nodes=6, told=told)
    for node, here in enumerate(rows_by_node(tree, problem)):
        if tree["n_children"][node] == 0:
            each = np.repeat(target[here], weight[here].astype(int))
            expected = np.quantile(each, q, method="averaged_inverted_cdf")
            assert scores[here] == pytest.approx(expected, abs=1e-12)
            assert tree["weight"][node] == weight[here].sum()


def test_leaves_of_huber_loss_are_renewed_by_friedmans_step():
    problem = a_large_problem(500)
    target = np.random.default_rng(2).standard_t(2, 500)
    told = {"target": target, "renewal": Renewal.huber, "renewal_parameter": 0.7}
    tree, scores = grown(problem, max_leaf_nodes=6, told=told)
    for node, here in enumerate(rows_by_node(tree, problem)):
        if tree["n_children"][node] == 0:
            middle = np.median(target[here])
            step = np.clip(target[here] - middle, -0.7, 0.7).mean()
            assert scores[here] == pytest.approx(middle + step, abs=1e-12)


def test_large_numbers_and_weights_of_all_sizes_keep_their_digits():
    random = np.random.default_rng(5)
    x = random.integers(0, 50, 2000).astype(float)
    weight = 10.0 ** random.uniform(-3, 6, 2000)
    y = 1e12 + 3e13 * (x > 20) + random.normal(size=2000)
    problem = GradientProblem([x], [False], -y * weight, weight)
    tree, scores = grown(problem, max_leaf_nodes=2)
    for side in (x <= 20, x > 20):
        assert scores[side] == pytest.approx(np.average(y[side], weights=weight[side]), rel=1e-12)
    assert 20 <= tree["threshold"][0] < 21


def test_a_table_without_columns_or_with_one_row_gives_a_leaf():
    tree, scores = grown(GradientProblem([], [], np.array([-2.0, -4.0]), np.ones(2)))
    assert len(tree["kind"]) == 1
    assert scores.tolist() == [3.0, 3.0]
    tree, scores = grown(GradientProblem([np.array([1.0])], [False], np.array([5.0]), np.ones(1)))
    assert scores.tolist() == [-5.0]


def test_more_than_65535_leaves_are_counted():
    n_rows = 70_000
    codes = np.arange(n_rows, dtype=float)
    high, low = np.divmod(codes, 255)
    problem = GradientProblem(
        [high // 255, high % 255, low], [False] * 3, codes * 7919 % 251 - 125, np.ones(n_rows)
    )
    tree, scores = grown(problem, max_leaf_nodes=n_rows)
    assert (tree["n_children"] == 0).sum() > 65_535
    assert np.mean(scores == -problem.gradient) > 0.9


def test_second_derivatives_of_the_logistic_loss_follow_from_the_first():
    problem = a_large_problem()
    y = (problem.gradient > 0).astype(np.float64)
    scores = np.random.default_rng(3).normal(size=len(y)) * 4
    first, second = np.empty(len(y)), np.empty(len(y))
    loss_gradients(Loss.logistic, 0.0, y, scores, None, first, second, 1)
    expected, given = grown(replace(problem, gradient=first, hessian=second))
    ones = np.ones(len(y))
    tree, same = grown(replace(problem, gradient=first, hessian=ones), told={"logistic": True})
    assert tree["feature"].tolist() == expected["feature"].tolist()
    np.testing.assert_allclose(same, given, rtol=1e-12)
    with pytest.raises(ValueError, match="logistic"):
        grown(replace(problem, gradient=first, hessian=second), told={"logistic": True})


@pytest.mark.parametrize(("loss", "n_scores"), [(Loss.logistic, 1), (Loss.multinomial, 3)])
def test_losses_of_classes_take_codes_as_they_take_numbers(loss, n_scores):
    random = np.random.default_rng(5)
    codes = random.integers(0, max(2, n_scores), 500).astype(np.int32)
    scores = random.normal(size=(n_scores, 500))
    given = []
    for y in (codes, codes.astype(np.float64)):
        first, second = np.empty(scores.shape), np.empty(scores.shape)
        loss_gradients(loss, 0.0, y, scores, None, first, second, 2)
        given.append((first.tobytes(), second.tobytes()))
    assert given[0] == given[1]


def test_losses_of_numbers_refuse_codes():
    empty = np.empty(2)
    with pytest.raises((TypeError, ValueError)):
        loss_gradients(Loss.poisson, 0.0, np.zeros(2, np.int32), empty, None, empty, empty, 1)


def test_settings_that_cannot_be_kept_are_refused():
    problem = a_large_problem(100)
    for others in ({"monotone": [0, 0, 0, 1, 0]}, {"monotone": [1]}, {"interactions": [[9]]}):
        with pytest.raises(ValueError, match=r"monotone|interactions"):
            grown(problem, **others)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_rows_in_a_file_grow_the_same_tree(tmp_path, n_threads):
    problem = a_large_problem(300_000)  # 2.4 MB of rows; less stays in memory
    tree, scores = grown(problem, n_threads=n_threads)
    same, same_scores = grown(problem, n_threads=n_threads, folder=str(tmp_path))
    assert all(np.array_equal(values, same[name]) for name, values in tree.items())
    assert np.array_equal(scores, same_scores)
    assert not list(tmp_path.iterdir())
    with pytest.raises(OSError, match="no room for 2400000 bytes"):
        grown(problem, folder=str(tmp_path / "none"))


def test_a_table_can_be_cut_as_that_of_trees_was():
    problem = a_large_problem()
    columns = [(NUMERIC, problem.columns[0], 0)]
    table = BinnedTable(columns, 4000, None, 16, 1)
    grower = GradientTreeGrower(table, native_settings(problem), 1)
    trees = grower.no_trees()
    scores = np.zeros(4000)
    grower.grow(trees, problem.gradient, None, None, scores)
    half = BinnedTable([(NUMERIC, problem.columns[0][::2].copy(), 0)], 2000, None, 255, 1, trees)
    again = GradientTreeGrower(half, native_settings(problem), 1)
    more, half_scores = again.no_trees(), np.zeros(2000)
    again.grow(more, problem.gradient[::2].copy(), None, None, half_scores)
    cuts = set(trees.tree(0)["threshold"]) | {0.0}
    assert len(cuts) <= 16
    assert set(more.tree(0)["threshold"]) <= set(np.union1d(list(cuts), list(cuts)))
    with pytest.raises(ValueError, match="like"):
        BinnedTable([(NOMINAL, np.zeros(3, np.int32), 1)], 3, None, 255, 1, trees)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("exponent", [-1000, -600, -510, 510, 600, 1000])
def test_derivatives_of_any_size_give_the_same_splits(growth: TreeGrowth, exponent: int) -> None:
    problem = a_large_problem(500)
    usual, _ = grown(problem, growth=growth, max_leaf_nodes=8)
    gradient = np.ldexp(problem.gradient, exponent)
    found, scores = grown(replace(problem, gradient=gradient), growth=growth, max_leaf_nodes=8)
    for name in ("kind", "feature", "threshold", "first_child", "n_rows"):
        assert np.array_equal(found[name], usual[name]), name
    assert len(found["kind"]) > 1
    assert np.isfinite(scores).all()
    assert np.isfinite(found["gain"]).all()
