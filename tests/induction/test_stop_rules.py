"""Stop rules: a limited tree is the top of the unlimited one, cut exactly where the rule says."""

import heapq
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import treewright as tw
from contracts.test_core_matches_reference import settings_of, table_of, target_of
from contracts.test_growth_properties import without_holes
from reference.random_problems import any_classification, longer_problem
from treewright._kernels.short_cuts import left_out
from treewright.induction.growth import grow_tree
from treewright.tree.layout import LEAF, STOP_REASONS

seeds = st.integers(0, 2**32 - 1)


def grown(seed, **settings):
    """A tree of some depth on forty rows; every seed has its own measure and kind of split."""
    problem = longer_problem(seed, any_classification, 40)
    problem = replace(problem, columns=tuple(map(without_holes, problem.columns)))
    free = {
        "max_depth": 6,
        "min_gain": None,
        "min_samples_leaf": 1,
        "min_samples_split": 2,
        "min_weight_fraction_leaf": 0.0,
    }
    if problem.settings.criterion == "cost_gini":  # whose splits can lose
        free["criterion"] = "gini"
    chosen = replace(settings_of(problem), **(free | settings))
    weights = np.array([float(weight) for weight in problem.weights])
    return grow_tree(table_of(problem), target_of(problem), weights, chosen)


def side_by_side(limited, full):
    """Pairs of the same node in both trees, from the root."""
    waiting = [(0, 0)]
    while waiting:
        node, twin = waiting.pop()
        yield node, twin
        if limited.kind[node] != LEAF:
            assert limited.feature[node] == full.feature[twin]
            n_children = int(limited.n_children[node])
            first, first_twin = int(limited.first_child[node]), int(full.first_child[twin])
            waiting += [(first + at, first_twin + at) for at in range(n_children)]


def cut_leaves(limited, full):
    """(limited's leaf, full's node) where only the full tree goes on."""
    return [
        (node, twin)
        for node, twin in side_by_side(limited, full)
        if limited.kind[node] == LEAF and full.kind[twin] != LEAF
    ]


def reason(tree, node):
    return STOP_REASONS[tree.stop_reason[node]]


def p_value(tree, node):
    first = int(tree.first_child[node])
    table = tree.value[first : first + int(tree.n_children[node])]
    table = table[np.ix_(table.any(axis=1), table.any(axis=0))]
    return chi2_contingency(table, correction=False).pvalue


@given(seed=seeds, depth=st.integers(1, 5))
def test_max_depth_cuts_at_that_depth(seed, depth):
    limited, full = grown(seed, max_depth=depth), grown(seed)
    assert limited.depth == min(depth, full.depth)
    for node, _ in cut_leaves(limited, full):
        assert limited.node_depth[node] == depth
        assert reason(limited, node) == "max_depth"


@given(seed=seeds, least=st.sampled_from([3, 6, 12]))
def test_min_samples_split_cuts_nodes_with_fewer_rows(seed, least):
    limited, full = grown(seed, min_samples_split=least), grown(seed)
    assert (limited.n_rows[limited.kind != LEAF] >= least).all()
    for node, _ in cut_leaves(limited, full):
        assert limited.n_rows[node] < least
        assert reason(limited, node) == "min_samples_split"


@given(seed=seeds, min_gain=st.sampled_from([0.0, 0.05, 0.2]))
def test_min_gain_cuts_splits_that_gain_no_more(seed, min_gain):
    limited, full = grown(seed, min_gain=min_gain), grown(seed)
    assert (limited.gain[limited.kind != LEAF] > min_gain).all()
    if full.score[0] == pytest.approx(full.gain[0]):  # a gain ratio may pick another column
        for node, twin in cut_leaves(limited, full):
            assert full.gain[twin] <= min_gain + 1e-12
            assert reason(limited, node) == "min_gain"


@given(seed=seeds, significance=st.sampled_from([0.001, 0.05, 0.3]))
def test_significance_cuts_splits_that_chance_explains(seed, significance):
    limited, full = grown(seed, significance=significance), grown(seed)
    for node in np.flatnonzero(limited.kind != LEAF):
        assert p_value(limited, node) <= significance + 1e-9
    for node, twin in cut_leaves(limited, full):
        assert p_value(full, twin) > significance - 1e-9
        assert reason(limited, node) == "significance"


def best_first(full, n_splits):
    """The nodes that are split first when the largest gain x weight goes first."""
    open_nodes, taken = [], set()

    def push(node):
        if full.kind[node] != LEAF:
            heapq.heappush(open_nodes, (-full.gain[node] * full.weight[node], node))

    push(0)
    while open_nodes and len(taken) < n_splits:
        _, node = heapq.heappop(open_nodes)
        taken.add(node)
        first = int(full.first_child[node])
        for child in range(first, first + int(full.n_children[node])):
            push(child)
    return taken


