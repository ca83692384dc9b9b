"""Error-based pruning: C4.5's numbers, and what raising a branch does to rows and levels."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, branches, build, leaf, numeric_schema, threshold
from treewright._kernels.pruning import pessimistic_errors
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.intervals import upper_quantile
from treewright.pruning.error_based import error_based
from treewright.pruning.row_loss import PruningRows
from treewright.tree.check import check_tree
from treewright.tree.layout import SPREAD, STOP_REASONS
from treewright.tree.predict import predict_parts
from watched import SLOWER

seeds = st.integers(0, 2**32 - 1)


def expected(weight: float, errors: float, confidence: float = 0.25) -> float:
    z = upper_quantile(confidence)
    limits = pessimistic_errors(
        np.array([float(weight)]), np.array([float(errors)]), confidence=confidence, z=z
    )
    return float(limits[0])


def noisy_rows(seed: int, n_rows: int = 150, *, holes: float = 0.0):
    """Two useful and two useless columns, a quarter of the classes wrong."""
    rng = np.random.default_rng(seed)
    size, color = rng.normal(size=n_rows).round(1), rng.integers(0, 5, n_rows)
    y = ((size > 0) ^ (color == 1) ^ (rng.random(n_rows) < 0.25)).astype(int)
    missing = rng.random((4, n_rows)) < holes
    columns = (
        NumericColumn("size", np.where(missing[0], np.nan, size)),
        NominalColumn("color", np.where(missing[1], -1, color).astype(np.int32), tuple("abcde")),
        NumericColumn("noise", np.where(missing[2], np.nan, rng.normal(size=n_rows).round(1))),
        NominalColumn(
            "shade",
            np.where(missing[3], -1, rng.integers(0, 4, n_rows)).astype(np.int32),
            tuple("klmn"),
        ),
    )
    return Table(columns, n_rows), y


def rows_of(table: Table, y: np.ndarray) -> PruningRows:
    return PruningRows(table, y.astype(np.int32), None, np.ones(len(y)))


# ---------------------------------------------------------------------------- the estimate


def test_leaves_without_errors_have_the_limits_of_quinlans_book():
    assert expected(6, 0) == pytest.approx(6 * 0.206, abs=0.003)
    assert expected(9, 0) == pytest.approx(9 * 0.143, abs=0.003)
    assert expected(1, 0) == pytest.approx(0.75)


def test_between_no_error_and_one_the_limit_is_a_line():
    for weight in (0.3, 1.0, 2.5, 40.0):
        none, one = expected(weight, 0), expected(weight, 1)
        assert expected(weight, 0.25) == pytest.approx(none + 0.25 * (one - none))


def test_a_leaf_that_is_always_wrong_stays_so():
    assert expected(7, 7) == expected(7, 6.5) == 7
    assert expected(0, 0) == 0


@given(weight=st.floats(1, 1e4), share=st.floats(0, 1), more=st.floats(0, 100))
def test_more_rows_are_never_expected_to_make_fewer_errors(weight, share, more):
    errors = share * weight
    limit = expected(weight, errors)
    assert errors <= limit + 1e-9
    assert limit <= max(weight, 1) + 1e-9
    assert expected(weight + more, errors) >= limit - 1e-6
    assert expected(weight + more, errors + more) >= limit - 1e-6


# ---------------------------------------------------------------------------- raising by hand


def colors_behind_a_threshold(n_levels: int, **more):
    """Rows of color 2 leave first, and the colors 0 and 1 tell the classes of the others."""
    schema = Schema(
        (
            ColumnSpec("x", "numeric"),
            ColumnSpec("color", "nominal", tuple("abcdefg"[:n_levels])),
        )
    )
    colors = branches(1, {0: 0, 1: 1}, leaf(10, 0), leaf(0, 10), leaf(0, 0), **more)
    root = threshold(0, 0.0, leaf(2, 0), colors, **more)
    x = np.array([-1.0] * 2 + [1.0] * 20)
    codes = np.array([2] * 2 + [0] * 10 + [1] * 10, dtype=np.int32)
    y = np.array([0] * 12 + [1] * 10)
    table = Table(
        (NumericColumn("x", x), NominalColumn("color", codes, schema.columns[1].levels)), 22
    )
    return build(root, schema, ("no", "yes")), table, y


@pytest.mark.parametrize("n_levels", [3, 4])
def test_a_level_that_comes_with_the_rows_of_a_raised_branch_gets_a_leaf(n_levels):
    tree, table, y = colors_behind_a_threshold(n_levels)
    pruned = error_based(tree, rows_of(table, y), confidence=0.25, subtree_raising=True)
    check_tree(pruned.tree)
    assert str(pruned.tree).splitlines()[:3] == [
        "color = a: no (10)",
        "color = b: yes (10)",
        "color = c: no (2)",
    ]
    assert pruned.tree.n_leaves == n_levels
    (cut,) = pruned.report.cuts
    assert (cut.node, cut.was, cut.became) == (0, 0, "branch")
    assert cut.as_branch == pytest.approx(cut.as_subtree)
    assert cut.n_leaves == 1 + n_levels


def test_rows_with_holes_go_down_a_raised_branch_in_parts():
    tree, table, y = colors_behind_a_threshold(3, missing=SPREAD)
    codes = table.columns[1].codes.copy()
    codes[2] = -1  # of the ten rows of color 0
    holed = Table((table.columns[0], NominalColumn("color", codes, tuple("abc"))), 22)
    pruned = error_based(tree, rows_of(holed, y), confidence=0.25, subtree_raising=True).tree
    share = np.array([9, 10, 2]) / 21
    np.testing.assert_allclose(
        pruned.value[1:], [[9 + share[0], 0], [share[1], 10], [2 + share[2], 0]]
    )
    assert pruned.n_rows.tolist() == [22, 10, 11, 3]


def test_leaves_under_a_raised_branch_say_that_they_were_pruned():
    X, y = noisy_rows(3)
    model = tw.C45Classifier(min_samples_leaf=1).fit(X, y)
    before = tw.C45Classifier(min_samples_leaf=1, prune=None).fit(X, y).tree_
    reasons = {STOP_REASONS[code] for code in model.tree_.stop_reason[model.tree_.is_leaf]}
    assert "pruned" in reasons
    assert reasons <= {STOP_REASONS[code] for code in before.stop_reason} | {"pruned"}


# ---------------------------------------------------------------------------- properties


@settings(max_examples=60)
@given(seed=seeds, holes=st.sampled_from([0.0, 0.15]), least=st.sampled_from([1, 2, 5]))
def test_every_node_of_a_pruned_tree_holds_the_rows_that_reach_it(seed, holes, least):
    X, y = noisy_rows(seed, holes=holes)
    tree = tw.C45Classifier(min_samples_leaf=least).fit(X, y).tree_
    check_tree(tree)
    parts = predict_parts(tree, tree.schema.encode(X, "missing"))
    counts = np.zeros_like(tree.value)
    np.add.at(counts, (parts.node, y[parts.row]), parts.share)
    filled = tree.is_leaf & (tree.weight > 0)
    np.testing.assert_allclose(counts[filled], tree.value[filled], atol=1e-9)
    np.testing.assert_allclose(tree.value.sum(axis=1)[filled], tree.weight[filled])
    inner = np.flatnonzero(~tree.is_leaf)
    for node in inner:
        children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        assert sum(tree.weight[child] for child in children) == pytest.approx(tree.weight[node])


@settings(max_examples=60)
@given(seed=seeds, holes=st.sampled_from([0.0, 0.15]))
def test_every_cut_was_worth_it(seed, holes):
    X, y = noisy_rows(seed, holes=holes)
    report = tw.C45Classifier(min_samples_leaf=1).fit(X, y).pruning_
    for cut in report.cuts:
        if cut.became == "leaf":
            assert cut.as_leaf <= min(cut.as_subtree, cut.as_branch) + 0.1 + 1e-6
        else:
            assert cut.as_branch <= cut.as_subtree + 0.1 + 1e-6
            assert cut.as_leaf > cut.as_branch + 0.1 or cut.as_leaf > cut.as_subtree + 0.1


@settings(max_examples=30)
@given(seed=seeds)
def test_a_row_of_weight_two_is_the_row_twice(seed):
    X, y = noisy_rows(seed, 100)
    twice = np.random.default_rng(seed).random(len(y)) < 0.3
    rows = np.repeat(np.arange(len(y)), np.where(twice, 2, 1))
    weighted = tw.C45Classifier().fit(X, y, sample_weight=np.where(twice, 2.0, 1.0))
    repeated = tw.C45Classifier().fit(X[rows], y[rows])
    assert weighted.export_text() == repeated.export_text()


@settings(max_examples=30)
@given(seed=seeds)
def test_the_order_of_rows_does_not_matter(seed):
    X, y = noisy_rows(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    tree = tw.C45Classifier().fit(X, y).tree_
    assert tw.C45Classifier().fit(X[order], y[order]).tree_.same_as(tree)


@given(seed=seeds, confidence=st.sampled_from([0.05, 0.25, 0.5]))
def test_where_no_branch_is_raised_the_rows_are_not_needed(seed, confidence):
    X, y = noisy_rows(seed, 60)
    stump = tw.C45Classifier(confidence=confidence, max_depth=1, collapse=False)
    with_rows = stump.fit(X, y).tree_
    assert stump.set_params(subtree_raising=False).fit(X, y).tree_.same_as(with_rows)


def test_rows_that_the_tree_has_not_seen_leave_a_sound_tree():
    X, y = noisy_rows(1, 300)
    others, truth = noisy_rows(2, 20, holes=0.3)
    grown = tw.C45Classifier(prune=None, min_samples_leaf=1).fit(X, y)
    with pytest.warns(UserWarning, match="fitted to 300 rows, 20 are given"):
        pruned = tw.prune(grown, "error_based", others, truth)
    check_tree(pruned.tree_)
    assert pruned.tree_.n_rows[0] == 20
    assert pruned.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_impurity_is_that_of_the_rows_now():
    X, y = noisy_rows(3)
    for model in (tw.C45Classifier(min_samples_leaf=1), tw.CARTClassifier(prune="error_based")):
        tree = model.fit(X, y).tree_
        share = tree.probabilities
        if isinstance(model, tw.CARTClassifier):
            impurity = 1 - (share**2).sum(axis=1)
        else:
            impurity = -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1)
        filled = tree.weight > 0
        np.testing.assert_allclose(tree.impurity[filled], impurity[filled], atol=1e-9)


@given(seed=seeds)
def test_gains_add_up_to_the_impurity_that_the_tree_takes_away(seed):
    X, y = noisy_rows(seed, 80)
    tree = tw.CARTClassifier(prune="error_based").fit(X, y).tree_
    taken = (tree.gain * tree.weight).sum()
    left = (tree.impurity * tree.weight)[tree.is_leaf].sum()
    assert taken + left == pytest.approx(tree.impurity[0] * tree.weight[0])


def test_a_long_chain_is_pruned_without_recursion():
    n_splits = 3000
    tree = a_chain(n_splits)
    x = np.arange(n_splits + 1, dtype=np.float64)[:, np.newaxis] + 1.0
    rows = PruningRows(x, np.r_[np.zeros(n_splits), 1].astype(np.int32), None, np.ones(len(x)))
    begin = time.process_time()
    pruned = error_based(tree, rows, confidence=0.25, subtree_raising=True)
    assert time.process_time() - begin < 20 * SLOWER
    assert str(pruned.tree).splitlines() == ["x <= 3000: no (3000)", "x > 3000: yes (1)"]


def test_an_interrupt_is_heard():
    n_splits = 30_000
    tree = a_chain(n_splits)
    x = np.arange(n_splits + 1, dtype=np.float64)[:, np.newaxis] + 1.0
    rows = PruningRows(x, np.r_[np.zeros(n_splits), 1].astype(np.int32), None, np.ones(len(x)))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            error_based(tree, rows, confidence=0.25, subtree_raising=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_costs_are_counted():
    schema = numeric_schema("x")
    sketch = threshold(0, 0.0, leaf(8, 2), leaf(9, 0))
    x = np.array([[-1.0]] * 10 + [[1.0]] * 9)
    y = np.array([0] * 8 + [1] * 2 + [0] * 9, dtype=np.int32)
    rows = PruningRows(x, y, None, np.ones(19))
    plain = build(sketch, schema, ("well", "ill"))
    dear = build(sketch, schema, ("well", "ill"), costs=np.array([[0.0, 1.0], [20.0, 0.0]]))
    for raising in (True, False):
        given_rows = rows if raising else None
        options = {"confidence": 0.25, "subtree_raising": raising}
        assert error_based(plain, given_rows, **options).tree.n_leaves == 1
        assert error_based(dear, given_rows, **options).tree.n_leaves == 2


# ---------------------------------------------------------------------------- threads


@pytest.mark.parametrize("holes", [0.0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_tree_does_not_depend_on_the_number_of_threads(holes, weighted):
    """Branches are pruned side by side, rows of raised ones bring levels that are not listed."""
    table, y = noisy_rows(5, 20_000, holes=holes)
    weights = np.random.default_rng(5).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    settings = {"prune": None, "min_samples_leaf": 1, "mdl_correction": False}
    tree = tw.C45Classifier(**settings).fit(table, y, sample_weight=weights).tree_
    options = {"confidence": 0.5, "subtree_raising": True}
    rows = PruningRows(table, y.astype(np.int32), None, weights)
    alone = error_based(tree, rows, **options)
    assert alone.report.raised.any()
    for n_threads in (2, 3, 8, 33):
        found = error_based(tree, replace(rows, n_threads=n_threads), **options)
        assert found.tree.same_as(alone.tree)
        for name in ("node", "was", "raised", "as_leaf", "as_subtree", "as_branch"):
            np.testing.assert_array_equal(getattr(found.report, name), getattr(alone.report, name))