@given(seed=seeds, most=st.integers(0, 9))
def test_max_splits_takes_the_best_splits_first(seed, most):
    limited, full = grown(seed, max_splits=most), grown(seed)
    n_inner = int((full.kind != LEAF).sum())
    assert (limited.kind != LEAF).sum() == min(most, n_inner)
    gains = np.sort(full.gain[full.kind != LEAF] * full.weight[full.kind != LEAF])
    if (np.diff(gains) > 1e-9).all():  # no two splits tie
        split = {twin for node, twin in side_by_side(limited, full) if limited.kind[node] != LEAF}
        assert split == best_first(full, most)
    for node, _ in cut_leaves(limited, full):
        assert reason(limited, node) == "max_splits"


@given(seed=seeds, most=st.integers(1, 9))
def test_max_leaf_nodes_is_never_exceeded(seed, most):
    limited, full = grown(seed, max_leaf_nodes=most), grown(seed)
    # A branch for levels without rows costs nothing: only leaves with rows count.
    assert ((limited.kind == LEAF) & (limited.n_rows > 0)).sum() <= most
    for node, _ in cut_leaves(limited, full):
        assert reason(limited, node) == "max_leaf_nodes"


TARGETS = {"two classes": list("aaabbb"), "three": list("aabbcc"), "numbers": [1.0, 1, 1, 2, 3, 3]}


@pytest.mark.parametrize("nominal", ["branches", "subset", "one_vs_rest"])
@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize(
    ("column", "limit", "expected"),
    [
        ([1.0, 1, 1, 2, 2, 2], {"min_samples_leaf": 4}, "min_samples_leaf"),
        (list("pppqqq"), {"min_samples_leaf": 4}, "min_samples_leaf"),
        (list("pqpqpq"), {"min_gain": 5.0}, "min_gain"),
        (list("pppppp"), {"min_samples_leaf": 4}, "min_samples_leaf"),
        (list("pppppp"), {"min_samples_leaf": 3}, "no candidate"),
        (list("pppppp"), {"min_gain": 5.0}, "no candidate"),
    ],
)
def test_a_leaf_says_why_its_only_column_is_not_asked(nominal, y, column, limit, expected):
    kind = tw.TreeClassifier if isinstance(y[0], str) else tw.TreeRegressor
    for short_cut in ("threads", "local_subtrees"):  # which drops columns of one value
        with left_out(short_cut):
            tree = kind(nominal=nominal, **limit).fit({"x": column}, y).tree_
        assert reason(tree, 0) == expected


@pytest.mark.parametrize("weight", [None, 2.0])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor])
def test_levels_that_gain_nothing_are_halved_where_limits_allow_it(kind, n_classes, weight):
    """Seven levels of few rows and seven of many, all with the same shares."""
    of_level = [(level, y) for level in range(14) for y in range(n_classes)]
    rows = [(f"level {level:02}", y) for level, y in of_level for _ in range([1, 10][level >= 7])]
    levels, y = zip(*rows, strict=True)
    n_few, n_rows = 7 * n_classes, len(rows)
    weights = None if weight is None else np.full(n_rows, weight)

    def left_rows(**limits):
        model = kind(prune=None, max_depth=1, **limits).fit({"x": levels}, y, sample_weight=weights)
        return model.tree_.n_rows[1]

    times = 1 if weight is None else int(weight)  # whole weights are counts
    for part in (0.6, 1.0):
        assert left_rows(min_samples_leaf=math.ceil(part * n_few * times)) == n_few
        assert left_rows(min_weight_fraction_leaf=part * n_few / n_rows) == n_few
    eighth = 10 * n_classes
    assert left_rows(min_samples_leaf=n_few * times + 1) == n_few + eighth
    assert left_rows(min_weight_fraction_leaf=(n_few + 0.5) / n_rows) == n_few + eighth


@given(seed=seeds)
def test_the_order_of_splits_is_recorded(seed):
    tree = grown(seed, max_splits=5)
    order = tree.split_order[tree.kind != LEAF]
    assert sorted(order.tolist()) == list(range(len(order)))
    assert (tree.split_order[tree.kind == LEAF] == -1).all()
    inner = np.flatnonzero((tree.kind != LEAF) & (tree.parent >= 0))
    assert (tree.split_order[inner] > tree.split_order[tree.parent[inner]]).all()


@given(seed=seeds, confidence=st.sampled_from([0.05, 0.25]))
def test_an_error_estimate_leaves_the_top_of_the_tree(seed, confidence):
    limited, full = grown(seed, error_confidence=confidence), grown(seed)
    for node, _ in cut_leaves(limited, full):
        assert reason(limited, node) == "error estimate"


@given(seed=seeds)
def test_runners_up_are_never_better_than_the_split_and_ties_are_marked(seed):
    tree = grown(seed)
    for node in np.flatnonzero(tree.kind != LEAF):
        for at in range(tree.competitor_start[node], tree.competitor_start[node + 1]):
            slack = 1e-11 * max(tree.impurity[node] * tree.weight[node], 1.0)
            assert tree.competitor_score[at] <= tree.score[node] + slack
            is_tied = abs(tree.competitor_score[at] - tree.score[node]) <= slack
            assert bool(tree.competitor_tied[at]) == is_tied
            assert tree.competitor_feature[at] != tree.feature[node]
